// OpenCL C through clang and libclc: a tree reduction in local memory with barriers, ids and sizes, double precision.
// launch: --grid 5 --block 64 --arg buf:input:f64:320:random=2,-1,1 --arg buf:sums:f64:5:zero --dump sums
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void reduction(global const double *input, global double *sums)
{
	local double room[64];
	size_t t = get_local_id(0);
	room[t] = input[get_global_id(0)];
	for (size_t step = get_local_size(0) / 2; step; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < step)
			room[t] += room[t + step];
	}
	if (t == 0)
		sums[get_group_id(0)] = room[0];
}
