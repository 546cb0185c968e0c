/* The history of words, in words: see past.h. */
#include "check/past.h"

#include "explore/history.h"
#include "explore/names.h"
#include "machine/gpu/machine.h"
#include "util/demangle.h"

#include <string.h>

/* ---- Recording ---- */

struct past {
	struct writes writes;
	struct written_word words[WRITES_WORDS];
};

static bool is_word_of(const struct written_word *word, const struct link *link)
{
	return word->space == link->wait.word.space && word->address == link->wait.word.address &&
	       (word->space == space_GLOBAL || word->group == link->at.group);
}

static void ask(struct past *past, const struct explanation *e, const struct link *link)
{
	bool is_word = link->wait.found && !link->wait.bit && (link->wait.bytes == 4 || link->wait.bytes == 8) &&
		       link->wait.word.address % link->wait.bytes == 0;

	for (uint32_t k = 0; k < past->writes.count; k++)
		if (is_word_of(&past->words[k], link))
			return;
	if (is_word && past->writes.count < WRITES_WORDS)
		past->words[past->writes.count++] = (struct written_word){.space = link->wait.word.space,
			.bytes = link->wait.bytes,
			.address = link->wait.word.address,
			.launch = e->launch->ordinal,
			.group = link->at.group,
			.thread = link->at.number};
}

void past_record(struct explanation *e, const struct chain *chain, double until)
{
	struct past *past = arena_new(e->arena, struct past);

	for (uint32_t k = chain->count; k > 0; k--) /* the root's first */
		ask(past, e, &chain->links[k - 1]);
	past->writes.arena = e->arena;
	past->writes.words = past->words;
	if (history_of(e->machine, e->launch, &past->writes, until))
		e->past = past;
}

bool past_order_may_differ(const struct explanation *e)
{
	return e->past && !e->past->writes.as_before;
}

const struct written_word *past_of(const struct explanation *e, const struct link *link)
{
	for (uint32_t k = 0; e->past && link->wait.found && k < e->past->writes.count; k++)
		if (is_word_of(&e->past->words[k], link))
			return &e->past->words[k];
	return NULL;
}

const struct writes *past_writes(const struct explanation *e)
{
	return e->past ? &e->past->writes : NULL;
}

/* ---- Values ---- */

/* With this value in the word the link's thread would leave its loop.  False where it cannot be told: with the value
 * that the word has now it would, too. */
static bool would_leave(const struct link *link, uint64_t value)
{
	struct code_range range;
	uint64_t now, cut = wait_cut(link->wait.bytes, value);

	if (!wait_loop(&link->at, &range))
		return false;
	now = wait_value(&link->at, &link->wait);
	return !ahead_leaves(&link->at, range, &link->wait.word, &now) &&
	       ahead_leaves(&link->at, range, &link->wait.word, &cut);
}

/* The type in which the values are compared: that of the access. */
static const char *value_words(const struct explanation *e, const struct link *link, uint64_t value)
{
	const struct insn *i = &e->kernel->code[link->wait.pc];
	const struct ptx_type_info *type = &ptx_types[i->access.type < TYPE_COUNT ? i->access.type : 0];
	float narrow;
	double wide;

	if (type->kind == KIND_FLOAT && link->wait.bytes == 4 && type->bits == 32) {
		memcpy(&narrow, &value, sizeof narrow);
		return arena_printf(e->arena, "%g", (double)narrow);
	}
	if (type->kind == KIND_FLOAT && link->wait.bytes == 8 && type->bits == 64) {
		memcpy(&wide, &value, sizeof wide);
		return arena_printf(e->arena, "%g", wide);
	}
	if (type->kind == KIND_SIGNED)
		return arena_printf(e->arena, "%lld",
			link->wait.bytes == 8 ? (long long)value : (long long)(int32_t)(uint32_t)value);
	return name_of_value(e->arena, link->wait.bytes, wait_cut(link->wait.bytes, value));
}

/* It would leave with this value and with some that are far above it. */
static bool leaves_from(const struct link *link, uint64_t value)
{
	return would_leave(link, value) && would_leave(link, value + 1) && would_leave(link, value + 4) &&
	       would_leave(link, value + 256);
}

