// Lock instructions of a warp: a lock for each lane, one that only one lane can get, and one that all get in turn.
// launch: --grid 1 --block 32 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=-1 --arg buf:out:s32:32:zero --arg s32:0 --dump lock --dump out
// launch own-queue: --lock queue --grid 1 --block 32 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=-1 --arg buf:out:s32:32:zero --arg s32:0 --dump lock --dump out
// launch one: --grid 1 --block 32 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=-1 --arg buf:out:s32:32:zero --arg s32:1 --dump lock
// launch one-queue: --lock queue --grid 1 --block 32 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=-1 --arg buf:out:s32:32:zero --arg s32:1 --dump lock
// launch turns: --lock queue --divergence stack-locks --grid 1 --block 32 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=-1 --arg buf:out:s32:32:zero --arg s32:2 --dump lock --dump out
// launch late: --grid 1 --block 32 --retry constant --set retry.unit=100 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=7 --arg buf:out:s32:32:zero --arg s32:3 --dump lock
// launch late-linear: --grid 1 --block 32 --retry linear --set retry.unit=100 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=7 --arg buf:out:s32:32:zero --arg s32:3 --dump lock
// launch late-again: --grid 1 --block 1 --retry linear --set retry.unit=100 --gpu gtx480 --mode timing --arg buf:lock:s32:42:fill=7 --arg buf:out:s32:42:zero --arg s32:4 --dump lock
// launch late-exponential: --grid 1 --block 32 --retry exponential --set retry.unit=10 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=7 --arg buf:out:s32:32:zero --arg s32:3 --dump lock
// launch late-queue: --lock queue --grid 1 --block 32 --gpu gtx480 --mode timing --arg buf:lock:s32:32:fill=-1 --arg buf:out:s32:32:zero --arg s32:3 --dump lock
kernel void locks(volatile global int *lock, global int *out, int kind)
{
	int t = get_global_id(0);
	if (kind == 1) {
		if (__lockstep_try_lock(lock))
			__lockstep_unlock(lock);
		return;
	}
	if (kind == 3) {
		if (__lockstep_try_lock_for(lock, 2000))
			__lockstep_unlock(lock);
		return;
	}
	if (kind == 4) {
		__lockstep_unlock(&lock[1]);
		out[0] = __lockstep_try_lock_for(lock, 2000);
		out[1] = __lockstep_try_lock(&lock[1]);
		out[2] = __lockstep_try_lock_for(lock, 2000);
		return;
	}
	volatile global int *mine = kind ? lock : &lock[t];
	__lockstep_lock(mine);
	out[t] = t;
	__lockstep_unlock(mine);
}
