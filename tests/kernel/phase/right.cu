// Pipelines that are right: nothing is said of them.  Each is for one work-group of 128 threads, and adds up the tiles of `in`, of 32 words:
// `tiles` of them by each of 32 lanes.
// launch one: --kernel one --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch two: --kernel two --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch three: --kernel three --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch four: --kernel four --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch peeks: --kernel peeks --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch states: --kernel states --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch ping_pong: --kernel ping_pong --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch attention: --kernel attention --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch persistent: --kernel persistent --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch tracked: --kernel tracked --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch elected: --kernel elected --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch flags: --kernel flags --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch barriers: --kernel barriers --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch again: --kernel again --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch shuffles: --kernel shuffles --grid 2 --block 128 --check barriers --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch stored: --kernel stored --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch deduced: --kernel deduced --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
// launch asked_again: --kernel asked_again --mode timing --grid 2 --block 128 --check barriers,races --arg buf:in:u32:384:iota --arg buf:out:u32:64:zero --arg u32:12 --dump out
#include "pipeline.h"

#define TILE 32
#define BYTES (TILE * 4)

/* A producer thread in warp 0, consumer warps 1 to 3; a lane of each releases. */
template <int S> static __device__ void ring(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object full[S], empty[S];
	__shared__ __attribute__((aligned(128))) unsigned slot[S][TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;
	at<S> a;

	if (t == 0)
		for (int s = 0; s < S; s++) {
			init(&full[s], 1);
			init(&empty[s], 3);
		}
	__syncthreads();
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			expect(&full[a.stage], BYTES);
			bulk_load(slot[a.stage], in + k * TILE, BYTES, &full[a.stage]);
		}
		for (int s = 0; s < S; s++, a.next()) /* until all has been read */
			wait_phase(&empty[a.stage], a.parity ^ 1);
	} else if (t >= 32) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane];
			__syncwarp();
			if (lane == 0)
				arrive(&empty[a.stage]);
		}
		if (t < 64)
			out[blockIdx.x * 32 + lane] = sum;
	}
}

extern "C" __global__ void one(const unsigned *in, unsigned *out, unsigned tiles)
{
	ring<1>(in, out, tiles);
}
extern "C" __global__ void two(const unsigned *in, unsigned *out, unsigned tiles)
{
	ring<2>(in, out, tiles);
}
extern "C" __global__ void three(const unsigned *in, unsigned *out, unsigned tiles)
{
	ring<3>(in, out, tiles);
}
extern "C" __global__ void four(const unsigned *in, unsigned *out, unsigned tiles)
{
	ring<4>(in, out, tiles);
}

/* As CUTLASS does: consumers ask for the next stage before they need it, and wait only if it was not there; the producer likewise.  A
 * stage is released when the next one has been read. */
extern "C" __global__ void peeks(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 3 };
	__shared__ object full[S], empty[S];
	__shared__ __attribute__((aligned(128))) unsigned slot[S][TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0, token;
	at<S> a, released;

	if (t == 0)
		for (int s = 0; s < S; s++) {
			init(&full[s], 1);
			init(&empty[s], 3);
		}
	__syncthreads();
	if (t == 0) {
		token = test_phase(&empty[0], 1);
		for (unsigned k = 0; k < tiles; k++) {
			if (!token)
				wait_phase(&empty[a.stage], a.parity ^ 1);
			expect(&full[a.stage], BYTES);
			bulk_load(slot[a.stage], in + k * TILE, BYTES, &full[a.stage]);
			a.next();
			token = k + 1 < tiles ? test_phase(&empty[a.stage], a.parity ^ 1) : 1;
		}
	} else if (t >= 32) {
		token = try_phase(&full[0], 0);
		for (unsigned k = 0; k < tiles; k++) {
			if (!token)
				wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane];
			a.next();
			token = k + 1 < tiles ? try_phase(&full[a.stage], a.parity) : 1;
			if (k) {
				__syncwarp();
				if (lane == 0)
					arrive(&empty[released.stage]);
				released.next();
			}
		}
		if (t < 64)
			out[blockIdx.x * 32 + lane] = sum;
	}
}

