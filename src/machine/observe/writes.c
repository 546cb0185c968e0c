/* Who has written to a few words (writes.h).
 *
 * When an instruction that writes is issued, each lane that goes to one of the words is noted as an intent.  Later the
 * write takes effect: in the core, which tells, or in a slice of the L2, which logs it (memory/write_log.h).  Effects
 * of a core's instruction on a word are in the order in which the core issued them, so each takes the oldest intent
 * that it may come from. */
#include "machine/observe/writes.h"

#include "machine/core/observer.h"
#include "machine/lsu/owned.h"
#include "machine/lsu/remote.h"
#include "machine/state/launch_state.h"
#include "machine/state/unit.h"

#include <assert.h>

#define MOST_INTENTS 8192u /* outstanding; beyond that the oldest are forgotten */

struct intent {
	struct word_write write; /* but for its values */
	uint64_t sequence;       /* of the instruction */
	uint32_t word;
	uint8_t slot, place; /* the warp's, the group's */
};

/* A write by the core itself, or what the reader found. */
struct note {
	struct word_write write;
	uint32_t word;
	bool is_look, is_store, has_before;
};

struct writing {
	struct arena *arena;
	uint64_t sequence;
	VECTOR(struct intent) intents;         /* outstanding, oldest first */
	VECTOR(struct note) notes;             /* of this quantum */
	VECTOR(struct sibling_write) siblings; /* likewise, in the buffer of the first word */
	bool at_once;                          /* observer_at_once */
	/* where words of shared memory lie, while their groups are on cores: at once on any, else on this one */
	const uint8_t **shared;
	const uint8_t *own_shared[WRITES_WORDS];
	struct logged_word logged[WRITES_WORDS];
	struct write_log log; /* of a coherent L1 */
};

static struct writes *asked_of(const struct core *core)
{
	assert(core->machine->gpu->observe[OBSERVER_writes]);
	return core->machine->gpu->observe[OBSERVER_writes];
}

static struct writing *state_on(const struct core *core)
{
	return observer_state(core, OBSERVER_writes);
}

static uint64_t read_word(const uint8_t *at, uint8_t bytes)
{
	uint64_t value = 0;

	assert(bytes);
	assert(bytes <= sizeof value);
	memcpy(&value, at, bytes);
	return value;
}

/* Where the word is, if this core may look there now; null: it is not here. */
static const uint8_t *place_of(const struct core *core, const struct writing *s, uint32_t k)
{
	const struct written_word *word = &asked_of(core)->words[k];

	assert(k < asked_of(core)->count);
	return word->space == space_SHARED ? s->shared[k] : space_host(core->machine->space, word->address);
}

static void create(struct core *core, void *state, struct arena *arena)
{
	struct writing *s = state;
	struct writes *asked = asked_of(core);

	assert(asked->count <= WRITES_WORDS);
	s->arena = arena;
	s->at_once = observer_at_once(core);
	s->shared = s->at_once ? asked->shared : s->own_shared;
	for (uint32_t k = 0; k < asked->count; k++)
		if (asked->words[k].space == space_GLOBAL)
			s->logged[k] = (struct logged_word){asked->words[k].address, asked->words[k].bytes};
}

/* ---- Groups ---- */

static bool is_group_of(const struct written_word *word, const struct group *group)
{
	return word->group == group->number && word->launch == group->launch;
}

static void group_begins(struct core *core, void *state, struct group *group)
{
	struct writing *s = state;
	struct writes *asked = asked_of(core);

	assert(asked->count <= WRITES_WORDS);
	for (uint32_t k = 0; k < asked->count; k++) {
		struct written_word *word = &asked->words[k];

		if (word->space != space_SHARED || !is_group_of(word, group))
			continue;
		s->shared[k] = group->shared + word->address;
		word->value = read_word(s->shared[k], word->bytes);
	}
}

