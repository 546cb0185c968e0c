/* An instruction cache for all cores: tags, misses, port (code_cache.h). */
#include "machine/core/code_cache.h"

#include "machine/core/schedule.h"
#include "memory/partition.h"

#include <assert.h>

/* The lines of a kernel. */
struct code_lines {
	const struct kernel *kernel;
	struct code_lines *next;
	uint32_t first, count; /* numbers of lines, of all kernels */
	uint64_t *ready;       /* of each: cycle it came; 0: it is not there */
	uint64_t *used;        /* [core * count + line]: cycle of the core's last fetch */
	bool *met;             /* it has been there */
};

struct code_miss {
	struct code_lines *of;
	uint32_t line;
	uint64_t time;
};

/* What a core has done in this quantum. */
struct code_port {
	_Alignas(64) uint32_t fetches; /* no cache line of the host has two cores' */
	uint32_t misses;
	struct code_miss miss[CORE_WARPS];
};

struct code_cache {
	struct arena *arena;
	const struct gpu_model *model;
	struct code_lines *kernels;
	uint32_t next_line;      /* number of the next kernel's first */
	uint64_t free;           /* cycle from which the port is free, as the last quantum left it */
	struct code_port *ports; /* of each core */
	struct code_way {
		struct code_lines *of; /* null: empty */
		uint32_t line;
	} * ways; /* [set * fetch.ways + way] */
};

struct code_cache *code_cache_create(struct arena *arena, const struct gpu_model *model)
{
	struct code_cache *cache;

	assert(model->core_count);
	if (!model->fetch_shared)
		return NULL;
	cache = arena_new(arena, struct code_cache);
	cache->arena = arena;
	cache->model = model;
	cache->ports = arena_new_array(arena, struct code_port, model->core_count);
	cache->ways = arena_new_array(arena, struct code_way, (size_t)model->fetch_sets * model->fetch_ways);
	return cache;
}

struct code_lines *code_cache_lines(struct gpu *gpu, const struct kernel *kernel)
{
	struct code_cache *cache = gpu->code_cache;
	struct code_lines *lines = cache ? cache->kernels : NULL;

	assert(kernel->code_count);
	while (lines && lines->kernel != kernel)
		lines = lines->next;
	if (!cache || lines)
		return lines;
	lines = arena_new(cache->arena, struct code_lines);
	lines->kernel = kernel;
	lines->first = cache->next_line;
	lines->count = (kernel->code_count >> code_line_bits(cache->model)) + 1;
	lines->ready = arena_new_array(cache->arena, uint64_t, lines->count);
	lines->used = arena_new_array(cache->arena, uint64_t, (size_t)lines->count * cache->model->core_count);
	lines->met = arena_new_array(cache->arena, bool, lines->count);
	lines->next = cache->kernels;
	cache->kernels = lines;
	cache->next_line += lines->count;
	return lines;
}

static uint64_t quantum_end(const struct machine *machine)
{
	assert(machine->time.quantum);
	return machine->time.cycle + machine->time.quantum;
}

/* What finds no room is asked for in the next quantum. */
static void note_miss(struct code_port *port, const struct code_miss *miss)
{
	assert(port->misses <= CORE_WARPS);
	assert(miss->line < miss->of->count);
	for (uint32_t k = 0; k < port->misses; k++)
		if (port->miss[k].of == miss->of && port->miss[k].line == miss->line)
			return;
	if (port->misses < CORE_WARPS)
		port->miss[port->misses++] = *miss;
}

void code_cache_fetch(struct core *core, struct warp_slot *r, const struct issue_row *row)
{
	const struct machine *machine = core->machine;
	struct code_cache *cache = machine->gpu->code_cache;
	struct code_port *port = &cache->ports[core->index];
	struct code_lines *of = r->core_launch->code;
	uint32_t line = (uint32_t)(row - r->rows) >> r->core_launch->code_line_bits;
	uint64_t at = schedule_start_fetch(core, r, schedule_later(core->now, cache->free)), ready = of->ready[line];

	assert(line < of->count);
	assert(core->now < quantum_end(machine));
	port->fetches++;
	of->used[core->index * of->count + line] = at;
	if (!ready) {
		note_miss(port, &(struct code_miss){of, line, at});
		r->fetched_at = schedule_later(r->fetched_at, quantum_end(machine));
		core->wheel.again |= r->bit;
		return;
	}
	at = schedule_later(at, ready);
	r->fetched_at = schedule_later(r->fetched_at, at + machine->model->fetch_latency);
	r->buffered = row->fetched;
}

