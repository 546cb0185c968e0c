// What every atomic returns, through generic pointers to shared and global words of the lane's own; then shared words of which only the sum of results is fixed.
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
extern "C" __global__ void atomics_returned(const u64 *in, u64 *out, u32 *scr)
{
	__shared__ u32 own[70], all[8];
	__shared__ u64 wide[70];
	u32 t = threadIdx.x, g = blockIdx.x * 70 + t, v = (u32)in[g], w = (u32)(in[g + 200] >> 32);
	u64 big = in[g + 400], more = in[g + 600], h = 0;
	own[t] = v;
	wide[t] = big;
	if (t < 8)
		all[t] = 0;
	u32 *places[2] = {&own[t], &scr[g]};
	__syncthreads();
	for (u32 i = 0; i < 2; i++) {
		u32 *p = places[(i + t) & 1];
		h = h * 31 + atomicAdd(p, w);
		h = h * 31 + atomicSub(p, v);
		h = h * 31 + atomicMin(p, w >> 1);
		h = h * 31 + atomicMax(p, v >> 2);
		h = h * 31 + (u32)atomicMin((s32 *)p, (s32)w);
		h = h * 31 + (u32)atomicMax((s32 *)p, (s32)v);
		h = h * 31 + atomicInc(p, w & 0xff);
		h = h * 31 + atomicDec(p, v & 0xffff);
		h = h * 31 + atomicOr(p, w & 0xf0f0);
		h = h * 31 + atomicXor(p, v);
		h = h * 31 + atomicAnd(p, ~w);
		h = h * 31 + atomicCAS(p, i ? *(volatile u32 *)p : 12345u, w);
		h = h * 31 + atomicExch(p, v ^ w);
	}
	h = h * 31 + atomicAdd(&wide[t], more);
	h = h * 31 + atomicMin(&wide[t], more);
	h = h * 31 + atomicMax(&wide[t], big >> 3);
	h = h * 31 + atomicXor(&wide[t], big * more);
	h = h * 31 + atomicAnd(&wide[t], ~(more >> 5));
	h = h * 31 + atomicOr(&wide[t], 1ull << (t & 63));
	h = h * 31 + atomicCAS(&wide[t], *(volatile u64 *)&wide[t], big + 1);
	h = h * 31 + atomicExch(&wide[t], more);
	out[g] = h ^ wide[t];
	u32 ticket = atomicInc(&all[0], 16); /* wraps after 17 */
	atomicAdd(&all[1], ticket);
	atomicAdd(&all[2], atomicDec(&all[3], 9)); /* 0, 9, 8 ... */
	u32 place = atomicAdd(&all[4], 1u);
	atomicXor(&all[5], place * 0x9e3779b9u);
	atomicMax(&all[6], v);
	atomicAdd(&all[7], atomicCAS(&all[place & 1 ? 5 : 1], ~0u, 0u) & 0);
	__syncthreads();
	if (t < 8)
		scr[160 + blockIdx.x * 8 + t] = all[t];
}
