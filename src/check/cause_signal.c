/* The explanation of a hang whose root is a word that nobody writes: who should have written it, by the code of the
 * threads and by what has been written. */
#include "check/absent.h"
#include "check/cause_parts.h"
#include "check/change.h"
#include "check/past.h"
#include "machine/state/machine.h"

/* Of a thread that has ended.  True: by what the kernel has said, its group does not take part in what the waiter does.
 */
static bool say_group_ended(struct explanation *e, const struct thread *t)
{
	if (!hang_group_has_ended(e, t->group) || !hang_takes_no_part(e, t->group))
		return false;
	hang_who(e, "its whole work-group has ended and does not take part: it has no number, and all numbers went to "
		    "others");
	return true;
}

static const char *times_words(const struct explanation *e, uint32_t times)
{
	if (times == WRITES_MOST)
		return arena_printf(e->arena, "at least %u times", times);
	if (times <= 2)
		return times == 1 ? "once" : "twice";
	return arena_printf(e->arena, "%u times", times);
}

/* A thread that has written the word less often than its peers, and what they have done. */
static void say_absent(struct explanation *e, const struct absent *absent)
{
	const char *name = hang_thread(e, absent->group, absent->thread);
	bool ended = writers_has_ended(e->launch, absent->group, absent->thread);

	if (!absent->wrote)
		hang_who(e, ended ? "%s ended without writing it" : "%s never wrote it", name);
	else
		hang_who(e, ended ? "%s has ended, and wrote it %s" : "%s wrote it %s", name,
			times_words(e, absent->wrote));
	if (absent->peers == 1)
		text_print(&e->who,
			absent->of_groups ? ", but the same thread of another group wrote it %s"
					  : ", but another thread of its group wrote it %s",
			times_words(e, absent->others));
	else
		text_print(&e->who,
			absent->of_groups ? ", but the same thread of %u other groups wrote it %s each"
					  : ", but %u other threads of its group wrote it %s each",
			absent->peers, times_words(e, absent->others));
	hang_list_thread(e, absent->group, absent->thread, ended ? "has ended" : "wrote it less often than its peers");
}

/* A thread that would write the word, if it did as the others.  False: it can still do so. */
static bool say_pattern(struct explanation *e, const struct absent_pattern *p)
{
	if (!writers_has_ended(e->launch, p->group, p->thread))
		return false;
	hang_who(e, "by the pattern of the stores at %s, %s would write it, but that thread has ended",
		hang_place(e, p->pc), hang_thread(e, p->group, p->thread));
	if (p->wrote)
		text_print(&e->who, ", and wrote %s instead",
			hang_word(e, &(struct word){.space = past_writes(e)->words[0].space, .address = p->address}));
	else
		text_print(&e->who, " without that store");
	hang_list_thread(e, p->group, p->thread, "has ended");
	hang_list_line(e, p->pc, "it would be written here");
	return true;
}

/* The only thread that has written the word, and has ended. */
static bool say_only_writer(struct explanation *e, const struct written_word *word)
{
	uint64_t threads = (uint64_t)e->launch->total_groups * e->launch->group.threads, only = threads;

	for (uint64_t k = 0; word && word->count && word->wrote && k < threads; k++)
		if (word->wrote[k]) {
			if (only < threads)
				return false;
			only = k;
		}
	if (only == threads || word->has_unknown)
		return false;
	uint32_t group = (uint32_t)(only / e->launch->group.threads),
		 thread = (uint32_t)(only % e->launch->group.threads), times = word->wrote[only];

	if (!writers_has_ended(e->launch, group, thread))
		return false;
	hang_who(e, "%s is the only thread that wrote it (%s), and has ended", hang_thread(e, group, thread),
		times_words(e, times));
	hang_list_thread(e, group, thread, "has ended");
	return true;
}

/* The only thread that has ended and could have written it again. */
static bool say_rewriter(struct explanation *e, const struct written_word *past, const struct ended *ended)
{
	const struct writer *w = &ended->possible_writer;

	if (!past || ended->possible_writers != 1 || ended->more)
		return false;
	hang_who(e, "%s wrote it %s and could have written it again at %s, but has ended", hang_thread_of(e, &w->at),
		times_words(e, written_by(past, e->launch->group.threads, w->at.group, w->at.number)),
		hang_place(e, w->store));
	hang_list_thread(e, w->at.group, w->at.number, "has ended");
	hang_list_line(e, w->store, "it could have been written here");
	return true;
}

