// Pipelines with one fault each, which did not hang this time.  Each is for one work-group of 128 threads.
// Findings name lines of comments that say "late", "by this" and "races".
// launch lanes_late: --kernel lanes_late --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch warps_late: --kernel warps_late --mode timing --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch released_alone: --kernel released_alone --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch released_early: --kernel released_early --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch never_empty: --kernel never_empty --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch too_few: --kernel too_few --mode timing --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch waits_alone: --kernel waits_alone --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch no_fence: --kernel no_fence --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch by_state: --kernel by_state --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
// launch begun_again: --kernel begun_again --mode timing --gpu h200 --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12
#include "pipeline.h"

#define TILE 32
#define BYTES (TILE * 4)

/* Two stages, from a thread of warp 0, or all of it, to warps 1 to 3. */
#define RING(releases)                                                                                                 \
	__shared__ object full[2], empty[2];                                                                           \
	__shared__ __attribute__((aligned(128))) unsigned slot[2][TILE];                                               \
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;                                                              \
	at<2> a;                                                                                                       \
                                                                                                                       \
	if (t < 2) {                                                                                                   \
		init(&full[t], 1);                                                                                     \
		init(&empty[t], releases);                                                                             \
	}                                                                                                              \
	__syncthreads();
#define LOAD(k)                                                                                                        \
	expect(&full[a.stage], BYTES);                                                                                 \
	bulk_load(slot[a.stage], in + (k)*TILE, BYTES, &full[a.stage]);

/* All lanes of the producer wait, one copies, and nothing makes it wait for the others. */
extern "C" __global__ void lanes_late(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(3)
	if (t < 32) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1); // lanes 1 to 31 may be late
			if (lane == 0) {
				LOAD(k)
			}
		}
	} else {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane];
			__syncwarp();
			if (lane == 0)
				arrive(&empty[a.stage]); // by this
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* Two warps wait until a stage is empty, and one of them fills it. */
extern "C" __global__ void warps_late(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(1)
	if (t < 32 || t >= 96) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			if (lane == 0)
				wait_phase(&empty[a.stage], a.parity ^ 1); // warp 3 may be late
			if (t == 0) {
				LOAD(k)
			}
		}
	} else if (t < 64) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane];
			__syncwarp();
			__nanosleep(2000);
			if (lane == 0)
				arrive(&empty[a.stage]); // by this
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* A lane of each consumer releases, and nothing makes it wait for the others. */
extern "C" __global__ void released_alone(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(3)
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			LOAD(k) // by this, and races
		}
	} else if (t >= 32) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity); // lanes 1 to 31 may be late
			sum += slot[a.stage][lane]; // races
			if (lane == 0)
				arrive(&empty[a.stage]);
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* Consumers release a stage before they have read it. */
extern "C" __global__ void released_early(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(3)
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			LOAD(k) // races
		}
	} else if (t >= 32) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			__syncwarp();
			if (lane == 0)
				arrive(&empty[a.stage]);
			sum += slot[a.stage][lane]; // races
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* The producer never waits until a stage is empty, but takes some time. */
extern "C" __global__ void never_empty(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(3)
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			LOAD(k) // by this, and races
			if (k)
				wait_phase(&full[a.stage ^ 1], (k - 1) / 2 & 1); // the copy before is there
			__nanosleep(2000);
		}
	} else if (t >= 32) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity); // may be late
			sum += slot[a.stage][lane]; // races
			__syncwarp();
			if (lane == 0)
				arrive(&empty[a.stage]);
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* Three consumers, but a stage counts as empty when two have released it. */
extern "C" __global__ void too_few(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(2)
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			__nanosleep(2000);
			LOAD(k) // by this, and races
		}
	} else if (t >= 32) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity); // may be late
			sum += slot[a.stage][lane]; // races
			__syncwarp();
			if (lane == 0 && t < 96)
				arrive(&empty[a.stage]);
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* One lane of a consumer waits for the others, which do not wait for it. */
extern "C" __global__ void waits_alone(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(1)
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			LOAD(k) // races
		}
	} else if (t >= 32 && t < 64) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			if (lane == 0)
				wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane]; // races
			__syncwarp();
			if (lane == 0)
				arrive(&empty[a.stage]);
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* A consumer changes what it has got and has it copied out, without a fence between the proxies. */
extern "C" __global__ void no_fence(const unsigned *in, unsigned *out, unsigned tiles)
{
	RING(1)
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			LOAD(k)
		}
	} else if (t >= 32 && t < 64) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			slot[a.stage][lane] += k; // races
			__syncwarp();
			if (lane == 0) {
				bulk_store(out + blockIdx.x * 32, slot[a.stage], BYTES); // races
				bulk_commit();
				bulk_wait(0);
				arrive(&empty[a.stage]);
			}
		}
	}
}

/* A thread arrives once and waits by state; the next phase completes without it. */
extern "C" __global__ void by_state(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object both;
	unsigned t = threadIdx.x;

	if (t == 0)
		init(&both, 2);
	__syncthreads();
	if (t == 0) {
		object state = arrive_for(&both);

		wait_state(&both, state); // may be late
		out[0] = in[0] + tiles;
	} else if (t == 32) {
		arrive(&both);
		wait_phase(&both, 0);
		__nanosleep(5000);
		arrive(&both);
		arrive(&both); // by this
	}
}

/* The object is initialised again after some phases; the threads meet at a barrier of the cluster. */
extern "C" __global__ void begun_again(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object step;
	unsigned t = threadIdx.x;

	for (unsigned half = 0; half < 2; half++) {
		if (t == 0)
			init(&step, 1);
		asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
		for (unsigned k = 0; k < 4 && t == 32 && !half; k++) {
			arrive(&step);
			wait_phase(&step, k & 1);
		}
		asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
	}
	if (t == 64) {
		wait_phase(&step, 1); // may be late
		out[0] = in[0] + tiles;
	} else if (t == 32) {
		__nanosleep(5000);
		arrive(&step); // by this
	}
}
