/* Microbenchmarks, each a loop over one primitive: what `silicon` launches.  docs/silicon.md says how a figure comes from two of them.
 *
 * Of each there are two kernels, NAME_1 and NAME_2: the same unrolled loop with the primitive once or twice in each place, and for fences
 * without and with it.  The difference of their times is the primitive's: the loop, and what surrounds the primitive, is in both.
 * Each thread times itself, from a barrier behind the warm-up on.  What a loop computes depends on the run before, so that no compiler
 * takes it out of the loop, and is used at the end. */

#define WARP 0xffffffffu

enum { UNROLL = 20 };

struct work {
	void *words; /* zero, or what the host has put there */
	void *others; /* zero; of chains, the node to start from */
	unsigned stride, footprint; /* in elements, in bytes */
	unsigned warm, iterations;
	unsigned drain; /* 1: the clock stops when what was sent has been answered */
	unsigned unused;
};

static __device__ __forceinline__ unsigned thread_of_grid(void)
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Two turns of the same code: the first is the warm-up. */
template <class STEP, int TIMES> static __device__ __forceinline__ void measure(const struct work &w, unsigned *ticks, unsigned *sink)
{
	STEP step(w);
	long long start = 0, stop = 0;
#pragma unroll 1
	for (int turn = 0; turn < 2; turn++) {
		unsigned n = turn ? w.iterations : w.warm;
		__syncthreads();
		start = clock64();
#pragma unroll 1
		for (unsigned k = 0; k < n; k++) {
#pragma unroll
			for (int u = 0; u < UNROLL / STEP::OPERATIONS; u++)
				step.template run<TIMES>();
		}
		if (w.drain)
			__threadfence();
		stop = clock64();
	}
	ticks[thread_of_grid()] = (unsigned)(stop - start);
	__syncthreads();
	unsigned result = step.result();
	if (result == 0x9e3779b9) /* whatever: nobody knows that it never is */
		*sink = result;
}

#define PAIR(name, ...)                                                                                                                    \
	extern "C" __global__ void __launch_bounds__(1024) name##_1(struct work w, unsigned *ticks, unsigned *sink)                                                \
	{                                                                                                                                  \
		measure<__VA_ARGS__, 1>(w, ticks, sink);                                                                                   \
	}                                                                                                                                  \
	extern "C" __global__ void __launch_bounds__(1024) name##_2(struct work w, unsigned *ticks, unsigned *sink)                                                \
	{                                                                                                                                  \
		measure<__VA_ARGS__, 2>(w, ticks, sink);                                                                                   \
	}

/* What is repeated `TIMES` times in one place. */
template <class STEP> struct repeated {
	enum { OPERATIONS = 1 };
	template <int TIMES> __device__ __forceinline__ void run(void)
	{
#pragma unroll
		for (int k = 0; k < TIMES; k++)
			static_cast<STEP *>(this)->once();
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return 0;
	}
};

/* --- Atomics on global memory.  Own words: `stride` elements from one thread's to the next's.  One word: of all threads. --- */

template <class T> static __device__ __forceinline__ T *own(const struct work &w)
{
	return (T *)w.words + (size_t)w.stride * thread_of_grid();
}

template <class T> struct add_own : repeated<add_own<T>> {
	T *word, value;
	__device__ add_own(const struct work &w) : word(own<T>(w)), value((T)thread_of_grid()) {}
	__device__ __forceinline__ void once(void)
	{
		atomicAdd(word, value);
	}
};
template <class T> struct add_one : repeated<add_one<T>> {
	T *word, value;
	__device__ add_one(const struct work &w) : word((T *)w.words), value((T)thread_of_grid()) {}
	__device__ __forceinline__ void once(void)
	{
		atomicAdd(word, value);
	}
};
/* Swaps 0 for 0, or fails to find a 1. */
template <class T, int EXPECTED> struct cas_own : repeated<cas_own<T, EXPECTED>> {
	T *word;
	__device__ cas_own(const struct work &w) : word(own<T>(w)) {}
	__device__ __forceinline__ void once(void)
	{
		atomicCAS(word, (T)EXPECTED, (T)0);
	}
};
template <class T, int EXPECTED> struct cas_one : repeated<cas_one<T, EXPECTED>> {
	T *word;
	__device__ cas_one(const struct work &w) : word((T *)w.words) {}
	__device__ __forceinline__ void once(void)
	{
		atomicCAS(word, (T)EXPECTED, (T)0);
	}
};
template <class T> struct exchange_own : repeated<exchange_own<T>> {
	T *word, value, last;
	__device__ exchange_own(const struct work &w) : word(own<T>(w)), value((T)thread_of_grid()), last(0) {}
	__device__ __forceinline__ void once(void)
	{
		last = atomicExch(word, value);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return (unsigned)last;
	}
};
template <class T> struct exchange_one : repeated<exchange_one<T>> {
	T *word, value, last;
	__device__ exchange_one(const struct work &w) : word((T *)w.words), value((T)thread_of_grid()), last(0) {}
	__device__ __forceinline__ void once(void)
	{
		last = atomicExch(word, value);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return (unsigned)last;
	}
};
/* Each waits for the one before: the latency. */
template <class T> struct add_chain : repeated<add_chain<T>> {
	T *word, value;
	__device__ add_chain(const struct work &w) : word(own<T>(w)), value((T)thread_of_grid()) {}
	__device__ __forceinline__ void once(void)
	{
		value = atomicAdd(word, value);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return (unsigned)value;
	}
};