/* The last thread that gave it the value that is waited for, and has ended. */
static bool say_sender(struct explanation *e, const struct link *last)
{
	const struct word_write *sender = past_sender(e, last);

	if (!sender || !writers_has_ended(e->launch, sender->group, sender->thread))
		return false;
	hang_who(e, "%s last wrote that value at %s", hang_thread(e, sender->group, sender->thread),
		hang_place(e, sender->pc));
	past_say_when(e, sender);
	text_print(&e->who, ", and has ended");
	hang_list_thread(e, sender->group, sender->thread, "has ended");
	return true;
}

static void say_possible(struct explanation *e, const struct ended *ended)
{
	const struct writer *writer = &ended->possible_writer;

	if (ended->possible_writers == 1 && ended->more)
		hang_who(e, "at least one thread, %s, could have written it at %s, but has ended",
			hang_thread_of(e, &writer->at), hang_place(e, writer->store));
	else if (ended->possible_writers == 1)
		hang_who(e, "%s could have written it at %s, but has ended", hang_thread_of(e, &writer->at),
			hang_place(e, writer->store));
	else
		hang_who(e, "%s%u threads could have written it, such as %s at %s, but they have ended",
			ended->more ? "at least " : "", ended->possible_writers, hang_thread_of(e, &writer->at),
			hang_place(e, writer->store));
	hang_list_line(e, writer->store, "it could have been written here");
}

static void say_nonwriters(struct explanation *e, const struct ended *ended)
{
	const char *name = hang_thread_of(e, &ended->nonwriter.at);

	if (ended->nonwriters == 1)
		hang_who(e, "%s ended without reaching a store to it", name);
	else
		hang_who(e, "%s%u threads%s ended without reaching a store to it, such as %s",
			ended->more ? "at least " : "", ended->nonwriters,
			ended->nonwriters_apart ? "" : " of one group", name);
}

/* Threads that have ended and may have been meant to write the word.  True: their group does not take part. */
static bool say_ended(struct explanation *e, const struct ended *ended)
{
	const struct thread *t = ended->possible_writer.reach ? &ended->possible_writer.at : &ended->nonwriter.at;

	if (ended->possible_writer.reach)
		say_possible(e, ended);
	else if (ended->any && !ended->nonwriter.reach)
		say_nonwriters(e, ended);
	else
		return false;
	hang_list_thread(e, t->group, t->number, "has ended");
	return say_group_ended(e, t);
}

/* "work-group 4 would write it at X, but the grid has only 4 work-groups (0 to 3)" */
static void say_beyond(struct explanation *e, const struct beyond *b)
{
	const uint32_t *grid = e->launch->values.grid;
	bool flat = grid[1] == 1 && grid[2] == 1;

	if (b->is_thread)
		hang_who(e, "thread %u of the group would write it at %s, but the group has only %u threads (0 to %u)",
			b->thread, hang_place(e, b->store), e->launch->group.threads, e->launch->group.threads - 1);
	else if (flat)
		hang_who(e, "work-group %u would write it at %s, but the grid has only %u work-group%s (0 to %u)",
			b->group[0], hang_place(e, b->store), grid[0], grid[0] > 1 ? "s" : "", grid[0] - 1);
	else
		hang_who(e,
			"work-group (%u,%u,%u) would write it at %s, but the grid has only %u x %u x %u work-groups",
			b->group[0], b->group[1], b->group[2], hang_place(e, b->store), grid[0], grid[1], grid[2]);
	hang_list_line(e, b->store, "it would be written here");
}

/* Who should have written it, as far as that is known; returns the cause. */
static enum hang_cause say_who_should(struct explanation *e, const struct link *last, struct writers *writers)
{
	const struct written_word *past = past_of(e, last);
	struct ended ended;
	struct beyond beyond = {0};
	struct absent absent = {0};
	struct absent_pattern pattern = {0};
	uint32_t first_store;

