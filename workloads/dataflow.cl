/* Dataflow programs made of lock bits, besides Needleman-Wunsch: a scan, whose threads are one chain, and a Gauss-Seidel sweep, whose threads
 * are a wavefront.  Threads of one warp wait for each other, so that all is in the divergent form of paper 3, Listing 8. */
#include "lockstep_lock_bits.h"

#define TILE 32
/* Local memory of a work-group, in words: the host gives so much that a core has one group, which uses all 1,024 lock bits. */
#if !defined WORDS || !defined __LOCKSTEP__
#undef WORDS
#define WORDS (TILE * TILE)
#endif

/* ---- Scan: each thread adds its run of elements to what the thread before has put ---- */

int sum_of_run(global const int *from, uint run)
{
	int sum = 0;
	for (uint k = 0; k < run; k++)
		sum += from[k];
	return sum;
}

void write_run(global const int *from, global int *to, uint run, int before)
{
	for (uint k = 0; k < run; k++)
		to[k] = before += from[k];
}

/* One to one: whoever takes a channel leaves it closed until all is done. */
int chain(LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *channels, uint thread, int own)
{
	int before = 0, done = 0;
	while (!done) {
		lockstep_loaded loaded = {0, 1};
		if (thread > 0)
			loaded = __lockstep_load_lock(&channels[thread - 1]);
		if (loaded.got) {
			before = loaded.value;
			__lockstep_store_unlock(&channels[thread], before + own);
			done = lockstep_opaque_(1);
		}
	}
	return before;
}

kernel void scan(global const int *from, global int *to, uint run)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int channels[WORDS];
	uint thread = get_local_id(0), first = get_global_id(0) * run;
	int own = sum_of_run(from + first, run);
	lockstep_channel_close(&channels[thread]);
	barrier(CLK_LOCAL_MEM_FENCE);
	int before = chain(LOCKSTEP_UNIT_ARGUMENT channels, thread, own);
	write_run(from + first, to + first, run, before);
	if (thread > 0) /* taken, and never put again */
		lockstep_bit_unlock(&channels[thread - 1], 0);
}

/* ---- Gauss-Seidel: the mean of four neighbours, those in the north and west being new, the others old ---- */

/* A point fires when its northern and western neighbours have; it is read in the south and east before these fire, as they wait for it. */
void relax(LOCKSTEP_UNIT_PARAMETER volatile local int *own)
{
	lockstep_loaded north = {0, 0}, west = {0, 0};
	int done = 0;
	while (!done) {
		if (!north.got) {
			north = __lockstep_load_lock(&own[-TILE]);
			if (north.got)
				__lockstep_store_unlock(&own[-TILE], north.value);
		}
		if (!west.got) {
			west = __lockstep_load_lock(&own[-1]);
			if (west.got)
				__lockstep_store_unlock(&own[-1], west.value);
		}
		if (north.got && west.got) {
			__lockstep_store_unlock(own, (north.value + west.value + own[TILE] + own[1]) / 4);
			done = lockstep_opaque_(1);
		}
	}
}

/* The tiles of an anti-diagonal from row `first` on, a work-group each; their edges are points of other tiles. */
kernel void sweep(global int *grid, uint pitch, uint diagonal, uint first)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int points[WORDS];
	uint x = get_local_id(0), y = get_local_id(1), down = first + get_group_id(0), across = diagonal - down;
	global int *there = &grid[(down * (TILE - 2) + y) * pitch + across * (TILE - 2) + x];
	volatile local int *own = &points[y * TILE + x];
	bool inner_x = x > 0 && x < TILE - 1, inner_y = y > 0 && y < TILE - 1, fires = inner_x && inner_y;
	if (inner_x || inner_y) /* the corners, which no point needs, are points of tiles that run at the same time */
		*own = *there;
	if (fires)
		lockstep_bit_lock(own);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (fires) {
		relax(LOCKSTEP_UNIT_ARGUMENT own);
		*there = *own;
	}
}
