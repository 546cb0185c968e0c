/* Needleman-Wunsch as a data-parallel wavefront and as a dataflow (paper 3, section 6): a work-group fills a sub-grid of (TILE - 1) x (TILE - 1)
 * points, whose northern and western edges are row and column 0 of its tile.  In the dataflow each point is a thread, which fires when its
 * northern and western neighbours have: it waits at their mutexes (Listing 14), at their lock bits (Listing 15), or at a channel of its own
 * (Figure 9). */
#ifndef WITHOUT_BITS
#include "lockstep_lock_bits.h"
#endif

#ifndef TILE
#define TILE 32
#endif
#define SUB (TILE - 1)
/* Local memory of a work-group that uses lock bits, in words.  The host gives more where groups of a core would share bits. */
#if !defined WORDS || !defined __LOCKSTEP__
#undef WORDS
#define WORDS (4 * TILE * TILE)
#endif

typedef volatile local int *tile;

/* The point (row, column) of the work-group's tile, in the matrix of side + 1 points a row. */
uint point(uint row, uint column, uint side, uint diagonal, uint first)
{
	uint down = first + get_group_id(0), across = diagonal - down;
	return (down * SUB + row) * (side + 1) + across * SUB + column;
}

/* The score of the point's letters. */
uint pair(uint row, uint column, uint side, uint diagonal, uint first)
{
	uint down = first + get_group_id(0), across = diagonal - down;
	return (down * SUB + row - 1) * side + across * SUB + column - 1;
}

int best(int northwest, int north, int west, int score, int penalty)
{
	return max(northwest + score, max(north, west) - penalty);
}

/* ---- The wavefront: a thread for each point of an anti-diagonal, a barrier behind each ---- */

void fill(tile s, local const int *scores, uint row, uint column, int penalty)
{
	tile at = &s[row * TILE + column];
	*at = best(at[-TILE - 1], at[-TILE], at[-1], scores[row * TILE + column], penalty);
}

kernel void needle_data(global const int *scores, global int *matrix, uint side, uint diagonal, uint first, int penalty)
{
	volatile local int s[TILE * TILE];
	local int own[TILE * TILE];
	uint t = get_local_id(0);
	/* All loads of a thread on their way at once, as NVIDIA's compiler has loops of a constant length: clang -O1 unrolls when told to. */
	s[t] = matrix[point(0, t, side, diagonal, first)];
	if (t > 0)
		s[t * TILE] = matrix[point(t, 0, side, diagonal, first)];
	if (t > 0) {
		int loaded[SUB];
#pragma unroll
		for (uint row = 0; row < SUB; row++)
			loaded[row] = scores[pair(row + 1, t, side, diagonal, first)];
#pragma unroll
		for (uint row = 0; row < SUB; row++)
			own[(row + 1) * TILE + t] = loaded[row];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint m = 0; m < SUB; m++) {
		if (t <= m)
			fill(s, own, m - t + 1, t + 1, penalty);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint m = SUB - 1; m-- > 0;) {
		if (t <= m)
			fill(s, own, SUB - t, t + SUB - m, penalty);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint row = 1; row < TILE; row++)
		if (t > 0)
			matrix[point(row, t, side, diagonal, first)] = s[row * TILE + t];
}

/* ---- The dataflow ---- */

/* What a thread of the dataflow is about. */
struct actor {
	uint row, column, at; /* in the tile */
	bool fires;           /* it is no edge */
	int score;
};

struct actor begin(tile s, global const int *scores, global const int *matrix, uint side, uint diagonal, uint first)
{
	struct actor a = {get_local_id(1), get_local_id(0), get_local_id(1) * TILE + get_local_id(0), false, 0};
	a.fires = a.row > 0 && a.column > 0;
	if (a.fires)
		a.score = scores[pair(a.row, a.column, side, diagonal, first)];
	else
		s[a.at] = matrix[point(a.row, a.column, side, diagonal, first)];
	return a;
}

void end(const struct actor *a, tile s, global int *matrix, uint side, uint diagonal, uint first)
{
	if (a->fires)
		matrix[point(a->row, a->column, side, diagonal, first)] = s[a->at];
}

/* Listing 14.  A mutex is 1 while its point has not fired, or somebody takes its value. */
void fire_by_mutexes(const struct actor *a, tile s, tile mutex, int penalty)
{
	tile own = &mutex[a->at];
	int north = 0, west = 0;
	bool has_north = false, has_west = false, done = !a->fires;
	while (!done) {
		if (!has_north && atomic_xchg(&own[-TILE], 1) == 0) {
			north = s[a->at - TILE];
			has_north = true;
			atomic_xchg(&own[-TILE], 0);
		}
		if (!has_west && atomic_xchg(&own[-1], 1) == 0) {
			west = s[a->at - 1];
			has_west = true;
			atomic_xchg(&own[-1], 0);
		}
		if (has_north && has_west) {
			s[a->at] = best(s[a->at - TILE - 1], north, west, a->score, penalty);
			atomic_xchg(own, 0);
			done = true;
		}
	}
}

kernel void needle_atomic(global const int *scores, global int *matrix, uint side, uint diagonal, uint first, int penalty)
{
	volatile local int s[TILE * TILE], mutex[TILE * TILE];
	struct actor a = begin(s, scores, matrix, side, diagonal, first);
	mutex[a.at] = a.fires;
	barrier(CLK_LOCAL_MEM_FENCE);
	fire_by_mutexes(&a, s, mutex, penalty);
	end(&a, s, matrix, side, diagonal, first);
}

#ifndef WITHOUT_BITS

