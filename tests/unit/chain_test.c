/* Which of several chains of waits is explained (check/chain.h): the surer one, in the order in which its roots are
 * listed there, what a ring has in it, and which owner may act yet.  Chains are made by hand. */
#define thread_position made_position /* in place of those that look at a machine */
#define wait_loop made_loop
#include "check/chain.c"
#undef thread_position
#undef wait_loop
#include "check/hang_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct warp_slot warps[2];
static struct chain chain;

/* A ring of two links, of the second of which these kinds are, behind a first link of the chain that is not in it. */
static struct chain *ring_of(enum link_kind first, enum link_kind second, enum reach reach)
{
	chain = (struct chain){.count = 3, .root = ROOT_RING, .ring = 1};
	chain.links[0] = (struct link){.kind = LINK_LOCK, .at.r = &warps[1]};
	chain.links[1] = (struct link){.kind = first, .at.r = &warps[0], .writer.reach = reach};
	chain.links[2] = (struct link){.kind = second, .at.r = &warps[0], .writer.reach = reach};
	return &chain;
}

static struct chain *ending(enum root root, enum reach reach)
{
	chain = (struct chain){.count = 1, .root = root};
	chain.links[0] = (struct link){.kind = LINK_WORD, .at.r = &warps[0], .writer.reach = reach};
	chain.unstarted_writer.reach = reach;
	return &chain;
}

static uint32_t inferred_owner(bool inferred)
{
	ending(ROOT_OWNER_ENDED, REACH_NOT)->links[0].owner.inferred = inferred;
	return chain_certainty(&chain);
}

/* What is known of the machine comes first, then what is known of code; what only may be written last. */
static void surer_chains_come_first(void **state)
{
	const uint32_t in_order[] = {chain_certainty(ending(ROOT_ENDLESS, REACH_NOT)), inferred_owner(false),
		chain_certainty(ending(ROOT_PASSED, REACH_NOT)), chain_certainty(ending(ROOT_STALE, REACH_NOT)),
		chain_certainty(ring_of(LINK_PARKED, LINK_LOCK, REACH_CERTAIN)),
		chain_certainty(ring_of(LINK_LOCK, LINK_WORD, REACH_AS_IS)),
		chain_certainty(ending(ROOT_UNSTARTED_GROUP, REACH_AS_IS)),
		chain_certainty(ring_of(LINK_WORD, LINK_BARRIER, REACH_AS_IS)),
		chain_certainty(ending(ROOT_BARRIER, REACH_NOT)), chain_certainty(ending(ROOT_LIVELOCK, REACH_NOT)),
		chain_certainty(ending(ROOT_SIGNAL, REACH_NOT)), inferred_owner(true),
		chain_certainty(ring_of(LINK_LOCK, LINK_WORD, REACH_BUFFER)),
		chain_certainty(ending(ROOT_UNSTARTED_GROUP, REACH_BUFFER)),
		chain_certainty(ring_of(LINK_WORD, LINK_WORD, REACH_AS_IS)),
		chain_certainty(ending(ROOT_UNSTARTED_LAUNCH, REACH_BUFFER)),
		chain_certainty(ending(ROOT_BARRIER, REACH_BUFFER)),
		chain_certainty(ring_of(LINK_WORD, LINK_BARRIER, REACH_BUFFER)),
		chain_certainty(ending(ROOT_SIGNAL, REACH_BUFFER)), chain_certainty(ending(ROOT_RUNS, REACH_NOT))};

	(void)state;
	for (size_t k = 1; k < sizeof in_order / sizeof *in_order; k++)
		if (in_order[k - 1] <= in_order[k])
			fail_msg("the chain %zu is not surer than the next", k - 1);
	assert_int_equal(chain_certainty(ring_of(LINK_PARKED, LINK_WORD, REACH_BUFFER)), inferred_owner(true));
	assert_int_equal(chain_certainty(ring_of(LINK_WORD, LINK_WORD, REACH_BUFFER)),
		chain_certainty(ring_of(LINK_WORD, LINK_BARRIER, REACH_BUFFER)));
}

