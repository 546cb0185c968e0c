/* Stale hits (stale.h): suspects are written down by the core, and judged when the quantum is over. */
#include "machine/lsu/stale.h"

#include "machine/core/deferred.h"
#include "machine/lsu/memory_kind.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* A hit to be judged. */
struct stale_suspect {
	struct stale_read read;   /* which thread and when; `reader` of all bytes that it read */
	uint32_t place;           /* of the line in the L1 */
	uint64_t since;           /* stamp from which its bytes are */
	uint8_t data[LINE_BYTES]; /* what it gave */
};

struct stale_reads {
	uint32_t count;
	struct stale_read at[STALE_READS];
};

/* Of a core. */
struct stale_state {
	VECTOR(struct stale_suspect) suspects; /* of this quantum */
	struct stale_reads *reads;             /* null: none so far */
};

static struct stale_state *state_of(const struct core *core)
{
	return core->deferred.state[DEFERRED_stale];
}

/* ---- In the core ---- */

/* The size of what a lane reads at once. */
static uint32_t element_bytes(const struct operation *op)
{
	return op->kind->has_elements && op->insn->access.bytes ? op->insn->access.bytes : 4;
}

void stale_suspect(
	struct core *core, const struct operation *op, const struct transaction *t, const struct l1_line *hit)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	uint32_t pc = launch_pc(op->group->core_launch->launch, op->insn);
	struct stale_state *state;
	struct stale_suspect *suspect;

	assert(t->lanes);
	assert(core->l1.tags[hit - core->l1.lines] == t->line);
	if (*l1_own_stores(&core->l1, t->line))
		return;
	state = defer(&core->deferred, DEFERRED_stale);
	suspect = vector_push(arena, &state->suspects);
	*suspect = (struct stale_suspect){
		.read = {.launch = op->group->launch,
			.core = core->index,
			.group = op->group->number,
			.pc = pc,
			.bytes = element_bytes(op),
			.cycle = core->now,
			.line = t->line,
			.first_thread = op->slot->warp.first_thread},
		.place = (uint32_t)(hit - core->l1.lines),
		.since = *l1_since(&core->l1, hit),
	};
	memcpy(suspect->data, l1_data(&core->l1, hit), l1_line_bytes(&core->l1));
	memset(suspect->read.reader, STALE_NO_LANE, LINE_BYTES);
	op->kind->readers(op, t->lanes, t->line, suspect->read.reader);
}

/* ---- Between quanta ---- */

/* Leaves of `reader` what is old; false: nothing is. */
static bool is_stale(struct stale_suspect *suspect, const uint8_t *memory, uint32_t bytes)
{
	uint8_t *reader = suspect->read.reader;
	bool any = false;

	assert(suspect->read.line % LEAST_LINE == 0);
	if (!memcmp(suspect->data, memory, bytes))
		return false;
	for (uint32_t k = 0; k < bytes; k++) {
		if (suspect->data[k] == memory[k])
			reader[k] = STALE_NO_LANE;
		any |= reader[k] != STALE_NO_LANE;
	}
	return any;
}

/* If all that the L1 has of the line is in memory now, its bytes are from now on, and it is not compared before it is
 * written again. */
static void date_anew(struct core *core, const struct stale_suspect *suspect, const uint8_t *memory)
{
	struct l1 *cache = &core->l1;
	struct l1_line *line = &cache->lines[suspect->place];
	const uint8_t *data = l1_data(cache, line);

	if (cache->tags[suspect->place] != suspect->read.line)
		return;
	assert(line->sectors && !(line->sectors & ~cache->all_sectors));
	for (uint32_t k = 0; line->sectors >> k; k++)
		if (line->sectors >> k & 1 && memcmp(data + (k << cache->sector_shift),
						      memory + (k << cache->sector_shift), 1u << cache->sector_shift))
			return;
	*l1_since(cache, line) = cache->now + 1;
}

/* The first element that is old, and the lane that read it. */
static void find_element(struct stale_read *read)
{
	uint32_t k = 0;

	while (read->reader[k] == STALE_NO_LANE)
		k++;
	assert(k < LINE_BYTES && read->bytes);
	read->address = (read->line + k) / read->bytes * read->bytes;
	read->thread = read->first_thread + read->reader[k];
}