static void group_ends(struct core *core, void *state, struct group *group)
{
	struct writing *s = state;
	struct writes *asked = asked_of(core);

	assert(group->launch == group->core_launch->launch->ordinal);
	for (uint32_t k = 0; k < asked->count; k++)
		if (asked->words[k].space == space_SHARED && is_group_of(&asked->words[k], group))
			s->shared[k] = NULL;
}

/* ---- Intents ---- */

static bool overlaps(const struct written_word *word, uint64_t address, uint64_t bytes)
{
	return address < word->address + word->bytes && word->address < address + bytes;
}

/* Whether the warp's access to this space may be to the word. */
static bool is_in_reach(const struct written_word *word, const struct warp_slot *r, uint8_t space)
{
	return word->space == space && (space == space_GLOBAL || is_group_of(word, r->group));
}

static void intend(struct core *core, struct writing *s, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint32_t word, bool is_copy)
{
	if (s->intents.count == MOST_INTENTS) {
		s->intents.count -= MOST_INTENTS / 2;
		memmove(s->intents.at, s->intents.at + MOST_INTENTS / 2, s->intents.count * sizeof *s->intents.at);
	}
	assert(s->intents.count < MOST_INTENTS);
	assert(word < asked_of(core)->count);
	assert(lane < r->warp.lanes);
	*vector_push(s->arena, &s->intents) = (struct intent){.write = {.known = true,
								      .is_atomic = i->kind == INSN_ATOMIC,
								      .is_copy = is_copy,
								      .launch = r->group->launch,
								      .group = r->group->number,
								      .thread = r->warp.first_thread + lane,
								      .pc = launch_pc(r->core_launch->launch, i),
								      .when = observer_clock(core)},
		.sequence = s->sequence,
		.word = word,
		.slot = (uint8_t)core_slot(core, r),
		.place = (uint8_t)(r->group - core->groups.at)};
}

static void forget(struct writing *s, uint32_t first, uint32_t count)
{
	assert(first + count <= s->intents.count);
	memmove(s->intents.at + first, s->intents.at + first + count,
		(s->intents.count - first - count) * sizeof *s->intents.at);
	s->intents.count -= count;
}

static bool is_reader(const struct written_word *word, const struct warp_slot *r)
{
	assert(r->group->core_launch == r->core_launch);
	return is_group_of(word, r->group) && word->thread - r->warp.first_thread < r->warp.lanes;
}

static void note_look(struct core *core, struct writing *s, uint32_t word, uint64_t value)
{
	assert(word < asked_of(core)->count);
	*vector_push(s->arena, &s->notes) =
		(struct note){.write = {.after = value, .when = observer_clock(core)}, .word = word, .is_look = true};
}

/* Stores to other words of the buffer. */
static void note_siblings(struct core *core, struct writing *s, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes, uint8_t space, const uint64_t *address)
{
	const struct writes *asked = asked_of(core);

	assert(asked->sibling_count <= WRITES_SIBLINGS);
	if (asked->sibling_count == WRITES_SIBLINGS || r->group->launch != asked->words[0].launch ||
		!is_in_reach(&asked->words[0], r, space))
		return;
	EACH_LANE(l, lanes)
		if (address[l] >= asked->first && address[l] < asked->end)
			*vector_push(s->arena, &s->siblings) = (struct sibling_write){.address = address[l],
				.group = r->group->number,
				.thread = r->warp.first_thread + (uint32_t)l,
				.pc = launch_pc(r->core_launch->launch, i)};
}

static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	struct writing *s = state;
	const struct writes *asked = asked_of(core);
	bool writes = i->kind == INSN_STORE || i->kind == INSN_ATOMIC || i->kind == INSN_STORE_UNLOCK;
	uint64_t bytes = (uint64_t)i->access.bytes * i->access.elements;

	assert(!(lanes & ~r->warp.full));
	s->sequence++;
	if (writes)
		note_siblings(core, s, r, i, lanes, space, address);
	for (uint32_t k = 0; k < asked->count; k++) {
		const struct written_word *word = &asked->words[k];

		if (!is_in_reach(word, r, space))
			continue;
		EACH_LANE(l, lanes) {
			if (!overlaps(word, address[l], bytes))
				continue;
			if (writes)
				intend(core, s, r, i, (uint32_t)l, k, false);
			if (s->at_once && i->kind != INSN_STORE && is_reader(word, r) &&
				word->thread - r->warp.first_thread == (uint32_t)l)
				note_look(core, s, k, read_word(place_of(core, s, k), word->bytes));
		}
	}
}