/* What leads to it is not in it. */
static void a_ring_has_its_own_links(void **state)
{
	(void)state;
	ring_of(LINK_WORD, LINK_BARRIER, REACH_AS_IS);
	assert_false(chain_ring_has(&chain, LINK_LOCK));
	assert_false(chain_ring_has(&chain, LINK_PARKED));
	assert_true(chain_ring_has(&chain, LINK_WORD));
	assert_true(chain_ring_has(&chain, LINK_BARRIER));
	assert_false(chain_ring_crosses(&chain));
	chain.links[2].at.r = &warps[1];
	assert_true(chain_ring_crosses(&chain));
	chain.count = 2;
	assert_false(chain_ring_has(&chain, LINK_BARRIER));
	assert_false(chain_ring_crosses(&chain));
}

/* Of barriers and stopped lanes alone: it ends at the last barrier. */
static void a_ring_without_words_ends_at_a_barrier(void **state)
{
	static const struct {
		enum link_kind first, second;
		enum root root;
		uint32_t count;
	} rows[] = {{LINK_PARKED, LINK_BARRIER, ROOT_BARRIER, 3}, {LINK_BARRIER, LINK_PARKED, ROOT_BARRIER, 2},
		{LINK_PARKED, LINK_PARKED, ROOT_RING, 3}, {LINK_BARRIER, LINK_WORD, ROOT_RING, 3},
		{LINK_LOCK, LINK_BARRIER, ROOT_RING, 3}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		end_ring(ring_of(rows[k].first, rows[k].second, REACH_AS_IS));
		assert_int_equal(chain.root, rows[k].root);
		assert_int_equal(chain.count, rows[k].count);
	}
}

/* ---- Who can act no more ---- */

static struct position position;
static bool loops;

struct position made_position(const struct thread *t)
{
	(void)t;
	return position;
}

bool made_loop(const struct thread *t, struct code_range *range)
{
	(void)t;
	*range = (struct code_range){.first = 10, .last = 20};
	return loops;
}

/* While memory changes, the owner of a lock may act, unless it has ended or is parked outside of the loop of its warp;
 * at the loop's first and last instruction it is within. */
static void an_owner_in_its_loop_may_act(void **state)
{
	static const struct {
		enum thread_state state;
		uint32_t pc;
		bool loops, stuck;
	} rows[] = {{THREAD_ENDED, 15, true, true}, {THREAD_RUNS, 9, true, false}, {THREAD_PARKED, 9, true, true},
		{THREAD_PARKED, 10, true, false}, {THREAD_PARKED, 20, true, false}, {THREAD_PARKED, 21, true, true},
		{THREAD_PARKED, 21, false, false}};
	static struct watch watch;
	static struct core core;
	const struct thread t = {.core = &core};

	(void)state;
	core.attached.observers = 1ull << OBSERVER_watch;
	core.attached.state[OBSERVER_watch] = &watch;
	for (uint32_t unsteady = 0; unsteady < 2; unsteady++) {
		watch.unsteady = unsteady;
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
			position = (struct position){.state = rows[k].state, .pc = rows[k].pc};
			loops = rows[k].loops;
			assert_int_equal(is_stuck(&t, &t), rows[k].stuck || !unsteady);
		}
	}
}

/* Groups have said that they take part, and how many do: one that has not does not, when all numbers are given. */
static void who_takes_no_part_is_known_when_all_others_do(void **state)
{
	struct participant said[4] = {{.number = 1, .count = 2}, {.count = 0}, {.number = 0, .count = 2}, {.count = 0}};
	struct launch launch = {.total_groups = 4, .values.participants = said};
	const struct explanation e = {.launch = &launch};

	(void)state;
	assert_false(hang_takes_no_part(&e, 0));
	assert_true(hang_takes_no_part(&e, 1));
	assert_true(hang_takes_no_part(&e, 3));
	said[0].count = said[2].count = 3; /* one number is left */
	assert_false(hang_takes_no_part(&e, 1));
	said[0].count = said[2].count = 0;
	assert_false(hang_takes_no_part(&e, 1));
	launch.values.participants = NULL;
	assert_false(hang_takes_no_part(&e, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surer_chains_come_first),
		cmocka_unit_test(a_ring_has_its_own_links),
		cmocka_unit_test(a_ring_without_words_ends_at_a_barrier),
		cmocka_unit_test(an_owner_in_its_loop_may_act),
		cmocka_unit_test(who_takes_no_part_is_known_when_all_others_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
