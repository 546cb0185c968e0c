// A bounded ring whose slots have sequence numbers (Vyukov), of 4 slots. Nobody puts into the empty one what its consumers wait for; nobody takes
// out of the full one. The numbers by which places are given out are no locks: the last thread that raised one does not hold it.
// launch empty: --grid 3 --block 32 --kernel empty --arg buf:number:u32:4:iota --arg buf:value:u32:4:zero --arg buf:at:u32:2:zero --arg buf:out:u32:16:zero
// launch full: --grid 3 --block 32 --kernel full --arg buf:number:u32:4:iota --arg buf:value:u32:4:zero --arg buf:at:u32:2:zero --arg buf:out:u32:16:zero
// launch counted: --grid 3 --block 1 --kernel counted --arg buf:number:u32:4:iota --arg buf:value:u32:4:zero --arg buf:at:u32:2:zero --arg buf:out:u32:16:zero
// launch both: --grid 8 --block 1 --kernel both --arg buf:number:u32:4:iota --arg buf:value:u32:4:zero --arg buf:at:u32:2:zero --arg buf:out:u32:16:zero --dump out
struct ring { volatile unsigned *number, *value; unsigned *at; };

static __device__ void put(const ring &r, unsigned item)
{
	for (;;) {
		unsigned place = *(volatile unsigned *)&r.at[0];
		int behind = (int)(r.number[place & 3] - place);
		if (behind == 0 && atomicCAS(&r.at[0], place, place + 1) == place) {
			r.value[place & 3] = item;
			__threadfence();
			r.number[place & 3] = place + 1;
			return;
		}
	}
}

static __device__ unsigned take(const ring &r)
{
	for (;;) {
		unsigned place = *(volatile unsigned *)&r.at[1];
		int behind = (int)(r.number[place & 3] - (place + 1));
		if (behind == 0 && atomicCAS(&r.at[1], place, place + 1) == place) {
			unsigned item = r.value[place & 3];
			__threadfence();
			r.number[place & 3] = place + 4;
			return item;
		}
	}
}

extern "C" __global__ void empty(unsigned *number, unsigned *value, unsigned *at, unsigned *out)
{
	ring r = {number, value, at};
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0)
		for (unsigned k = 0; k < 3; k++)
			put(r, 100 + k);
	else
		for (unsigned k = 0; k < 2; k++)
			out[blockIdx.x * 2 + k] = take(r);
}

extern "C" __global__ void full(unsigned *number, unsigned *value, unsigned *at, unsigned *out)
{
	ring r = {number, value, at};
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0)
		out[0] = take(r);
	else
		for (unsigned k = 0; k < 3; k++)
			put(r, 100 + k);
}

// the consumer gets its place by counting, and then looks at the slot alone
extern "C" __global__ void counted(unsigned *number, unsigned *value, unsigned *at, unsigned *out)
{
	ring r = {number, value, at};
	if (blockIdx.x == 0) {
		put(r, 100);
	} else {
		unsigned place = atomicAdd(&at[1], 1);
		while (r.number[place & 3] != place + 1)
			;
		out[place] = r.value[place & 3];
	}
}

extern "C" __global__ void both(unsigned *number, unsigned *value, unsigned *at, unsigned *out)
{
	ring r = {number, value, at};
	if (blockIdx.x % 2)
		for (unsigned k = 0; k < 4; k++)
			put(r, 1);
	else
		for (unsigned k = 0; k < 4; k++)
			atomicAdd(out, take(r));
}
