// The device side of stalled.c.  stalled.fatbin is made from it by nvcc 13.0:
//     nvcc -fatbin -gencode arch=compute_75,code=compute_75 -o stalled.fatbin stalled.cu

// Waits until the word is set.
extern "C" __global__ void waits(volatile int *word)
{
	while (*word == 0)
		;
}

extern "C" __global__ void sets(volatile int *word)
{
	*word = 1;
}

// Waits for one word, then sets another.
extern "C" __global__ void relays(volatile int *word, volatile int *next)
{
	while (*word == 0)
		;
	*next = 1;
	__threadfence_system();
}

// Waits by a clock between looks, so that no hang of it can be proved.
extern "C" __global__ void waits_by_clock(volatile int *word)
{
	while (*word == 0)
		for (long long start = clock64(); clock64() - start < 100;)
			;
}

// Works for a while before it waits, and so do the runs that explain why it hangs.
extern "C" __global__ void works_and_waits(volatile int *word, volatile int *room, int n)
{
	for (int i = 0; i < n; i++)
		*room = i;
	while (*word == 0)
		;
}

// Sets it only if the host wants that.
extern "C" __global__ void sets_maybe(volatile int *word, int really)
{
	if (really)
		*word = 1;
}
