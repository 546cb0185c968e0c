// Races that few orders of the warps show.  Turns of one length miss them; turns that a seed draws do not.
// launch ticket: --kernel ticket --grid 4 --check races --arg buf:lock:u32:2:zero --arg buf:data:u32:1:zero --gpu v100 --mode functional --set functional.drawn=1 --seed 0
// launch ticket_drawn: --kernel ticket --grid 4 --check races --arg buf:lock:u32:2:zero --arg buf:data:u32:1:zero --gpu v100 --mode functional --set functional.drawn=1 --seed 2
// launch ticket_fixed: --kernel ticket --grid 4 --check races --arg buf:lock:u32:2:zero --arg buf:data:u32:1:zero --gpu v100 --mode functional --set functional.drawn=0 --seed 2
// launch give_up: --kernel give_up --grid 2 --check races --arg buf:flag:u32:1:zero --arg buf:data:u32:2:zero --gpu v100 --mode functional --set functional.drawn=1 --seed 0
// launch give_up_drawn: --kernel give_up --grid 2 --check races --arg buf:flag:u32:1:zero --arg buf:data:u32:2:zero --gpu v100 --mode functional --set functional.drawn=1 --seed 8
#define KERNEL extern "C" __global__ void

/* Who has to wait has no fence behind the wait. */
KERNEL ticket(unsigned *lock, unsigned *data)
{
	unsigned mine = atomicAdd(lock, 1);
	bool waited = false;

	while (((volatile unsigned *)lock)[1] != mine)
		waited = true;
	if (!waited)
		__threadfence();
	*data += 1;
	__threadfence();
	((volatile unsigned *)lock)[1] = mine + 1;
}

/* A wait that ends without the flag after a while. */
KERNEL give_up(unsigned *flag, unsigned *data)
{
	if (blockIdx.x == 0) {
		data[0] = 5;
		__threadfence();
		*(volatile unsigned *)flag = 1;
		return;
	}
	for (int k = 0; k < 20 && !*(volatile unsigned *)flag; k++)
		;
	__threadfence();
	data[1] = data[0];
}