static uint64_t cycle_of(const struct machine *machine, uint64_t stamp)
{
	return stamp - machine->time.stamp_of_cycle_0;
}

/* When the line was written and what wrote it.  A work-group that came to the writer's place later is not the writer.
 */
static void find_writer(const struct machine *machine, struct stale_read *read, uint64_t since)
{
	const struct line_record *record = space_line(machine->space, read->line);
	uint64_t writer = record->writer;
	const struct core *core = &machine->cores.at[line_writer_core(writer)];
	const struct group *group;

	read->fetched = cycle_of(machine, since);
	read->write.cycle = cycle_of(machine, record->latest);
	assert(record->previous <= record->latest);
	assert(record->latest >= since);
	read->write.once = record->previous < since;
	if (writer == LINE_WRITER_UNKNOWN || !read->write.once)
		return;
	assert(line_writer_core(writer) < machine->cores.count);
	assert(line_writer_group(writer) < core->groups.count);
	group = &core->groups.at[line_writer_group(writer)];
	if (group->since > read->write.cycle)
		return;
	read->write.is_known = true;
	read->write.launch = group->launch;
	read->write.core = line_writer_core(writer);
	read->write.group = group->number;
	read->write.pc = group->code_count <= UINT16_MAX ? line_writer_pc(writer) : STALE_NO_PC;
}

/* Where the core remembers such reads; null: no room. */
static struct stale_read *entry_for(struct machine *machine, struct core *core, const struct stale_read *read)
{
	struct stale_reads *reads = state_of(core)->reads;

	if (!reads)
		reads = state_of(core)->reads = arena_new(&machine->cores.arenas[core->index], struct stale_reads);
	assert(reads->count <= STALE_READS);
	for (uint32_t k = 0; k < reads->count; k++) {
		const struct stale_read *r = &reads->at[k];

		if (r->line == read->line && r->pc == read->pc && r->group == read->group && r->launch == read->launch)
			return &reads->at[k];
	}
	return reads->count < STALE_READS ? &reads->at[reads->count++] : NULL;
}

static void remember(struct machine *machine, struct core *core, struct stale_suspect *suspect)
{
	struct stale_read *read = &suspect->read, *entry = entry_for(machine, core, read);

	if (!entry)
		return;
	assert(!entry->times || (entry->line == read->line && entry->launch == read->launch));
	find_element(read);
	find_writer(machine, read, suspect->since);
	read->first_cycle = entry->times ? entry->first_cycle : read->cycle;
	read->times = entry->times + 1;
	if (entry->times && entry->fetched == read->fetched && entry->address == read->address)
		read->write = entry->write; /* as it was first seen: later writes may be to other bytes */
	*entry = *read;
}

static void judge(struct machine *machine, struct core *core, struct stale_suspect *suspect)
{
	const uint8_t *memory = space_host(machine->space, suspect->read.line);

	assert(suspect->read.core == core->index);
	if (!is_stale(suspect, memory, l1_line_bytes(&core->l1))) {
		date_anew(core, suspect, memory);
		return;
	}
	core->counters.stale_hits++;
	remember(machine, core, suspect);
}

static void judge_all(struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct stale_state *state = state_of(core);

		for (uint32_t k = 0; state && k < state->suspects.count; k++)
			judge(machine, core, &state->suspects.at[k]);
		if (state)
			state->suspects.count = 0;
	}
}

const struct deferred deferred_stale = {.state_size = sizeof(struct stale_state), .carry_out = judge_all};

/* ---- What is remembered ---- */

const struct stale_read *stale_next(const struct machine *machine, const struct stale_read *previous)
{
	uint32_t c = previous ? previous->core : 0;

	assert(!previous || c < machine->cores.count);
	if (previous) {
		const struct stale_reads *reads = state_of(&machine->cores.at[c])->reads;

		if (previous + 1 < reads->at + reads->count)
			return previous + 1;
		c++;
	}
	for (; c < machine->cores.count; c++) {
		const struct stale_state *state = state_of(&machine->cores.at[c]);

		if (state && state->reads)
			return state->reads->at;
	}
	return NULL;
}