static void moves(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint8_t space, uint64_t address, uint64_t bytes, bool writes)
{
	struct writing *s = state;
	const struct writes *asked = asked_of(core);

	assert(r->warp.full >> lane & 1);
	s->sequence++;
	for (uint32_t k = 0; writes && k < asked->count; k++)
		if (is_in_reach(&asked->words[k], r, space) && overlaps(&asked->words[k], address, bytes))
			intend(core, s, r, i, lane, k, true);
}

static void copies(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	const struct observed_copy *copy)
{
	struct writing *s = state;
	const struct writes *asked = asked_of(core);

	assert(r->warp.full >> lane & 1);
	assert(copy->read <= copy->written);
	s->sequence++;
	for (uint32_t k = 0; copy->written && k < asked->count; k++)
		if (is_in_reach(&asked->words[k], r, copy->to_space) &&
			overlaps(&asked->words[k], copy->to, copy->written))
			intend(core, s, r, i, lane, k, true);
}

/* ---- Effects in the core ---- */

/* The oldest intent of the warp to write the word; intents.count: none. */
static uint32_t find_of_warp(const struct writing *s, uint32_t slot, uint32_t word)
{
	uint32_t k = 0;

	assert(s->intents.count <= MOST_INTENTS);
	assert(slot < CORE_WARPS);
	while (k < s->intents.count &&
		(s->intents.at[k].slot != slot || s->intents.at[k].word != word || s->intents.at[k].write.is_copy))
		k++;
	return k;
}

static void changed(struct core *core, void *state, const struct warp_slot *r, const uint8_t *where,
	const uint8_t *before, uint32_t bytes)
{
	struct writing *s = state;
	const struct writes *asked = asked_of(core);

	assert(bytes);
	assert(bytes <= LINE_BYTES);
	for (uint32_t k = 0; k < asked->count; k++) {
		const uint8_t *at = place_of(core, s, k);
		uint32_t width = asked->words[k].bytes, found;
		struct note note = {.word = k};
		uint8_t was[8];

		if (!at || where >= at + width || at >= where + bytes)
			continue;
		found = find_of_warp(s, core_slot(core, r), k);
		if (found < s->intents.count) {
			note.write = s->intents.at[found].write;
			forget(s, found, 1);
		}
		memcpy(was, at, width);
		for (uint32_t b = 0; b < width; b++)
			if (at + b >= where && at + b < where + bytes)
				was[b] = before[at + b - where];
		note.has_before = true;
		note.is_store = !note.write.is_atomic;
		note.write.when = observer_clock(core);
		note.write.before = read_word(was, (uint8_t)width);
		note.write.after = read_word(at, (uint8_t)width);
		*vector_push(s->arena, &s->notes) = note;
	}
}

/* The lane of another group of the cluster whose access here is to the word; the last of several, as that one's value
 * stays.  False: there is none. */
static bool find_remote(const struct remote_access *access, const struct written_word *word, uint32_t *lane)
{
	bool found = false;

	assert(!(access->swapped & ~access->lanes));
	EACH_LANE(l, access->lanes)
		if (overlaps(word, access->offset[l], access->bytes)) {
			*lane = (uint32_t)l;
			found = true;
		}
	return found;
}

/* Functional mode: its core is about to carry it out. */
static void intend_remote(struct core *core, const struct remote_access *access, uint32_t word, uint32_t lane)
{
	struct core *from = &core->machine->cores.at[access->core];
	struct writing *s = state_on(from);

	assert(access->slot < from->warps.count);
	assert(access->lanes >> lane & 1);
	if (s)
		intend(from, s, &from->slots[access->slot], access->insn, lane, word, false);
}

