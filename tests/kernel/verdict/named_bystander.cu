// Group 0 waits for the fourth of the three items of group 1. Group 2, which never writes the word, waits for it, too, or has ended: it is
// nobody's peer.
// launch: --grid 3 --block 32 --arg buf:head:u32:1:zero --arg u32:1
// launch ended: --grid 3 --block 32 --arg buf:head:u32:1:zero --arg u32:0
extern "C" __global__ void named_bystander(volatile unsigned *head, unsigned waits)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 1)
		for (unsigned k = 1; k <= 3; k++)
			*head = k;
	else if (blockIdx.x == 0 || waits)
		while (*head < 4)
			;
}