typedef unsigned long long ull;
PAIR(atomicadd_array_v2_int, add_own<int>)
PAIR(atomicadd_array_v2_ull, add_own<ull>)
PAIR(atomicadd_array_v2_float, add_own<float>)
PAIR(atomicadd_array_v2_double, add_own<double>)
PAIR(atomicadd_scalar_v2_int, add_one<int>)
PAIR(atomicadd_scalar_v2_ull, add_one<ull>)
PAIR(atomicadd_scalar_v2_float, add_one<float>)
PAIR(atomicadd_scalar_v2_double, add_one<double>)
PAIR(atomiccas_array_pass_v2_int, cas_own<int, 0>)
PAIR(atomiccas_array_pass_v2_ull, cas_own<ull, 0>)
PAIR(atomiccas_array_fail_int, cas_own<int, 1>)
PAIR(atomiccas_array_fail_ull, cas_own<ull, 1>)
PAIR(atomiccas_scalar_pass_v2_int, cas_one<int, 0>)
PAIR(atomiccas_scalar_pass_v2_ull, cas_one<ull, 0>)
PAIR(atomiccas_scalar_fail_int, cas_one<int, 1>)
PAIR(atomiccas_scalar_fail_ull, cas_one<ull, 1>)
PAIR(atomicexch_v2_int, exchange_one<int>)
PAIR(atomicexch_v2_ull, exchange_one<ull>)
PAIR(atomicexch_v2_float, exchange_one<float>)
PAIR(atomicexch_array_int, exchange_own<int>)
PAIR(atomicexch_array_ull, exchange_own<ull>)
PAIR(atomicadd_chain_int, add_chain<int>)
PAIR(atomicadd_chain_ull, add_chain<ull>)

/* --- Atomics on shared memory: own words and one word. --- */

template <int OWN, int CAS> struct shared_atomic : repeated<shared_atomic<OWN, CAS>> {
	unsigned *word;
	__device__ shared_atomic(const struct work &w)
	{
		__shared__ unsigned words[1024];
		words[threadIdx.x] = 0;
		__syncthreads();
		word = OWN ? &words[threadIdx.x] : words;
	}
	__device__ __forceinline__ void once(void)
	{
		if (CAS)
			atomicCAS(word, 0u, 0u);
		else
			atomicAdd(word, threadIdx.x);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return *word;
	}
};
PAIR(shared_atomicadd_array_int, shared_atomic<1, 0>)
PAIR(shared_atomicadd_scalar_int, shared_atomic<0, 0>)
PAIR(shared_atomiccas_array_int, shared_atomic<1, 1>)
PAIR(shared_atomiccas_scalar_int, shared_atomic<0, 1>)

/* --- Fences, between an update of one own word and of another.  The words may be the same ones as far as a compiler knows. --- */

enum scope { GROUP, DEVICE, SYSTEM };

