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

/* Which memory a generic pointer points into. */
OVERLOAD cl_mem_fence_flags get_fence(const void *pointer)
{
	uint local_;
	__asm__("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(local_) : "l"(pointer));
	return local_ ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

OVERLOAD cl_mem_fence_flags get_fence(void *pointer)
{
	return get_fence((const void *)pointer);
}
