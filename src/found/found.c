/* Lists of what the checks found: what is the same. */
#include "found/found.h"

#include <stddef.h>
#include <string.h>

const struct found_cause_text found_causes[FOUND_CAUSES] = {
#define FOUND_CAUSE(kind, id, name, certainty, what, remedy)                                                           \
	[kind##_##id] = {FOUND_##kind, name, certainty, what, remedy},
#include "found/causes.def"
#undef FOUND_CAUSE
#define RACE_DETAIL(id, what, remedy) [RACE_DETAIL_##id] = {FOUND_RACE, NULL, NULL, what, remedy},
#include "found/details.def"
#undef RACE_DETAIL
};

#define NOT_KEPT UINT64_MAX /* in place of a number: it is one of `more` */

/* When two sides are the same; always if they are of one place. */
static const struct rule {
	bool lines;      /* on one line */
	bool calls;      /* only if they were inlined from the same calls, too */
	bool kinds;      /* only if both instructions are of one kind, but for those of one statement (x++) */
	bool either_way; /* which side came first is chance */
} rules[FOUND_KINDS] = {
	[FOUND_RACE] = {.lines = true, .kinds = true, .either_way = true},
	[FOUND_INIT] = {.lines = true},
	[FOUND_SYNC] = {.lines = true, .calls = true, .kinds = true},
};

/* A barrier of the work-group mends what a __syncwarp() would, so one finding of two lines says both. */
static enum found_cause cause_of_lines(const struct found *f)
{
	return f->cause == RACE_SYNCWARP ? RACE_BARRIER : f->cause;
}

static enum found_cause detail_of_lines(const struct found *f)
{
	return f->detail == RACE_DETAIL_KNOWN_IN_WARP  ? RACE_DETAIL_KNOWN
	       : f->detail == RACE_DETAIL_TOLD_IN_WARP ? RACE_DETAIL_TOLD
						       : f->detail;
}

/* The other one needs a barrier, and what is there was to need less, but has been told. */
static bool is_told_with_less(const struct found *there, const struct found *other)
{
	return there->told.is_told && there->cause == RACE_SYNCWARP && other->cause == RACE_BARRIER;
}

static bool has_kinds(const struct rule *rule, enum found_cause cause)
{
	return rule->kinds && cause != RACE_UPDATE;
}

static bool is_same_side(
	const struct rule *rule, enum found_cause cause, const struct found_side *a, const struct found_side *b)
{
	if (a->kernel != b->kernel || a->reads_source != b->reads_source || a->reads_map != b->reads_map)
		return false;
	if (a->pc == b->pc)
		return true;
	return rule->lines && a->kernel &&
	       (!has_kinds(rule, cause) || a->kernel->code[a->pc].kind == b->kernel->code[b->pc].kind) &&
	       (rule->calls ? kernel_same_place(a->kernel, a->pc, b->pc) : kernel_same_line(a->kernel, a->pc, b->pc));
}

/* Whether another is the same as what is there. */
static bool is_same(const struct found *a, const struct found *b)
{
	const struct rule *rule = &rules[found_causes[a->cause].kind];

	if (is_told_with_less(b, a) || cause_of_lines(a) != cause_of_lines(b) ||
		detail_of_lines(a) != detail_of_lines(b) || a->space != b->space || a->object != b->object ||
		a->is_part != b->is_part || a->places != b->places)
		return false;
	return (is_same_side(rule, a->cause, &a->side[0], &b->side[0]) &&
		       is_same_side(rule, a->cause, &a->side[1], &b->side[1])) ||
	       (rule->either_way && is_same_side(rule, a->cause, &a->side[0], &b->side[1]) &&
		       is_same_side(rule, a->cause, &a->side[1], &b->side[0]));
}

_Static_assert(sizeof(struct found_key) == 48 && FOUND_CAUSES < UINT8_MAX, "a key has no padding");

static uint8_t side_reads(const struct found_side *side)
{
	return (uint8_t)(side->reads_source + 2 * side->reads_map);
}

static struct found_key key_of(const struct found *f)
{
	const struct found_side *a = &f->side[0], *b = &f->side[1];

	return (struct found_key){{a->kernel, b->kernel}, f->object, {a->pc, b->pc}, {side_reads(a), side_reads(b)},
		(uint8_t)f->cause, (uint8_t)f->detail, f->space, f->is_part, f->places, 0, 0};
}

static uint64_t hash_of(const struct found_key *key)
{
	uint64_t words[offsetof(struct found_key, number) / sizeof(uint64_t)], hash = 0;

	memcpy(words, key, sizeof words);
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		hash = lookup_mix(hash, words[k]);
	return hash;
}

/* ---- By lines ---- */

static uint64_t mix_place(uint64_t hash, const struct place *place)
{
	for (const char *c = place->file; c && *c; c++)
		hash = lookup_mix(hash, (uint8_t)*c);
	return lookup_mix(hash, place->line);
}

/* Equal for sides that are the same. */
static uint64_t hash_of_side(const struct rule *rule, enum found_cause cause, const struct found_side *side)
{
	uint64_t hash = lookup_mix(side->reads_source, (uintptr_t)side->kernel);
	struct frame frames[KERNEL_FRAMES] = {0};
	uint32_t count = 1;

	if (!side->kernel || !rule->lines)
		return lookup_mix(hash, side->pc);
	if (has_kinds(rule, cause))
		hash = lookup_mix(hash, side->kernel->code[side->pc].kind);
	if (rule->calls)
		count = kernel_frames(side->kernel, side->pc, frames);
	else
		frames[0].place = kernel_place(side->kernel, side->pc);
	for (uint32_t k = 0; k < count; k++)
		hash = mix_place(hash, &frames[k].place);
	return hash;
}

static uint64_t hash_of_lines(const struct found *f)
{
	const struct rule *rule = &rules[found_causes[f->cause].kind];
	uint64_t first = hash_of_side(rule, f->cause, &f->side[0]), second = hash_of_side(rule, f->cause, &f->side[1]),
		 hash;

	hash = rule->either_way ? first + second : lookup_mix(first, second);
	hash = lookup_mix(hash, (uint64_t)cause_of_lines(f) << 32 | detail_of_lines(f));
	hash = lookup_mix(hash, (uint64_t)f->space << 32 | (uint64_t)f->is_part << 16 | f->places);
	return lookup_mix(hash, f->object);
}

/* The place of what is the same by its lines, plus one, or NOT_KEPT; 0: there is none yet.  *hash becomes the place for
 * it in the table. */
static uint64_t place_by_lines(const struct found_list *list, const struct found *found, uint64_t *hash)
{
	uint64_t place;

	for (*hash = hash_of_lines(found); (place = lookup_get(&list->lines, *hash)); ++*hash)
		if (place == NOT_KEPT || is_same(found, &list->of.at[place - 1]))
			break;
	return place;
}

/* Threads of two groups that should be ordered by others of theirs which synchronise, but lack a barrier; and the same
 * two lines, with no order at all: there the later phase's access came first, before anybody could learn of the other.
 * One barrier mends both. */
static bool lacks_barrier(const struct found *f)
{
	return cause_of_lines(f) == RACE_BARRIER &&
	       (detail_of_lines(f) == RACE_DETAIL_KNOWN || detail_of_lines(f) == RACE_DETAIL_TOLD);
}

static bool has_no_order(const struct found *f)
{
	return f->cause == RACE_NO_ORDER && f->detail == FOUND_NO_CAUSE;
}

/* The place of the other of these, plus one; 0: none. */
static uint64_t place_by_barrier(const struct found_list *list, const struct found *found)
{
	static const enum found_cause others[][2] = {
		{RACE_BARRIER, RACE_DETAIL_TOLD}, {RACE_BARRIER, RACE_DETAIL_KNOWN}, {RACE_NO_ORDER, FOUND_NO_CAUSE}};
	uint32_t first = has_no_order(found) ? 0 : 2, end = has_no_order(found) ? 2 : lacks_barrier(found) ? 3 : 2;

	for (uint32_t k = first; k < end; k++) {
		struct found other = *found;
		uint64_t hash, place;

		other.cause = others[k][0];
		other.detail = others[k][1];
		place = place_by_lines(list, &other, &hash);
		if (place && place != NOT_KEPT && (k < 2 || !list->of.at[place - 1].told.is_told))
			return place;
	}
	return 0;
}

/* The number of the thing that is the same; NOT_KEPT: it is none of those that are kept.  A new one is counted, and
 * has the next number. */
static uint64_t number_of(struct found_list *list, const struct found *found)
{
	uint64_t hash, place = place_by_lines(list, found, &hash);

	if (place)
		return place == NOT_KEPT ? NOT_KEPT : place - 1;
	place = place_by_barrier(list, found);
	if (place) {
		*lookup_at(list->arena, &list->lines, hash) = place;
		return place - 1;
	}
	place = list->of.count < FOUND_MOST ? list->of.count + 1 : NOT_KEPT;
	list->more += place == NOT_KEPT;
	*lookup_at(list->arena, &list->lines, hash) = place;
	return place == NOT_KEPT ? NOT_KEPT : place - 1;
}

/* ---- By instructions ---- */

static bool is_key(const struct found_key *a, const struct found_key *b)
{
	return !memcmp(a, b, offsetof(struct found_key, number));
}

/* Another hash stands for it if two keys have one, which is never. */
static uint64_t number_by_key(struct found_list *list, const struct found *found)
{
	struct found_key key = key_of(found), *known = list->known.at;
	uint64_t hash, place;

	if (list->known.count && is_key(&known[list->last], &key)) /* mostly many of one follow each other */
		return known[list->last].number;
	for (hash = hash_of(&key); (place = lookup_get(&list->table, hash)); hash++) {
		list->last = (uint32_t)place - 1;
		if (is_key(&known[list->last], &key))
			return known[list->last].number;
	}
	key.number = number_of(list, found);
	*vector_push(list->arena, &list->known) = key;
	*lookup_at(list->arena, &list->table, hash) = list->known.count;
	list->last = list->known.count - 1;
	return key.number;
}

/* The same again; of what needs a barrier and what needs less, or has no order, the former is kept. */
static void add_to(struct found *there, const struct found *again)
{
	uint64_t count = there->count + again->count, launch = there->launch;
	bool says_more = (there->cause == RACE_SYNCWARP && again->cause == RACE_BARRIER) ||
			 (has_no_order(there) && lacks_barrier(again));

	if (says_more && !there->told.is_told) {
		*there = *again;
		there->launch = launch;
	}
	there->count = count;
}

void found_add(struct found_list *list, const struct found *found)
{
	uint64_t number = number_by_key(list, found);

	if (number == NOT_KEPT)
		return;
	if (number == list->of.count)
		*vector_push(list->arena, &list->of) = *found;
	else
		add_to(&list->of.at[number], found);
}

static void forget_keys(struct found_list *list)
{
	list->known.count = list->last = 0;
	lookup_clear(&list->table);
	lookup_clear(&list->lines);
}

static void learn_line(struct found_list *list, const struct found *found, uint64_t place)
{
	uint64_t hash = hash_of_lines(found), there;

	while ((there = lookup_get(&list->lines, hash)) && there != NOT_KEPT)
		hash++;
	*lookup_at(list->arena, &list->lines, hash) = place;
}

/* As much of it as makes its lines. */
static struct found found_of(const struct found_key *key)
{
	struct found found = {.cause = key->cause,
		.detail = key->detail,
		.places = key->places,
		.space = key->space,
		.is_part = key->is_part,
		.object = key->object};

	for (uint32_t k = 0; k < 2; k++)
		found.side[k] = (struct found_side){.kernel = key->kernel[k],
			.pc = key->pc[k],
			.reads_source = key->reads[k] & 1,
			.reads_map = key->reads[k] >> 1};
	return found;
}

/* What is kept can be found by its lines, and what is not kept is not counted again. */
static void learn_lines(struct found_list *list)
{
	for (uint32_t k = 0; k < list->of.count; k++)
		learn_line(list, &list->of.at[k], k + 1);
	for (uint32_t k = 0; k < list->known.count; k++) {
		struct found found = found_of(&list->known.at[k]);

		if (list->known.at[k].number == NOT_KEPT)
			learn_line(list, &found, NOT_KEPT);
	}
}

static bool is_of(const struct kernel *kernel, const struct ptx_module *module)
{
	return kernel && kernel->module == module;
}

/* Others may come where the module's kernels were. */
static void forget_module(struct found_list *list, const struct ptx_module *module)
{
	uint32_t left = 0;

	for (uint32_t k = 0; k < list->known.count; k++) {
		struct found_key *key = &list->known.at[k];

		if (is_of(key->kernel[0], module) || is_of(key->kernel[1], module))
			continue;
		list->known.at[left++] = *key;
	}
	list->known.count = left;
	list->last = 0;
	lookup_clear(&list->table);
	lookup_clear(&list->lines);
	for (uint32_t k = 0; k < left; k++) {
		uint64_t hash = hash_of(&list->known.at[k]);

		while (lookup_get(&list->table, hash))
			hash++;
		*lookup_at(list->arena, &list->table, hash) = k + 1;
	}
}

void found_take(struct found_list *list, struct found_list *from)
{
	for (uint32_t k = 0; k < from->of.count; k++)
		found_add(list, &from->of.at[k]);
	from->of.count = 0;
	list->checked += from->checked;
	from->checked = 0;
	list->more = list->more > from->more ? list->more : from->more; /* mostly they are the same */
	from->more = 0;
	forget_keys(from);
}

void found_forget(struct found_list *list, const struct ptx_module *module)
{
	forget_module(list, module);
	for (uint32_t k = 0; k < 2 * list->of.count; k++) {
		struct found_side *side = &list->of.at[k / 2].side[k % 2];

		if (is_of(side->kernel, module))
			side->kernel = NULL;
	}
	for (uint32_t k = 0; k < list->of.count; k++)
		list->of.at[k].written_at.kernel = list->of.at[k].read_at.kernel = NULL; /* they have been told */
	learn_lines(list);
}