template <class T, enum scope SCOPE> struct fence {
	enum { OPERATIONS = 1 };
	T *first, *second, value;
	__device__ fence(const struct work &w) : first(own<T>(w)), second((T *)w.others + (first - (T *)w.words)), value((T)thread_of_grid()) {}
	template <int TIMES> __device__ __forceinline__ void run(void)
	{
		*first += value;
		if (TIMES == 2) {
			if (SCOPE == GROUP)
				__threadfence_block();
			else if (SCOPE == DEVICE)
				__threadfence();
			else
				__threadfence_system();
		}
		*second += value;
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return 0;
	}
};
PAIR(threadfence_array_int, fence<int, DEVICE>)
PAIR(threadfence_array_ull, fence<ull, DEVICE>)
PAIR(threadfence_array_float, fence<float, DEVICE>)
PAIR(threadfence_array_double, fence<double, DEVICE>)
PAIR(threadfence_block_array_int, fence<int, GROUP>)
PAIR(threadfence_block_array_ull, fence<ull, GROUP>)
PAIR(threadfence_block_array_float, fence<float, GROUP>)
PAIR(threadfence_block_array_double, fence<double, GROUP>)
PAIR(threadfence_system_array_int, fence<int, SYSTEM>)
PAIR(threadfence_system_array_ull, fence<ull, SYSTEM>)
PAIR(threadfence_system_array_float, fence<float, SYSTEM>)
PAIR(threadfence_system_array_double, fence<double, SYSTEM>)

/* --- Barriers, and what a warp does together. --- */

struct barrier : repeated<barrier> {
	__device__ barrier(const struct work &w) {}
	__device__ __forceinline__ void once(void)
	{
		__syncthreads();
	}
};
PAIR(syncthreads_int, barrier)

enum shuffle { UP, DOWN, XOR, INDEX };

template <class T, enum shuffle HOW> struct shuffled : repeated<shuffled<T, HOW>> {
	T value;
	int next;
	__device__ shuffled(const struct work &w) : value((T)thread_of_grid()), next((threadIdx.x + 1) % 32) {}
	__device__ __forceinline__ void once(void)
	{
		value = HOW == UP ? __shfl_up_sync(WARP, value, 1) : HOW == DOWN ? __shfl_down_sync(WARP, value, 1)
			: HOW == XOR ? __shfl_xor_sync(WARP, value, 1) : __shfl_sync(WARP, value, next);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return (unsigned)value;
	}
};
PAIR(shfl_up_sync_int, shuffled<int, UP>)
PAIR(shfl_up_sync_ull, shuffled<ull, UP>)
PAIR(shfl_up_sync_float, shuffled<float, UP>)
PAIR(shfl_up_sync_double, shuffled<double, UP>)
PAIR(shfl_down_sync_int, shuffled<int, DOWN>)
PAIR(shfl_down_sync_ull, shuffled<ull, DOWN>)
PAIR(shfl_down_sync_float, shuffled<float, DOWN>)
PAIR(shfl_down_sync_double, shuffled<double, DOWN>)
PAIR(shfl_xor_sync_int, shuffled<int, XOR>)
PAIR(shfl_xor_sync_ull, shuffled<ull, XOR>)
PAIR(shfl_xor_sync_float, shuffled<float, XOR>)
PAIR(shfl_xor_sync_double, shuffled<double, XOR>)
PAIR(shfl_sync_int, shuffled<int, INDEX>)
PAIR(shfl_sync_ull, shuffled<ull, INDEX>)
PAIR(shfl_sync_float, shuffled<float, INDEX>)
PAIR(shfl_sync_double, shuffled<double, INDEX>)

/* With the comparison that makes a predicate of the ballot before. */
struct vote_ballot : repeated<vote_ballot> {
	unsigned value;
	__device__ vote_ballot(const struct work &w) : value(w.footprint) {}
	__device__ __forceinline__ void once(void)
	{
		value = __ballot_sync(WARP, value == 0);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return value;
	}
};
PAIR(vote_ballot_chain_int, vote_ballot)

/* Sixteen values in the beginning, each of two lanes 16 apart; then the masks of these pairs, which are as many. */
template <class T> struct match_any : repeated<match_any<T>> {
	T value;
	__device__ match_any(const struct work &w) : value((T)(threadIdx.x % 16)) {}
	__device__ __forceinline__ void once(void)
	{
		value = (T)__match_any_sync(WARP, value);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return (unsigned)value;
	}
};
/* SyncPerformance's: sixteen values, among the lanes that the one before gave. */
template <class T> struct match_among : repeated<match_among<T>> {
	T value;
	unsigned mask;
	__device__ match_among(const struct work &w) : value((T)(threadIdx.x % 16)), mask(WARP) {}
	__device__ __forceinline__ void once(void)
	{
		mask = __match_any_sync(mask, value);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return mask;
	}
};
/* All lanes agree, on all lanes. */
template <class T> struct match_all : repeated<match_all<T>> {
	T value;
	__device__ match_all(const struct work &w) : value((T)w.footprint) {}
	__device__ __forceinline__ void once(void)
	{
		int all;
		value = (T)__match_all_sync(WARP, value, &all);
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return (unsigned)value;
	}
};
PAIR(match_any_chain_int, match_any<unsigned>)
PAIR(match_any_chain_ull, match_any<ull>)
PAIR(match_any_sync_int, match_among<int>)
PAIR(match_any_sync_ull, match_among<ull>)
PAIR(match_any_sync_float, match_among<float>)
PAIR(match_any_sync_double, match_among<double>)
PAIR(match_all_chain_int, match_all<unsigned>)
PAIR(match_all_chain_ull, match_all<ull>)