/* As the CUDA programming guide's cuda::barrier: a warp fills, by plain stores, what another reads; all their threads arrive, and wait by
 * the state that they got. */
extern "C" __global__ void states(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object ready[2], filled[2];
	__shared__ unsigned slot[2][TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;

	if (t < 2) {
		init(&ready[t], 64);
		init(&filled[t], 64);
	}
	__syncthreads();
	if (t < 32) {
		for (unsigned k = 0; k < tiles; k++) {
			object state = arrive_for(&ready[k % 2]);

			wait_state(&ready[k % 2], state);
			slot[k % 2][lane] = in[k * TILE + lane];
			arrive(&filled[k % 2]);
		}
	} else if (t < 64) {
		arrive(&ready[0]);
		arrive(&ready[1]);
		for (unsigned k = 0; k < tiles; k++) {
			object state = arrive_for(&filled[k % 2]);

			wait_state(&filled[k % 2], state);
			sum += slot[k % 2][lane];
			arrive(&ready[k % 2]);
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* Two consumers take tiles in turn; a barrier for each says whose turn it is, and is opened by all lanes of the other. */
extern "C" __global__ void ping_pong(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 2 };
	__shared__ object full[S], empty[S], turn[2];
	__shared__ __attribute__((aligned(128))) unsigned slot[S][TILE];
	__shared__ unsigned total[TILE];
	unsigned t = threadIdx.x, lane = t % 32, me = t / 32 - 1;

	if (t == 0) {
		for (int s = 0; s < S; s++) {
			init(&full[s], 1);
			init(&empty[s], 1);
		}
		init(&turn[0], 32);
		init(&turn[1], 32);
	}
	if (t < TILE)
		total[t] = 0;
	__syncthreads();
	if (t == 0) {
		at<S> a;

		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			expect(&full[a.stage], BYTES);
			bulk_load(slot[a.stage], in + k * TILE, BYTES, &full[a.stage]);
		}
	} else if (t >= 32 && t < 96) {
		unsigned order = me == 0; /* the first has its turn at once: the phase before the first */

		for (unsigned k = me; k < tiles; k += 2, order ^= 1) {
			wait_phase(&full[k % S], k / S & 1);
			wait_phase(&turn[me], order);
			total[lane] += slot[k % S][lane];
			arrive(&turn[me ^ 1]);
			__syncwarp();
			if (lane == 0)
				arrive(&empty[k % S]);
		}
	}
	__syncthreads();
	if (t < TILE)
		out[blockIdx.x * 32 + t] = total[t];
}

/* As FlashAttention does: Q comes once for each tile, K and V in stages of their own; the threads that read Q say by a named barrier when it
 * may be overwritten. */
extern "C" __global__ void attention(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 2 };
	__shared__ object full_q, full_k[S], empty_k[S], full_v[S], empty_v[S];
	__shared__ __attribute__((aligned(128))) unsigned q[TILE], k_slot[S][TILE], v_slot[S][TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;
	at<S> a;

	if (t == 0) {
		init(&full_q, 1);
		for (int s = 0; s < S; s++) {
			init(&full_k[s], 1);
			init(&empty_k[s], 2);
			init(&full_v[s], 1);
			init(&empty_v[s], 2);
		}
	}
	__syncthreads();
	if (t < 32) {
		for (unsigned tile = 0; tile < 3; tile++) {
			bar_sync(1, 96); /* Q may be overwritten */
			if (lane == 0) {
				expect(&full_q, BYTES);
				bulk_load(q, in, BYTES, &full_q);
				for (unsigned k = 0; k < tiles / 3; k++, a.next()) {
					wait_phase(&empty_k[a.stage], a.parity ^ 1);
					expect(&full_k[a.stage], BYTES);
					bulk_load(k_slot[a.stage], in + (tile * tiles / 3 + k) * TILE, BYTES,
						&full_k[a.stage]);
					wait_phase(&empty_v[a.stage], a.parity ^ 1);
					expect(&full_v[a.stage], BYTES);
					bulk_load(v_slot[a.stage], in, BYTES, &full_v[a.stage]);
				}
			}
			__syncwarp();
		}
	} else if (t < 96) {
		bar_arrive(1, 96);
		for (unsigned tile = 0; tile < 3; tile++) {
			wait_phase(&full_q, tile & 1);
			unsigned mine = q[lane];

			for (unsigned k = 0; k < tiles / 3; k++, a.next()) {
				wait_phase(&full_k[a.stage], a.parity);
				sum += k_slot[a.stage][lane];
				__syncwarp();
				if (lane == 0)
					arrive(&empty_k[a.stage]);
				wait_phase(&full_v[a.stage], a.parity);
				sum += v_slot[a.stage][lane] - mine;
				__syncwarp();
				if (lane == 0)
					arrive(&empty_v[a.stage]);
			}
			if (tile < 2)
				bar_arrive(1, 96);
		}
		if (t < 64)
			out[blockIdx.x * 32 + lane] = sum;
	}
}

/* A persistent kernel: warp 3 hands out numbers of tiles, with a pair of mbarriers, until there are no more; phases go on from tile to tile. */
extern "C" __global__ void persistent(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 3, NONE = 1000 };
	__shared__ object full[S], empty[S], given, taken;
	__shared__ __attribute__((aligned(128))) unsigned slot[S][TILE];
	__shared__ unsigned number;
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;

	if (t == 0) {
		for (int s = 0; s < S; s++) {
			init(&full[s], 1);
			init(&empty[s], 2);
		}
		init(&given, 1);
		init(&taken, 3); /* the producer, and a lane of each consumer */
	}
	__syncthreads();
	if (t == 96) {
		for (unsigned n = 0; n <= tiles / 3; n++) {
			wait_phase(&taken, (n & 1) ^ 1);
			number = n < tiles / 3 ? n : NONE;
			arrive(&given);
		}
	} else if (t == 0 || (t >= 32 && t < 96)) {
		at<S> a;

		for (unsigned n = 0;; n++) {
			wait_phase(&given, n & 1);
			unsigned tile = number;
			if (t != 0)
				__syncwarp();
			if (lane == 0)
				arrive(&taken);
			if (tile == NONE)
				break;
			for (unsigned k = 0; k < 3; k++, a.next())
				if (t == 0) {
					wait_phase(&empty[a.stage], a.parity ^ 1);
					expect(&full[a.stage], BYTES);
					bulk_load(slot[a.stage], in + (tile * 3 + k) * TILE, BYTES, &full[a.stage]);
				} else {
					wait_phase(&full[a.stage], a.parity);
					sum += slot[a.stage][lane];
					__syncwarp();
					if (lane == 0)
						arrive(&empty[a.stage]);
				}
		}
		if (t >= 32 && t < 64)
			out[blockIdx.x * 32 + lane] = sum;
	}
}

/* cp.async by all lanes of a warp, tracked by an mbarrier. */
extern "C" __global__ void tracked(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 2 };
	__shared__ object full[S], empty[S];
	__shared__ __attribute__((aligned(16))) unsigned slot[S][TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;
	at<S> a;

	if (t < S) {
		init(&full[t], 8);
		init(&empty[t], 32);
	}
	__syncthreads();
	if (t < 8) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			copy16(&slot[a.stage][t * 4], in + k * TILE + t * 4);
			track(&full[a.stage]);
		}
	} else if (t >= 32 && t < 64) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane];
			arrive(&empty[a.stage]);
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* One lane of each consumer waits, for all; a lane of its own releases; and in every third round all wait. */
extern "C" __global__ void elected(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 2 };
	__shared__ object full[S], empty[S];
	__shared__ __attribute__((aligned(128))) unsigned slot[S][TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;
	at<S> a;

	if (t == 0)
		for (int s = 0; s < S; s++) {
			init(&full[s], 1);
			init(&empty[s], 3);
		}
	__syncthreads();
	if (t < 32) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			if (lane == 5)
				wait_phase(&empty[a.stage], a.parity ^ 1);
			__syncwarp();
			if (lane == 9) {
				expect(&full[a.stage], BYTES);
				bulk_load(slot[a.stage], in + k * TILE, BYTES, &full[a.stage]);
			}
		}
	} else {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			if (lane == k % 32 || k % 3 == 2)
				wait_phase(&full[a.stage], a.parity);
			__syncwarp();
			sum += slot[a.stage][lane];
			__syncwarp();
			if (lane == 31 - k % 32)
				arrive(&empty[a.stage]);
		}
		if (t < 64)
			out[blockIdx.x * 32 + lane] = sum;
	}
}