/* What the thread waits for, found by trying the neighbours of the values that its loop compares with. */
static const char *awaited_words(const struct explanation *e, const struct link *link)
{
	for (uint32_t k = 0; k < link->wait.compared.count; k++) {
		uint64_t value = link->wait.compared.values[k];
		bool at = would_leave(link, value), above = would_leave(link, value + 1),
		     below = would_leave(link, value - 1);

		if (at && !above && !below && !would_leave(link, value + 2) && !would_leave(link, value + 256))
			return value_words(e, link, value);
		if (!below && leaves_from(link, value))
			return arena_printf(e->arena, "%s or more", value_words(e, link, value));
		if (at && below && !above)
			return arena_printf(e->arena, "%s or less", value_words(e, link, value));
		if (!at && !below && leaves_from(link, value + 1))
			return arena_printf(e->arena, "%s or more", value_words(e, link, value + 1));
		if (!at && below && leaves_from(link, value + 1) && would_leave(link, value + 4) &&
			would_leave(link, value + 256))
			return arena_printf(e->arena, "a value other than %s", value_words(e, link, value));
	}
	return NULL;
}

void past_say_value(struct explanation *e, const struct link *link)
{
	const char *awaited;

	if (!link->wait.found || link->wait.bit || (link->wait.bytes != 4 && link->wait.bytes != 8))
		return;
	awaited = awaited_words(e, link);
	hang_what(e, "the word is %s", value_words(e, link, wait_value(&link->at, &link->wait)));
	if (awaited)
		text_print(&e->what, "; the thread waits for %s", awaited);
}

/* ---- Writers ---- */

/* "in cycle 12" of the launch; functional mode: "in turn 3". */
static const char *when_words(const struct explanation *e, uint64_t when)
{
	uint64_t start = e->launch->start - e->machine->time.start;

	return arena_printf(e->arena, "in %s %llu", e->machine->mode->clock_unit,
		(unsigned long long)(when > start ? when - start : 0));
}

static const char *writer_words(const struct explanation *e, const struct word_write *w)
{
	const struct launch *launch = machine_launch(e->machine, w->launch);

	if (!w->known || !launch)
		return "an unknown thread";
	if (launch != e->launch)
		return arena_printf(
			e->arena, "a thread of the kernel %s", demangle_brief(e->arena, launch->kernel->entry->name));
	return hang_thread(e, w->group, w->thread);
}

void past_say_when(struct explanation *e, const struct word_write *write)
{
	text_print(&e->who, ", %s", when_words(e, write->when));
}

/* " at app.cu:13, in cycle 12" */
static void say_where(struct explanation *e, const struct word_write *w)
{
	if (w->known && w->launch == e->launch->ordinal)
		text_print(&e->who, " at %s", hang_place(e, w->pc));
	past_say_when(e, w);
}

bool past_say_last(struct explanation *e, const struct link *link)
{
	const struct written_word *word = past_of(e, link);
	const struct word_write *last = word ? written_last(word) : NULL;

	if (!word)
		return false;
	if (written_same(word)) {
		last = &word->same;
		hang_who(e, "%s %s it last: %s, the same value as before", writer_words(e, last),
			last->is_copy ? "copied to" : "wrote", value_words(e, link, last->after));
	} else if (last) {
		hang_who(e, "%s changed it last%s, from %s to %s", writer_words(e, last),
			last->is_copy ? ", by a copy" : "", value_words(e, link, last->before),
			value_words(e, link, last->after));
	} else {
		hang_who(e, "no thread has written it since the launch began");
		return false;
	}
	say_where(e, last);
	if (last->known && last->launch == e->launch->ordinal)
		hang_list_line(e, last->pc, "it was written last here");
	return true;
}

static bool is_by_same(const struct word_write *a, const struct word_write *b)
{
	return a->known && b->known && a->launch == b->launch && a->group == b->group && a->thread == b->thread;
}

/* The oldest write that is kept. */
static uint64_t first_kept(const struct written_word *word)
{
	return word->count > WRITES_KEPT ? word->count - WRITES_KEPT : 0;
}

/* The word was free at first, or whoever took it gave it back. A word that others set and one takes is none. */
static bool is_like_lock(const struct written_word *word, const struct link *link)
{
	if (word->has_initial && would_leave(link, word->initial))
		return true;
	for (uint64_t k = first_kept(word) + 1; k < word->count; k++) {
		const struct word_write *taken = &word->at[(k - 1) % WRITES_KEPT], *back = &word->at[k % WRITES_KEPT];

		if (is_by_same(taken, back) && would_leave(link, taken->before) && would_leave(link, back->after))
			return true;
	}
	return false;
}

const struct word_write *past_taker(const struct explanation *e, const struct link *link)
{
	const struct written_word *word = past_of(e, link);
	const struct word_write *last = word ? written_last(word) : NULL;

	if (!last || past_order_may_differ(e) || !last->known || !last->is_atomic ||
		last->launch != e->launch->ordinal || written_same(word) ||
		(!link->wait.is_lock && !(e->kernel->code[last->pc].flags & INSN_LOCK_TRY)) ||
		!would_leave(link, last->before) || !is_like_lock(word, link))
		return NULL;
	return last;
}

