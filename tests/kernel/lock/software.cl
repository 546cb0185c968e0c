// The functions that device/lockstep_locks.h brings for other GPUs, under other names, so that the calls stay calls: a lock that spins needs
// independent threads, LOCKSTEP_CRITICAL does not.
// launch critical: --kernel critical --grid 3 --block 64 --arg buf:words:s32:2:fill=-1 --arg buf:data:s32:4:zero --dump words --dump data
// launch blocking: --kernel blocking --grid 3 --block 64 --arg buf:words:s32:2:fill=-1 --arg buf:data:s32:4:zero --dump words --dump data
// launch apart: --kernel blocking --grid 24 --block 1 --arg buf:words:s32:2:fill=-1 --arg buf:data:s32:4:zero --dump words --dump data
#undef __LOCKSTEP__
#undef LOCKSTEP_LOCKS_H
#undef LOCKSTEP_UNLOCKED
#undef LOCKSTEP_CRITICAL
#undef LOCKSTEP_LOCK_WORD
#undef LOCKSTEP_LOCK_FUNCTION
#define __lockstep_lock software_lock
#define __lockstep_unlock software_unlock
#define __lockstep_try_lock software_try_lock
#define __lockstep_try_lock_for software_try_lock_for
#define __lockstep_wait software_wait
#define __lockstep_signal software_signal
#include <lockstep_locks.h>

kernel void critical(volatile global int *words, volatile global int *data)
{
	LOCKSTEP_CRITICAL(&words[0]) { data[0] += 1; }
	if (__lockstep_try_lock_for(&words[1], 300)) {
		data[1] += 1;
		__lockstep_unlock(&words[1]);
	} else
		atomic_inc(&data[2]);
}

kernel void blocking(volatile global int *words, volatile global int *data)
{
	__lockstep_lock(&words[0]);
	data[0] += 1;
	if (data[0] == 1)
		__lockstep_signal(&words[1]); /* from -1 to 0 */
	__lockstep_unlock(&words[0]);
	__lockstep_signal(&words[1]);
	__lockstep_wait(&words[1]);
	atomic_inc(&data[1]);
}