/* Slots are given back by a count in shared memory instead of an mbarrier. */
extern "C" __global__ void flags(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 2 };
	__shared__ object full[S];
	__shared__ __attribute__((aligned(128))) unsigned slot[S][TILE];
	__shared__ unsigned taken;
	unsigned t = threadIdx.x, lane = t % 32, sum = 0, count;
	at<S> a;

	if (t == 0) {
		for (int s = 0; s < S; s++)
			init(&full[s], 1);
		taken = 0;
	}
	__syncthreads();
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			do
				asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
					     : "=r"(count)
					     : "r"(in_shared(&taken))
					     : "memory");
			while (k >= S && count < k - S + 1);
			expect(&full[a.stage], BYTES);
			bulk_load(slot[a.stage], in + k * TILE, BYTES, &full[a.stage]);
		}
	} else if (t >= 32 && t < 64) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane];
			__syncwarp();
			if (lane == 0)
				asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(in_shared(&taken))
					     : "memory");
		}
		out[blockIdx.x * 32 + lane] = sum;
	}
}

/* Barriers of the work-group alone give slots back; one lane waits for the copy, the others know it by a barrier.  In the second half all
 * wait. */
extern "C" __global__ void barriers(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object full;
	__shared__ __attribute__((aligned(128))) unsigned slot[TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;

	if (t == 0)
		init(&full, 1);
	__syncthreads();
	for (unsigned k = 0; k < tiles; k++) {
		if (t == 0) {
			expect(&full, BYTES);
			bulk_load(slot, in + k * TILE, BYTES, &full);
		}
		if (t == 64 || k >= tiles / 2)
			wait_phase(&full, k & 1);
		__syncthreads();
		sum += slot[lane];
		__syncthreads();
	}
	if (t < 32)
		out[blockIdx.x * 32 + lane] = sum;
}

/* An object is initialised anew between two rings of one stage; the last phases of the first are waited for twice. */
extern "C" __global__ void again(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object full, empty;
	__shared__ __attribute__((aligned(128))) unsigned slot[TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;

	for (unsigned half = 0; half < 2; half++) {
		if (t == 0) {
			init(&full, 1);
			init(&empty, 32);
		}
		__syncthreads();
		for (unsigned k = 0; k < tiles / 2; k++)
			if (t == 0) {
				wait_phase(&empty, (k & 1) ^ 1);
				expect(&full, BYTES);
				bulk_load(slot, in + (half * tiles / 2 + k) * TILE, BYTES, &full);
			} else if (t >= 32 && t < 64) {
				wait_phase(&full, k & 1);
				wait_phase(&full, k & 1);
				sum += slot[lane];
				arrive(&empty);
			}
		__syncthreads();
		if (t >= 64)
			wait_phase(&full, tiles / 2 & 1 ^ 1);
		__syncthreads();
		if (t == 0)
			asm volatile("mbarrier.inval.shared.b64 [%0]; mbarrier.inval.shared.b64 [%1];" ::"r"(
					     in_shared(&full)),
				     "r"(in_shared(&empty))
				     : "memory");
		__syncthreads();
	}
	if (t >= 32 && t < 64)
		out[blockIdx.x * 32 + lane] = sum;
}

/* A shuffle makes lanes wait for each other, although it orders no memory: the wait of no lane can be lapped. */
extern "C" __global__ void shuffles(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object full, empty;
	__shared__ __attribute__((aligned(128))) unsigned slot[TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;

	if (t == 0) {
		init(&full, 1);
		init(&empty, 1);
	}
	__syncthreads();
	for (unsigned k = 0; k < tiles; k++)
		if (t == 0) {
			wait_phase(&empty, (k & 1) ^ 1);
			expect(&full, BYTES);
			bulk_load(slot, in + k * TILE, BYTES, &full);
		} else if (t >= 32 && t < 64) {
			wait_phase(&full, k & 1);
			sum += __shfl_xor_sync(~0u, slot[lane ^ 1], 1);
			if (lane == 0)
				arrive(&empty);
		}
	if (t >= 32 && t < 64)
		out[blockIdx.x * 32 + lane] = sum;
}

/* What comes is changed in place and copied out: a proxy fence before the store, and a slot is given back when its copy has been read. */
extern "C" __global__ void stored(const unsigned *in, unsigned *out, unsigned tiles)
{
	enum { S = 2 };
	__shared__ object full[S], empty[S];
	__shared__ __attribute__((aligned(128))) unsigned slot[S][TILE], sums[TILE];
	unsigned t = threadIdx.x, lane = t % 32, sum = 0;
	at<S> a;

	if (t < S) {
		init(&full[t], 1);
		init(&empty[t], 1);
	}
	__syncthreads();
	if (t == 0) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&empty[a.stage], a.parity ^ 1);
			expect(&full[a.stage], BYTES);
			bulk_load(slot[a.stage], in + k * TILE, BYTES, &full[a.stage]);
		}
	} else if (t >= 32 && t < 64) {
		for (unsigned k = 0; k < tiles; k++, a.next()) {
			wait_phase(&full[a.stage], a.parity);
			sum += slot[a.stage][lane];
			__syncwarp();
			slot[a.stage][lane ^ 1] = sum;
			proxy_fence();
			__syncwarp();
			if (lane == 0)
				arrive(&empty[a.stage]);
		}
		sums[lane] = sum;
		proxy_fence();
		__syncwarp();
		if (lane == 0) {
			bulk_store(out + blockIdx.x * 32, sums, BYTES);
			bulk_commit();
			bulk_wait(0);
		}
	}
}

