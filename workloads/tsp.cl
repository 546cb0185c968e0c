/* Travelling salesman: a thread climbs from a random tour by its best 2-opt moves, then compares with the best of all under a
 * global lock (paper 2, Fig. 6b). */

/* Lanes of a warp, or a multiple: the lanes of one warp come to the lock one by one. */
#define TURNS 64

ulong random_next(ulong *state)
{
	ulong z = *state += 0x9e3779b97f4a7c15ul;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
	z = (z ^ z >> 27) * 0x94d049bb133111ebul;
	return z ^ z >> 31;
}

/* City k of this thread's tour is tour[k * stride]: neighbours in a warp are neighbours in memory. */
void shuffle_cities(global uchar *tour, uint stride, uint cities, ulong state)
{
	for (uint k = 0; k < cities; k++)
		tour[k * stride] = (uchar)k;
	for (uint k = cities - 1; k > 0; k--) {
		uint other = (uint)((random_next(&state) >> 32) * (k + 1) >> 32);
		uchar city = tour[k * stride];
		tour[k * stride] = tour[other * stride];
		tour[other * stride] = city;
	}
}

void reverse(global uchar *tour, uint stride, uint first, uint last)
{
	for (; first < last; first++, last--) {
		uchar city = tour[first * stride];
		tour[first * stride] = tour[last * stride];
		tour[last * stride] = city;
	}
}

/* The best exchange of two edges, as what is reversed; its change of the length, 0 when none is better. */
int best_move(global const uchar *tour, uint stride, global const ushort *distances, uint cities, uint *first, uint *last)
{
	int best = 0;
	for (uint i = 0; i + 2 < cities; i++) {
		uint a = tour[i * stride], b = tour[(i + 1) * stride], c = tour[(i + 2) * stride];
		int old = distances[a * cities + b];
		uint end = i == 0 ? cities - 1 : cities;
		for (uint j = i + 2; j < end; j++) {
			uint d = tour[(j + 1 == cities ? 0 : j + 1) * stride];
			int change = distances[a * cities + c] + distances[b * cities + d] - old - distances[c * cities + d];
			if (change < best) {
				best = change;
				*first = i + 1;
				*last = j;
			}
			c = d;
		}
	}
	return best;
}

int length_of(global const uchar *tour, uint stride, global const ushort *distances, uint cities)
{
	uint at = tour[(cities - 1) * stride];
	int length = 0;
	for (uint k = 0; k < cities; k++) {
		uint to = tour[k * stride];
		length += distances[at * cities + to];
		at = to;
	}
	return length;
}

/* best: length, climber, how many have compared, and the tour. */
kernel void climb(global const ushort *distances, global uchar *tours, volatile global int *lock, volatile global int *best,
	uint cities, uint climbers, ulong seed)
{
	uint climber = get_global_id(0), stride = get_global_size(0), lane = get_local_id(0) % TURNS;
	global uchar *tour = tours + climber;
	int length = 0;
	if (climber < climbers) {
		uint first = 0, last = 0;
		ulong state = seed + climber;
		shuffle_cities(tour, stride, cities, random_next(&state));
		while (best_move(tour, stride, distances, cities, &first, &last) < 0)
			reverse(tour, stride, first, last);
		length = length_of(tour, stride, distances, cities);
	}
	for (uint turn = 0; turn < TURNS; turn++) {
		if (lane == turn && climber < climbers) {
			while (atomic_cmpxchg(lock, 0, 1) != 0) {
			}
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			/* Of equals the first climber, so that the result does not depend on who comes when. */
			if (length < best[0] || (length == best[0] && (int)climber < best[1])) {
				best[0] = length;
				best[1] = (int)climber;
				for (uint k = 0; k < cities; k++)
					best[3 + k] = tour[k * stride];
			}
			best[2]++;
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			atomic_xchg(lock, 0);
		}
	}
}
