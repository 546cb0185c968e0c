/* DS: the distance solver of cloth, two nested locks a constraint (paper 2, Section V: Clothes Physics).  The cloth is
 * a grid of particles with constraints to the right, downwards and along both diagonals.  The device notes in which
 * order the constraints moved each particle; there must be one serial order of all that agrees, and the host, which
 * follows it, must find the particles at the same places. */
#include "common.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	int32_t first, second; /* particles, the lower first */
};

struct position {
	float x, y, z, unused;
};

struct cloth {
	uint32_t width, particles, constraints;
	struct pair *pairs;
	float *rests; /* distances when nothing pulls */
	struct position *positions;
};

/* ---- The cloth ---- */

static void tie(struct cloth *cloth, uint32_t a, uint32_t b, float rest)
{
	cloth->rests[cloth->constraints] = rest;
	cloth->pairs[cloth->constraints++] =
		a < b ? (struct pair){(int32_t)a, (int32_t)b} : (struct pair){(int32_t)b, (int32_t)a};
}

/* Particles one apart, each moved by up to 0.4 in every direction. */
static struct cloth weave(uint32_t width, uint64_t random)
{
	struct cloth cloth = {.width = width, .particles = width * width};
	cloth.pairs = allocate((size_t)cloth.particles * 4, sizeof *cloth.pairs);
	cloth.rests = allocate((size_t)cloth.particles * 4, sizeof *cloth.rests);
	cloth.positions = allocate(cloth.particles, sizeof *cloth.positions);
	for (uint32_t row = 0; row < width; row++)
		for (uint32_t column = 0; column < width; column++) {
			uint32_t here = row * width + column;
			struct position *p = &cloth.positions[here];
			p->x = (float)column + 0.8f * random_unit(&random) - 0.4f;
			p->y = (float)row + 0.8f * random_unit(&random) - 0.4f;
			p->z = 0.8f * random_unit(&random) - 0.4f;
			if (column + 1 < width)
				tie(&cloth, here, here + 1, 1);
			if (row + 1 < width)
				tie(&cloth, here, here + width, 1);
			if (column + 1 < width && row + 1 < width) {
				tie(&cloth, here, here + width + 1, sqrtf(2));
				tie(&cloth, here + 1, here + width, sqrtf(2));
			}
		}
	return cloth;
}

/* In any order, so that the constraints of a warp have few particles in common. */
static void shuffle(struct cloth *cloth, uint64_t random)
{
	for (uint32_t k = cloth->constraints - 1; k; k--) {
		uint32_t other = random_below(&random, k + 1);
		struct pair pair = cloth->pairs[k];
		float rest = cloth->rests[k];
		cloth->pairs[k] = cloth->pairs[other];
		cloth->rests[k] = cloth->rests[other];
		cloth->pairs[other] = pair;
		cloth->rests[other] = rest;
	}
}

static float distance_of(const struct cloth *cloth, uint32_t constraint)
{
	struct position a = cloth->positions[cloth->pairs[constraint].first];
	struct position b = cloth->positions[cloth->pairs[constraint].second];
	return sqrtf((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z));
}

static double error_of(const struct cloth *cloth)
{
	double sum = 0;
	for (uint32_t k = 0; k < cloth->constraints; k++)
		sum += fabs((double)distance_of(cloth, k) - (double)cloth->rests[k]);
	return sum;
}

/* As solve in ds.cl. */
static void apply(struct cloth *cloth, uint32_t constraint)
{
	struct position *a = &cloth->positions[cloth->pairs[constraint].first];
	struct position *b = &cloth->positions[cloth->pairs[constraint].second];
	float distance = distance_of(cloth, constraint);
	float part = 0.25f * (distance - cloth->rests[constraint]) / distance;
	float x = part * (b->x - a->x), y = part * (b->y - a->y), z = part * (b->z - a->z);
	*a = (struct position){a->x + x, a->y + y, a->z + z, 0};
	*b = (struct position){b->x - x, b->y - y, b->z - z, 0};
}

/* ---- The check ---- */

/* What the device noted: constraint k of round r moved its particles as the order[r * constraints + k]-th. */
struct history {
	uint32_t applications;
	const struct pair *order;
	uint32_t *starts; /* of each particle's applications in `of`, and the end */
	uint32_t *of;     /* the application that was its n-th */
	uint32_t *next;   /* how many of a particle's have been replayed */
};

static void enter(struct history *h, int32_t particle, int32_t turn, uint32_t application)
{
	uint32_t room = h->starts[particle + 1] - h->starts[particle];
	if (turn < 0 || (uint32_t)turn >= room)
		fail("particle %d was moved a %d-th time, by %u constraints", particle, turn, room);
	uint32_t *place = &h->of[h->starts[particle] + (uint32_t)turn];
	if (*place != UINT32_MAX)
		fail("particle %d was moved by two constraints at once", particle);
	*place = application;
}

static struct history history_new(const struct cloth *cloth, const struct pair *order, uint32_t rounds)
{
	uint32_t applications = cloth->constraints * rounds;
	struct history h = {applications, order, allocate(cloth->particles + 1, 4),
		allocate((size_t)applications * 2, 4), allocate(cloth->particles, 4)};
	for (uint32_t k = 0; k < cloth->constraints; k++) {
		h.starts[cloth->pairs[k].first + 1] += rounds;
		h.starts[cloth->pairs[k].second + 1] += rounds;
	}
	for (uint32_t k = 0; k < cloth->particles; k++)
		h.starts[k + 1] += h.starts[k];
	memset(h.of, -1, (size_t)applications * 2 * sizeof *h.of);
	for (uint32_t k = 0; k < applications; k++) {
		enter(&h, cloth->pairs[k % cloth->constraints].first, order[k].first, k);
		enter(&h, cloth->pairs[k % cloth->constraints].second, order[k].second, k);
	}
	return h;
}