/* Another group of the cluster has written here; in functional mode it will. */
static void served(struct core *core, void *state, const struct group *group, const struct remote_access *access)
{
	struct writing *s = state;
	const struct writes *asked = asked_of(core);
	const struct insn *i = access->insn;
	bool is_write = i->kind == INSN_STORE || i->kind == INSN_ATOMIC || insn_kinds[i->kind].flags & KIND_ASYNC;

	assert(access->core < core->machine->cores.count);
	assert(access->slot < CORE_WARPS);
	for (uint32_t k = 0; k < asked->count; k++) {
		const struct written_word *word = &asked->words[k];
		uint32_t lane;

		if (!is_write || !s->shared[k] || !is_group_of(word, group) || !find_remote(access, word, &lane))
			continue;
		if (s->at_once) {
			intend_remote(core, access, k, lane);
			continue;
		}
		*vector_push(s->arena, &s->notes) = (struct note){.word = k,
			.is_store = i->kind == INSN_STORE,
			.write = {.known = true,
				.is_atomic = i->kind == INSN_ATOMIC,
				.launch = group->launch,
				.group = access->number,
				.thread = access->first_thread + lane,
				.pc = launch_pc(group->core_launch->launch, i),
				.when = observer_clock(core),
				.after = read_word(s->shared[k], word->bytes)}};
	}
}

/* What the reader has found, in timing mode. */
static void completed(struct core *core, void *state, const struct operation *op)
{
	struct writing *s = state;
	const struct writes *asked = asked_of(core);
	const struct insn *i = op->insn;

	assert(op->slot->group == op->group);
	if ((i->kind != INSN_LOAD && i->kind != INSN_ATOMIC) || i->d == SLOT_NONE || i->flags & INSN_NO_RESULT)
		return;
	for (uint32_t k = 0; k < asked->count; k++) {
		const struct written_word *word = &asked->words[k];
		uint32_t lane = word->thread - op->slot->warp.first_thread;
		const uint32_t *to;

		if (word->space != op->space || !is_reader(word, op->slot) || !(op->lanes >> lane & 1) ||
			op->address[lane] != word->address || i->access.bytes != word->bytes ||
			i->access.elements != 1 || i->access.register_bytes != word->bytes)
			continue;
		to = op->bank[i->d >> 30] + (i->d & SLOT_OFFSET);
		note_look(core, s, k, word->bytes == 8 ? ((const uint64_t *)(const void *)to)[lane] : to[lane]);
	}
}

/* ---- Between quanta ---- */

static void mark_writer(struct writes *asked, struct written_word *word, const struct word_write *write)
{
	uint64_t threads = (uint64_t)asked->groups * asked->group_threads,
		 at = (uint64_t)write->group * asked->group_threads + write->thread;

	assert(write->known);
	if (write->launch != word->launch || at >= threads)
		return;
	if (!word->wrote)
		word->wrote = arena_new_array(asked->arena, uint8_t, threads);
	if (word->wrote[at] < WRITES_MOST)
		word->wrote[at]++;
}

static void record(struct writes *asked, uint32_t k, const struct word_write *write, bool is_store)
{
	struct written_word *word = &asked->words[k];

	assert(k < asked->count);
	word->value = write->after;
	if (write->before == write->after && !is_store)
		return;
	if (write->known)
		mark_writer(asked, word, write);
	else
		word->has_unknown = true;
	if (write->before == write->after) {
		word->same = *write;
		word->same_after = word->count + 1;
	} else {
		word->at[word->count++ % WRITES_KEPT] = *write;
	}
	assert(!word->count || written_last(word)->before != written_last(word)->after);
}

static void record_look(struct written_word *word, const struct word_write *look)
{
	struct word_look *last = word->looks ? &word->look[(word->looks - 1) % WRITES_LOOKS] : NULL;

	assert(!last || (last->first <= last->last && last->last <= look->when));
	if (!last || last->value != look->after) {
		last = &word->look[word->looks++ % WRITES_LOOKS];
		*last = (struct word_look){.value = look->after, .first = look->when};
	}
	last->last = look->when;
	assert(last->first <= last->last);
	assert(word->looks);
}

