// More keys than slots, in tables with open addressing: nothing gives a slot back, so there is no lock that somebody has kept.
// launch linear: --grid 2 --block 64 --kernel linear --arg buf:table:u32:64:zero --arg buf:done:u32:128:zero
// launch wide: --grid 2 --block 48 --kernel wide --arg buf:table:u64:64:zero --arg buf:done:u32:128:zero
// launch twice: --grid 1 --block 96 --kernel twice --arg buf:table:u32:64:fill=4294967295 --arg buf:done:u32:128:zero
// launch square: --grid 3 --block 32 --kernel square --arg buf:table:u32:64:zero --arg buf:done:u32:128:zero
// launch field: --grid 2 --block 40 --kernel field --arg buf:table:u32:128:zero --arg buf:done:u32:128:zero
// launch looks_first: --grid 2 --block 64 --kernel looks_first --arg buf:table:u32:64:zero --arg buf:done:u32:128:zero
// launch finds: --grid 1 --block 64 --kernel finds --arg buf:table:u32:64:iota --arg buf:done:u32:128:zero
static __device__ unsigned key_of() { return blockIdx.x * blockDim.x + threadIdx.x + 1; }

extern "C" __global__ void linear(unsigned *table, unsigned *done)
{
	unsigned key = key_of(), h = key * 2654435761u % 64;
	while (true) {
		unsigned old = atomicCAS(table + h, 0, key);
		if (old == 0 || old == key)
			break;
		h = (h + 1) % 64;
	}
	done[key - 1] = h + 1;
}

extern "C" __global__ void wide(unsigned long long *table, unsigned *done)
{
	unsigned long long key = key_of() * 0x100000001ull;
	unsigned h = key_of() * 40503u % 64;
	while (atomicCAS(table + h, 0ull, key) != 0)
		h = (h + 1) & 63;
	done[key_of() - 1] = h + 1;
}

// by double hashing: a step of its own for each key
extern "C" __global__ void twice(unsigned *table, unsigned *done)
{
	unsigned key = key_of(), h = key * 7 % 64, by = key % 31 * 2 + 1;
	while (atomicCAS(table + h, ~0u, key) != ~0u)
		h = (h + by) % 64;
	done[key - 1] = h + 1;
}

// by triangular numbers
extern "C" __global__ void square(unsigned *table, unsigned *done)
{
	unsigned key = key_of(), h = key * 7 % 64, by = 0;
	while (atomicCAS(table + h, 0, key) != 0) {
		by = (by + 1) % 64;
		h = (h + by) % 64;
	}
	done[key - 1] = h + 1;
}

struct entry { unsigned key, value; };
extern "C" __global__ void field(entry *table, unsigned *done)
{
	unsigned key = key_of(), h = key * 2654435761u % 64;
	while (true) {
		unsigned old = atomicCAS(&table[h].key, 0, key);
		if (old == 0 || old == key) {
			table[h].value = key * 10;
			break;
		}
		h = (h + 1) % 64;
	}
}

// a load finds the slot, and only then it is tried for
extern "C" __global__ void looks_first(unsigned *table, unsigned *done)
{
	volatile unsigned *keys = table;
	unsigned key = key_of(), h = key * 2654435761u % 64;
	for (bool over = false; !over;) {
		while (keys[h] != 0 && keys[h] != key)
			h = (h + 1) % 64;
		unsigned old = atomicCAS(table + h, 0, key);
		over = old == 0 || old == key;
	}
	done[key - 1] = h + 1;
}

// a key that is not there is looked for in a table without a free slot
extern "C" __global__ void finds(unsigned *table, unsigned *done)
{
	volatile unsigned *keys = table;
	unsigned key = key_of() + 100, h = key % 64;
	while (keys[h] != ~0u && keys[h] != key)
		h = (h + 1) % 64;
	done[0] = h;
}
