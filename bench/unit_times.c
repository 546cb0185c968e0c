/* `lockstep` with a clock around each unit of each quantum, for bench/scaling: what the command does, and its words.
 *
 * The linker puts the functions here in place of node_run and thread_pool_round, so the simulator itself has no clock.
 * One thread.  With LOCKSTEP_UNIT_TIMES=FILE it writes, as 32-bit words of this machine: for each quantum how many
 * units run, which numbers are cores' (those below the second word), the nanoseconds since the quantum before (what one
 * thread does alone), and of each unit its number and its nanoseconds.  Before the first quantum these are nanoseconds
 * of the processor since the process began; likewise those after the last, which stand behind it as a quantum without
 * units.  A unit's time has one reading of the clock in it, and the first word of the file says how many nanoseconds
 * that is, times 1,024. */
#include "machine/nodes/nodes.h"
#include "machine/state/machine.h"
#include "util/thread_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define READINGS 1000 /* by which the clock itself is measured */
#define TRIES 100     /* the least counts: in the others the thread may have been interrupted */

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
static uint64_t used; /* of the processor, when the last quantum ended */

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* More than fits is as much as fits. */
static uint32_t fitted(uint64_t time)
{
	return time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
}

/* Time since the last reading. */
static uint32_t elapsed(void)
{
	uint64_t reading = now(), difference = reading - last;

	last = reading;
	return fitted(difference);
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
	uint32_t end[3] = {0, 0, fitted(read_clock(CLOCK_PROCESS_CPUTIME_ID) - used)};

	write_words(end, 3);
	if (fclose(file))
		perror("unit_times: LOCKSTEP_UNIT_TIMES");
}

static void open_file(void)
{
	const char *path = getenv("LOCKSTEP_UNIT_TIMES");
	uint32_t reading = UINT32_MAX;

	file = path ? fopen(path, "wb") : NULL;
	if (!file) {
		perror("unit_times: LOCKSTEP_UNIT_TIMES");
		exit(2);
	}
	atexit(close_file);
	for (uint32_t try = 0; try < TRIES; try++) {
		uint64_t start = now();
		uint32_t took;

		for (uint32_t k = 0; k < READINGS; k++)
			last = now();
		took = fitted((last - start) * 1024 / READINGS);
		reading = took < reading ? took : reading;
	}
	write_words(&reading, 1);
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
	uint32_t head[3] = {count, 0, 0};

	if (!file) {
		head[2] = fitted(read_clock(CLOCK_PROCESS_CPUTIME_ID));
		open_file();
	} else {
		head[2] = elapsed();
	}
	make_room(count);
	unit_count = 0;
	last = now();
	__real_thread_pool_round(pool, count);
	head[1] = core_count;
	write_words(head, 3);
	write_words(units, 2 * count);
	used = read_clock(CLOCK_PROCESS_CPUTIME_ID); /* the time of writing is nobody's */
	last = now();
}