/* The first of the intents that a logged write may come from; intents.count: none. */
static uint32_t find_logged(const struct writing *s, const struct logged_write *w)
{
	uint32_t k = 0;

	assert(s->intents.count <= MOST_INTENTS);
	for (; k < s->intents.count; k++) {
		const struct intent *n = &s->intents.at[k];

		if (n->word == w->word && n->place == w->group && (uint16_t)n->write.pc == w->pc)
			break;
	}
	return k;
}

/* The intents of the same instruction on the same word, from `first` on: lanes that follow each other. */
static uint32_t run_of(const struct writing *s, uint32_t first)
{
	uint32_t k = first;

	assert(first <= s->intents.count);
	while (k < s->intents.count && s->intents.at[k].sequence == s->intents.at[first].sequence &&
		s->intents.at[k].word == s->intents.at[first].word)
		k++;
	return k - first;
}

/* A request of one core's: `count` entries, which took effect one after another, for the lanes of one instruction.
 * Where lanes are put together in one entry, the last one counts. */
static void record_request(const struct machine *machine, struct writes *asked, struct writing *s,
	const struct logged_write *w, uint32_t count)
{
	uint32_t first = s && !w->is_lock ? find_logged(s, w) : 0, found = s && !w->is_lock ? run_of(s, first) : 0;

	assert(w->word < asked->count);
	assert(!found || first + found <= s->intents.count);
	for (uint32_t k = 0; k < count; k++) {
		struct word_write write = {0};
		uint32_t lane = k + 1 == count && found > count ? found - 1 : k;

		if (lane < found)
			write = s->intents.at[first + lane].write;
		assert(w[k].time >= machine->time.start);
		write.when = w[k].time - machine->time.start;
		write.before = w[k].before;
		write.after = w[k].after;
		record(asked, w->word, &write, w->is_store);
	}
	if (found)
		forget(s, first, found);
}

static void record_logged(
	const struct machine *machine, struct writes *asked, const struct logged_write *w, uint32_t count)
{
	for (uint32_t k = 0, next; k < count; k = next) {
		struct core *core = w[k].source < machine->cores.count ? &machine->cores.at[w[k].source] : NULL;

		assert(w[k].is_first);
		for (next = k + 1; next < count && !w[next].is_first;)
			next++;
		record_request(machine, asked, core ? state_on(core) : NULL, &w[k], next - k);
	}
}

/* What the core has written to lines that its L1 owns. */
static void flush_owned(struct core *core, struct writes *asked, struct writing *s)
{
	assert(!s->at_once);
	record_logged(core->machine, asked, s->log.writes.at, s->log.writes.count);
	s->log.writes.count = 0;
	s->log.arena = s->arena;
	s->log.words = s->logged;
	s->log.count = asked->count;
	owned_log_writes(core, &s->log);
}

static bool is_same_sibling(const struct sibling_write *a, const struct sibling_write *b)
{
	return a->address == b->address && a->pc == b->pc && a->group == b->group && a->thread == b->thread;
}

static void record_sibling(struct writes *asked, const struct sibling_write *sibling)
{
	uint64_t thread = (uint64_t)sibling->group << 32 | sibling->thread, place;
	uint64_t hash = lookup_mix(lookup_mix(lookup_mix(0, sibling->address), sibling->pc), thread);

	assert(asked->sibling_count <= WRITES_SIBLINGS);
	if (!asked->siblings)
		asked->siblings = arena_new_array(asked->arena, struct sibling_write, WRITES_SIBLINGS);
	for (; (place = lookup_get(&asked->sibling_places, hash)); hash++)
		if (is_same_sibling(&asked->siblings[place - 1], sibling))
			return;
	if (asked->sibling_count == WRITES_SIBLINGS)
		return;
	asked->siblings[asked->sibling_count++] = *sibling;
	*lookup_at(asked->arena, &asked->sibling_places, hash) = asked->sibling_count;
}

