// A thread that hangs, and reads its private memory meanwhile: the proof looks ahead in its program, and reads what the thread will; that is no
// read of it.
// launch: --block 64 --check init,barriers --arg buf:flag:s32:1:zero --arg buf:out:s32:64
kernel void spin(global volatile int *flag, global int *out)
{
	volatile int box[8];
	int k = 0;

	for (int j = 0; j < 7; j++)
		box[j] = 0;
	while (flag[0] == 0) {
		k = box[k & 7];
		box[k & 7] = 1 - k;
		k = box[(k + 1) & 7];
	}
	out[get_local_id(0)] = k;
}
