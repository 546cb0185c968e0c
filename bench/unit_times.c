/* `lockstep` with a clock around each unit of each quantum, for bench/scaling: what the command does, and its words.
 *
 * The linker puts the functions here in place of node_run and thread_pool_round, so the simulator itself has no clock.
 * One thread.  With LOCKSTEP_UNIT_TIMES=FILE it writes, as 32-bit words of this machine: for each quantum how many
 * units run, which numbers are cores' (those below the second word), the nanoseconds since the quantum before (what one
 * thread does alone), and of each unit its number and its nanoseconds.  A unit's time has one reading of the clock in
 * it, and the first word of the file says how many nanoseconds that is, times 1,024. */
#include "machine/nodes/nodes.h"
#include "machine/state/machine.h"
#include "util/thread_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define READINGS 100000 /* by which the clock itself is measured */

void __real_node_run(struct machine *machine, uint32_t index);
void __wrap_node_run(struct machine *machine, uint32_t index);
void __real_thread_pool_round(struct thread_pool *pool, uint32_t count);
void __wrap_thread_pool_round(struct thread_pool *pool, uint32_t count);

static FILE *file;
static uint64_t last;       /* reading of the clock */
static uint32_t core_count; /* of the quantum that runs */
static uint32_t *units;     /* of it: pairs of number and time */
static uint32_t room;       /* pairs */
static uint32_t unit_count;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Time since the last reading; more than fits is as much as fits. */
static uint32_t elapsed(void)
{
	uint64_t reading = now(), difference = reading - last;

	last = reading;
	return difference < UINT32_MAX ? (uint32_t)difference : UINT32_MAX;
}

static void write_words(const uint32_t *words, uint32_t count)
{
	if (fwrite(words, sizeof *words, count, file) == count)
		return;
	perror("unit_times: LOCKSTEP_UNIT_TIMES");
	exit(2);
}

static void close_file(void)
{
	if (fclose(file))
		perror("unit_times: LOCKSTEP_UNIT_TIMES");
}

static void open_file(void)
{
	const char *path = getenv("LOCKSTEP_UNIT_TIMES");
	uint64_t start = now();
	uint32_t reading;

	file = path ? fopen(path, "wb") : NULL;
	if (!file) {
		perror("unit_times: LOCKSTEP_UNIT_TIMES");
		exit(2);
	}
	atexit(close_file);
	for (uint32_t k = 0; k < READINGS; k++)
		last = now();
	reading = (uint32_t)((now() - start) * 1024 / READINGS);
	write_words(&reading, 1);
	last = now();
}

static void make_room(uint32_t count)
{
	if (count <= room)
		return;
	room = count;
	units = realloc(units, room * 2 * sizeof *units);
	if (!units)
		abort();
}

void __wrap_node_run(struct machine *machine, uint32_t index)
{
	core_count = machine->cores.count;
	__real_node_run(machine, index);
	units[2 * unit_count] = index;
	units[2 * unit_count++ + 1] = elapsed();
}

void __wrap_thread_pool_round(struct thread_pool *pool, uint32_t count)
{
	uint32_t head[3] = {count};

	if (!file)
		open_file();
	make_room(count);
	unit_count = 0;
	head[2] = elapsed();
	__real_thread_pool_round(pool, count);
	head[1] = core_count;
	write_words(head, 3);
	write_words(units, 2 * count);
	elapsed(); /* the time of writing is no unit's */
}