/* A warp knows of phases for which it has not waited: all that arrive meet at a barrier; or they arrive at another mbarrier afterwards, for
 * which it waits.  Then it waits for the next one.  Warps 0 and 1 meet warp 2 at barrier 1 before they arrive again: their 128 arrivals alone
 * would complete a phase of 96, and warp 2 would then arrive in the phase after it. */
extern "C" __global__ void deduced(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object step, then;
	unsigned t = threadIdx.x;

	if (t == 0) {
		init(&step, 96);
		init(&then, 64);
	}
	__syncthreads();
	if (t < 96)
		arrive(&step); /* phase 0 */
	__syncthreads();
	if (t < 96) {
		arrive(&step); /* phase 1 */
		wait_phase(&step, 1);
	}
	for (unsigned k = 0; k < tiles; k++)
		if (t >= 64 && t < 96) {
			arrive(&step); /* phases 2, 4 ...; phases 3, 5 ... */
			bar_arrive(1, 96);
			wait_phase(&then, k & 1);
			arrive(&step);
			wait_phase(&step, 1);
		} else if (t < 64) {
			arrive(&step);
			bar_sync(1, 96);
			arrive(&then);
			arrive(&step);
			wait_phase(&step, 1);
		}
	if (t < 32) {
		unsigned sum = 0;

		for (unsigned k = 0; k < tiles; k++)
			sum += in[k * TILE + t];
		out[blockIdx.x * 32 + t] = sum;
	}
}

/* A thread asks again for a phase that it has found complete.  Whether it means that, or has forgotten to flip the parity, is not known; the phase
 * after it completes later, by chance. */
extern "C" __global__ void asked_again(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ object step, then;
	unsigned t = threadIdx.x;

	if (t == 0) {
		init(&step, 1);
		init(&then, 1);
	}
	__syncthreads();
	if (t == 0) {
		wait_phase(&step, 0);
		arrive(&then);
		wait_phase(&step, 0);
	} else if (t == 32) {
		arrive(&step);
		wait_phase(&then, 0);
		__nanosleep(20000);
		arrive(&step);
	}
	if (t < 32) {
		unsigned sum = 0;

		for (unsigned k = 0; k < tiles; k++)
			sum += in[k * TILE + t];
		out[blockIdx.x * 32 + t] = sum;
	}
}