	if (past)
		absent = absent_find(e->launch, past, &last->at);
	if (absent.found) {
		say_absent(e, &absent);
		return CAUSE_MISSING_SIGNAL;
	}
	ended = writers_ended_unwritten(writers, &last->at, &last->wait, past);
	if (past_has_one_store(e, last, &first_store) && (first_store != AHEAD_ALL || !ended.possible_writer.reach))
		beyond = writers_beyond(writers, &last->at, &last->wait, first_store);
	if (past && !past->count && !ended.possible_writer.reach)
		pattern = absent_by_pattern(e->launch, past_writes(e));
	if (beyond.found) {
		say_beyond(e, &beyond);
		return CAUSE_NO_SUCH_GROUP;
	}
	if (pattern.found && say_pattern(e, &pattern))
		return CAUSE_MISSING_SIGNAL;
	if (past && past->count && ended.possible_writers != 1) {
		struct ended all = writers_ended_unwritten(writers, &last->at, &last->wait, NULL);

		if (say_only_writer(e, past) || say_rewriter(e, past, &all) || say_sender(e, last) ||
			!ended.possible_writer.reach)
			return CAUSE_MISSING_SIGNAL;
	}
	return say_ended(e, &ended) ? CAUSE_NO_PART : CAUSE_MISSING_SIGNAL;
}

/* The thread that took the lock last, by its history, has ended. */
bool cause_say_taker(struct explanation *e, const struct link *last)
{
	const struct word_write *taker = past_taker(e, last);

	if (!taker || !writers_has_ended(e->launch, taker->group, taker->thread))
		return false;
	hang_what_waits(e, last);
	past_say_value(e, last);
	hang_who(e, "%s took it at %s", hang_thread(e, taker->group, taker->thread), hang_place(e, taker->pc));
	past_say_when(e, taker);
	text_print(&e->who, ", and ended without releasing it");
	hang_list_thread(e, taker->group, taker->thread, "took the lock and has ended");
	hang_list_line(e, taker->pc, "the lock was taken here");
	if (e->detail->change.kind != CHANGE_RELEASE)
		e->detail->wish = e->detail->change;
	e->detail->change = change_release(last, taker->group, taker->thread);
	cause_conclude(e, CAUSE_LOST_RELEASE);
	return true;
}

/* A slot of a ring, by its sequence number. */
static bool say_slot(struct explanation *e, const struct link *link)
{
	struct ring ring;

	if (!ring_find(&link->at, &link->wait, &ring))
		return false;
	hang_what(e, "the slot's sequence number is %lld; the thread waits for %lld", (long long)ring.now,
		(long long)ring.wanted);
	if (ring.kind == RING_EMPTY)
		text_print(&e->what, ", which a producer stores for position %lld: the ring is empty",
			(long long)ring.place);
	if (ring.kind == RING_FULL)
		text_print(&e->what, ", which a consumer stores for position %lld: the ring is full",
			(long long)ring.place);
	return true;
}

void cause_say_signal(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	const struct link *last = chain_last(chain);
	struct missed missed = past_missed(e, last);
	bool names_write;

	if (cause_say_taker(e, last))
		return;
	hang_what_waits(e, last);
	if (!say_slot(e, last))
		past_say_value(e, last);
	hang_who(e, "no thread that can still run will write it");
	if (writers_doubt(writers) == DOUBT_POINTERS)
		text_print(&e->who,
			", as far as Lockstep can tell (some stores go through pointers that it cannot follow)");
	if (writers_doubt(writers) == DOUBT_TOO_MANY)
		text_print(&e->who, ", as far as Lockstep can tell (there are too many threads to follow each)");
	if (missed.found) {
		past_say_missed(e, last, &missed);
		e->detail->wish = e->detail->change;
		e->detail->change = change_undo(last, missed.sent.after, missed.lost.after, missed.lost.when);
		cause_conclude(e, CAUSE_OVERWRITTEN_SIGNAL);
		return;
	}
	names_write = past_say_last(e, last);
	cause_conclude(e, say_who_should(e, last, writers));
	if (names_write && past_order_may_differ(e))
		hang_who(e,
			"these writes were recorded when the launch was run again with empty caches; their order may "
			"have differed the first time");
}
