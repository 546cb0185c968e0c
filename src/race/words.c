/* Words by which threads learn of each other: strong accesses, locks, lock bits; and what a strand has read of them. */
#include "race/parts.h"

#include <assert.h>
#include <string.h>

#define SHARED_NAME ((uint64_t)1 << 62)
#define NEAR_KEY ((uint64_t)1 << 59) /* no address is so high */
#define SC_KEY ((uint64_t)1 << 58)   /* likewise */

uint64_t word_name(uint64_t key, uint8_t space)
{
	return key | (space == space_SHARED ? SHARED_NAME : 0);
}

uint64_t word_of_name(uint64_t name, uint8_t *space)
{
	*space = name & SHARED_NAME ? space_SHARED : space_GLOBAL;
	return name & ~SHARED_NAME;
}

/* ---- As it was when it was read ---- */

static struct told *told_take(struct races *races, struct sync_word *w)
{
	struct told *told = races->free_told;

	assert(!w->told);
	if (told)
		races->free_told = told->next_free;
	else
		told = arena_new(races->arena, struct told);
	*told = (struct told){.references = 1,
		.writes = w->writes,
		.writer = w->writer,
		.writer_epoch = w->writer_epoch,
		.since = w->since,
		.site = w->site,
		.heard = clock_keep(w->heard),
		.fenced = clock_keep(w->fenced)};
	return told;
}

static void told_drop(struct races *races, struct told *told)
{
	assert(!told || told->references);
	if (!told || --told->references)
		return;
	clock_drop(&races->clocks, told->heard);
	clock_drop(&races->clocks, told->fenced);
	told->next_free = races->free_told;
	races->free_told = told;
}

/* ---- Words ---- */

struct sync_word *word_find(const struct lookup *table, uint64_t key)
{
	return lookup_get_pointer(table, key);
}

#define WORD_SIZE 2 /* clock_memory */
_Static_assert(sizeof(struct sync_word) <= (size_t)32 << WORD_SIZE, "clock_memory of that size");

struct sync_word *word_make(struct races *races, struct lookup *table, uint64_t key)
{
	struct sync_word *w = word_find(table, key);

	if (w)
		return w;
	w = clock_memory(&races->clocks, WORD_SIZE);
	*w = (struct sync_word){
		.name = word_name(key, table == &races->words ? space_GLOBAL : space_SHARED), .writer = UINT32_MAX};
	*lookup_at(races->arena, table, key) = (uintptr_t)w;
	return w;
}

uint64_t word_sc_key(const struct sync_word *w)
{
	uint8_t space;

	assert(!(w->name & SC_KEY));
	return SC_KEY | word_of_name(w->name, &space);
}

static void become(struct races *races, vector_clock *clock, vector_clock what)
{
	vector_clock old = *clock;

	*clock = clock_keep(what);
	clock_drop(&races->clocks, old);
}

void word_changes(struct races *races, struct sync_word *w)
{
	told_drop(races, w->told);
	w->told = NULL;
}

void word_empty(struct races *races, struct sync_word *w)
{
	knowledge_forget(&races->clocks, &w->wide);
	knowledge_forget(&races->clocks, &w->near);
	w->near_more = false;
	w->generation++;
	w->since = w->writes + 1;
	assert(!w->wide.count);
	assert(!w->near.count);
}

static void word_drop(struct races *races, struct sync_word *w)
{
	word_changes(races, w);
	word_empty(races, w);
	assert(!w->told);
	clock_drop(&races->clocks, w->heard);
	clock_drop(&races->clocks, w->fenced);
	if (w->writers)
		clock_give_back(&races->clocks, w->writers, WRITERS_SIZE);
	clock_give_back(&races->clocks, w, WORD_SIZE);
}

void sync_clear(struct races *races, struct lookup *table)
{
	for (uint32_t k = 0; table->count && k < table->size; k++)
		if (table->at[k].value)
			word_drop(races, (struct sync_word *)(uintptr_t)table->at[k].value);
	lookup_clear(table);
}

struct knowledge *word_near(
	struct races *races, struct lookup *own, const struct lookup *table, struct sync_word *w, bool makes)
{
	struct sync_word *n = w;
	uint32_t generation = w->generation;

	assert(w->name);
	if (table != own)
		n = makes ? word_make(races, own, NEAR_KEY | w->name) : word_find(own, NEAR_KEY | w->name);
	if (!n)
		return NULL;
	if (n->generation != generation) {
		knowledge_forget(&races->clocks, &n->near);
		n->generation = generation;
	}
	return &n->near;
}

/* ---- The strands that wrote a word ---- */

