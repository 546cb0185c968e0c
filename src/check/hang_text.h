/* Parts of an explanation: names of threads, source lines and addresses, and the lists of a finding. */
#ifndef LOCKSTEP_CHECK_HANG_TEXT_H
#define LOCKSTEP_CHECK_HANG_TEXT_H

#include "check/chain.h"
#include "util/text.h"

struct explanation {
	struct arena *arena;
	struct machine *machine;
	struct launch *launch;
	const struct kernel *kernel;
	struct finding *finding;
	struct finding_detail *detail;
	struct text what; /* which thread waits where, and for what */
	struct text who;  /* which thread should act, and why it cannot */
	/* By mend of the detail: the thread and the wait that suggest it. */
	struct {
		const struct thread *t;
		const struct mbarrier_wait *wait;
	} of_mend[FINDING_MENDS];
	const struct past *past; /* of the words in the chain (past.h); null: not known */
};

/* Its first letter becomes a capital one, unless the first word is a name such as cudaMemcpyAsync. */
void hang_begin_sentence(char *sentence);
/* Adds a sentence to e->what, or to e->who: without its stop, its first letter in either case.  text_print on the
 * same text continues the sentence. */
void hang_what(struct explanation *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hang_who(struct explanation *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The sentence about which thread waits where, and how many others wait for the same. */
void hang_what_waits(struct explanation *e, const struct link *link);

const char *hang_thread(const struct explanation *e, uint32_t group, uint32_t thread);
static inline const char *hang_thread_of(const struct explanation *e, const struct thread *t)
{
	return hang_thread(e, t->group, t->number);
}
/* Others have said that they take part, as many as they say there are, and this group has not. */
bool hang_takes_no_part(const struct explanation *e, uint32_t group);
/* It has started, and all its threads have ended. */
bool hang_group_has_ended(const struct explanation *e, uint32_t group);
const char *hang_place(const struct explanation *e, uint32_t pc);
/* Where a thread waits for others to arrive: "at the barrier at k.cu:9"; "in shfl.sync.idx at k.cu:9, with mask
 * 0xffffffff: lanes 16 to 31 have not arrived". */
const char *hang_barrier(const struct explanation *e, const struct thread *t);
/* What to do about a barrier with a member mask; null: the thread is at no such one. */
const char *hang_barrier_remedy(const struct thread *t);
/* A thread that waits for lanes of its warp, and where these are. */
const char *hang_warp_barrier(const struct explanation *e, const struct thread *t);
const char *hang_word(const struct explanation *e, const struct word *word);
/* "would" of a thread that writes the word if memory stays as it is, else "may". */
static inline const char *hang_would(const struct writer *writer)
{
	return writer->reach >= REACH_AS_IS ? "would" : "may";
}
/* "group (0,0,0) thread (1,0,0) spins at lock.ptx:15 on 0x10000000 (buf 'lock' + 0x0)". */
const char *hang_waiter(const struct explanation *e, const struct link *link);

/* Lists of the finding: each thread, line and address once. */
void hang_list_line(struct explanation *e, uint32_t pc, const char *role);
void hang_list_thread(struct explanation *e, uint32_t group, uint32_t thread, const char *state);
void hang_list_waiter(struct explanation *e, const struct thread *t, const struct wait *wait);
/* Where a thread is that could end the wait.  `what` goes before it. */
void hang_list_holder(struct explanation *e, const struct thread *t, const char *what);
/* All threads of a chain. */
void hang_list_chain(struct explanation *e, const struct chain *chain);

/* stale_words.c: loads that an L1 answered with old values. */
struct stale_read;
/* The first recorded load of the launch that got an old value; null: none.  Good until the machine runs again. */
const struct stale_read *stale_first(const struct machine *machine, const struct launch *launch);

/* "group (1,0,0) thread (0,0,0) read 0x10000000 (buf 'stop' + 0x0) at x.cl:12 in cycle 812 from a line of the L1 that
 * was overwritten around cycle 640 by group (0,0,0) at x.cl:20": of stale_first, and how many there were
 * in all; null: none. */
const char *stale_words(struct machine *machine, struct launch *launch, struct arena *arena);

#endif