/* --- Memory: a chain of loads through `footprint` bytes, in an order that the host has drawn; streams of 16 bytes a thread. --- */

template <int L1> struct chase : repeated<chase<L1>> {
	ull at;
	__device__ chase(const struct work &w) : at((ull)w.others) {}
	__device__ __forceinline__ void once(void)
	{
		if (L1)
			asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at));
		else
			asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return (unsigned)at;
	}
};
PAIR(chase_l1_ull, chase<1>)
PAIR(chase_l2_ull, chase<0>)

struct chase_shared : repeated<chase_shared> {
	unsigned at;
	__device__ chase_shared(const struct work &w)
	{
		__shared__ unsigned words[1024];
		words[threadIdx.x] = (unsigned)__cvta_generic_to_shared(&words[threadIdx.x]);
		__syncthreads();
		at = words[threadIdx.x];
	}
	__device__ __forceinline__ void once(void)
	{
		asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return at;
	}
};
PAIR(chase_shared_int, chase_shared)

/* All threads together sweep the footprint, a power of two, again and again; GROUPS: each group one of its own. */
enum direction { READ, WRITE };

static __device__ __forceinline__ uint4 load(const char *at, bool l1)
{
	uint4 v;
	if (l1)
		asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
	else
		asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
	return v;
}

/* Four loads at a time, before the first is used. */
template <enum direction HOW, int L1, int GROUPS> struct stream : repeated<stream<HOW, L1, GROUPS>> {
	enum { OPERATIONS = 4 };
	char *base;
	unsigned at, step, mask, sum;
	__device__ stream(const struct work &w)
		: base((char *)w.words), at((GROUPS ? threadIdx.x : thread_of_grid()) * 16), step((GROUPS ? blockDim.x : blockDim.x * gridDim.x) * 16),
		  mask(w.footprint - 1), sum(0)
	{
		if (GROUPS)
			base += (size_t)blockIdx.x * w.footprint;
		at &= mask;
	}
	__device__ __forceinline__ void once(void)
	{
		uint4 v[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			if (HOW == READ)
				v[k] = load(base + at, L1);
			else
				asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(base + at), "r"(at));
			at = (at + step) & mask;
		}
		if (HOW == READ)
			sum ^= v[0].x ^ v[1].x ^ v[2].x ^ v[3].x;
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return sum;
	}
};
PAIR(stream_l1_vec, stream<READ, 1, 1>)
PAIR(stream_read_vec, stream<READ, 0, 0>)
PAIR(stream_write_vec, stream<WRITE, 0, 0>)

struct stream_shared : repeated<stream_shared> {
	enum { OPERATIONS = 4 };
	unsigned at, sum;
	__device__ stream_shared(const struct work &w) : sum(0)
	{
		__shared__ uint4 words[1024];
		words[threadIdx.x].x = w.footprint;
		__syncthreads();
		at = (unsigned)__cvta_generic_to_shared(&words[threadIdx.x]);
	}
	__device__ __forceinline__ void once(void)
	{
		uint4 v[4];
#pragma unroll
		for (int k = 0; k < 4; k++)
			asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "r"(at));
		sum ^= v[0].x ^ v[1].x ^ v[2].x ^ v[3].x;
	}
	__device__ __forceinline__ unsigned result(void)
	{
		return sum;
	}
};
PAIR(stream_shared_vec, stream_shared)

/* --- Arithmetic: one chain of dependent operations, or eight at a time. --- */