_Static_assert(WRITERS * sizeof(struct writer) <= (size_t)32 << WRITERS_SIZE, "clock_memory of that size");

/* That strand has written the word. */
static void note_writer(struct races *races, struct sync_word *w, const struct writer *by)
{
	struct writer *oldest, now = *by;

	assert(w->writes);
	assert(by->epoch);
	now.writes = w->writes;
	if (!w->writers) {
		w->writers = clock_memory(&races->clocks, WRITERS_SIZE);
		memset(w->writers, 0, WRITERS * sizeof *w->writers);
	}
	oldest = w->writers;
	assert(w->writers);
	for (struct writer *at = w->writers; at < w->writers + WRITERS; at++) {
		if (at->writes && at->strand == by->strand) {
			*at = now;
			return;
		}
		if (at->writes < oldest->writes)
			oldest = at;
	}
	*oldest = now;
}

#define ON_ITS_WAY UINT32_MAX
/* The number of the strand's last write of the word; or that one of its epoch `epoch` is still on its way.  0 if it is
 * forgotten: if it came after a read, the writes that are remembered did, too, so that one of them is reported. */
static uint32_t latest_of(const struct sync_word *w, uint32_t strand, uint32_t epoch)
{
	bool forgets = w->writers;

	assert(epoch);
	for (const struct writer *at = w->writers; w->writers && at < w->writers + WRITERS; at++) {
		if (at->writes && at->strand == strand)
			return at->epoch < epoch ? ON_ITS_WAY : at->writes;
		forgets &= at->writes != 0;
	}
	return forgets ? 0 : ON_ITS_WAY;
}

void word_written(
	struct races *races, struct sync_word *w, const struct writer *by, vector_clock heard, vector_clock fenced)
{
	become(races, &w->fenced, fenced);
	become(races, &w->heard, heard);
	w->writer = by->strand;
	w->writer_epoch = by->epoch;
	w->writes++;
	assert(w->writes);
	note_writer(races, w, by);
}

/* ---- What a strand has read ---- */

static struct heard *heard_by(const struct strand *u, uint64_t name)
{
	assert(!u->heard_count || u->heard);
	for (uint32_t k = 0; k < u->heard_count; k++)
		if (u->heard[k].name == name)
			return &u->heard[k];
	return NULL;
}

bool word_is_heard(const struct strand *u, const struct sync_word *w)
{
	return heard_by(u, w->name) != NULL;
}

uint16_t word_heard_at(const struct strand *u, uint64_t name)
{
	const struct heard *h = heard_by(u, name);

	assert(!h || h->of);
	return h ? u->heard_site[h - u->heard] : 0;
}

const struct told *word_hidden(const struct strand *u, const struct sync_word *w)
{
	const struct heard *h = heard_by(u, w->name);

	assert(!h || h->of->since <= w->since);
	return h && h->of->since != w->since ? h->of : NULL;
}

_Static_assert(2 * sizeof(struct heard) == 32, "room for 2 << size words is clock_memory of that size");

/* A place for one more word; once there are HEARD_WORDS, the oldest one's. */
static struct heard *next_heard(struct races *races, struct strand *u)
{
	struct heard *old = u->heard;

	assert(u->heard_count <= HEARD_WORDS);
	if (u->heard_count == HEARD_WORDS) {
		u->forgets = true;
		return &u->heard[u->heard_oldest++ % HEARD_WORDS];
	}
	if (!old) {
		u->heard = clock_memory(&races->clocks, 0);
	} else if (u->heard_count == 2u << u->heard_size) {
		u->heard = clock_memory(&races->clocks, u->heard_size + 1u);
		memcpy(u->heard, old, u->heard_count * sizeof *old);
		clock_give_back(&races->clocks, old, u->heard_size);
		u->heard_size++;
	}
	u->heard[u->heard_count] = (struct heard){0};
	return &u->heard[u->heard_count++];
}

void word_hear(struct races *races, struct strand *u, struct sync_word *w, const struct site *site)
{
	struct heard *h = heard_by(u, w->name);

	if (!h)
		h = next_heard(races, u);
	u->hears = true;
	u->heard_last = (uint8_t)(h - u->heard);
	u->heard_site[u->heard_last] = site->number;
	u->heard_fenced = (uint8_t)(u->heard_fenced & ~(1u << u->heard_last));
	u->heard_fenced |= (uint8_t)((rule_acquires_alone(site) || u->covered[REACH_GROUP]) << u->heard_last);
	assert(u->heard_last < u->heard_count);
	if (!w->told)
		w->told = told_take(races, w);
	if (h->of == w->told)
		return;
	w->told->references++;
	told_drop(races, h->of);
	h->name = w->name;
	h->of = w->told;
}

