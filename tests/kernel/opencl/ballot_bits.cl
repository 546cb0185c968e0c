// Ballots that are given: what counts are the bits below get_max_sub_group_size(), also where the sub-group has fewer work-items.
// launch: --block 50 --arg buf:out:s32:300:zero --dump out
// launch small: --block 20 --arg buf:out:s32:300:zero --dump out
kernel void ballot_bits(global int *out)
{
	global int *o = out + 6 * get_local_id(0);
	uint4 all = (uint4)(~0u), some = (uint4)(0x90010100u, ~0u, ~0u, ~0u);
	o[0] = sub_group_ballot_bit_count(all);
	o[1] = sub_group_ballot_find_msb(some);
	o[2] = sub_group_ballot_find_lsb(some);
	o[3] = get_sub_group_ge_mask().x;
	o[4] = get_sub_group_gt_mask().x;
	o[5] = sub_group_ballot_bit_extract(some, 31) + 2 * sub_group_inverse_ballot(some);
}