#define ARITHMETIC(name, type, T, constraint, text)                                                                                              \
	template <int CHAINS> struct of_##name : repeated<of_##name<CHAINS>> {                                                                       \
		enum { OPERATIONS = CHAINS > 1 ? 4 : 1 };                                                                                  \
		T value[CHAINS], y;                                                                                                        \
		__device__ of_##name(const struct work &w) : y((T)(w.stride + 1))                                                               \
		{                                                                                                                          \
			for (int k = 0; k < CHAINS; k++)                                                                                   \
				value[k] = (T)(threadIdx.x + k + 1);                                                                           \
		}                                                                                                                          \
		__device__ __forceinline__ void once(void)                                                                                 \
		{                                                                                                                          \
			_Pragma("unroll") for (int k = 0; k < CHAINS; k++) asm volatile(text : "+" constraint(value[k]) : constraint(y));  \
		}                                                                                                                          \
		__device__ __forceinline__ unsigned result(void)                                                                           \
		{                                                                                                                          \
			T sum = 0;                                                                                                         \
			for (int k = 0; k < CHAINS; k++)                                                                                   \
				sum += value[k];                                                                                           \
			return (unsigned)sum;                                                                                              \
		}                                                                                                                          \
	};                                                                                                                                 \
	PAIR(name##_chain_##type, of_##name<1>)                                                                                                        \
	PAIR(name##_rate_##type, of_##name<8>)

ARITHMETIC(fadd, float, float, "f", "add.f32 %0, %0, %1;")
ARITHMETIC(fmul, float, float, "f", "mul.f32 %0, %0, %1;")
ARITHMETIC(ffma, float, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
ARITHMETIC(fmax, float, float, "f", "max.f32 %0, %1, %0;")
ARITHMETIC(fdiv, float, float, "f", "div.rn.f32 %0, %1, %0;")
ARITHMETIC(fsqrt, float, float, "f", "sqrt.rn.f32 %0, %0;")
ARITHMETIC(ex2, float, float, "f", "ex2.approx.ftz.f32 %0, %0;")
ARITHMETIC(rsqrt, float, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
/* Two operations each: what is added to itself, compilers put together. */
ARITHMETIC(xor_add, int, unsigned, "r", "{.reg .u32 t; xor.b32 t, %0, %1; add.u32 %0, t, %1;}")
ARITHMETIC(imad, int, unsigned, "r", "mad.lo.u32 %0, %0, %1, %1;")
ARITHMETIC(imulhi, int, unsigned, "r", "mul.hi.u32 %0, %0, %1;")
ARITHMETIC(not_max, int, unsigned, "r", "{.reg .u32 t; not.b32 t, %0; max.u32 %0, t, %1;}")
ARITHMETIC(idiv, int, unsigned, "r", "div.u32 %0, %1, %0;")
ARITHMETIC(popc, int, unsigned, "r", "popc.b32 %0, %0;")
/* One class each.  Where compilers could choose another pipeline, the operands keep them from it: a table of bits that is
 * no sum, amounts that are not constant, carries.  By count of opcodes (nvcc 13), LOP3, SHF, ISETP and SEL, IADD3, IMAD,
 * PRMT, FLO, BREV, HADD2, HFMA2, F2I, I2F and F2F; on 8.0 and 9.0 every second half precision one is HFMA2.MMA, and from
 * 8.9 on I2F is I2FP. */
ARITHMETIC(lop3, int, unsigned, "r", "lop3.b32 %0, %0, %1, %1, 0x1e;")
ARITHMETIC(shift, int, unsigned, "r", "shf.l.wrap.b32 %0, %0, %1, %1;")
ARITHMETIC(setp_selp, int, unsigned, "r", "{.reg .pred p; setp.eq.u32 p, %0, %1; selp.b32 %0, 5, %0, p;}")
ARITHMETIC(add_carry, int, unsigned, "r", "{add.cc.u32 %0, %0, %1; addc.u32 %0, %0, %1;}")
ARITHMETIC(imul, int, unsigned, "r", "mul.lo.u32 %0, %0, %1;")
ARITHMETIC(prmt, int, unsigned, "r", "prmt.b32 %0, %0, %1, 0x2143;")
ARITHMETIC(bfind, int, unsigned, "r", "bfind.u32 %0, %0;")
ARITHMETIC(brev, int, unsigned, "r", "brev.b32 %0, %0;")
ARITHMETIC(hadd2, int, unsigned, "r", "add.f16x2 %0, %0, %1;")
ARITHMETIC(hfma2, int, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %1;")
ARITHMETIC(f2i, float, float, "f", "{.reg .s32 t; cvt.rni.s32.f32 t, %0; mov.b32 %0, t;}")
ARITHMETIC(i2f, float, float, "f", "{.reg .s32 t; mov.b32 t, %0; cvt.rn.f32.s32 %0, t;}")
ARITHMETIC(cvt_f64_f32, float, float, "f", "{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}")
ARITHMETIC(dadd, double, double, "d", "add.f64 %0, %0, %1;")
ARITHMETIC(dmul, double, double, "d", "mul.f64 %0, %0, %1;")
ARITHMETIC(dfma, double, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
