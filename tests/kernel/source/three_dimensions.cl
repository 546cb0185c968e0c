// OpenCL ids in three dimensions, local and group sizes, and barriers in a group of 3 x 4 x 5.
// launch: --grid 2,2,2 --block 3,4,5 --arg buf:out:u32:480:zero --dump out
kernel void three_dimensions(global uint *out)
{
	local uint room[60];
	uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	uint at = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
	room[at] = x + 10 * y + 100 * z + 1000 * get_group_id(2);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(z * get_global_size(1) + y) * get_global_size(0) + x] = room[59 - at];
}
