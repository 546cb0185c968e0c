// Correct asynchronous copies, in which there is no race: pipelines of cp.async with groups and with mbarriers, bulk copies in and out, buffers that are used again.
// launch groups: --kernel groups --grid 2 --block 64 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:1024:zero
// launch objects: --kernel objects --grid 2 --block 128 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:1024:zero
// launch bulk: --kernel bulk --grid 2 --block 64 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:1024:zero
#include "async.h"

#define TILES 8

// A tile of each group's part is copied while the one before is read; a thread reads what another has copied.
static __device__ void double_buffer(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[2][64];
	unsigned t = threadIdx.x, base = blockIdx.x * 512;

	copy(&tile[0][t], &in[base + t]);
	commit();
	for (unsigned k = 0; k < TILES; k++) {
		if (k + 1 < TILES)
			copy(&tile[(k + 1) % 2][t], &in[base + (k + 1) * 64 + t]);
		commit();
		wait_group(1);
		__syncthreads();
		out[base + k * 64 + t] = tile[k % 2][63 - t];
		__syncthreads();
	}
}

// Each thread reads what it has copied itself: no barrier is needed.
static __device__ void own_copies(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[2][64];
	unsigned t = threadIdx.x, base = blockIdx.x * 512;

	for (unsigned k = 0; k < TILES; k += 2) {
		copy(&tile[0][t], &in[base + k * 64 + t]);
		commit();
		copy(&tile[1][t], &in[base + (k + 1) * 64 + t]);
		commit();
		wait_group(1);
		out[base + k * 64 + t] = tile[0][t];
		wait_all();
		out[base + k * 64 + 64 + t] = tile[1][t];
	}
}

// Three buffers, and one barrier a tile: it says that the tile has come, and that the one before has been read.
static __device__ void three_stages(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[3][64];
	unsigned t = threadIdx.x, base = blockIdx.x * 512;

	for (unsigned k = 0; k < 2; k++) {
		copy(&tile[k][t], &in[base + k * 64 + t]);
		commit();
	}
	for (unsigned k = 0; k < TILES; k++) {
		wait_group(1);
		__syncthreads();
		if (k + 2 < TILES)
			copy(&tile[(k + 2) % 3][t], &in[base + (k + 2) * 64 + t]);
		commit();
		out[base + k * 64 + t] = tile[k % 3][(t + 7) % 64];
	}
}

// Some threads copy, others read: mbarriers tell of full and of empty buffers.
static __device__ void tracked(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[2][64];
	__shared__ unsigned long long full[2], empty[2];
	unsigned t = threadIdx.x, base = blockIdx.x * 512;

	if (t < 2) {
		init(&full[t], 64);
		init(&empty[t], 64);
	}
	__syncthreads();
	for (unsigned k = 0; k < TILES; k++) {
		unsigned stage = k % 2, round = k / 2;

		if (t < 64) {
			wait_phase(&empty[stage], (round & 1) ^ 1);
			copy(&tile[stage][t], &in[base + k * 64 + t]);
			track(&full[stage]);
		} else {
			wait_phase(&full[stage], round & 1);
			out[base + k * 64 + t - 64] = tile[stage][127 - t];
			arrive(&empty[stage]);
		}
	}
}

// The same with bulk copies, which one thread begins.
static __device__ void bulk_ring(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned tile[2][64];
	__shared__ unsigned long long full[2], empty[2];
	unsigned t = threadIdx.x, base = blockIdx.x * 512;

	if (t < 2) {
		init(&full[t], 1);
		init(&empty[t], 64);
	}
	fence_init();
	__syncthreads();
	for (unsigned k = 0; k < TILES; k++) {
		unsigned stage = k % 2, round = k / 2;

		if (t == 0) {
			wait_phase(&empty[stage], (round & 1) ^ 1);
			expect(&full[stage], 256);
			bulk_load(&tile[stage][0], &in[base + k * 64], 128, &full[stage]);
			bulk_load(&tile[stage][32], &in[base + k * 64 + 32], 128, &full[stage]);
		} else if (t >= 64) {
			wait_phase(&full[stage], round & 1);
			out[base + k * 64 + t - 64] = tile[stage][127 - t];
			arrive(&empty[stage]);
		}
	}
}

// Results go out in bulk from a buffer that is filled again when it has been read; each thread fences its stores for the copy.
static __device__ void bulk_out(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned room[2][64];
	unsigned t = threadIdx.x, base = blockIdx.x * 512;

	for (unsigned k = 0; k < TILES; k++) {
		if (t == 0)
			bulk_wait_read(1);
		__syncthreads();
		room[k % 2][t] = 2 * in[base + k * 64 + t];
		proxy_fence();
		__syncthreads();
		if (t == 0) {
			bulk_store(&out[base + k * 64], room[k % 2], 256);
			bulk_commit();
		}
	}
	if (t == 0) {
		bulk_wait(0);
		out[base] = out[base + 511];
	}
}

// Copies of parts of what they write; the bytes that are left out of the source belong to others, who store to them.
static __device__ void short_copies(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned tile[256];
	unsigned t = threadIdx.x;
	const unsigned char *from = (const unsigned char *)out + 16 * t;

	copy_part(&tile[4 * t], from, 7);
	out[4 * t + 2] = t;
	((unsigned char *)out)[16 * t + 7] = 1;
	commit();
	wait_group(0);
	__syncthreads();
	out[4 * t + 3] = tile[255 - 4 * t];
}

// From one place of shared memory to another.
static __device__ void inside(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned from[64], to[64];
	__shared__ unsigned long long bar;
	unsigned t = threadIdx.x;

	if (t == 0)
		init(&bar, 1);
	from[t] = in[t];
	proxy_fence();
	__syncthreads();
	if (t == 0) {
		expect(&bar, 256);
		bulk_inside(to, from, 256, &bar);
	}
	wait_phase(&bar, 0);
	from[63 - t] = 0;
	out[t] = to[63 - t];
}

// Lanes of a warp read what others of it have copied and waited for.
static __device__ void in_warp(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[64];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	wait_all();
	asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
	out[t] = tile[t ^ 1];
}

extern "C" __global__ void groups(const unsigned *in, unsigned *out)
{
	double_buffer(in, out);
	own_copies(in, out);
	__syncthreads();
	three_stages(in, out);
	in_warp(in, out + blockIdx.x * 512);
	__syncthreads();
	short_copies(in, out + blockIdx.x * 512);
}

extern "C" __global__ void objects(const unsigned *in, unsigned *out)
{
	tracked(in, out);
	__syncthreads();
	bulk_ring(in, out);
}

extern "C" __global__ void bulk(const unsigned *in, unsigned *out)
{
	bulk_out(in, out);
	__syncthreads();
	inside(in, out + blockIdx.x * 512);
}
