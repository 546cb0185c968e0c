// Correct synchronisation, in which there is no race: messages by fences, by release and acquire, through a chain of atomics; a spin lock; the
// last group of a reduction, which resets the counter with a plain store; a barrier of the grid; warps that hand on by named barriers; several fences before a message.
// launch message: --kernel message --grid 4 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch chain: --kernel chain --grid 4 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch lock: --kernel lock --grid 4 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch last: --kernel last --grid 4 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch grid: --kernel grid --grid 4 --block 64 --check races --arg buf:box:u32:256:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch named: --kernel named --block 128 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch early: --kernel early --block 128 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch bytes: --kernel bytes --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch warp: --kernel warp --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch swap: --kernel swap --grid 4 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch near: --kernel swap_near --block 128 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
// launch fences: --kernel fences --grid 4 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:2:zero --arg buf:out:u32:256:zero
extern "C" __global__ void message(unsigned *box, unsigned *flag, unsigned *out)
{
	unsigned t = threadIdx.x;

	if (blockIdx.x == 0) {
		box[t] = t;
		__syncthreads();
		if (t == 0)
			asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
		return;
	}
	unsigned seen = 0;
	if (t == 0)
		while (!seen)
			asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
	__syncthreads();
	out[blockIdx.x * 64 + t] = box[t ^ 1];
}

extern "C" __global__ void chain(unsigned *box, unsigned *flag, unsigned *out)
{
	unsigned t = threadIdx.x;

	if (t)
		return;
	if (blockIdx.x < 3) {
		box[blockIdx.x] = blockIdx.x + 1;
		__threadfence();
		atomicAdd(flag, 1);
	} else {
		while (atomicAdd(flag, 0) < 3)
			;
		__threadfence();
		out[0] = box[0] + box[1] + box[2];
	}
}

extern "C" __global__ void lock(unsigned *box, unsigned *flag, unsigned *out)
{
	for (bool done = false; !done;)
		if (atomicCAS(flag, 0, 1) == 0) {
			__threadfence();
			box[0] += threadIdx.x;
			__threadfence();
			atomicExch(flag, 0);
			done = true;
		}
}

extern "C" __global__ void last(unsigned *box, unsigned *flag, unsigned *out)
{
	__shared__ bool is_last;

	out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		is_last = atomicInc(flag, 1000) == gridDim.x - 1;
	__syncthreads();
	if (!is_last)
		return;
	__threadfence();
	unsigned sum = 0;
	for (unsigned k = 0; k < gridDim.x; k++)
		sum += out[k * 64 + threadIdx.x];
	box[threadIdx.x] = sum;
	if (threadIdx.x == 0)
		*flag = 0;
}

extern "C" __global__ void grid(unsigned *box, unsigned *flag, unsigned *out)
{
	unsigned all = gridDim.x * 64, k = blockIdx.x * 64 + threadIdx.x;

	for (unsigned round = 1; round <= 3; round++) {
		box[k] = k + round;
		__syncthreads();
		if (threadIdx.x == 0) {
			__threadfence();
			atomicAdd(flag, 1);
			while (*(volatile unsigned *)flag < (2 * round - 1) * gridDim.x)
				;
			__threadfence();
		}
		__syncthreads();
		out[k] += box[(k + 65) % all];
		__syncthreads();
		if (threadIdx.x == 0) {
			__threadfence();
			atomicAdd(flag, 1);
			while (*(volatile unsigned *)flag < 2 * round * gridDim.x)
				;
			__threadfence();
		}
		__syncthreads();
	}
}

extern "C" __global__ void named(unsigned *box, unsigned *flag, unsigned *out)
{
	__shared__ unsigned room[64];
	unsigned t = threadIdx.x % 64;

	for (int k = 0; k < 3; k++)
		if (threadIdx.x < 64) {
			room[t] = t + k;
			asm volatile("bar.arrive 1, 128;" ::: "memory");
			asm volatile("bar.sync 2, 128;" ::: "memory");
		} else {
			asm volatile("bar.sync 1, 128;" ::: "memory");
			out[t] += room[63 - t];
			asm volatile("bar.arrive 2, 128;" ::: "memory");
		}
}

extern "C" __global__ void early(unsigned *box, unsigned *flag, unsigned *out)
{
	__shared__ unsigned room[128];

	if (threadIdx.x >= 100)
		return;
	room[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = room[99 - threadIdx.x];
	__syncthreads();
	room[99 - threadIdx.x] = 0;
}

extern "C" __global__ void bytes(unsigned *box, unsigned *flag, unsigned *out)
{
	unsigned k = blockIdx.x * 64 + threadIdx.x;

	((unsigned char *)out)[k] = (unsigned char)k;
	((unsigned short *)(out + 64))[k] = (unsigned short)k;
}

extern "C" __global__ void warp(unsigned *box, unsigned *flag, unsigned *out)
{
	__shared__ unsigned room[64];
	unsigned t = threadIdx.x, sum = 0;

	for (unsigned k = 1; k < 32; k *= 2) {
		room[t] = t + k;
		asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
		sum += room[t ^ k];
		asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
	}
	out[t] = sum;
}

extern "C" __global__ void fences(unsigned *box, unsigned *flag, unsigned *out)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		box[0] = 1;
		__threadfence();
		box[1] = 2;
		__threadfence();
		atomicExch(flag + 1, 1);
		__threadfence();
		atomicExch(flag, 1);
		return;
	}
	while (atomicAdd(flag, 0) == 0)
		;
	__threadfence();
	out[blockIdx.x] = box[0] + box[1];
}

// Groups take turns; each turn is given on by a compare-and-swap that releases, behind attempts that fail.
template <typename Word> __device__ void take_turn(Word *turn, unsigned me, unsigned *box)
{
	unsigned found;

	do {
		asm volatile("atom.acq_rel.gpu.cas.b32 %0, [%1], %2, %3;" : "=r"(found) : "l"(turn), "r"(2 * me), "r"(2 * me + 1) : "memory");
	} while (found != 2 * me);
	box[0] += 1;
	asm volatile("atom.acq_rel.gpu.cas.b32 %0, [%1], %2, %3;" : "=r"(found) : "l"(turn), "r"(2 * me + 1), "r"(2 * me + 2) : "memory");
}

extern "C" __global__ void swap(unsigned *box, unsigned *flag, unsigned *out)
{
	if (!threadIdx.x)
		take_turn(flag, blockIdx.x, box);
}

extern "C" __global__ void swap_near(unsigned *box, unsigned *flag, unsigned *out)
{
	__shared__ unsigned word;

	if (!threadIdx.x)
		word = 0;
	__syncthreads();
	if (threadIdx.x % 64 == 0)
		take_turn(&word, threadIdx.x / 64, box);
}
