/* Races of commands and calls of the host: see host_race.h. */
#include "host/host_race.h"

#include "host/command.h"
#include "host/device.h"
#include "report/reports.h"
#include "util/demangle.h"
#include "util/vector.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes as the host sees them; by one instruction of a kernel, or all that a copy or call reads or writes. */
struct piece {
	const char *call;      /* of a kernel null */
	struct freed_by freed; /* if it frees the bytes; its origin may be null all the same */
	bool frees;
	const char *file; /* of a kernel, as is what follows */
	const char *what; /* "a store" */
	const char *kernel;
	uint64_t launch; /* its number */
	uint32_t line;
	bool writes, strong;
	bool awaited; /* of a kernel: as struct lockstep_access has it */
	VECTOR(struct lockstep_span) spans;
};

struct part {
	uint64_t first_group, last_group;
};

struct host_accesses {
	struct arena arena; /* all that belongs to it, unless it is packed */
	bool is_packed;
	VECTOR(struct piece) pieces;
	VECTOR(struct part) parts; /* launches */
	bool fences;               /* of a kernel: without, its atomics order nothing else */
	/* What a copy will read of the host's memory, while that may change unseen. */
	struct host_box source;
	const char *source_call;
	uint64_t hash;
	bool is_source_quiet; /* nothing that is before the copy may change it */
	bool is_changed;      /* it was, though */
};

/* A command that is over, or a call. */
struct event {
	struct order order;
	struct order_point point;
	uint64_t enqueued;                       /* the host's number then */
	uint64_t done;                           /* in the order in which they were carried out */
	uint64_t since;                          /* see host_race_call */
	struct order_point early[COMMAND_EARLY]; /* as the command has it */
	uint32_t early_count;
	struct host_accesses *accesses;
	bool has_strong;  /* accesses */
	bool talks;       /* it communicates with the host, which may learn from it without a call */
	bool is_extended; /* more is before it than its command knew */
};

/* A place where memory was given. */
struct place_of_memory {
	uint64_t first, end;   /* as the host sees it */
	uint64_t address;      /* as kernels do */
	char *name;            /* null: none */
	struct origin *origin; /* null: the name is all that is known */
	bool is_shared;        /* the host may access it without a call */
	uint8_t *copy;         /* from malloc, of what it held when last looked at; null: it is not compared */
	bool is_compared;      /* since commands were last under way, so that the copy holds */
};

/* A finding, once for two sides. */
struct known {
	const char *key; /* both in words */
	const char *kernel;
	uint64_t launch;
	struct lockstep_finding finding;
	uint64_t reported; /* its count then */
};

/* All guarded by driver_lock. */
static struct {
	struct arena arena;
	VECTOR(struct event) events; /* from judged on: of the batch that is not judged yet */
	uint32_t judged;
	VECTOR(struct place_of_memory) memory;
	VECTOR(struct known) known;
	uint64_t done;
	int64_t to_host;   /* what to add to a kernel's address */
	uint64_t compared; /* bytes of all copies */
} all;

/* ---- What is accessed ---- */

static struct host_accesses *accesses_of(struct command *command)
{
	struct arena arena = {0};
	if (!command->accesses) {
		command->accesses = arena_new(&arena, struct host_accesses);
		command->accesses->arena = arena;
	}
	return command->accesses;
}

static void free_accesses(struct host_accesses *accesses)
{
	if (!accesses)
		return;
	struct arena arena = accesses->arena; /* it lies in it */
	if (accesses->is_packed)
		free(accesses);
	else
		arena_free(&arena);
}

