// Two work-groups of a core, each with 4 KB of shared memory: their words have the same 1,024 bits.  Each has the bit of its word and waits for that of the
// other's word, which it names by its own.
// launch: --grid 2 --block 32 --set shared.lock_bits=1024 --set core.count=1 --set lesser.cores=0 --arg buf:out:s32:2 --arg buf:met:s32:1 --dump out
#include <lockstep_lock_bits.h>

kernel void group_alias(global int *out, volatile global int *met)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[1024];
	uint g = get_group_id(0);
	if (get_local_id(0) == 0) {
		lockstep_bit_lock(&words[g]);
		atomic_inc(met);
		while (atomic_add(met, 0) < 2)
			;
		lockstep_bit_wait(&words[1 - g]);
		lockstep_bit_unlock(&words[g], 0);
		lockstep_bit_unlock(&words[1 - g], 0);
		out[g] = 1;
	}
}
