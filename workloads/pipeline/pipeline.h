/* What the pipelines of this folder need in PTX: mbarriers, asynchronous copies, named barriers, clusters.
 *
 * They are macros and not functions, so that a finding has the line of the pipeline, without a chain of inlined calls.
 * `--define FAULT=NAME` seeds a fault: each pipeline has an enum of its faults, and tests for them with `seeded`. */
#ifndef PIPELINE_H
#define PIPELINE_H

typedef unsigned long long mbarrier;

#ifndef SIDE
#define SIDE 16 /* of a tile; with 8 there is less to do between two waits, as a search of all orders wants it */
#endif
#define WORDS (SIDE * SIDE)
#define BYTES (4u * WORDS)

#ifndef FAULT
#define FAULT none
#endif
#define seeded(name) (FAULT == (name))

/* The address that PTX's instructions on shared memory take. */
#define in_shared(p)                                                                                                   \
	({                                                                                                             \
		unsigned long long offset;                                                                             \
		asm("cvta.to.shared.u64 %0, %1;" : "=l"(offset) : "l"(p));                                             \
		(unsigned)offset;                                                                                      \
	})
/* The address of the same variable in another work-group of the cluster. */
#define in_group(p, rank)                                                                                              \
	({                                                                                                             \
		unsigned at;                                                                                           \
		asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(in_shared(p)), "r"(rank));                 \
		at;                                                                                                    \
	})

/* ---- mbarriers ---- */

#define init(bar, count)                                                                                               \
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(in_shared(bar)), "r"(count) : "memory")
#define inval(bar) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(in_shared(bar)) : "memory")
#define fence_init() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define arrive(bar) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(in_shared(bar)) : "memory")
#define arrive_expect(bar, bytes)                                                                                      \
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes)        \
		     : "memory")
#define expect(bar, bytes)                                                                                             \
	asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes)      \
		     : "memory")
/* One arrival, as soon as all earlier cp.async of this thread are complete. */
#define arrive_copied(bar)                                                                                             \
	asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(bar)) : "memory")
/* Waits until the phase with this parity is complete.  GPUs before sm_90 have no try_wait. */
#if defined ASYNC
#define wait(bar, parity) wait_by("test_wait.parity.shared::cta.b64", bar, parity)
#else
#define wait(bar, parity) wait_by("try_wait.parity.shared::cta.b64", bar, parity)
#endif
/* Acquires also what other work-groups of the cluster have released. */
#define wait_cluster(bar, parity) wait_by("try_wait.parity.acquire.cluster.shared::cta.b64", bar, parity)
#define wait_by(how, bar, parity)                                                                                      \
	do {                                                                                                           \
		unsigned over;                                                                                         \
		do                                                                                                     \
			asm volatile("{ .reg .pred p; mbarrier." how " p, [%1], %2; selp.u32 %0, 1, 0, p; }"           \
				     : "=r"(over)                                                                      \
				     : "r"(in_shared(bar)), "r"(parity)                                                \
				     : "memory");                                                                      \
		while (!over);                                                                                         \
	} while (0)

/* ---- Copies ---- */

#define bulk_load(to, from, bytes, bar)                                                                                \
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
			     in_shared(to)),                                                                           \
		     "l"(from), "r"(bytes), "r"(in_shared(bar))                                                        \
		     : "memory")
#define bulk_store(to, from, bytes)                                                                                    \
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(in_shared(from)),    \
		     "r"(bytes)                                                                                        \
		     : "memory")
#define bulk_commit() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define bulk_wait_read(left) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory")
#define bulk_wait(left) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory")
#define proxy_fence() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define async_load(to, from)                                                                                           \
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(in_shared(to)), "l"(from) : "memory")

/* ---- Barriers ---- */

#define sync_warp() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define named_sync(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define named_arrive(id, threads) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")

/* ---- The cluster ---- */

#define cluster_arrive() asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory")
#define cluster_wait() asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory")
/* An arrival at the mbarrier of the work-group `rank`. */
#define arrive_in(bar, rank)                                                                                           \
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_group(bar, rank))         \
		     : "memory")
/* A copy into the work-group `rank`.  Its bytes complete at the mbarrier of the work-group `at`, which must be the
 * same one. */
#define bulk_load_in(to, rank, from, bytes, bar, at)                                                                   \
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
			     in_group(to, rank)),                                                                      \
		     "l"(from), "r"(bytes), "r"(in_group(bar, at))                                                     \
		     : "memory")
/* A copy into each work-group whose rank is a bit of `mask`: to the same offset, completing at the same mbarrier. */
#define bulk_load_all(to, from, bytes, bar, mask)                                                                      \
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "           \
		     "[%0], [%1], %2, [%3], %4;" ::"r"(in_shared(to)),                                                 \
		     "l"(from), "r"(bytes), "r"(in_shared(bar)), "h"((unsigned short)(mask))                           \
		     : "memory")

#define store_in(at, rank, value)                                                                                      \
	asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_group(at, rank)), "r"(value) : "memory")

static __device__ inline unsigned cluster_rank(void)
{
	unsigned rank;

	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

/* ---- Memory ---- */

#define load_acquire(value, at) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory")
#define load_relaxed(value, at) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory")
#define store_release(at, value) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory")
#define store_relaxed(at, value) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory")

#endif
