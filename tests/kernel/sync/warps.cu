// Warps that meet a barrier different numbers of times: those that leave it out and go on, and those that end.
// launch last_round: --kernel last_round --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:4
// launch no_tail: --kernel no_tail --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:4
// launch middle: --kernel middle --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:4
// launch branch: --kernel branch --block 128 --check barriers --arg buf:out:s32:128:zero
// launch twice: --kernel twice --block 128 --check barriers --arg buf:out:s32:128:zero
// launch sum: --kernel sum --block 64 --check barriers --arg buf:in:s32:1008:iota --arg buf:out:s32:1:zero --arg s32:1008
// launch stride: --kernel stride --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:320
// launch arms: --kernel arms --block 128 --check barriers --arg buf:out:s32:128:zero
// launch arms_all: --kernel arms --block 128 --check barriers=all --arg buf:out:s32:128:zero
// launch paired: --kernel paired --block 128 --check barriers --arg buf:out:s32:128:zero
// launch early: --kernel early --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:83
// launch early_all: --kernel early --block 128 --check barriers=all --arg buf:out:s32:128:zero --arg s32:83
// launch tree: --kernel tree --block 128 --check barriers --arg buf:out:s32:128:zero
// launch rounds: --kernel rounds --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:5
// launch nested: --kernel nested --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:3
// launch nested_right: --kernel nested_right --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:3
// launch more: --kernel more --block 128 --check barriers --arg buf:out:s32:128:zero
// launch stores: --kernel stores --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:64
// launch roles: --kernel roles --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:5
__global__ void last_round(int *out, int rounds)
{
	__shared__ int room[128];
	int t = threadIdx.x, sum = t;

	for (int k = 0; k < rounds; k++) {
		room[t] = sum;
		if (k < rounds - 1 || t / 32 != 1)
			__syncthreads();
		sum += room[t ^ 1];
	}
	out[t] = sum;
}

// nothing follows the loop, but the store in its last round is behind the barrier
__global__ void no_tail(int *out, int rounds)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	for (int k = 0; k < rounds; k++) {
		room[t] = k;
		if (k < rounds - 1 || t / 32 != 1)
			__syncthreads();
		out[t] += room[t ^ 1];
	}
}

// warp 1 is a round ahead from the second one on
__global__ void middle(int *out, int rounds)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	for (int k = 0; k < rounds; k++) {
		room[t] = k;
		if (k != 1 || t / 32 != 1)
			__syncthreads();
		out[t] += room[t ^ 1];
	}
}

__global__ void branch(int *out)
{
	int t = threadIdx.x;

	if (t < 64)
		__syncthreads();
	out[t] = t;
}

// the last two warps meet the second barrier while the first two are at the first
__global__ void twice(int *out)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	room[t] = t;
	if (t < 64)
		__syncthreads();
	room[t ^ 1]++;
	__syncthreads();
	out[t] = room[t];
}

// some lanes of warp 1 leave out the last round's, and do nothing but look whether they are thread 0
__global__ void sum(const int *in, int *out, int n)
{
	__shared__ int room[64];
	int t = threadIdx.x;

	room[t] = 0;
	__syncthreads();
	for (int k = 0; k < 16; k++)
		if (64 * k + t < n) {
			room[t] += in[64 * k + t];
			__syncthreads();
		}
	if (t == 0)
		for (int k = 0; k < 64; k++)
			*out += room[k];
}

// the last round is for the first half alone
__global__ void stride(int *out, int n)
{
	__shared__ int room[128];
	int t = threadIdx.x, sum = 0;

	for (int k = t; k < n; k += 128) {
		room[t] = k;
		__syncthreads();
		sum += room[t ^ 1];
	}
	out[t] = sum;
}

// one barrier in two places: PTX and GPUs allow that, CUDA's guide does not
__global__ void arms(int *out)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	if (t < 32) {
		room[t] = t;
		__syncthreads();
		out[t] = room[t + 32];
	} else {
		room[t] = 2 * t;
		__syncthreads();
		out[t] = room[t & 31];
	}
	out[t]++;
}

// the same with common code in between: all meet one barrier, as often
__global__ void paired(int *out)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	if (t < 32) {
		room[t] = t;
		__syncthreads();
	}
	out[t] = t;
	if (t >= 32) {
		__syncthreads();
		out[t] += room[t & 31];
	}
}

__global__ void early(int *out, int n)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	if (t >= n)
		return;
	for (int k = 0; k < 3; k++) {
		room[t] = k;
		__syncthreads();
		out[t] += room[t & 63];
		__syncthreads();
	}
}

// those that have nothing left to do end between barriers
__global__ void tree(int *out)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	room[t] = t;
	for (int k = 64; k; k /= 2) {
		__syncthreads();
		if (t >= k)
			return;
		room[t] += room[t + k];
	}
	out[t] = room[t];
}

// all leave it out in the same rounds
__global__ void rounds(int *out, int n)
{
	__shared__ int room[128];
	int t = threadIdx.x, sum = 0;

	room[t] = t;
	for (int k = 0; k < n; k++) {
		if (k % 2 == 0)
			__syncthreads();
		sum += room[t ^ 1];
	}
	out[t] = sum;
}

// warps with roles of their own: one ends before the others have met all their barriers
__global__ void roles(int *out, int n)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	if (t < 32) {
		for (int k = 0; k < n; k++) {
			room[t] = k;
			asm volatile("bar.sync 1, 64;" ::: "memory");
			asm volatile("bar.sync 2, 64;" ::: "memory");
		}
	} else if (t < 64) {
		for (int k = 0; k < n; k++) {
			asm volatile("bar.sync 1, 64;" ::: "memory");
			out[t] += room[t - 32];
			asm volatile("bar.arrive 2, 64;" ::: "memory");
		}
		__syncthreads();
	} else {
		out[t] = t;
		__syncthreads();
		out[t]++;
	}
}

// in each round of the outer loop, half of the warps meet the barrier of the inner one more often
__global__ void nested(int *out, int n)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	for (int j = 0; j < n; j++) {
		for (int k = 0; k < 2 + t / 64; k++) {
			room[t] = k;
			__syncthreads();
			out[t] += room[t ^ 1];
		}
		out[t]++;
	}
}

// right: as often, and a warp ends early
__global__ void nested_right(int *out, int n)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	for (int j = 0; j < n; j++) {
		for (int k = 0; k < 2 + j; k++) {
			room[t] = k;
			__syncthreads();
			out[t] += room[t ^ 1];
		}
		if (j == 1 && t / 32 == 2)
			return;
		out[t]++;
	}
	out[t]++;
}

// each warp goes round the loop once more than the one before it; none leaves it out at first
__global__ void more(int *out)
{
	__shared__ int room[128];
	int t = threadIdx.x, k = 0, sum = 0;

	do {
		room[t] = k;
		__syncthreads();
		sum += room[t ^ 1];
		__syncthreads();
	} while (k++ < t / 32);
	out[t] = sum;
}

// right: those without work store something, and end; the compiler makes one store of the two
__global__ void stores(int *out, int n)
{
	__shared__ int room[128];
	int t = threadIdx.x;

	if (t >= n) {
		out[t] = 1;
		return;
	}
	room[t] = t;
	__syncthreads();
	out[t] = room[t & 63];
}
