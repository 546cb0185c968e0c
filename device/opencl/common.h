/* What the files of device/opencl/ share.  They are compiled to bitcode once for each clang, in the order of their names
 * behind this one, as OpenCL C 3.0, and linked into every OpenCL program before libclc: a name defined here hides libclc's
 * (but not for libclc's own use).  No file is linked whole: what a program does not call does not come. */
#define OVERLOAD __attribute__((overloadable, always_inline))
#define INLINE static __attribute__((always_inline))

/* A 32-bit special register. */
#define SPECIAL(name)                                                                                                  \
	({                                                                                                             \
		uint value_;                                                                                           \
		__asm__("mov.u32 %0, %%" name ";" : "=r"(value_));                                                     \
		value_;                                                                                                \
	})
/* One of three by a dimension, which is a constant nearly always; `beyond` for others. */
#define BY_DIMENSION(d, x, y, z, beyond) ((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : (beyond))

INLINE uint linear_thread(void)
{
	return (SPECIAL("tid.z") * SPECIAL("ntid.y") + SPECIAL("tid.y")) * SPECIAL("ntid.x") + SPECIAL("tid.x");
}

INLINE uint thread_count(void)
{
	return SPECIAL("ntid.x") * SPECIAL("ntid.y") * SPECIAL("ntid.z");
}

#define FENCE_IN_SCOPE(order)                                                                                          \
	if (scope == memory_scope_device)                                                                              \
		__asm__ volatile("fence." order ".gpu;" ::: "memory");                                                 \
	else if (scope == memory_scope_all_svm_devices)                                                                \
		__asm__ volatile("fence." order ".sys;" ::: "memory");                                                 \
	else                                                                                                           \
		__asm__ volatile("fence." order ".cta;" ::: "memory")

INLINE void fence_order(memory_order order, memory_scope scope)
{
	if (order == memory_order_relaxed)
		return;
	if (order == memory_order_seq_cst) {
		FENCE_IN_SCOPE("sc");
	} else if (order == memory_order_acquire) {
		FENCE_IN_SCOPE("acquire");
	} else if (order == memory_order_release) {
		FENCE_IN_SCOPE("release");
	} else {
		FENCE_IN_SCOPE("acq_rel");
	}
}

/* The lanes of this work-item's sub-group, which is 32 neighbours; fewer at the end of a group. */
INLINE uint sub_group_mask(void)
{
	uint left = thread_count() - (linear_thread() & ~31u);
	return left < 32 ? (1u << left) - 1 : ~0u;
}
