/* mbarriers, bulk copies and named barriers in PTX, for the kernels of this folder.  They are macros, so that a finding
 * has the kernel's own line.  Objects are named by their offsets. */
typedef unsigned long long object;

static __device__ inline unsigned in_shared(const void *p)
{
	unsigned long long offset;

	asm("cvta.to.shared.u64 %0, %1;" : "=l"(offset) : "l"(p));
	return (unsigned)offset;
}

#define init(bar, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(in_shared(bar)), "r"(count) : "memory")
#define fence_init() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define arrive(bar) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(in_shared(bar)) : "memory")
#define expect(bar, bytes)                                                                                             \
	asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes) : "memory")
#define try_phase(bar, parity)                                                                                         \
	({                                                                                                             \
		unsigned over_;                                                                                        \
		asm volatile(                                                                                          \
			"{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"     \
			: "=r"(over_)                                                                                  \
			: "r"(in_shared(bar)), "r"((unsigned)(parity))                                                 \
			: "memory");                                                                                   \
		over_;                                                                                                 \
	})
#define test_phase(bar, parity)                                                                                        \
	({                                                                                                             \
		unsigned over_;                                                                                        \
		asm volatile(                                                                                          \
			"{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"    \
			: "=r"(over_)                                                                                  \
			: "r"(in_shared(bar)), "r"((unsigned)(parity))                                                 \
			: "memory");                                                                                   \
		over_;                                                                                                 \
	})
#define wait_phase(bar, parity)                                                                                        \
	do                                                                                                             \
		;                                                                                                      \
	while (!try_phase(bar, parity))

/* By state. */
#define arrive_for(bar)                                                                                                \
	({                                                                                                             \
		object state_;                                                                                         \
		asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state_) : "r"(in_shared(bar)) : "memory");  \
		state_;                                                                                                \
	})
#define wait_state(bar, state)                                                                                         \
	do {                                                                                                           \
		unsigned over_;                                                                                        \
		asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"       \
			     : "=r"(over_)                                                                             \
			     : "r"(in_shared(bar)), "l"(state)                                                         \
			     : "memory");                                                                              \
		if (over_)                                                                                             \
			break;                                                                                         \
	} while (1)

#define bulk_load(to, from, bytes, bar)                                                                                \
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
			     in_shared(to)),                                                                           \
		     "l"(from), "r"((unsigned)(bytes)), "r"(in_shared(bar))                                            \
		     : "memory")
#define bulk_store(to, from, bytes)                                                                                    \
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(in_shared(from)),    \
		     "r"((unsigned)(bytes))                                                                            \
		     : "memory")
#define bulk_commit() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define bulk_wait_read(left) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory")
#define bulk_wait(left) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory")
#define proxy_fence() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define copy16(to, from)                                                                                               \
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(in_shared(to)), "l"(from) : "memory")
#define track(bar) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(bar)) : "memory")
#define bar_sync(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define bar_arrive(id, threads) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")

/* A stage of a ring, and the parity of its round. */
template <int S> struct at {
	unsigned stage, parity;

	__device__ at() : stage(0), parity(0)
	{
	}
	__device__ void next()
	{
		parity ^= stage == S - 1;
		stage = stage == S - 1 ? 0 : stage + 1;
	}
};
