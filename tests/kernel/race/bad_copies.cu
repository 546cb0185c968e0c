// Asynchronous copies, each with one order missing.  The parts of a kernel are of different memory, and each begins when all copies before it are over.
// launch own: --kernel own --block 128 --check races=strict --arg buf:in:u32:1024:iota --arg buf:out:u32:8192:zero
// launch others: --kernel others --block 128 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:8192:zero
// launch tracked: --kernel tracked --block 128 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:8192:zero
// launch bulk: --kernel bulk --block 128 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:8192:zero
// launch out: --kernel out --block 128 --check races --arg buf:in:u32:1024:iota --arg buf:out:u32:8192:zero
#include "async.h"

// No wait at all.
static __device__ void no_wait(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	commit();
	out[t] = tile[t];
}

// wait_group waits for what was committed.
static __device__ void uncommitted(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	wait_group(0);
	out[t] = tile[t];
}

// Leaves out the group that is needed.
static __device__ void one_left(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[2][128];
	unsigned t = threadIdx.x;

	copy(&tile[0][t], &in[t]);
	commit();
	copy(&tile[1][t], &in[t + 128]);
	commit();
	wait_group(1);
	out[t] = tile[0][t];
	out[t + 128] = tile[1][t];
}

// Each waits for its own copies, and reads another's.
static __device__ void no_barrier(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	wait_all();
	out[t] = tile[t ^ 64];
}

static __device__ void in_warp(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	wait_all();
	out[t] = tile[t ^ 1];
}

// The barrier comes before the wait.
static __device__ void barrier_first(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	commit();
	__syncthreads();
	wait_group(0);
	out[t] = tile[t ^ 64];
}

// A store to the place to which a copy is under way.
static __device__ void overwrite(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	commit();
	tile[t] = 5;
	wait_group(0);
	out[t] = in[t];
}

// Two copies to one place; the first has not been waited for.
static __device__ void twice(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	copy(&tile[t], &in[t + 128]);
	wait_all();
	out[t] = tile[t];
}

// A store to the source of a copy that is under way.
static __device__ void source(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &out[t]);
	commit();
	out[t] = 5;
	wait_group(0);
}

// The buffer is filled again while others may still read it.
static __device__ void still_read(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	unsigned t = threadIdx.x;

	copy(&tile[t], &in[t]);
	wait_all();
	__syncthreads();
	out[t] = tile[t ^ 64];
	copy(&tile[t], &in[t + 128]);
	wait_all();
}

// The second copy comes behind the instruction that makes the mbarrier track the copies before.
static __device__ void not_tracked(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[2][128];
	__shared__ unsigned long long bar;
	unsigned t = threadIdx.x;

	if (t == 0)
		init(&bar, 128);
	__syncthreads();
	copy(&tile[0][t], &in[t]);
	track(&bar);
	copy(&tile[1][t], &in[t + 128]);
	wait_phase(&bar, 0);
	out[t] = tile[0][t ^ 64];
	out[t + 128] = tile[1][t ^ 64];
}

// Threads arrive themselves; the mbarrier tracks no copies.
static __device__ void arrives_itself(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128];
	__shared__ unsigned long long bar;
	unsigned t = threadIdx.x;

	if (t == 0)
		init(&bar, 128);
	__syncthreads();
	copy(&tile[t], &in[t]);
	arrive(&bar);
	wait_phase(&bar, 0);
	out[t] = tile[t ^ 64];
}

// The arrival for the copies orders these, and not what the thread has stored.
static __device__ void track_stores(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[128], room[128];
	__shared__ unsigned long long bar;
	unsigned t = threadIdx.x;

	if (t == 0)
		init(&bar, 128);
	__syncthreads();
	copy(&tile[t], &in[t]);
	room[t] = t;
	track(&bar);
	wait_phase(&bar, 0);
	out[t] = tile[t ^ 64] + room[t ^ 64];
}

static __device__ void bulk_no_wait(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned tile[128];
	__shared__ unsigned long long bar;
	unsigned t = threadIdx.x;

	if (t == 0) {
		init(&bar, 1);
		fence_init();
		expect(&bar, 512);
		bulk_load(tile, in, 512, &bar);
	}
	__syncthreads();
	out[t] = tile[t];
}

