// Paper 1, Example 14 (5.1.1): Goodman's QOSB. No GPU has the primitive, so here it is a queue in memory: QOSB gives a thread that has none a place, TEST_AND_SET succeeds at the head. One
// thread of each warp contends (warps), every thread of a warp (warp): there a queue changes nothing for a stack, who has the lock waits behind who is in the queue.
// launch warps: --grid 4 --block 64 --arg buf:queue:u32:3:zero --arg buf:value:u32:1:zero --arg u32:32 --dump queue --dump value
// launch warp: --block 8 --arg buf:queue:u32:3:zero --arg buf:value:u32:1:zero --arg u32:1 --dump queue --dump value
struct synchronization_bit {
	unsigned tail, head, set;
};

static __device__ void QOSB(volatile synchronization_bit *bit, int *place)
{
	if (*place < 0) /* else it is in the queue */
		*place = (int)atomicAdd((unsigned *)&bit->tail, 1);
}

/* What the bit was: true means somebody else's. */
static __device__ bool TEST_AND_SET(volatile synchronization_bit *bit, int place)
{
	return bit->head != (unsigned)place || atomicExch((unsigned *)&bit->set, 1);
}

extern "C" __global__ void example_14(volatile synchronization_bit *bit, volatile unsigned *value, unsigned stride)
{
	if (threadIdx.x % stride)
		return;
	int place = -1;
	QOSB(bit, &place);
	while (TEST_AND_SET(bit, place))
		QOSB(bit, &place);
	__threadfence();
	*value = *value + 1;
	__threadfence();
	atomicExch((unsigned *)&bit->set, 0);
	bit->head = (unsigned)place + 1;
}
