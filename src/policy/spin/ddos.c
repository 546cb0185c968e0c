/* Dynamic detection of spinning: paper 2, section IV.
 *
 * A warp spins when its first active lane comes by the same setp instructions, with the same source values, again and
 * again.  Two histories of the last l setp, one of hashed pcs and one of hashed source values, are searched for a
 * period by the match pointer:
 *     searching  each new entry is compared with the one `pointer` before it; unequal: the pointer goes one further
 *                back, and after the history's end begins again at 1
 *     matching   an entry was equal, so the pointer stays, and pointer - 1 more have to be; unequal: back to searching,
 *                at 1
 *     spinning   all were; until one is not
 * A history of l entries, the new one among them, shows periods up to l - 1.
 *
 * The prediction table holds loop branches with their confidence.  A branch that is taken by a spinning warp comes into
 * the table or gains one; one that is taken by another warp loses one.  At the threshold it is confirmed. */
#include "policy/spin/ddos.h"

#include <string.h>

#define WARPS 64

struct entry {
	uint32_t path;
	uint32_t value[2];
};

struct history {
	struct entry entries[SPIN_HISTORY_MAX]; /* a ring; the latest at `next` - 1 */
	uint32_t next, count;
	uint32_t pointer; /* 0: as 1 */
	uint32_t missing; /* matches */
	bool matching, spinning;
};

struct prediction {
	uint32_t kernel, pc;
	uint32_t confidence; /* 0: the entry is free */
	uint64_t since;      /* order of coming */
};

struct ddos {
	struct spin_fields fields;
	struct history histories[WARPS]; /* shared ones: the first only */
	struct prediction table[SPIN_TABLE_MAX];
	uint64_t entered;
	/* Time sharing */
	uint64_t turn_end; /* cycle */
	int owner;         /* warp whose turn it is */
	uint64_t waiting;  /* warps that executed a setp in others' turns since */
};

static void start(void *state, const struct spin_fields *fields)
{
	struct ddos *d = state;
	d->fields = *fields;
	d->owner = -1;
}

/* ---- Histories ---- */

uint32_t spin_hash(uint64_t value, uint32_t bits, bool modulo)
{
	uint32_t mask = (uint32_t)((1ull << bits) - 1), hash = (uint32_t)value & mask;
	while (!modulo && (value >>= bits))
		hash ^= (uint32_t)value & mask;
	return hash;
}

/* A pc is hashed as the address of an instruction of 8 bytes by exclusive or, by its number with modulo: IV-A, IV-B. */
static struct entry hashed(const struct spin_fields *f, const struct spin_compare *event)
{
	uint64_t pc = f->modulo ? event->pc : (uint64_t)event->pc * 8;
	return (struct entry){
		.path = spin_hash(pc, f->path_bits, f->modulo),
		.value = {spin_hash(event->value[0], f->value_bits, f->modulo),
			spin_hash(event->value[1], f->value_bits, f->modulo)},
	};
}

static bool is_equal(const struct entry *a, const struct entry *b)
{
	return a->path == b->path && a->value[0] == b->value[0] && a->value[1] == b->value[1];
}

static void lose(struct history *h)
{
	h->pointer = 1;
	h->matching = h->spinning = false;
}

static void compare_entry(struct history *h, const struct entry *new, uint32_t length)
{
	const struct entry *old = &h->entries[(h->next + SPIN_HISTORY_MAX - h->pointer) % SPIN_HISTORY_MAX];
	bool equal = is_equal(new, old);
	if (!equal && h->matching) {
		lose(h);
	} else if (!equal) {
		h->pointer = h->pointer + 1 < length ? h->pointer + 1 : 1;
	} else if (!h->matching) {
		h->matching = true;
		h->missing = h->pointer - 1;
	} else if (h->missing) {
		h->missing--;
	}
	h->spinning = h->matching && !h->missing;
}

static void insert(struct history *h, const struct entry *new, uint32_t length)
{
	if (length < 2)
		return; /* nothing stands before the new entry */
	if (!h->pointer)
		h->pointer = 1;
	if (h->pointer <= h->count)
		compare_entry(h, new, length);
	h->entries[h->next] = *new;
	h->next = (h->next + 1) % SPIN_HISTORY_MAX;
	h->count += h->count < length - 1;
}

