/* The protocol of coherent L1s (directory.h): entries of lines, requests that wait. */
#include "memory/directory.h"

#include "util/lookup.h"

#include <assert.h>
#include <string.h>

/* What is done about a line. */
enum phase {
	PHASE_IDLE,     /* nothing */
	PHASE_RETRY,    /* its first parked request is to be looked at: in the list of ready lines */
	PHASE_PROBING,  /* answers are awaited, for the first parked request */
	PHASE_PROBED,   /* they have come: in the list of ready lines */
	PHASE_GRANTING, /* a grant has not left */
};

struct parked {
	struct parked *next;
	uint32_t room; /* bytes of payload */
	struct message message;
};

struct entry {
	uint64_t line;
	struct entry *next; /* that is free, too */
	struct entry *next_ready;
	struct parked *first, *last; /* in order of arrival */
	uint32_t awaited;            /* answers */
	uint16_t owner;              /* whose line is MODIFIED, OWNED or EXCLUSIVE; or DIRECTORY_NOBODY */
	uint8_t phase;               /* enum phase */
	bool forwarded;              /* the owner has given its data */
	uint64_t sharers[];          /* bit per core: SHARED */
};

struct directory {
	struct arena *arena;
	uint32_t cores, words; /* of a mask of cores */
	struct lookup entries; /* pointers, by line */
	struct entry *free_entries;
	struct parked *free_parked;
	struct entry *first_ready, *last_ready;
	struct directory_probe *probes; /* of the last directory_probes */
};

#define PARKED_ROOM 256u /* bytes of payload, at least: most messages have none */

/* ---- Entries ---- */

struct directory *directory_create(struct arena *arena, uint32_t cores)
{
	struct directory *d = arena_new(arena, struct directory);

	assert(cores);
	assert(cores < DIRECTORY_NOBODY);
	d->arena = arena;
	d->cores = cores;
	d->words = (cores + 63) / 64;
	d->probes = arena_new_array(arena, struct directory_probe, cores);
	return d;
}

static uint64_t key_of(uint64_t line)
{
	assert(line % LEAST_LINE == 0);
	return line / LEAST_LINE;
}

static struct entry *find(const struct directory *d, uint64_t line)
{
	return lookup_get_pointer(&d->entries, key_of(line));
}

static void free_entry(struct directory *d, struct entry *e)
{
	e->next = d->free_entries;
	d->free_entries = e;
}

static struct entry *entry_of(struct directory *d, uint64_t line)
{
	struct entry *e = find(d, line);

	if (e)
		return e;
	e = d->free_entries;
	if (e)
		d->free_entries = e->next;
	else
		e = arena_alloc(d->arena, sizeof *e + d->words * sizeof *e->sharers);
	*e = (struct entry){.line = line, .owner = DIRECTORY_NOBODY};
	memset(e->sharers, 0, d->words * sizeof *e->sharers);
	*lookup_at(d->arena, &d->entries, key_of(line)) = (uintptr_t)e;
	return e;
}

static bool has_sharers(const struct directory *d, const struct entry *e)
{
	uint64_t any = 0;

	for (uint32_t k = 0; k < d->words; k++)
		any |= e->sharers[k];
	return any;
}

/* An entry that says nothing goes. */
static void tidy(struct directory *d, struct entry *e)
{
	if (e->phase != PHASE_IDLE || e->owner != DIRECTORY_NOBODY || has_sharers(d, e))
		return;
	assert(!e->first);
	lookup_remove(&d->entries, key_of(e->line));
	free_entry(d, e);
}

void directory_clear(struct directory *d)
{
	for (uint32_t k = 0; k < d->entries.size; k++) {
		struct entry *e = (struct entry *)(uintptr_t)d->entries.at[k].value;

		assert(!e || (e->phase == PHASE_IDLE && !e->first));
		if (e)
			free_entry(d, e);
	}
	lookup_clear(&d->entries);
}

static bool shares(const struct entry *e, uint32_t core)
{
	return e->sharers[core / 64] >> core % 64 & 1;
}

