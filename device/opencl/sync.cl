/* Barriers and fences.
 *
 * bar.sync alone orders what the work-items of a group did before it, in local and global memory.  For a wider scope there
 * are fences on both sides.  The fences of OpenCL 1.x are those of the whole GPU where they name global memory: programs
 * use them between work-groups, and NVIDIA's compiler gives them membar.gl. */

OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
	/* Nobody outside of the group sees local memory. */
	fence_order(order, flags == CLK_LOCAL_MEM_FENCE ? memory_scope_work_group : scope);
}

INLINE void fence_1(cl_mem_fence_flags flags)
{
	if (flags & CLK_GLOBAL_MEM_FENCE)
		__asm__ volatile("membar.gl;" ::: "memory");
	else
		__asm__ volatile("membar.cta;" ::: "memory");
}

OVERLOAD void mem_fence(cl_mem_fence_flags flags)
{
	fence_1(flags);
}

OVERLOAD void read_mem_fence(cl_mem_fence_flags flags)
{
	fence_1(flags);
}

OVERLOAD void write_mem_fence(cl_mem_fence_flags flags)
{
	fence_1(flags);
}

OVERLOAD void barrier(cl_mem_fence_flags flags)
{
	__asm__ volatile("bar.sync 0;" ::: "memory");
}

OVERLOAD void work_group_barrier(cl_mem_fence_flags flags)
{
	__asm__ volatile("bar.sync 0;" ::: "memory");
}

OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
	bool wide = (scope == memory_scope_device || scope == memory_scope_all_svm_devices) &&
		    (flags & ~CLK_LOCAL_MEM_FENCE);
	if (wide)
		fence_order(memory_order_acq_rel, scope);
	__asm__ volatile("bar.sync 0;" ::: "memory");
	if (wide)
		fence_order(memory_order_acq_rel, scope);
}

OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags)
{
	__asm__ volatile("bar.warp.sync %0;" ::"r"(sub_group_mask()) : "memory");
}

OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
	bool wide = (scope == memory_scope_device || scope == memory_scope_all_svm_devices) &&
		    (flags & ~CLK_LOCAL_MEM_FENCE);
	if (wide)
		fence_order(memory_order_acq_rel, scope);
	__asm__ volatile("bar.warp.sync %0;" ::"r"(sub_group_mask()) : "memory");
	if (wide)
		fence_order(memory_order_acq_rel, scope);
}

/* --- Generic pointers: which memory do they point into?  clang makes `__to_local(p)` of `to_local(p)`, for pointers of any type --- */

#define IS_IN(space, pointer)                                                                                          \
	({                                                                                                             \
		uint in_;                                                                                              \
		__asm__("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(in_) : "l"(pointer)); \
		in_;                                                                                                   \
	})

OVERLOAD cl_mem_fence_flags get_fence(const void *pointer)
{
	return IS_IN("shared", pointer) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

OVERLOAD cl_mem_fence_flags get_fence(void *pointer)
{
	return get_fence((const void *)pointer);
}

__attribute__((always_inline)) global void *__to_global(void *pointer)
{
	return IS_IN("global", pointer) ? (global void *)pointer : 0;
}

__attribute__((always_inline)) local void *__to_local(void *pointer)
{
	return IS_IN("shared", pointer) ? (local void *)pointer : 0;
}

__attribute__((always_inline)) private void *__to_private(void *pointer)
{
	return IS_IN("local", pointer) ? (private void *)pointer : 0;
}
