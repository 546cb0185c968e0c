// Work-groups that wait for each other through C11 atomics: three rounds, each reads what the neighbour group wrote before.
// launch: --grid 8 --block 64 --arg buf:arrived:u32:1:zero --arg buf:data:u32:512:zero --dump data --dump arrived
kernel void rounds(global atomic_uint *arrived, global uint *data)
{
	uint g = get_global_id(0), n = get_global_size(0);
	for (uint round = 1; round <= 3; round++) {
		data[g] = round * 1000 + data[g] % 1000 + (round > 1);
		work_group_barrier(CLK_GLOBAL_MEM_FENCE);
		if (get_local_id(0) == 0) {
			atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
			while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) < (2 * round - 1) * get_num_groups(0))
				;
		}
		work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
		uint other = data[(g + 64) % n];
		work_group_barrier(CLK_GLOBAL_MEM_FENCE);
		if (get_local_id(0) == 0) {
			atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
			atomic_fetch_add_explicit(arrived, 1, memory_order_relaxed, memory_scope_device);
			while (atomic_load_explicit(arrived, memory_order_relaxed, memory_scope_device) < 2 * round * get_num_groups(0))
				;
			atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
		}
		work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
		data[g] += other / 1000 * 10;
	}
}