/* ---- Time sharing ---- */

/* The next warp behind the owner among those that asked. */
static int next_owner(uint64_t waiting, int owner)
{
	uint64_t behind = owner < 0 || owner == WARPS - 1 ? 0 : waiting >> (owner + 1) << (owner + 1);
	return __builtin_ctzll(behind ? behind : waiting);
}

/* The warp's history, or null when it is another's turn. */
static struct history *history_of(struct ddos *d, int warp, uint64_t now)
{
	if (!d->fields.sharing)
		return &d->histories[warp];
	d->waiting |= 1ull << warp;
	if (d->owner < 0 || now >= d->turn_end) {
		d->owner = next_owner(d->waiting, d->owner);
		d->waiting = 1ull << warp;
		d->turn_end = now + d->fields.epoch;
		memset(&d->histories[0], 0, sizeof d->histories[0]);
	}
	return d->owner == warp ? &d->histories[0] : NULL;
}

static void compare(void *state, const struct spin_compare *event)
{
	struct ddos *d = state;
	struct history *h = history_of(d, event->warp, event->now);
	struct entry new = hashed(&d->fields, event);
	if (h)
		insert(h, &new, d->fields.history);
}

/* ---- Prediction table ---- */

static struct prediction *find(struct ddos *d, const struct spin_branch *event)
{
	for (uint32_t k = 0; k < d->fields.table; k++) {
		struct prediction *p = &d->table[k];
		if (p->confidence && p->pc == event->pc && p->kernel == event->kernel)
			return p;
	}
	return NULL;
}

static bool goes_first(const struct ddos *d, const struct prediction *a, const struct prediction *b)
{
	if (!a->confidence || !b->confidence)
		return a->confidence < b->confidence;
	if (!d->fields.replace_oldest && a->confidence != b->confidence)
		return a->confidence < b->confidence;
	return a->since < b->since;
}

static void enter(struct ddos *d, const struct spin_branch *event)
{
	struct prediction *victim = &d->table[0];
	for (uint32_t k = 1; k < d->fields.table; k++)
		if (goes_first(d, &d->table[k], victim))
			victim = &d->table[k];
	*victim = (struct prediction){.kernel = event->kernel, .pc = event->pc, .confidence = 1, .since = d->entered++};
}

static bool is_confirmed(const struct ddos *d, const struct prediction *p)
{
	return p && p->confidence >= d->fields.threshold;
}

static void learn(struct ddos *d, struct prediction *p, const struct spin_branch *event, bool spinning)
{
	if (is_confirmed(d, p) && (d->fields.stays || spinning))
		return;
	if (!p && spinning)
		enter(d, event);
	else if (p)
		p->confidence += spinning ? 1 : -1u;
}

static bool branch(void *state, const struct spin_branch *event)
{
	struct ddos *d = state;
	struct prediction *p = find(d, event);
	if (!event->taken)
		return is_confirmed(d, p);
	if (!d->fields.sharing || d->owner == event->warp)
		learn(d, p, event, d->histories[d->fields.sharing ? 0 : event->warp].spinning);
	return is_confirmed(d, find(d, event));
}

static void retire(void *state, int warp)
{
	struct ddos *d = state;
	d->waiting &= ~(1ull << warp);
	if (!d->fields.sharing || d->owner == warp)
		memset(&d->histories[d->fields.sharing ? 0 : warp], 0, sizeof d->histories[0]);
	if (d->fields.sharing && d->owner == warp)
		d->turn_end = 0;
}

bool spin_is_spinning(const void *state, int warp)
{
	const struct ddos *d = state;
	return d->fields.sharing ? d->owner == warp && d->histories[0].spinning : d->histories[warp].spinning;
}

const struct spin_detector spin_ddos = {
	.name = "ddos",
	.summary = "by histories of setp and their values, and a prediction table (paper 2, section IV)",
	.state_size = sizeof(struct ddos),
	.start = start,
	.compare = compare,
	.branch = branch,
	.retire = retire,
};
