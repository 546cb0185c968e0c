// Work-group functions over groups of 100 in two dimensions, whose last sub-group is not full.
// launch: --grid 3 --block 20,5 --arg buf:out:s64:3000:zero --arg buf:f:f32:600:zero --dump out --dump f
kernel void work_groups(global long *out, global float *f)
{
	size_t t = get_local_linear_id(), g = get_group_id(0) * 100 + t;
	long x = (long)((t * 31 + get_group_id(0)) % 97) - 40;
	global long *o = out + 10 * g;
	o[0] = work_group_reduce_add(x);
	o[1] = work_group_reduce_min((int)x);
	o[2] = work_group_reduce_max((uint)t);
	o[3] = work_group_scan_inclusive_add((int)x);
	o[4] = work_group_scan_exclusive_add(x);
	o[5] = work_group_scan_inclusive_max(x);
	o[6] = work_group_scan_exclusive_min((int)x);
	o[7] = work_group_broadcast(x, 7, 3);
	o[8] = work_group_all(x > -41) + 2 * work_group_all(x > 0) + 4 * work_group_any(t == 99) + 8 * work_group_any(t == 100);
	o[9] = work_group_broadcast((ulong)t << 40, 19, 4, 0) >> 40;
	f[2 * g] = work_group_reduce_add(0.5f);
	f[2 * g + 1] = (float)work_group_scan_inclusive_min((double)-(long)t);
}