/* Listing 15: the token of a point is its lock bit, which whoever takes it gives back (Figure 8). */
void fire_by_bits(LOCKSTEP_UNIT_PARAMETER const struct actor *a, tile s, int penalty)
{
	tile own = &s[a->at];
#ifdef __LOCKSTEP__
	if (!a->fires)
		return;
	asm volatile("{\n"
		     "\t.reg .pred west, north, ready;\n"
		     "\t.reg .b32 west_is, north_is, corner, most;\n"
		     "\tsetp.ne.u32 west, 0, 0;\n"
		     "\tsetp.ne.u32 north, 0, 0;\n"
		     "NEEDLE_%=:\n"
		     "\t@!west ldslk.shared.b32 west_is|west, [%0+-4];\n"
		     "\t@west stsul.shared.b32 [%0+-4], west_is;\n"
		     "\t@!north ldslk.shared.b32 north_is|north, [%0+%3];\n"
		     "\t@north stsul.shared.b32 [%0+%3], north_is;\n"
		     "\tand.pred ready, north, west;\n"
		     "\t@ready ld.volatile.shared.b32 corner, [%0+%4];\n"
		     "\t@ready max.s32 most, north_is, west_is;\n"
		     "\t@ready add.s32 corner, corner, %1;\n"
		     "\t@ready sub.s32 most, most, %2;\n"
		     "\t@ready max.s32 most, most, corner;\n"
		     "\t@ready stsul.shared.b32 [%0], most;\n"
		     "\t@!ready bra NEEDLE_%=;\n"
		     "\t}"
		     :
		     : "l"((size_t)own), "r"(a->score), "r"(penalty), "n"(-4 * TILE), "n"(-4 * TILE - 4)
		     : "memory");
#else
	lockstep_loaded west = {0, 0}, north = {0, 0};
	bool done = !a->fires;
	while (!done) {
		if (!west.got)
			west = __lockstep_load_lock(&own[-1]);
		if (west.got)
			__lockstep_store_unlock(&own[-1], west.value);
		if (!north.got)
			north = __lockstep_load_lock(&own[-TILE]);
		if (north.got)
			__lockstep_store_unlock(&own[-TILE], north.value);
		if (west.got && north.got) {
			__lockstep_store_unlock(own, best(own[-TILE - 1], north.value, west.value, a->score, penalty));
			done = true;
		}
	}
#endif
}

kernel void needle_tiny(global const int *scores, global int *matrix, uint side, uint diagonal, uint first, int penalty)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int s[WORDS];
	struct actor a = begin(s, scores, matrix, side, diagonal, first);
	if (a.fires)
		lockstep_bit_lock(&s[a.at]);
	barrier(CLK_LOCAL_MEM_FENCE);
	fire_by_bits(LOCKSTEP_UNIT_ARGUMENT &a, s, penalty);
	end(&a, s, matrix, side, diagonal, first);
}

#if TILE <= 16 /* else the channels of a tile are more than 1,024 */

/* Figure 9: each of the three that need a point has a channel to it, and need give no token back before it fires. */
struct channels {
	tile south, east, southeast; /* of TILE * TILE words: of the point that they lead to */
};

void fire_by_channels(LOCKSTEP_UNIT_PARAMETER const struct actor *a, const struct channels *c, tile s, int penalty)
{
	lockstep_loaded north = {0, 0}, west = {0, 0}, corner = {0, 0};
	bool done = !a->fires;
	while (!done) {
		if (!north.got)
			north = __lockstep_load_lock(&c->south[a->at]);
		if (!west.got)
			west = __lockstep_load_lock(&c->east[a->at]);
		if (!corner.got)
			corner = __lockstep_load_lock(&c->southeast[a->at]);
		if (north.got && west.got && corner.got) {
			int value = best(corner.value, north.value, west.value, a->score, penalty);
			s[a->at] = value;
			if (a->row < SUB)
				__lockstep_store_unlock(&c->south[a->at + TILE], value);
			if (a->column < SUB)
				__lockstep_store_unlock(&c->east[a->at + 1], value);
			if (a->row < SUB && a->column < SUB)
				__lockstep_store_unlock(&c->southeast[a->at + TILE + 1], value);
			done = lockstep_opaque_(1);
		}
	}
	if (a->fires) { /* nobody waits for them any more */
		__lockstep_store_unlock(&c->south[a->at], north.value);
		__lockstep_store_unlock(&c->east[a->at], west.value);
		__lockstep_store_unlock(&c->southeast[a->at], corner.value);
	}
}

kernel void needle_private(global const int *scores, global int *matrix, uint side, uint diagonal, uint first, int penalty)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[WORDS]; /* the bits of the first 3 * TILE * TILE are all different */
	tile s = words + 3 * TILE * TILE;
	struct channels c = {words, words + TILE * TILE, words + 2 * TILE * TILE};
	struct actor a = begin(s, scores, matrix, side, diagonal, first);
	if (a.fires && a.row > 1)
		lockstep_bit_lock(&c.south[a.at]);
	if (a.fires && a.column > 1)
		lockstep_bit_lock(&c.east[a.at]);
	if (a.fires && a.row > 1 && a.column > 1)
		lockstep_bit_lock(&c.southeast[a.at]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (a.fires && a.row == 1)
		c.south[a.at] = s[a.at - TILE];
	if (a.fires && a.column == 1)
		c.east[a.at] = s[a.at - 1];
	if (a.fires && (a.row == 1 || a.column == 1))
		c.southeast[a.at] = s[a.at - TILE - 1];
	fire_by_channels(LOCKSTEP_UNIT_ARGUMENT &a, &c, s, penalty);
	end(&a, s, matrix, side, diagonal, first);
}

#endif
#endif