static void set_shares(struct entry *e, uint32_t core, bool on)
{
	e->sharers[core / 64] = (e->sharers[core / 64] & ~(1ull << core % 64)) | (uint64_t)on << core % 64;
}

/* ---- Requests that wait ---- */

bool directory_waits(const struct directory *d, uint64_t line)
{
	const struct entry *e = find(d, line);

	return e && e->phase != PHASE_IDLE;
}

static struct parked *take_parked(struct directory *d, uint32_t bytes)
{
	struct parked **link = &d->free_parked, *p;
	uint32_t room = bytes > PARKED_ROOM ? bytes : PARKED_ROOM;

	while (*link && (*link)->room < bytes)
		link = &(*link)->next;
	p = *link;
	if (p) {
		*link = p->next;
	} else {
		p = arena_alloc(d->arena, sizeof *p + room);
		p->room = room;
	}
	p->next = NULL;
	assert(p->room >= bytes);
	return p;
}

static void park(struct directory *d, struct entry *e, const struct message *m)
{
	struct parked *p = take_parked(d, m->payload_bytes);

	assert(m->line == e->line);
	assert(m->payload_bytes % 8 == 0);
	memcpy(&p->message, m, sizeof *m + m->payload_bytes);
	if (e->first)
		e->last->next = p;
	else
		e->first = p;
	e->last = p;
}

void directory_park(struct directory *d, const struct message *m)
{
	assert(directory_waits(d, m->line));
	park(d, entry_of(d, m->line), m);
}

static void make_ready(struct directory *d, struct entry *e, enum phase phase)
{
	assert(phase == PHASE_RETRY || phase == PHASE_PROBED);
	assert(e->first);
	assert(e->phase != PHASE_RETRY);
	assert(e->phase != PHASE_PROBED);
	e->phase = (uint8_t)phase;
	e->next_ready = NULL;
	if (d->first_ready)
		d->last_ready->next_ready = e;
	else
		d->first_ready = e;
	d->last_ready = e;
}

const struct message *directory_ready(const struct directory *d)
{
	assert(!d->first_ready || d->first_ready->first);
	return d->first_ready ? &d->first_ready->first->message : NULL;
}

/* The first of the ready lines is no longer. */
static void take_ready(struct directory *d, struct entry *e)
{
	assert(d->first_ready == e);
	d->first_ready = e->next_ready;
}

static bool is_ready(const struct entry *e)
{
	return e->phase == PHASE_RETRY || e->phase == PHASE_PROBED;
}

/* ---- Probes ---- */

static bool is_past_l1s(const struct message *m)
{
	return m->kind != MESSAGE_SHARE && m->kind != MESSAGE_OWN;
}

/* What the owner is asked. */
static enum probe probe_of_owner(const struct message *m)
{
	return is_past_l1s(m) ? PROBE_RECALL : m->kind == MESSAGE_SHARE ? PROBE_SHARE : PROBE_TAKE;
}

const struct directory_probe *directory_probes(struct directory *d, const struct message *m, uint32_t *count)
{
	const struct entry *e = find(d, m->line);
	bool reads = m->kind == MESSAGE_SHARE || m->kind == MESSAGE_LOAD;

	*count = 0;
	assert(!e || e->phase == PHASE_IDLE || is_ready(e));
	if (!e || e->phase == PHASE_PROBED)
		return d->probes;
	for (uint32_t core = 0; core < d->cores; core++) {
		bool own = core == m->source && !is_past_l1s(m);

		if (!own && core == e->owner)
			d->probes[(*count)++] = (struct directory_probe){(uint16_t)core, (uint8_t)probe_of_owner(m)};
		else if (!own && !reads && shares(e, core))
			d->probes[(*count)++] = (struct directory_probe){(uint16_t)core, PROBE_INVALIDATE};
	}
	return d->probes;
}

void directory_probing(struct directory *d, const struct message *m, uint32_t count)
{
	struct entry *e = entry_of(d, m->line);

	assert(count);
	assert(count <= d->cores);
	assert(e->phase == PHASE_RETRY ? e->first != NULL : e->phase == PHASE_IDLE && !e->first);
	if (e->phase == PHASE_RETRY)
		take_ready(d, e);
	else
		park(d, e, m);
	e->phase = PHASE_PROBING;
	e->awaited = count;
	e->forwarded = false;
}