/* The particle's next application, when it is the next of the other particle, too; UINT32_MAX when there is none. */
static uint32_t next_of(const struct cloth *cloth, const struct history *h, int32_t particle)
{
	uint32_t at = h->starts[particle] + h->next[particle];
	if (at == h->starts[particle + 1])
		return UINT32_MAX;
	struct pair pair = cloth->pairs[h->of[at] % cloth->constraints], turns = h->order[h->of[at]];
	bool is_next = (uint32_t)turns.first == h->next[pair.first] && (uint32_t)turns.second == h->next[pair.second];
	return is_next ? h->of[at] : UINT32_MAX;
}

/* Applies what is next at both of its particles, then what that makes possible. */
static void replay(struct cloth *cloth, struct history *h)
{
	uint32_t *ready = allocate(h->applications, sizeof *ready), tail = 0, done = 0;
	for (uint32_t k = 0; k < h->applications; k++)
		if (h->order[k].first == 0 && h->order[k].second == 0)
			ready[tail++] = k;
	for (; done < tail; done++) {
		uint32_t constraint = ready[done] % cloth->constraints;
		struct pair pair = cloth->pairs[constraint];
		apply(cloth, constraint);
		h->next[pair.first]++;
		h->next[pair.second]++;
		uint32_t one = next_of(cloth, h, pair.first), other = next_of(cloth, h, pair.second);
		if (one != UINT32_MAX)
			ready[tail++] = one;
		if (other != UINT32_MAX &&
			other != one) /* the same constraint may be next at both, in the next round */
			ready[tail++] = other;
	}
	if (done != h->applications)
		fail("no serial order has all constraints: %u of %u", done, h->applications);
	free(ready);
}

static void check(struct cloth *cloth, const struct position *found, const struct pair *order, uint32_t rounds)
{
	double before = error_of(cloth);
	struct history h = history_new(cloth, order, rounds);
	replay(cloth, &h);
	for (uint32_t k = 0; k < cloth->particles; k++) {
		struct position a = cloth->positions[k], b = found[k];
		float apart = fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z);
		if (!(apart <= 1e-3f)) /* of a distance of 1 between particles; one rounding is 1e-5 at most */
			fail("particle %u is %g away from where the same order brings it", k, (double)apart);
	}
	if (!(error_of(cloth) < before))
		fail("the distances are no better than before: off by %g, %g before", error_of(cloth), before);
	free(h.starts);
	free(h.of);
	free(h.next);
}

int main(int argc, char **argv)
{
	/* Paper 2 names no size; 128 x 128 particles have 64,770 constraints, a thread each. */
	struct number numbers[] = {
		{"width", "of the cloth, in particles; it is a square", 24, 128, 2, 4096, 0},
		{"threads", "that take constraints in turn", 2304, 65536, 1, 1 << 24, 0},
		{"rounds", "of all constraints, a launch each", 2, 4, 1, 64, 0},
		{"group", "threads of a work-group", 256, 256, 1, 1024, 0},
		{"shuffled", "1: constraints in any order; 0: row by row", 0, 0, 0, 1, 0},
	};
	uint64_t random = options_read(
		argc, argv, "cloth: distances between particles, two nested locks", numbers, COUNT(numbers));
	size_t threads = (size_t)numbers[1].value, group = (size_t)numbers[3].value;
	uint32_t rounds = (uint32_t)numbers[2].value;
	if (threads % group)
		options_refuse("--threads %zu: expected a multiple of --group %zu", threads, group);

	struct cloth cloth = weave((uint32_t)numbers[0].value, random);
	uint32_t count = cloth.constraints;
	if (numbers[4].value)
		shuffle(&cloth, random);
	size_t order_bytes = count * sizeof(struct pair), position_bytes = cloth.particles * sizeof(struct position);
	struct pair *order = allocate((size_t)count * rounds, sizeof *order);
	struct position *found = allocate(cloth.particles, sizeof *found);
	struct gpu gpu = gpu_open("ds.cl", "");
	cl_mem pairs = gpu_buffer(&gpu, order_bytes, cloth.pairs),
	       rests = gpu_buffer(&gpu, count * sizeof(float), cloth.rests);
	cl_mem locks = gpu_filled(&gpu, cloth.particles, 0), turns = gpu_filled(&gpu, cloth.particles, 0);
	cl_mem positions = gpu_buffer(&gpu, position_bytes, cloth.positions);
	cl_mem device_order = gpu_filled(&gpu, (size_t)count * 2, -1);
	for (uint32_t round = 0; round < rounds; round++) {
		GPU_LAUNCH(&gpu, "solve", threads, group, ARGUMENT(pairs), ARGUMENT(rests), ARGUMENT(locks),
			ARGUMENT(positions), ARGUMENT(turns), ARGUMENT(device_order), ARGUMENT(count));
		gpu_read(&gpu, device_order, order_bytes, order + (size_t)round * count);
	}
	gpu_read(&gpu, positions, position_bytes, found);
	check(&cloth, found, order, rounds);
	free(order);
	free(found);
	free(cloth.pairs);
	free(cloth.rests);
	free(cloth.positions);
	gpu_free(pairs);
	gpu_free(rests);
	gpu_free(locks);
	gpu_free(turns);
	gpu_free(positions);
	gpu_free(device_order);
	gpu_close(&gpu);
	return pass();
}
