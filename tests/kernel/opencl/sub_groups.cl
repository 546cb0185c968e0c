// Sub-groups of 32, the last of the group has 18: reductions, scans, broadcasts, shuffles, ballots, also where only some are.
// launch: --grid 2 --block 50 --arg buf:out:s32:2000:zero --arg buf:wide:f64:400:zero --dump out --dump wide
kernel void sub_groups(global int *out, global double *wide)
{
	int g = get_global_id(0), t = get_sub_group_local_id();
	int x = (t * 7) % 13 - 3;
	global int *o = out + 20 * g;
	o[0] = sub_group_reduce_add(x);
	o[1] = sub_group_scan_inclusive_min(x);
	o[2] = sub_group_scan_exclusive_max(x);
	o[3] = sub_group_broadcast(x, 5);
	o[4] = sub_group_all(x > -4) + 2 * sub_group_any(x == 9) + 4 * sub_group_any(x == 10);
	o[5] = sub_group_shuffle(x, (t + 3) % get_sub_group_size());
	o[6] = sub_group_shuffle_xor(x, 1);
	o[7] = sub_group_ballot(t % 3 == 0).x;
	o[8] = sub_group_ballot_bit_count(sub_group_ballot(t & 1));
	o[9] = get_sub_group_id() + 100 * get_num_sub_groups() + 1000 * get_sub_group_size();
	if (t % 3 == 1) {
		o[10] = sub_group_non_uniform_reduce_add(x);
		o[11] = sub_group_non_uniform_scan_exclusive_add(t);
		o[12] = sub_group_broadcast_first(t);
		o[13] = sub_group_elect();
		o[14] = sub_group_non_uniform_reduce_mul((long)2) >> 3;
	}
	o[15] = sub_group_clustered_reduce_max(x, 4);
	o[16] = (int)sub_group_scan_inclusive_add((uchar)200);
	o[17] = sub_group_reduce_max((short)-t);
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	int up = sub_group_shuffle_up(x, 1), down = sub_group_shuffle_down(x, 2);
	o[18] = t ? up : x;
	o[19] = t + 2 < get_sub_group_size() ? down : x;
	wide[4 * g] = sub_group_scan_exclusive_add(t * 0.5);
	wide[4 * g + 1] = sub_group_reduce_min((double)x);
	wide[4 * g + 2] = (double)sub_group_scan_inclusive_add(1L << 40);
	wide[4 * g + 3] = sub_group_scan_inclusive_max(t == 4 ? 3.5f : -t * 1.0f);
}