bool past_has_one_store(const struct explanation *e, const struct link *link, uint32_t *pc)
{
	const struct written_word *word = past_of(e, link);

	*pc = AHEAD_ALL;
	if (!word || word->has_unknown || word->count > WRITES_KEPT)
		return false;
	if (word->same_after && word->same.launch != e->launch->ordinal)
		return false;
	if (word->same_after)
		*pc = word->same.pc;
	for (uint64_t k = 0; k < word->count; k++) {
		if (word->at[k].is_atomic || word->at[k].launch != e->launch->ordinal ||
			(*pc != AHEAD_ALL && *pc != word->at[k].pc))
			return false;
		*pc = word->at[k].pc;
	}
	return true;
}

const struct word_write *past_sender(const struct explanation *e, const struct link *link)
{
	const struct written_word *word = past_of(e, link);

	for (uint64_t k = word ? word->count : 0; word && k > first_kept(word); k--) {
		const struct word_write *w = &word->at[(k - 1) % WRITES_KEPT];

		if (would_leave(link, w->after))
			return w->known && w->launch == e->launch->ordinal ? w : NULL;
	}
	return NULL;
}

bool past_is_signal(const struct explanation *e, const struct link *link)
{
	const struct written_word *word = past_of(e, link);
	uint32_t sent = 0;

	if (!word || is_like_lock(word, link))
		return false;
	for (uint64_t k = first_kept(word); k < word->count; k++)
		sent += would_leave(link, word->at[k % WRITES_KEPT].after);
	return sent > 1;
}

/* ---- A value that was lost ---- */

/* The reader found this value at some time from `since` on, or may have. */
static bool may_have_seen(const struct written_word *word, uint64_t value, uint64_t since)
{
	uint64_t first = word->looks > WRITES_LOOKS ? word->looks - WRITES_LOOKS : 0;

	if (first && word->look[first % WRITES_LOOKS].first > since) /* it is not known what it found before */
		return true;
	for (uint64_t k = first; k < word->looks; k++)
		if (word->look[k % WRITES_LOOKS].value == value && word->look[k % WRITES_LOOKS].last >= since)
			return true;
	return false;
}

/* The thread that overwrote it had found it, by a compare-and-swap or in the loop of the waiter: then it was a signal
 * for one of them. */
static bool is_taken(const struct explanation *e, const struct link *link, const struct word_write *lost)
{
	const struct insn *i = &e->kernel->code[lost->pc];
	struct code_range range;

	return insn_is_swap(i) || i->flags & INSN_LOCK_TRY ||
	       (lost->is_atomic && wait_loop(&link->at, &range) && lost->pc >= range.first && lost->pc <= range.last);
}

/* The last value that was missed. */
struct missed past_missed(const struct explanation *e, const struct link *link)
{
	const struct written_word *word = past_of(e, link);

	if (!word || past_order_may_differ(e) || link->wait.is_lock || word->has_unknown || is_like_lock(word, link))
		return (struct missed){0};
	for (uint64_t k = word->count; k > first_kept(word) + 1; k--) {
		const struct word_write *sent = &word->at[(k - 2) % WRITES_KEPT],
					*lost = &word->at[(k - 1) % WRITES_KEPT];

		if (!would_leave(link, sent->after))
			continue;
		if (may_have_seen(word, sent->after, sent->when) || sent->launch != e->launch->ordinal ||
			lost->launch != e->launch->ordinal || is_taken(e, link, lost))
			return (struct missed){0};
		return (struct missed){.found = true,
			.counted_past = sent->after - sent->before == lost->after - lost->before,
			.sent = *sent,
			.lost = *lost};
	}
	return (struct missed){0};
}

void past_say_missed(struct explanation *e, const struct link *link, const struct missed *missed)
{
	const struct word_write *sent = &missed->sent, *lost = &missed->lost;

	hang_who(e, "%s made it %s", writer_words(e, sent), value_words(e, link, sent->after));
	say_where(e, sent);
	text_print(&e->who,
		missed->counted_past ? ", but %s counted past it, to %s" : ", but %s overwrote that with %s",
		writer_words(e, lost), value_words(e, link, lost->after));
	say_where(e, lost);
	text_print(&e->who, ", before the waiting thread read it");
	hang_list_line(e, sent->pc, "it had the awaited value from here ...");
	hang_list_line(e, lost->pc, "... until here");
	hang_list_thread(e, sent->group, sent->thread, "wrote the awaited value");
	hang_list_thread(e, lost->group, lost->thread, "overwrote the awaited value");
}
