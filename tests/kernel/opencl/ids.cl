// Work-item functions in three dimensions, launched without OpenCL's registers: no offset, the enqueued size is the block.
// launch: --grid 2,3,2 --block 4,2,3 --arg buf:out:u32:3744:zero --dump out
kernel void ids(global uint *out)
{
	size_t g = get_global_linear_id();
	global uint *o = out + 13 * g;
	o[0] = (uint)get_global_id(0) | (uint)get_global_id(1) << 8 | (uint)get_global_id(2) << 16;
	o[1] = (uint)get_local_id(0) | (uint)get_local_id(1) << 8 | (uint)get_local_id(2) << 16;
	o[2] = (uint)get_group_id(0) | (uint)get_group_id(1) << 8 | (uint)get_group_id(2) << 16;
	o[3] = (uint)get_global_size(0) | (uint)get_global_size(1) << 8 | (uint)get_global_size(2) << 16;
	o[4] = (uint)get_local_size(0) | (uint)get_local_size(1) << 8 | (uint)get_local_size(2) << 16;
	o[5] = (uint)get_num_groups(0) | (uint)get_num_groups(1) << 8 | (uint)get_num_groups(2) << 16;
	o[6] = (uint)get_enqueued_local_size(0) | (uint)get_enqueued_local_size(1) << 8 | (uint)get_enqueued_local_size(2) << 16;
	o[7] = get_work_dim();
	o[8] = (uint)get_global_offset(0) + (uint)get_global_offset(1) + (uint)get_global_offset(2);
	o[9] = (uint)get_local_linear_id();
	/* Dimensions there are not. */
	o[10] = (uint)get_global_id(3) + (uint)get_local_id(7) + (uint)get_group_id(3) + (uint)get_global_offset(3);
	o[11] = (uint)get_global_size(3) + (uint)get_local_size(3) + (uint)get_num_groups(3) + (uint)get_enqueued_local_size(3);
	o[12] = get_sub_group_size() | get_max_sub_group_size() << 8 | get_num_sub_groups() << 16 | get_sub_group_local_id() << 24;
}