// The phase expects the bytes of one copy, and is over before the other has come.
static __device__ void too_few(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned tile[128];
	__shared__ unsigned long long bar;
	unsigned t = threadIdx.x;

	if (t == 0) {
		init(&bar, 1);
		fence_init();
		expect(&bar, 256);
		bulk_load(&tile[0], in, 256, &bar);
		bulk_load(&tile[64], in + 64, 256, &bar);
	}
	__syncthreads();
	wait_phase(&bar, 0);
	out[t] = tile[t];
}

// The buffer is filled again, and only half of those that read it have said that they are through.
static __device__ void still_full(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned tile[128];
	__shared__ unsigned long long full, empty;
	unsigned t = threadIdx.x;

	if (t == 0) {
		init(&full, 1);
		init(&empty, 64);
		fence_init();
		expect(&full, 512);
		bulk_load(tile, in, 512, &full);
	}
	__syncthreads();
	wait_phase(&full, 0);
	__syncthreads();
	out[t] = tile[t];
	if (t < 64)
		arrive(&empty);
	if (t == 0) {
		wait_phase(&empty, 0);
		expect(&full, 512);
		bulk_load(tile, in + 128, 512, &full);
		wait_phase(&full, 1);
	}
}

// What threads have stored goes out in bulk, and no fence is between the two proxies.
static __device__ void proxy(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned room[128];
	unsigned t = threadIdx.x;

	room[t] = in[t];
	__syncthreads();
	if (t == 0) {
		bulk_store(out, room, 512);
		bulk_commit();
		bulk_wait(0);
	}
}

// The source of a bulk copy is stored to while that may still read it.
static __device__ void out_source(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned room[128];
	unsigned t = threadIdx.x;

	room[t] = in[t];
	proxy_fence();
	__syncthreads();
	if (t == 0) {
		bulk_store(out, room, 512);
		bulk_commit();
		room[0] = 7;
		bulk_wait(0);
	}
}

// wait_group.read waits until the source has been read, not until the destination is written.
static __device__ void out_read_only(const unsigned *in, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned room[128];
	unsigned t = threadIdx.x;

	room[t] = in[t];
	proxy_fence();
	__syncthreads();
	if (t == 0) {
		bulk_store(out, room, 512);
		bulk_commit();
		bulk_wait_read(0);
		room[0] = 7;
		out[512] = out[1];
		bulk_wait(0);
	}
}

extern "C" __global__ void own(const unsigned *in, unsigned *out)
{
	no_wait(in, out + 0);
	wait_all();
	__syncthreads();
	uncommitted(in, out + 256);
	wait_all();
	__syncthreads();
	one_left(in, out + 1024);
	wait_all();
	__syncthreads();
	overwrite(in, out + 768);
	wait_all();
	__syncthreads();
	twice(in, out + 1024);
	wait_all();
	__syncthreads();
	source(in, out + 2560);
	wait_all();
	__syncthreads();
	in_warp(in, out + 1536);
}

extern "C" __global__ void others(const unsigned *in, unsigned *out)
{
	no_barrier(in, out + 0);
	wait_all();
	__syncthreads();
	barrier_first(in, out + 256);
	wait_all();
	__syncthreads();
	still_read(in, out + 1024);
}

// Others are told by a flag that the mbarrier is there, and nothing orders that.
static __device__ void early(const unsigned *in, unsigned *out)
{
	__shared__ unsigned long long bar;
	__shared__ unsigned flag;
	unsigned t = threadIdx.x;

	if (t == 0)
		flag = 0;
	__syncthreads();
	if (t == 0) {
		init(&bar, 64);
		*(volatile unsigned *)&flag = 1;
	}
	if (t >= 64) {
		while (!*(volatile unsigned *)&flag)
			;
		arrive(&bar);
		wait_phase(&bar, 0);
	}
}

extern "C" __global__ void tracked(const unsigned *in, unsigned *out)
{
	not_tracked(in, out + 0);
	wait_all();
	__syncthreads();
	arrives_itself(in, out + 256);
	wait_all();
	__syncthreads();
	track_stores(in, out + 1024);
	__syncthreads();
	early(in, out);
}

extern "C" __global__ void bulk(const unsigned *in, unsigned *out)
{
	bulk_no_wait(in, out + 0);
	__syncthreads();
	too_few(in, out + 256);
	__syncthreads();
	still_full(in, out + 1024);
}

extern "C" __global__ void out(const unsigned *in, unsigned *out)
{
	proxy(in, out + 0);
	__syncthreads();
	out_source(in, out + 600);
	__syncthreads();
	out_read_only(in, out + 1200);
}
