/* Asynchronous copies and mbarriers in PTX, for the kernels of this folder.  They are macros, so that a finding has the
 * kernel's own line. */
static __device__ inline unsigned in_shared(const void *p)
{
	unsigned long long offset;

	asm("cvta.to.shared.u64 %0, %1;" : "=l"(offset) : "l"(p));
	return (unsigned)offset;
}

/* ---- cp.async ---- */

#define copy(to, from)                                                                                                 \
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(in_shared(to)), "l"(from) : "memory")
#define copy_part(to, from, bytes)                                                                                     \
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(in_shared(to)), "l"(from), "r"(bytes)       \
		     : "memory")
#define commit() asm volatile("cp.async.commit_group;" ::: "memory")
#define wait_group(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
#define wait_all() asm volatile("cp.async.wait_all;" ::: "memory")

/* ---- mbarriers ---- */

#define init(bar, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(in_shared(bar)), "r"(count) : "memory")
#define fence_init() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define arrive(bar) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(in_shared(bar)) : "memory")
#define expect(bar, bytes)                                                                                             \
	asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes) : "memory")
#define track(bar) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(bar)) : "memory")

static __device__ inline void wait_phase(unsigned long long *bar, unsigned parity)
{
	unsigned over;

	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			     : "=r"(over)
			     : "r"(in_shared(bar)), "r"(parity)
			     : "memory");
	while (!over);
}

/* ---- cp.async.bulk ---- */

#define bulk_load(to, from, bytes, bar)                                                                                \
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
			     in_shared(to)),                                                                           \
		     "l"(from), "r"(bytes), "r"(in_shared(bar))                                                        \
		     : "memory")
#define bulk_inside(to, from, bytes, bar)                                                                              \
	asm volatile(                                                                                                  \
		"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
			in_shared(to)),                                                                                \
		"r"(in_shared(from)), "r"(bytes), "r"(in_shared(bar))                                                  \
		: "memory")
#define bulk_store(to, from, bytes)                                                                                    \
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(in_shared(from)),    \
		     "r"(bytes)                                                                                        \
		     : "memory")
#define bulk_commit() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define bulk_wait(left) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory")
#define bulk_wait_read(left) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory")
#define proxy_fence() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