/* ---- Between quanta ---- */

static uint64_t last_use(const struct code_cache *cache, const struct code_way *way)
{
	uint64_t last = 0;

	assert(way->of);
	assert(way->line < way->of->count);
	for (uint32_t core = 0; core < cache->model->core_count; core++)
		last = schedule_later(last, way->of->used[core * way->of->count + way->line]);
	return last;
}

/* An empty way of the set, else that which was used longest ago. */
static struct code_way *victim(const struct code_cache *cache, uint32_t number)
{
	uint32_t ways = cache->model->fetch_ways, set = number & (cache->model->fetch_sets - 1);
	struct code_way *first = &cache->ways[(size_t)set * ways], *best = first;

	assert(ways);
	assert((cache->model->fetch_sets & (cache->model->fetch_sets - 1)) == 0);
	for (struct code_way *way = first; way < first + ways; way++) {
		if (!way->of)
			return way;
		if (last_use(cache, way) < last_use(cache, best))
			best = way;
	}
	return best;
}

/* When the line comes, of which it is asked at `time`. */
static uint64_t arrival(struct machine *machine, const struct code_miss *miss)
{
	const struct gpu_model *model = machine->model;
	uint64_t number = miss->of->first + miss->line, at = miss->time;
	uint64_t address = GLOBAL_BASE + number * model->fetch_line;
	uint32_t slice = address_slice(&machine->map, address);

	assert(at >= machine->time.cycle);
	if (!model->fetch_l2)
		return at + model->fetch_miss;
	at = partition_read_code(machine->partitions[slice / (model->slices / model->channels)], address,
		at + model->crossbar_request_latency, quantum_end(machine));
	return at + (miss->of->met[miss->line] ? 0 : model->fetch_miss) + model->crossbar_reply_latency;
}

static void bring(struct machine *machine, const struct code_miss *miss)
{
	struct code_cache *cache = machine->gpu->code_cache;
	struct code_way *way;
	uint64_t at;

	assert(miss->line < miss->of->count);
	if (miss->of->ready[miss->line]) /* another core was first */
		return;
	at = schedule_later(arrival(machine, miss), quantum_end(machine));
	way = victim(cache, miss->of->first + miss->line);
	if (way->of)
		way->of->ready[way->line] = 0;
	*way = (struct code_way){miss->of, miss->line};
	miss->of->ready[miss->line] = at;
	miss->of->met[miss->line] = true;
}

/* The core whose next miss is the earliest; of one cycle the first core. */
static struct code_port *earliest_miss(const struct code_cache *cache, const uint32_t *done)
{
	struct code_port *best = NULL;

	assert(cache->model->core_count <= MACHINE_CORES);
	for (uint32_t core = 0; core < cache->model->core_count; core++) {
		struct code_port *port = &cache->ports[core];

		if (done[core] < port->misses &&
			(!best || port->miss[done[core]].time < best->miss[done[best - cache->ports]].time))
			best = port;
	}
	return best;
}

static void bring_all(struct machine *machine)
{
	struct code_cache *cache = machine->gpu->code_cache;
	uint32_t done[MACHINE_CORES] = {0};
	struct code_port *port;

	assert(machine->cores.count <= MACHINE_CORES);
	while ((port = earliest_miss(cache, done)))
		bring(machine, &port->miss[done[port - cache->ports]++]);
}

void code_cache_end_quantum(struct machine *machine)
{
	struct code_cache *cache = machine->gpu->code_cache;
	uint32_t fetches = 0, misses = 0;

	assert(cache);
	for (uint32_t core = 0; core < machine->cores.count; core++) {
		fetches += cache->ports[core].fetches;
		misses += cache->ports[core].misses;
	}
	if (!fetches)
		return;
	cache->free = schedule_later(cache->free, machine->time.cycle) + fetches;
	if (misses)
		bring_all(machine);
	for (uint32_t core = 0; core < machine->cores.count; core++)
		cache->ports[core].fetches = cache->ports[core].misses = 0;
}