void word_forget_heard(struct races *races, struct strand *u)
{
	assert(u->heard_count <= HEARD_WORDS);
	for (uint32_t k = 0; k < u->heard_count; k++)
		told_drop(races, u->heard[k].of);
	if (u->heard)
		clock_give_back(&races->clocks, u->heard, u->heard_size);
	u->heard = NULL;
	u->heard_count = u->heard_size = u->heard_oldest = u->heard_fenced = 0;
	u->forgets = u->hears = false;
}

void word_pass_on(struct races *races, struct race_group *group, struct strand *u, uint32_t strand)
{
	const struct heard *h = &u->heard[u->heard_last];
	struct met *met;

	assert(u->hears);
	assert(u->heard_last < u->heard_count);
	u->hears = false;
	if (!group->met)
		group->met = arena_new_array(races->arena, struct met, HEARD_WORDS);
	if (group->met_so_far && group->met[(group->met_so_far - 1) % HEARD_WORDS].heard.of == h->of)
		return; /* mostly by one that came to the same barrier */
	met = &group->met[group->met_so_far % HEARD_WORDS];
	if (group->met_so_far++ >= HEARD_WORDS)
		told_drop(races, met->heard.of);
	h->of->references++;
	*met = (struct met){.heard = *h, .site = u->heard_site[u->heard_last], .strand = strand, .epoch = u->epoch};
}

void word_forget_met(struct races *races, struct race_group *group)
{
	for (uint32_t k = 0; k < met_count(group); k++)
		told_drop(races, group->met[k].heard.of);
	group->met_so_far = 0;
}

bool order_is_observed(struct races *races, const struct race_warp *warp, const struct strand *u, uint64_t word,
	uint8_t space, uint32_t strand, uint32_t epoch, bool has_read)
{
	const struct heard *h = heard_by(u, word_name(word, space));
	const struct sync_word *w = word_find(space == space_SHARED ? words_of(warp->group) : &races->words, word);

	assert(!h || !w || h->of->writes <= w->writes);
	return h && w ? latest_of(w, strand, epoch) <= h->of->writes : has_read && u->forgets;
}

/* The word as it is now. */
static const struct sync_word *word_of_heard(
	const struct races *races, struct race_group *group, const struct heard *heard)
{
	uint8_t space;
	uint64_t key = word_of_name(heard->name, &space);

	assert(heard->of);
	return word_find(space == space_SHARED ? words_of(group) : &races->words, key);
}

/* Whether it was one of the writes that the reader of the word read, or that were passed on by it. */
static bool is_read_by(const struct writer *at, const struct heard *heard)
{
	assert(heard->of);
	return at->writes && at->writes <= heard->of->writes && at->writes >= heard->of->since;
}

uint32_t word_other_writer(
	const struct races *races, struct race_group *group, const struct heard *heard, uint32_t thread, uint32_t *at)
{
	const struct race_launch *of = launch_of(races, thread);
	const struct sync_word *w = word_of_heard(races, group, heard);
	uint32_t first = (thread - (thread - of->first) % of->group_stride) >> of->shift;

	assert(*at <= WRITERS);
	while (w && w->writers && *at < WRITERS) {
		const struct writer *writer = &w->writers[(*at)++];

		if (is_read_by(writer, heard) && writer->strand != strand_number(of, thread) &&
			writer->strand - first < of->group_stride >> of->shift)
			return writer->strand;
	}
	return NO_STRAND;
}

bool word_has_more_writers(const struct heard *heard)
{
	assert(heard->of);
	return heard->of->writes >= heard->of->since + WRITERS;
}

bool word_tells(const struct races *races, struct race_group *group, const struct heard *heard, uint32_t thread,
	uint32_t epoch, uint32_t first, bool *released)
{
	const struct race_launch *of = launch_of(races, thread);
	uint32_t strand = strand_number(of, thread);
	uint32_t stride = of->group_stride >> of->shift,
		 group_first = strand - (strand - strand_number(of, of->first)) % stride;
	const struct sync_word *w = word_of_heard(races, group, heard);

	assert(of);
	assert(strand_number(of, of->first) <= strand);
	if (!w || !w->writers)
		return false;
	for (const struct writer *at = w->writers; at < w->writers + WRITERS; at++) {
		bool own = at->strand == strand;

		if (!is_read_by(at, heard))
			continue;
		if (own ? at->epoch < first : at->strand - group_first >= stride || epoch > at->floor)
			continue;
		*released = own ? epoch <= at->fenced : at->fenced > at->floor;
		return true;
	}
	return false;
}
