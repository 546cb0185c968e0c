/* Needleman-Wunsch, each point of a tile a thread that waits for its northern and western neighbour by their locks in local
 * memory (paper 3, Section 6: whoever has the lock of a neighbour takes its score and gives the lock back).  nw1 goes from the
 * first letters to the last, nw2 from the last to the first. */
#ifndef TILE
#define TILE 32
#endif

/* Point (row, column) of the mirrored matrix when backwards. */
uint point(bool backwards, uint row, uint column, uint length)
{
	return backwards ? (length - row) * (length + 1) + length - column : row * (length + 1) + column;
}

uint letter(bool backwards, uint k, uint length)
{
	return backwards ? length - 1 - k : k;
}

/* scores[0] and scores[..][0] are the edge, from the tiles before. */
void fill_tile(bool backwards, global const uchar *a, global const uchar *b, global int *matrix, uint length, uint diagonal,
	uint first, int match, int mismatch, int gap, volatile local int (*scores)[TILE + 1], volatile local int (*locks)[TILE])
{
	uint x = get_local_id(0), y = get_local_id(1);
	uint row = (first + get_group_id(0)) * TILE + y, column = (diagonal - first - get_group_id(0)) * TILE + x;
	int alike = a[letter(backwards, row, length)] == b[letter(backwards, column, length)] ? match : mismatch;
	if (y == 0)
		scores[0][x + 1] = matrix[point(backwards, row, column + 1, length)];
	if (x == 0)
		scores[y + 1][0] = matrix[point(backwards, row + 1, column, length)];
	if (x == 0 && y == 0)
		scores[0][0] = matrix[point(backwards, row, column, length)];
	locks[y][x] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);

	bool north = y == 0, west = x == 0, done = false;
	while (!done) {
		if (!north && atomic_xchg(&locks[y - 1][x], 1) == 0) {
			north = true;
			atomic_xchg(&locks[y - 1][x], 0);
		}
		if (!west && atomic_xchg(&locks[y][x - 1], 1) == 0) {
			west = true;
			atomic_xchg(&locks[y][x - 1], 0);
		}
		if (north && west) {
			mem_fence(CLK_LOCAL_MEM_FENCE);
			int aside = max(scores[y][x + 1], scores[y + 1][x]) - gap;
			scores[y + 1][x + 1] = max(scores[y][x] + alike, aside);
			mem_fence(CLK_LOCAL_MEM_FENCE);
			atomic_xchg(&locks[y][x], 0);
			done = true;
		}
	}
	matrix[point(backwards, row + 1, column + 1, length)] = scores[y + 1][x + 1];
}

/* The tiles of an anti-diagonal from row `first` on, a work-group each. */
kernel void nw1(global const uchar *a, global const uchar *b, global int *matrix, uint length, uint diagonal, uint first, int match,
	int mismatch, int gap)
{
	volatile local int scores[TILE + 1][TILE + 1], locks[TILE][TILE];
	fill_tile(false, a, b, matrix, length, diagonal, first, match, mismatch, gap, scores, locks);
}

kernel void nw2(global const uchar *a, global const uchar *b, global int *matrix, uint length, uint diagonal, uint first, int match,
	int mismatch, int gap)
{
	volatile local int scores[TILE + 1][TILE + 1], locks[TILE][TILE];
	fill_tile(true, a, b, matrix, length, diagonal, first, match, mismatch, gap, scores, locks);
}
