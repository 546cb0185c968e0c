// Lanes that do not get the lock take the program's other path, at once or when their time is over (paper 1, 9.2.2).
// launch: --grid 2 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:data:s32:2:zero --dump data --dump lock
// launch queue: --lock queue --grid 2 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:data:s32:2:zero --dump data --dump lock
kernel void tries(volatile global int *lock, volatile global int *data)
{
	int got = get_global_id(0) & 32 ? __lockstep_try_lock_for(lock, 5000) : __lockstep_try_lock(lock);
	if (got) {
		data[0] += 1;
		__lockstep_unlock(lock);
	} else
		atomic_inc(&data[1]);
}