static size_t text_bytes(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static size_t packed_bytes(const struct host_accesses *a)
{
	size_t bytes = sizeof *a + a->pieces.count * sizeof *a->pieces.at + a->parts.count * sizeof *a->parts.at;
	for (uint32_t k = 0; k < a->pieces.count; k++)
		bytes += a->pieces.at[k].spans.count * sizeof *a->pieces.at[k].spans.at +
			 text_bytes(a->pieces.at[k].file) + text_bytes(a->pieces.at[k].kernel);
	return bytes;
}

/* Moves past the copy, of which the place is returned; null of none. */
static void *put(char **end, const void *from, size_t bytes)
{
	void *at = bytes ? memcpy(*end, from, bytes) : NULL;
	*end += bytes;
	return at;
}

/* In one piece of memory: events may be kept for long, and an arena has 64 KB at least.  Texts come last, so that the
 * rest is aligned. */
static struct host_accesses *pack(struct host_accesses *a)
{
	struct host_accesses *packed = malloc(packed_bytes(a));
	if (!packed)
		return a;
	char *end = (char *)(packed + 1);
	*packed = *a;
	packed->arena = (struct arena){0};
	packed->is_packed = true;
	packed->pieces.at = put(&end, a->pieces.at, a->pieces.count * sizeof *a->pieces.at);
	packed->parts.at = put(&end, a->parts.at, a->parts.count * sizeof *a->parts.at);
	for (uint32_t k = 0; k < a->pieces.count; k++) {
		const struct piece *piece = &a->pieces.at[k];
		packed->pieces.at[k].spans.at =
			put(&end, piece->spans.at, piece->spans.count * sizeof *piece->spans.at);
	}
	for (uint32_t k = 0; k < a->pieces.count; k++) {
		struct piece *piece = &packed->pieces.at[k];
		piece->file = put(&end, piece->file, text_bytes(piece->file));
		piece->kernel = put(&end, piece->kernel, text_bytes(piece->kernel));
	}
	assert(end == (char *)packed + packed_bytes(a));
	free_accesses(a);
	return packed;
}

static void add_span(struct host_accesses *a, struct piece *piece, uint64_t first, uint64_t end)
{
	struct lockstep_span *last = piece->spans.count ? &piece->spans.at[piece->spans.count - 1] : NULL;
	if (last && last->end == first)
		last->end = end;
	else if (first < end)
		*vector_push(&a->arena, &piece->spans) = (struct lockstep_span){first, end};
}

static int by_address(const void *left, const void *right)
{
	const struct lockstep_span *a = left, *b = right;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void add_box(struct host_accesses *a, const char *call, const struct host_box *box, bool writes)
{
	struct piece *piece = vector_push(&a->arena, &a->pieces);
	*piece = (struct piece){.call = call, .writes = writes};
	assert(a && call);
	for (size_t z = 0; z < box->depth; z++)
		for (size_t y = 0; y < box->height; y++) {
			uint64_t row = (uint64_t)(uintptr_t)box->at + z * box->slice + y * box->row;
			add_span(a, piece, row, row + box->width);
		}
	if (piece->spans.count)
		qsort(piece->spans.at, piece->spans.count, sizeof *piece->spans.at, by_address);
}

void host_race_box(struct command *command, const char *call, const struct host_box *box, bool writes)
{
	if (order_is_on() && command->point.number)
		add_box(accesses_of(command), call, box, writes);
}

void host_race_bytes(struct command *command, const char *call, const void *at, size_t bytes, bool writes)
{
	host_race_box(command, call, &(struct host_box){.at = at, .width = bytes, .height = 1, .depth = 1}, writes);
}

/* The piece that was added last, of which a call frees the bytes. */
static void mark_freed(const struct host_accesses *a, const struct freed_by *by)
{
	struct piece *piece = &a->pieces.at[a->pieces.count - 1];
	assert(a->pieces.count && piece->writes);
	piece->frees = true;
	piece->freed = *by;
}

void host_race_free(struct command *command, const char *call, const void *at, size_t bytes, const struct freed_by *by)
{
	host_race_bytes(command, call, at, bytes, true);
	if (command->accesses)
		mark_freed(command->accesses, by);
}

void host_race_word(struct command *command, const char *call, const void *at, size_t bytes, bool writes)
{
	host_race_bytes(command, call, at, bytes, writes);
	if (command->accesses)
		command->accesses->pieces.at[command->accesses->pieces.count - 1].strong = true;
}

/* The access that faulted.  It was not carried out, but the free of its memory may be unordered with it. */
static void add_fault(
	struct host_accesses *a, const char *kernel, const struct lockstep_result *result, uint64_t to_host)
{
	const struct lockstep_finding *f = result->finding_count ? &result->findings[0] : NULL;
	if (result->outcome != LOCKSTEP_FAULT || !f || strcmp(f->cause, "address") || !f->address_count)
		return;
	uint64_t first = strtoull(f->addresses[0], NULL, 16) + to_host;
	struct piece *piece = vector_push(&a->arena, &a->pieces);
	*piece = (struct piece){.file = f->line_count ? arena_text(&a->arena, f->lines[0].file) : NULL,
		.what = "the access that faulted",
		.kernel = kernel,
		.launch = result->number,
		.line = f->line_count ? f->lines[0].line : 0};
	add_span(a, piece, first, first + 1);
}

void host_race_launch(struct command *command, const struct lockstep_result *result)
{
	if (!order_is_on() || (!result->access_count && result->outcome != LOCKSTEP_FAULT))
		return;
	struct host_accesses *a = accesses_of(command);
	mutex_lock(&driver_lock);
	uint64_t to_host = (uint64_t)all.to_host;
	mutex_unlock(&driver_lock);
	a->fences |= result->fences;
	const char *kernel = arena_copy(&a->arena, result->kernel, strlen(result->kernel));
	*vector_push(&a->arena, &a->parts) = (struct part){result->first_group, result->last_group};
	for (size_t k = 0; k < result->access_count; k++) {
		const struct lockstep_access *access = &result->accesses[k];
		struct piece *piece = vector_push(&a->arena, &a->pieces);
		*piece = (struct piece){.file = arena_text(&a->arena, access->file),
			.what = access->what,
			.kernel = kernel,
			.launch = result->number,
			.line = access->line,
			.writes = access->writes,
			.strong = access->strong,
			.awaited = access->awaited};
		for (size_t s = 0; s < access->span_count; s++)
			add_span(a, piece, access->spans[s].first + to_host, access->spans[s].end + to_host);
	}
	add_fault(a, kernel, result, to_host);
}

/* ---- What the host changes under a copy ---- */

static uint64_t hash_of(const struct host_box *box)
{
	uint64_t hash = 0, word;
	for (size_t z = 0; z < box->depth; z++)
		for (size_t y = 0; y < box->height; y++) {
			const uint8_t *row = (const uint8_t *)box->at + z * box->slice + y * box->row;
			for (size_t x = 0; x < box->width; x += sizeof word) {
				size_t left = box->width - x;
				word = 0;
				memcpy(&word, row + x, left < sizeof word ? left : sizeof word);
				hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
				hash ^= hash >> 29;
			}
		}
	return hash;
}

void host_race_source(struct command *command, const char *call, const struct host_box *box)
{
	if (!order_is_on())
		return;
	struct host_accesses *a = accesses_of(command);
	a->source = *box;
	a->source_call = call;
	a->hash = hash_of(box);
}

void host_race_copies(struct command *command)
{
	struct host_accesses *a = command->accesses;
	if (a && a->source_call && a->is_source_quiet)
		a->is_changed = hash_of(&a->source) != a->hash;
}

/* ---- What the host writes without a call ---- */

#define MOST_COMPARED (16u << 20) /* bytes: those of more memory are not looked at */
#define MOST_CHANGES 65536        /* spans of one look */

static const char without_call[] = "the host, without a call";

/* An event of the host's, now, which takes over the accesses. */
static struct event *host_event(struct host_accesses *accesses)
{
	device_count_command();
	struct event *e = vector_push(&all.arena, &all.events);
	*e = (struct event){.point = order_host_acts(), .done = ++all.done, .accesses = accesses};
	e->enqueued = e->point.number;
	order_join(&e->order, order_host());
	return e;
}

/* Adds the bytes that differ to the piece, each by itself, as a kernel may use the others. */
static void compare(
	struct host_accesses *a, struct piece *piece, const uint8_t *now, const uint8_t *before, size_t bytes)
{
	enum { BLOCK = 4096 };
	for (size_t at = 0; at < bytes; at += BLOCK) {
		size_t end = bytes - at < BLOCK ? bytes : at + BLOCK;
		if (!memcmp(now + at, before + at, end - at))
			continue;
		for (size_t k = at; k < end && piece->spans.count < MOST_CHANGES; k++)
			if (now[k] != before[k])
				add_span(a, piece, (uintptr_t)now + k, (uintptr_t)now + k + 1);
	}
}

static void look_at(struct place_of_memory *m, bool goes_on, struct host_accesses **changes)
{
	const uint8_t *now = (const uint8_t *)(uintptr_t)m->first;
	size_t bytes = m->end - m->first;
	if (m->is_compared && memcmp(now, m->copy, bytes)) {
		struct command command = {.accesses = *changes};
		*changes = accesses_of(&command);
		if (!(*changes)->pieces.count)
			*vector_push(&(*changes)->arena, &(*changes)->pieces) =
				(struct piece){.call = without_call, .writes = true};
		compare(*changes, &(*changes)->pieces.at[0], now, m->copy, bytes);
	}
	m->is_compared = false;
	if (!goes_on)
		return;
	if (!m->copy && bytes <= MOST_COMPARED - all.compared && (m->copy = malloc(bytes)))
		all.compared += bytes;
	m->is_compared = m->copy;
	if (m->copy)
		memcpy(m->copy, now, bytes);
}

/* `goes_on`: something is enqueued and will stay so for a while. */
static void look_at_memory(bool goes_on)
{
	bool is_quiet_now = !commands_are_under_way();
	struct host_accesses *changes = NULL;
	assert(all.compared <= MOST_COMPARED);
	for (uint32_t k = 0; k < all.memory.count; k++) {
		struct place_of_memory *m = &all.memory.at[k];
		m->is_compared &= is_quiet_now;
		if (m->is_shared)
			look_at(m, goes_on && is_quiet_now, &changes);
	}
	if (!changes)
		return;
	qsort(changes->pieces.at[0].spans.at, changes->pieces.at[0].spans.count, sizeof *changes->pieces.at[0].spans.at,
		by_address);
	host_event(pack(changes));
}

void host_race_flush(void)
{
	if (order_is_on())
		look_at_memory(false);
}

/* ---- Enqueueing ---- */

/* Whether the host knows all that the command comes after, so that nothing of it can happen any more. */
static bool is_quiet(const struct command *command)
{
	for (uint32_t k = 0; k < command->before_count; k++)
		if (!command_is_over(command->before[k].earlier))
			return false;
	for (uint32_t k = 1; k < command->order.count; k++)
		if (!order_has(order_host(), (struct order_point){k, command->order.at[k]}))
			return false;
	return true;
}

static bool is_early(const struct order_point *early, uint32_t count, struct order_point point)
{
	for (uint32_t k = 0; k < count; k++)
		if (early[k].chain == point.chain && early[k].number == point.number)
			return true;
	return false;
}

void host_race_early(struct command *command, const struct order *order, struct order_point point)
{
	bool is_known = is_early(command->early, command->early_count, point);
	if (!is_known && command->early_count < COMMAND_EARLY && point.number) {
		command->early[command->early_count++] = point;
		is_known = true;
	}
	if (is_known)
		order_join_but(&command->order, order, point);
	else
		order_join(&command->order, order);
}

static void join_before(struct command *command)
{
	for (uint32_t k = 0; k < command->before_count; k++) {
		const struct command *earlier = command->before[k].earlier;
		if (command->before[k].is_early)
			host_race_early(command, &earlier->order, earlier->point);
		else
			order_join(&command->order, &earlier->order);
	}
}

void host_race_insert(struct command *part, struct command *whole)
{
	join_before(whole); /* they are over, with all their parts */
	join_before(part);
	order_join(&part->order, &whole->order);
	part->point = order_enqueue_part(&part->order);
}

void host_race_append(struct command *command)
{
	if (!order_is_on())
		return;
	look_at_memory(true);
	join_before(command);
	if (command->accesses)
		command->accesses->is_source_quiet = is_quiet(command);
	command->point = order_enqueue(&command->order);
}

/* ---- Memory ---- */

static bool touches(const struct piece *piece, uint64_t first, uint64_t end)
{
	for (uint32_t k = 0; k < piece->spans.count; k++)
		if (piece->spans.at[k].first < end && first < piece->spans.at[k].end)
			return true;
	return false;
}

static void forget_copy(struct place_of_memory *m)
{
	if (!m->copy)
		return;
	assert(all.compared >= m->end - m->first);
	all.compared -= m->end - m->first;
	free(m->copy);
	m->copy = NULL;
}

/* driver_lock is held; also what follows. */
static void add_place(const struct place_of_memory *new, const char *name)
{
	uint32_t kept = 0;
	all.to_host = (int64_t)(new->first - new->address);
	for (uint32_t k = 0; k < all.memory.count; k++)
		if (all.memory.at[k].first >= new->end || all.memory.at[k].end <= new->first)
			all.memory.at[kept++] = all.memory.at[k];
		else
			forget_copy(&all.memory.at[k]);
	all.memory.count = kept;
	*vector_push(&all.arena, &all.memory) = *new;
	all.memory.at[kept].name = arena_text(&all.arena, name);
}

static void forget(uint64_t first, uint64_t end)
{
	for (uint32_t k = 0; k < all.events.count; k++) {
		struct host_accesses *a = all.events.at[k].accesses;
		for (uint32_t p = 0; p < a->pieces.count; p++)
			if (touches(&a->pieces.at[p], first, end))
				a->pieces.at[p].spans.count = 0;
	}
}

void host_race_placed(
	const void *at, size_t bytes, uint64_t address, const char *name, struct origin *origin, bool is_new)
{
	if (!order_is_on())
		return;
	uint64_t first = (uint64_t)(uintptr_t)at, end = first + bytes;
	mutex_lock(&driver_lock);
	add_place(&(struct place_of_memory){.first = first, .end = end, .address = address, .origin = origin}, name);
	if (is_new)
		forget(first, end);
	mutex_unlock(&driver_lock);
}

void host_race_shared(uint64_t address)
{
	mutex_lock(&driver_lock);
	for (uint32_t k = 0; k < all.memory.count; k++)
		all.memory.at[k].is_shared |= all.memory.at[k].address == address;
	mutex_unlock(&driver_lock);
}

static const char *memory_words(struct arena *arena, const struct place_of_memory *m)
{
	const char *name = m->origin ? origin_name(m->origin) : NULL;
	if (m->origin || !m->name)
		return name ? name : "an allocation";
	return arena_printf(arena, "buf '%s'", m->name);
}

static const char *object_of(struct arena *arena, uint64_t at)
{
	for (uint32_t k = 0; k < all.memory.count; k++) {
		const struct place_of_memory *m = &all.memory.at[k];
		if (at - m->first < m->end - m->first)
			return arena_printf(arena, "0x%" PRIx64 " (%s + 0x%" PRIx64 ")", m->address + (at - m->first),
				memory_words(arena, m), at - m->first);
	}
	return NULL;
}

static bool has_strong(const struct host_accesses *a)
{
	for (uint32_t p = 0; p < a->pieces.count; p++)
		if (a->pieces.at[p].strong)
			return true;
	return false;
}

static bool talks_with_host(const struct host_accesses *a)
{
	for (uint32_t p = 0; p < a->pieces.count; p++)
		for (uint32_t k = 0; a->pieces.at[p].strong && k < all.memory.count; k++)
			if (all.memory.at[k].is_shared &&
				touches(&a->pieces.at[p], all.memory.at[k].first, all.memory.at[k].end))
				return true;
	return false;
}

/* ---- Telling ---- */

static const char *side_of_free(struct arena *arena, const struct piece *p)
{
	const char *name = p->freed.origin ? origin_name(p->freed.origin) : NULL;
	return arena_printf(arena, "%s%s%s, which frees it", name ? name : p->call, p->freed.place ? " in " : "",
		p->freed.place ? p->freed.place : "");
}

static const char *side_of(struct arena *arena, const struct piece *p)
{
	if (p->frees)
		return side_of_free(arena, p);
	if (p->call)
		return arena_printf(arena, "%s, which %s there", p->call, p->writes ? "writes" : "reads");
	return arena_printf(arena, "kernel %s: %s at %s:%u", demangle_brief(arena, p->kernel), p->what,
		p->file ? p->file : "?", p->line);
}

/* Notes all that reports need, the first time that these two sides race. */
static struct known *know(
	const struct piece *a, const struct piece *b, const char *what, const char *object, bool early)
{
	struct known *known = vector_push(&all.arena, &all.known);
	struct lockstep_line *lines = arena_new_array(&all.arena, struct lockstep_line, 2);
	const char **addresses = arena_new_array(&all.arena, const char *, 1);
	const struct piece *sides[2] = {a, b}, *of_kernel = b && b->kernel ? b : a;
	known->key = arena_text(&all.arena, what);
	known->kernel = arena_text(&all.arena, of_kernel->kernel);
	known->launch = of_kernel->launch;
	*addresses = arena_text(&all.arena, object);
	known->finding = (struct lockstep_finding){.kind = "race",
		.certainty = "proved",
		.cause = report_host_cause(early),
		.message = arena_printf(
			&all.arena, "race on %s: %s: %s", object, what, report_host_cause_words(&all.arena, early)),
		.lines = lines,
		.addresses = addresses,
		.address_count = 1};
	for (uint32_t k = 0; k < 2; k++)
		if (sides[k] && sides[k]->file)
			lines[known->finding.line_count++] =
				(struct lockstep_line){.file = arena_text(&all.arena, sides[k]->file),
					.line = sides[k]->line,
					.role = k ? "the other access" : "one access"};
	return known;
}

static void tell(const struct piece *a, const struct piece *b, const char *what, const char *object, bool early)
{
	struct known *known = NULL;
	for (uint32_t k = 0; k < all.known.count && !known; k++)
		known = strcmp(all.known.at[k].key, what) ? NULL : &all.known.at[k];
	if (!known)
		known = know(a, b, what, object, early);
	known->finding.count++;
}

/* Reports what is new since the last time. */
static void report(void)
{
	for (uint32_t k = 0; k < all.known.count; k++) {
		struct known *known = &all.known.at[k];
		if (known->finding.count == known->reported)
			continue;
		device_report_finding(&known->finding, k, known->kernel, known->launch, !known->reported);
		assert(known->reported < known->finding.count);
		known->reported = known->finding.count;
	}
}

static void tell_pair(const struct piece *a, const struct piece *b, uint64_t at, bool early)
{
	struct arena arena = {0};
	const char *object = object_of(&arena, at);
	/* Where the host's memory lies differs from run to run. */
	const struct piece *of_call = a->call ? a : b;
	if (!object)
		object = arena_printf(&arena, "the host's memory (byte 0x%" PRIx64 " of what %s accesses)",
			at - of_call->spans.at[0].first, of_call->call);
	tell(a, b, arena_printf(&arena, "%s; %s", side_of(&arena, a), side_of(&arena, b)), object, early);
	arena_free(&arena);
}

static void tell_change(const struct host_accesses *a)
{
	struct arena arena = {0};
	const struct piece piece = {.call = a->source_call};
	tell(&piece, NULL,
		arena_printf(
			&arena, "%s, which reads there; the host, which has changed it since the call", a->source_call),
		"the host's memory", false);
	arena_free(&arena);
}

/* ---- Judging ---- */

/* The first byte that both have; false: there is none. */
static bool common(const struct piece *a, const struct piece *b, uint64_t *at)
{
	for (uint32_t i = 0, j = 0; i < a->spans.count && j < b->spans.count;) {
		const struct lockstep_span *s = &a->spans.at[i], *t = &b->spans.at[j];
		*at = s->first > t->first ? s->first : t->first;
		if (*at < s->end && *at < t->end)
			return true;
		if (s->end < t->end)
			i++;
		else
			j++;
	}
	return false;
}

static bool overlapped(const struct event *a, const struct event *b)
{
	for (uint32_t i = 0; i < a->accesses->parts.count; i++)
		for (uint32_t j = 0; j < b->accesses->parts.count; j++) {
			const struct part *p = &a->accesses->parts.at[i], *q = &b->accesses->parts.at[j];
			if (p->first_group < q->last_group && q->first_group < p->last_group)
				return true;
		}
	return false;
}

/* Whether `b` can have read, by an atomic or volatile access, what `a` wrote by one after a fence, or by a copy. */
static bool may_hear(const struct event *a, const struct event *b)
{
	uint64_t at;
	if (a->accesses->parts.count && !(a->accesses->fences && b->accesses->fences))
		return false;
	if (a->done > b->done && !overlapped(a, b))
		return false;
	for (uint32_t i = 0; i < a->accesses->pieces.count; i++)
		for (uint32_t j = 0; j < b->accesses->pieces.count; j++) {
			const struct piece *p = &a->accesses->pieces.at[i], *q = &b->accesses->pieces.at[j];
			if (p->writes && (p->strong || p->call) && q->strong && common(p, q, &at))
				return true;
		}
	return false;
}

/* More is before the event, and so before all that it is before. */
static bool extend(struct event *e, const struct event *by)
{
	if (order_has(&e->order, by->point))
		return false;
	order_join(&e->order, &by->order);
	e->is_extended = true;
	for (uint32_t k = 0; k < all.events.count; k++)
		if (&all.events.at[k] != e && order_has(&all.events.at[k].order, e->point)) {
			order_join(&all.events.at[k].order, &e->order);
			all.events.at[k].is_extended = true;
		}
	return true;
}

/* Races of an event with one chain that are reported: more are mostly the same again. */
#define MOST_OF_CHAIN 64

/* Visits each pair that is not known to be ordered and has an event of the batch.  True: one visit returned true.  In a
 * chain, the events that an event knows come before those that it does not, so the cost is the number of such pairs. */
static bool visit_pairs(bool (*visit)(struct event *earlier, struct event *later))
{
	struct arena arena = {0};
	struct event *at = all.events.at;
	uint32_t count = all.events.count, chains = order_newest()->count;
	uint32_t *newest = arena_new_array(&arena, uint32_t, chains + 1u); /* of a chain, plus one */
	uint32_t *previous = arena_new_array(&arena, uint32_t, count + 1u);
	bool any = false;
	for (uint32_t k = 0; k < count; k++) {
		struct event *e = &at[k];
		for (uint32_t c = 0; k >= all.judged && c < chains; c++) {
			uint32_t told = 0;
			for (uint32_t n = newest[c];
				n && told < MOST_OF_CHAIN && !order_has(&e->order, at[n - 1].point);
				n = previous[n - 1])
				told += visit(&at[n - 1], e);
			any |= told > 0;
		}
		previous[k] = newest[e->point.chain];
		newest[e->point.chain] = k + 1;
	}
	arena_free(&arena);
	return any;
}

/* Passes on what was found out about events before the batch.  And all that is enqueued after a kernel that
 * communicates with the host may know of that kernel. */
static void find_talks(void)
{
	struct event *at = all.events.at;
	struct order told = {0};
	for (uint32_t k = 0; k < all.judged; k++)
		for (uint32_t e = all.judged; at[k].is_extended && e < all.events.count; e++)
			if (order_has(&at[e].order, at[k].point))
				order_join(&at[e].order, &at[k].order);
	for (uint32_t e = all.judged; e < all.events.count; e++) {
		order_join(&at[e].order, &told);
		if (!at[e].talks)
			continue;
		order_host_knows(&at[e].order);
		order_join(&at[e].order, order_host());
		order_join(&told, &at[e].order);
	}
	order_free(&told);
}

/* Whether one of the two may have read what the other wrote; then it comes after the other. */
static bool find_hearing(struct event *a, struct event *b)
{
	if (!a->has_strong && !b->has_strong)
		return false;
	bool any = may_hear(a, b) && extend(b, a);
	return (may_hear(b, a) && extend(a, b)) || any;
}

static bool conflict(const struct piece *a, const struct piece *b)
{
	bool a_counts = !a->strong, b_counts = !b->strong;
	if (!a->writes && !b->writes)
		return false;
	/* what a copy does to the word of an atomic is taken for atomic */
	return (a_counts && b_counts) || (a_counts && !a->call) || (b_counts && !b->call);
}

static bool is_ordered(const struct event *a, const struct event *b)
{
	return order_has(&b->order, a->point) || order_has(&a->order, b->point);
}

/* Whether all that `copy` has in common with what the host wrote without a call is its source, which is watched. */
static bool is_source_of(const struct event *writes, const struct event *copy)
{
	const char *call = writes->accesses->pieces.count ? writes->accesses->pieces.at[0].call : NULL;
	uint64_t at;
	if (call != without_call || !copy->accesses->source_call || !copy->accesses->is_source_quiet)
		return false;
	for (uint32_t k = 0; k < copy->accesses->pieces.count; k++)
		if (copy->accesses->pieces.at[k].writes &&
			common(&copy->accesses->pieces.at[k], &writes->accesses->pieces.at[0], &at))
			return false;
	return true;
}

static bool judge_pair(struct event *a, struct event *b)
{
	uint64_t at;
	bool races = false, a_is_first = is_early(b->early, b->early_count, a->point);
	bool early = a_is_first || is_early(a->early, a->early_count, b->point);
	if (a->enqueued < b->since || b->enqueued < a->since)
		return false;
	if (is_ordered(a, b) || overlapped(a, b))
		return false;
	if (is_source_of(a, b) || is_source_of(b, a)) /* tell_change does */
		return false;
	for (uint32_t i = 0; i < a->accesses->pieces.count; i++)
		for (uint32_t j = 0; j < b->accesses->pieces.count; j++) {
			const struct piece *p = &a->accesses->pieces.at[i], *q = &b->accesses->pieces.at[j];
			if (early && (a_is_first ? q : p)->awaited)
				continue;
			if (conflict(p, q) && common(p, q, &at)) {
				tell_pair(p, q, at, early);
				races = true;
			}
		}
	return races;
}

/* Whether a command that is not ordered with the copy writes to its source: then that command has changed it, and the
 * race of the two is reported. */
static bool is_changed_by_command(const struct event *copy)
{
	struct host_accesses source = {0};
	uint64_t at;
	bool found = false;
	add_box(&source, copy->accesses->source_call, &copy->accesses->source, false);
	for (uint32_t k = 0; k < all.events.count && !found; k++) {
		const struct event *e = &all.events.at[k];
		for (uint32_t p = 0; p < e->accesses->pieces.count && e != copy && !is_ordered(e, copy); p++)
			found |= e->accesses->pieces.at[p].writes && e->accesses->pieces.at[p].call != without_call &&
				 common(&e->accesses->pieces.at[p], &source.pieces.at[0], &at);
	}
	arena_free(&source.arena);
	return found;
}

static int by_enqueueing(const void *left, const void *right)
{
	const struct event *a = left, *b = right;
	if (a->enqueued == b->enqueued) /* parts of a command */
		return a->done < b->done ? -1 : a->done > b->done;
	return a->enqueued < b->enqueued ? -1 : 1;
}

static void free_event(struct event *e)
{
	order_free(&e->order);
	free_accesses(e->accesses);
}

/* What the host knows is before all that comes. */
static void forget_known(void)
{
	uint32_t kept = 0;
	for (uint32_t k = 0; k < all.events.count; k++)
		if (all.events.at[k].is_extended && order_has(order_host(), all.events.at[k].point))
			order_host_knows(&all.events.at[k].order);
	for (uint32_t k = 0; k < all.events.count; k++)
		if (order_has(order_host(), all.events.at[k].point))
			free_event(&all.events.at[k]);
		else
			all.events.at[kept++] = all.events.at[k];
	assert(kept <= all.events.count);
	all.events.count = all.judged = kept;
}

void host_race_idle(void)
{
	uint32_t count = all.events.count;
	if (count == all.judged)
		return;
	qsort(all.events.at + all.judged, count - all.judged, sizeof *all.events.at, by_enqueueing);
	find_talks();
	while (visit_pairs(find_hearing))
		;
	for (uint32_t k = all.judged; k < count; k++)
		if (all.events.at[k].accesses->is_changed && !is_changed_by_command(&all.events.at[k]))
			tell_change(all.events.at[k].accesses);
	visit_pairs(judge_pair);
	report();
	forget_known();
}

/* ---- Commands and calls ---- */

void host_race_over(struct command *command)
{
	if (!order_is_on() || !command->point.number)
		return;
	join_before(command);
	if (command->may_begin) /* it waited for a word, which anything before may have written */
		order_join(&command->order, order_newest());
	if (!command->accesses)
		return;
	command->accesses = pack(command->accesses);
	device_count_command();
	struct event *e = vector_push(&all.arena, &all.events);
	*e = (struct event){.point = command->point,
		.enqueued = command->order.at[0],
		.done = ++all.done,
		.accesses = command->accesses,
		.has_strong = has_strong(command->accesses),
		.talks = talks_with_host(command->accesses),
		.early_count = command->early_count};
	memcpy(e->early, command->early, sizeof e->early);
	order_join(&e->order, &command->order);
	command->accesses = NULL;
}

void host_race_discard(struct command *command)
{
	order_free(&command->order);
	free_accesses(command->accesses);
	command->accesses = NULL;
}

/* `since` as of host_race_call; `freed`: the call frees them; or null. */
static void host_acts(
	const char *call, const void *at, size_t bytes, bool writes, uint64_t since, const struct freed_by *freed)
{
	struct command command = {0};
	if (!order_is_on())
		return;
	add_box(accesses_of(&command), call, &(struct host_box){.at = at, .width = bytes, .height = 1, .depth = 1},
		writes);
	if (freed)
		mark_freed(command.accesses, freed);
	host_event(command.accesses)->since = since;
	if (!commands_newest())
		host_race_idle();
}

void host_race_call(const char *call, const void *at, size_t bytes, bool writes, uint64_t since)
{
	host_acts(call, at, bytes, writes, since, NULL);
}

void host_race_frees(const char *call, const void *at, size_t bytes, const struct freed_by *by)
{
	host_acts(call, at, bytes, true, 0, by);
}
