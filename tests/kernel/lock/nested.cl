// Two locks in order, with divergence inside (paper 1, 4.4, Example 11).
// launch: --lock retry --grid 2 --block 64 --arg buf:locks:s32:16:fill=-1 --arg buf:data:s32:32:zero --dump data --dump locks
kernel void nested(volatile global int *locks, global int *data)
{
	int me = get_global_id(0), a = me % 5, b = a + 1 + me % 3;
	__lockstep_lock(&locks[a]);
	__lockstep_lock(&locks[b]);
	data[a] += 1;
	data[b] += 1;
	if (me & 1) {
		data[10 + b] += 1;
		__lockstep_unlock(&locks[b]);
	} else {
		data[10 + b] += 2;
		__lockstep_unlock(&locks[b]);
	}
	data[20 + a] += 1;
	__lockstep_unlock(&locks[a]);
}
