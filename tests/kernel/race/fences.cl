// Fences of OpenCL C that only release, or only acquire, each where the other would not do: OpenCL C 3.0, 6.15.12.2.
// launch: --kernel right --grid 2 --block 1 --check races --arg buf:out:s32:2:zero --arg buf:flag:s32:1:zero
// launch no_release: --kernel no_release --grid 2 --block 1 --check races --arg buf:out:s32:2:zero --arg buf:flag:s32:1:zero
// launch no_acquire: --kernel no_acquire --grid 2 --block 1 --check races --arg buf:out:s32:2:zero --arg buf:flag:s32:1:zero
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, memory_scope_device)
#define MESSAGE(sends, receives)                                                                                       \
	if (get_group_id(0) == 0) {                                                                                    \
		out[0] = 7;                                                                                            \
		FENCE(sends);                                                                                          \
		atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);                             \
	} else {                                                                                                       \
		while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))                         \
			;                                                                                              \
		FENCE(receives);                                                                                       \
		out[1] = out[0];                                                                                       \
	}

kernel void right(global int *out, global atomic_int *flag)
{
	MESSAGE(memory_order_release, memory_order_acquire)
}

kernel void no_release(global int *out, global atomic_int *flag)
{
	MESSAGE(memory_order_acquire, memory_order_acquire)
}

kernel void no_acquire(global int *out, global atomic_int *flag)
{
	MESSAGE(memory_order_release, memory_order_release)
}