/* The core's line became, by its answer or its eviction, what it no longer is in the directory. */
static void forget(struct entry *e, uint32_t core)
{
	if (e->owner == core)
		e->owner = DIRECTORY_NOBODY;
	set_shares(e, core, false);
}

void directory_probed(struct directory *d, const struct message *m)
{
	struct entry *e = find(d, m->line);

	assert(e && e->phase == PHASE_PROBING && e->awaited);
	assert(e->first);
	assert(m->source < d->cores);
	e->forwarded |= m->data_bytes != 0;
	if (e->first->message.kind != MESSAGE_SHARE) {
		forget(e, m->source);
	} else if (m->line_state == LINE_EXCLUSIVE) {
		forget(e, m->source);
		set_shares(e, m->source, true);
	}
	if (!--e->awaited)
		make_ready(d, e, PHASE_PROBED);
}

void directory_evicted(struct directory *d, const struct message *m)
{
	struct entry *e = find(d, m->line);

	assert(m->source < d->cores);
	assert(e && (line_is_owned(m->line_state) ? e->owner == m->source : shares(e, m->source)));
	forget(e, m->source);
	tidy(d, e);
}

/* ---- Grants ---- */

enum grant_data directory_data(const struct directory *d, const struct message *m)
{
	const struct entry *e = find(d, m->line);

	assert(!is_past_l1s(m));
	assert(m->source < d->cores);
	if (e && m->kind == MESSAGE_OWN && (e->owner == m->source || shares(e, m->source)))
		return GRANT_UPGRADES;
	return e && e->phase == PHASE_PROBED && e->forwarded ? GRANT_FORWARDED : GRANT_FROM_L2;
}

enum line_state directory_grant(struct directory *d, const struct message *m)
{
	struct entry *e = entry_of(d, m->line);
	bool is_alone = e->owner == DIRECTORY_NOBODY && !has_sharers(d, e);

	assert(!is_past_l1s(m));
	assert(m->source < d->cores);
	assert(e->phase == PHASE_IDLE || is_ready(e));
	directory_drop(d, m);
	e->phase = PHASE_GRANTING;
	if (m->kind == MESSAGE_OWN) {
		set_shares(e, m->source, false);
		assert(!has_sharers(d, e) && (e->owner == DIRECTORY_NOBODY || e->owner == m->source));
		e->owner = m->source;
		return LINE_MODIFIED;
	}
	assert(e->owner != m->source && !shares(e, m->source));
	if (is_alone)
		e->owner = m->source;
	else
		set_shares(e, m->source, true);
	return is_alone ? LINE_EXCLUSIVE : LINE_SHARED;
}

void directory_drop(struct directory *d, const struct message *m)
{
	struct entry *e = find(d, m->line);
	struct parked *p;

	if (!e || !is_ready(e))
		return;
	take_ready(d, e);
	p = e->first;
	assert(p);
	e->first = p->next;
	e->phase = PHASE_GRANTING;
	p->next = d->free_parked;
	d->free_parked = p;
}

void directory_served(struct directory *d, uint64_t line)
{
	struct entry *e = find(d, line);

	if (!e)
		return;
	assert(e->phase == PHASE_GRANTING || e->phase == PHASE_IDLE);
	if (e->first) {
		make_ready(d, e, PHASE_RETRY);
		return;
	}
	e->phase = PHASE_IDLE;
	tidy(d, e);
}

/* ---- For audits ---- */

bool directory_allows(const struct directory *d, uint64_t line, uint32_t core, enum line_state state)
{
	const struct entry *e = find(d, line);

	assert(core < d->cores);
	if (!e)
		return false;
	return line_is_owned(state) ? e->owner == core : e->owner == core || shares(e, core);
}

bool directory_is_idle(const struct directory *d)
{
	for (uint32_t k = 0; k < d->entries.size; k++) {
		const struct entry *e = (const struct entry *)(uintptr_t)d->entries.at[k].value;

		if (e && e->phase != PHASE_IDLE)
			return false;
	}
	return true;
}