static void flush_core(struct writes *asked, struct writing *s)
{
	for (uint32_t k = 0; k < s->notes.count; k++) {
		struct note *note = &s->notes.at[k];

		assert(note->word < asked->count);
		if (note->is_look) {
			record_look(&asked->words[note->word], &note->write);
			continue;
		}
		if (!note->has_before)
			note->write.before = asked->words[note->word].value;
		record(asked, note->word, &note->write, note->is_store);
	}
	s->notes.count = 0;
	for (uint32_t k = 0; k < s->siblings.count; k++)
		record_sibling(asked, &s->siblings.at[k]);
	s->siblings.count = 0;
}

static bool is_same_copy(const struct word_write *a, const struct word_write *b)
{
	return a->launch == b->launch && a->group == b->group && a->thread == b->thread && a->pc == b->pc;
}

/* A copy to the word has ended: of which thread.  Not known if they are of several threads or places, as one
 * that has changed nothing is not seen to end. */
static struct word_write copy_to(const struct machine *machine, uint32_t word)
{
	struct word_write found = {0};

	assert(word < WRITES_WORDS);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct writing *s = state_on(&machine->cores.at[c]);

		for (uint32_t k = 0; s && k < s->intents.count; k++) {
			const struct intent *n = &s->intents.at[k];

			if (n->word != word || !n->write.is_copy)
				continue;
			if (found.known && !is_same_copy(&found, &n->write))
				return (struct word_write){0};
			found = n->write;
			assert(found.known);
		}
	}
	return found;
}

/* The word has another value, and no write to it was told: a copy has ended, or the writer is not known. */
static void find_silent(struct machine *machine, struct writes *asked, uint32_t k, const uint8_t *at)
{
	struct written_word *word = &asked->words[k];
	uint64_t value = at ? read_word(at, word->bytes) : word->value;
	struct word_write write;

	assert(k < asked->count);
	if (value == word->value)
		return;
	write = copy_to(machine, k);
	write.when = machine_clock(machine);
	write.before = word->value;
	write.after = value;
	record(asked, k, &write, true);
	assert(word->value == value);
}

/* Of words of shared memory that the core sees, when all that cores told has been recorded. */
static void find_silent_in_shared(struct machine *machine, struct writes *asked, const struct writing *s)
{
	assert(!s->at_once || s->shared == asked->shared);
	for (uint32_t k = 0; k < asked->count; k++)
		if (asked->words[k].space == space_SHARED && s->shared[k])
			find_silent(machine, asked, k, s->shared[k]);
}

static void flush(struct machine *machine, bool at_end)
{
	struct writes *asked = machine->gpu->observe[OBSERVER_writes];
	const struct writing *any = NULL;

	assert(asked->count <= WRITES_WORDS);
	(void)at_end;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct writing *s = state_on(core);

		if (!s)
			continue;
		any = s;
		flush_core(asked, s);
		if (core->owned)
			flush_owned(core, asked, s);
	}
	if (!any)
		return;
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (state_on(&machine->cores.at[c]))
			find_silent_in_shared(machine, asked, state_on(&machine->cores.at[c]));
	for (uint32_t p = 0; p < machine->partition_count; p++) {
		uint32_t count;
		const struct logged_write *w =
			partition_take_writes(machine->partitions[p], any->logged, asked->count, &count);

		record_logged(machine, asked, w, count);
	}
	for (uint32_t k = 0; k < asked->count; k++)
		if (asked->words[k].space == space_GLOBAL)
			find_silent(machine, asked, k, space_host(machine->space, asked->words[k].address));
}

const struct observer observer_writes = {
	.state_size = sizeof(struct writing),
	.create = create,
	.on.group_begins = group_begins,
	.on.group_ends = group_ends,
	.on.access = accesses,
	.on.moves = moves,
	.on.copies = copies,
	.on.changed = changed,
	.on.served = served,
	.on.completed = completed,
	.flush = flush,
};
