/* Races of commands and calls of the host (host_race.h), case by case, by the rules in its header; and which bytes two
 * have in common, against a map of them. */
#include "host/host_race.c"
#include "util/text.h"

#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- What is told ---- */

static struct told {
	char words[1024];
	struct lockstep_finding finding;
	uint32_t id;
	char kernel[16];
	uint64_t launch;
	bool complains;
} told[64];
static uint32_t told_count;

void device_count_command(void)
{
}

void device_report_finding(
	const struct lockstep_finding *finding, uint32_t id, const char *kernel, uint64_t launch, bool complains)
{
	struct told *t = &told[told_count++];

	assert_true(told_count <= sizeof told / sizeof *told);
	*t = (struct told){.finding = *finding, .id = id, .launch = launch, .complains = complains};
	snprintf(t->words, sizeof t->words, "%s", finding->message);
	snprintf(t->kernel, sizeof t->kernel, "%s", kernel ? kernel : "");
}

static struct command *under_way;

struct command *commands_newest(void)
{
	return under_way;
}

bool commands_are_under_way(void)
{
	return under_way;
}

/* ---- A scene ---- */

#define AT 0x10000000u /* of the buffer, as kernels see it */

static uint8_t buffer[256], own[256];
static struct command command[128];
static struct command_order before[128];
static uint32_t command_count;

static int end(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < command_count; k++)
		host_race_discard(&command[k]);
	for (uint32_t k = 0; k < all.events.count; k++)
		free_event(&all.events.at[k]);
	for (uint32_t k = 0; k < all.memory.count; k++)
		forget_copy(&all.memory.at[k]);
	arena_free(&all.arena);
	memset(&all, 0, sizeof all);
	return 0;
}

/* All that was is known to the host. */
static int begin(void **state)
{
	(void)state;
	order_begin();
	order_host_knows_all();
	memset(command, 0, sizeof command);
	memset(buffer, 0, sizeof buffer);
	command_count = told_count = 0;
	under_way = NULL;
	host_race_placed(buffer, sizeof buffer, AT, "b", NULL, true);
	return 0;
}

/* Enqueued behind one other; null: behind none. */
static struct command *enqueue_behind(struct command *earlier)
{
	struct command *c = &command[command_count];

	before[command_count].earlier = earlier;
	c->before = &before[command_count++];
	c->before_count = earlier != NULL;
	host_race_append(c);
	return c;
}

static struct command *enqueue(void)
{
	return enqueue_behind(NULL);
}

static void idle(void)
{
	host_race_idle();
	assert_int_equal(all.events.count, all.judged);
}

/* A copy of bytes of the buffer. */
static struct command *copied(struct command *c, const char *call, uint32_t first, uint32_t bytes, bool writes)
{
	host_race_bytes(c, call, buffer + first, bytes, writes);
	host_race_over(c);
	return c;
}

/* A launch, which began and ended at these moments, with two instructions: one plain and one atomic. */
struct kernel_of {
	const char *name;
	uint64_t began, ended;
	bool fences;
	int plain, plain_writes, strong, strong_writes; /* first bytes, of words; -1: none */
};

static struct command *ran(struct command *c, const struct kernel_of *k)
{
	struct lockstep_span spans[2] = {{AT + (uint32_t)k->plain, AT + (uint32_t)k->plain + 4},
		{AT + (uint32_t)k->strong, AT + (uint32_t)k->strong + 4}};
	struct lockstep_access accesses[2] = {{.file = "f.cl",
						      .line = 3,
						      .what = k->plain_writes ? "a store" : "a load",
						      .writes = k->plain_writes,
						      .spans = &spans[0],
						      .span_count = k->plain >= 0},
		{.file = "f.cl",
			.line = 4,
			.what = "an atomic",
			.writes = k->strong_writes,
			.strong = true,
			.spans = &spans[1],
			.span_count = k->strong >= 0}};
	struct lockstep_result result = {.kernel = k->name,
		.number = 1 + (uint64_t)(c - command),
		.accesses = accesses,
		.access_count = 2,
		.first_group = k->began,
		.last_group = k->ended,
		.fences = k->fences};

	host_race_launch(c, &result);
	mutex_lock(&driver_lock);
	host_race_over(c);
	mutex_unlock(&driver_lock);
	return c;
}

/* ---- Copies ---- */

static void copies_without_order_race(void **state)
{
	struct command *w, *r;

	(void)state;
	w = enqueue();
	r = enqueue();
	copied(w, "write", 4, 8, true);
	copied(r, "read", 8, 16, false);
	idle();
	assert_int_equal(told_count, 1);
	assert_string_equal(told[0].words,
		"race on 0x10000008 (buf 'b' + 0x8): write, which writes there; read, which reads there: no queue, "
		"stream, event or host wait orders them. Enqueue both in one "
		"in-order queue or stream, make one wait for an event of the other, or make the host wait in between");
	assert_string_equal(told[0].finding.kind, "race");
	assert_string_equal(told[0].finding.certainty, "proved");
	assert_string_equal(told[0].finding.cause, "host-without-wait");
	assert_int_equal(told[0].finding.count, 1);
	assert_int_equal(told[0].finding.line_count, 0);
	assert_int_equal(told[0].finding.address_count, 1);
	assert_string_equal(told[0].finding.addresses[0], "0x10000008 (buf 'b' + 0x8)");
	assert_true(told[0].complains);
	assert_string_equal(told[0].kernel, "");
	idle(); /* nothing new */
	assert_int_equal(told_count, 1);
}

static void bytes_that_only_touch_do_not_race(void **state)
{
	struct command *a = enqueue(), *b = enqueue(), *c = enqueue(), *d = enqueue();

	(void)state;
	copied(a, "a", 0, 8, true);
	copied(b, "b", 8, 8, true);
	copied(c, "c", 20, 0, true);
	copied(d, "d", 16, 8, true);
	idle();
	assert_int_equal(told_count, 0);
}

static void reads_do_not_race(void **state)
{
	struct command *a = enqueue(), *b = enqueue();

	(void)state;
	copied(a, "a", 0, 8, false);
	copied(b, "b", 0, 8, false);
	idle();
	assert_int_equal(told_count, 0);
}

/* By a dependency, also through a third, and by a wait of the host. */
static void what_is_ordered_does_not_race(void **state)
{
	struct command *a = enqueue(), *b = enqueue_behind(a), *c = enqueue_behind(b), *d;

	(void)state;
	copied(c, "c", 0, 8, true); /* whatever ended first */
	copied(b, "b", 100, 8, true);
	copied(a, "a", 0, 8, true);
	idle();
	assert_int_equal(told_count, 0);
	order_host_knows_all();
	a = enqueue();
	copied(a, "a", 0, 8, true);
	order_host_knows(&a->order);
	d = enqueue();
	copied(d, "d", 0, 8, true);
	idle();
	assert_int_equal(told_count, 0);
	a = enqueue(); /* it knows of d neither */
	copied(a, "a", 4, 8, true);
	idle();
	assert_int_equal(told_count, 1);
}

/* What it waited for by a word may be anything before. */
static bool any_time(const struct command *c)
{
	(void)c;
	return true;
}

static void a_wait_for_a_word_is_behind_all(void **state)
{
	struct command *a = enqueue(), *b = enqueue();

	(void)state;
	b->may_begin = any_time;
	copied(a, "a", 0, 8, true);
	copied(b, "b", 0, 8, true);
	idle();
	assert_int_equal(told_count, 0);
}

/* Rows of 4 bytes, 16 apart, in slices 64 apart: bytes between them are not copied. */
static void boxes_have_gaps(void **state)
{
	struct host_box box = {.at = buffer, .width = 4, .height = 2, .depth = 2, .row = 16, .slice = 64};
	struct command *a = enqueue(), *b = enqueue(), *c = enqueue(), *d;

	(void)state;
	host_race_box(a, "a", &box, true);
	assert_int_equal(a->accesses->pieces.at[0].spans.count, 4);
	host_race_over(a);
	copied(b, "b", 4, 12, true);
	copied(c, "c", 20, 44, true);
	idle();
	assert_int_equal(told_count, 0);
	d = enqueue();
	copied(d, "d", 80, 1, true);
	idle();
	assert_int_equal(told_count, 1);
	assert_non_null(strstr(told[0].words, "(buf 'b' + 0x50)"));
	box = (struct host_box){.at = buffer, .width = 16, .height = 4, .depth = 2, .row = 16, .slice = 64};
	d = enqueue();
	host_race_box(d, "e", &box, true); /* without gaps it is one piece */
	assert_int_equal(d->accesses->pieces.at[0].spans.count, 1);
	assert_int_equal(d->accesses->pieces.at[0].spans.at[0].end - (uintptr_t)buffer, 128);
	host_race_discard(d);
	assert_null(d->accesses);
}

static bool has_byte(const struct piece *p, uint64_t at)
{
	for (uint32_t k = 0; k < p->spans.count; k++)
		if (p->spans.at[k].first <= at && at < p->spans.at[k].end)
			return true;
	return false;
}

static void common_bytes_are_found(void **state)
{
	struct arena arena = {0};
	uint64_t random = 3;

	(void)state;
	for (uint32_t n = 0; n < 2000; n++) {
		struct piece p[2] = {0};
		uint64_t first = UINT64_MAX, at = 0;

		for (uint32_t k = 0; k < 2; k++)
			for (uint64_t to = splitmix64(&random) % 4; to < 24; to += 1 + splitmix64(&random) % 8) {
				uint64_t from = to;

				to += splitmix64(&random) % 4;
				if (from < to)
					*vector_push(&arena, &p[k].spans) = (struct lockstep_span){from, to};
			}
		for (uint64_t byte = 40; byte-- > 0;)
			first = has_byte(&p[0], byte) && has_byte(&p[1], byte) ? byte : first;
		assert_int_equal(common(&p[0], &p[1], &at), first != UINT64_MAX);
		assert_true(first == UINT64_MAX || at == first);
	}
	arena_free(&arena);
}

/* Of a chain of one queue, all by the same call, 64 are told of. */
static void of_a_long_chain_some_are_told(void **state)
{
	struct command *c = NULL;

	(void)state;
	for (uint32_t k = 0; k < 100; k++)
		c = copied(enqueue_behind(c), "fill", 0, 4, true);
	copied(enqueue(), "read", 0, 4, false);
	idle();
	assert_int_equal(told_count, 1);
	assert_int_equal(told[0].finding.count, 64);
}

/* The same two sides once, with their count; the first time it is complained of. */
static void the_same_is_counted(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 2; round++) {
		struct command *a = enqueue(), *b = enqueue();

		copied(a, "a", 0, 4, true);
		copied(b, "b", 0, 4, true);
		idle();
		order_host_knows_all();
	}
	struct command *a = enqueue(), *c = enqueue();
	copied(a, "a", 0, 4, true);
	copied(c, "c", 0, 4, true);
	idle();
	assert_int_equal(told_count, 3);
	assert_true(told[0].complains);
	assert_false(told[1].complains);
	assert_int_equal(told[1].finding.count, 2);
	assert_int_equal(told[1].id, 0);
	assert_int_equal(told[2].id, 1);
	assert_int_equal(told[2].finding.count, 1);
	assert_true(told[2].complains);
}

/* ---- Memory ---- */

static void memory_is_named(void **state)
{
	struct command *a = enqueue(), *b = enqueue();

	(void)state;
	host_race_placed(own, 64, AT + 0x1000, NULL, NULL, true);
	host_race_bytes(a, "a", own + 2, 2, true);
	host_race_over(a);
	host_race_bytes(b, "b", own, 4, true);
	host_race_over(b);
	a = enqueue();
	b = enqueue();
	host_race_bytes(a, "c", own + 64, 8, true);
	host_race_over(a);
	host_race_bytes(b, "d", own + 66, 8, true);
	host_race_over(b);
	idle();
	assert_int_equal(told_count, 2);
	assert_string_equal(told[0].finding.addresses[0], "0x10001002 (an allocation + 0x2)");
	assert_string_equal(told[1].finding.addresses[0], "the host's memory (byte 0x2 of what c accesses)");
	order_host_knows_all();
	/* Counted from the first byte of all rows, of the side that is a call, or the first of two. */
	for (uint32_t k = 0; k < 2; k++) {
		struct host_box rows = {.at = own + 64, .width = 4, .height = 3, .depth = 1, .row = 20};
		struct command *box = enqueue(), *line = enqueue();

		host_race_box(k ? line : box, "rows", &rows, true);
		host_race_bytes(k ? box : line, "line", own + 64 + 41, 8, true);
		host_race_over(box);
		host_race_over(line);
		idle();
		assert_string_equal(
			told[2 + k].finding.addresses[0], k ? "the host's memory (byte 0x0 of what line accesses)"
							    : "the host's memory (byte 0x29 of what rows accesses)");
		order_host_knows_all();
	}
}

/* What lay there before is another's; what touches it only is not. */
static void new_memory_has_no_past(void **state)
{
	struct command *a = enqueue(), *b = enqueue(), *c = enqueue();

	(void)state;
	host_race_placed(own, 64, AT + 0x1000, "own", NULL, true);
	copied(a, "a", 0, 4, true);
	host_race_bytes(b, "b", own, 8, true);
	host_race_over(b);
	host_race_placed(own, 8, AT + 0x1000, "new", NULL, true);
	host_race_bytes(c, "c", own, 8, true);
	copied(c, "c", 0, 4, true);
	idle();
	assert_int_equal(told_count, 1);
	assert_string_equal(told[0].finding.addresses[0], "0x10000000 (buf 'b' + 0x0)");
	b = enqueue();
	host_race_bytes(b, "b", own + 7, 1, true);
	host_race_over(b);
	idle();
	assert_int_equal(told_count, 2);
	assert_string_equal(told[1].finding.addresses[0], "0x10001007 (buf 'new' + 0x7)");
	a = enqueue();
	b = enqueue();
	host_race_bytes(a, "d", own + 20, 4, true);
	host_race_over(a);
	host_race_placed(own + 24, 8, AT + 0x1018, "behind", NULL, true);
	host_race_placed(own + 12, 8, AT + 0x100c, "before", NULL, true);
	host_race_bytes(b, "e", own + 20, 4, true);
	host_race_over(b);
	idle();
	assert_int_equal(told_count, 3);
}

/* ---- Kernels ---- */

static void kernels_race_with_copies(void **state)
{
	struct command *k = enqueue(), *c = enqueue();

	(void)state;
	ran(k, &(struct kernel_of){"k", 1, 2, false, 16, true, -1, false});
	copied(c, "read", 18, 1, false);
	idle();
	assert_int_equal(told_count, 1);
	assert_non_null(strstr(told[0].words,
		"race on 0x10000012 (buf 'b' + 0x12): kernel k: a store at f.cl:3; read, which reads there: "));
	assert_string_equal(told[0].kernel, "k");
	assert_int_equal(told[0].launch, 1);
	assert_int_equal(told[0].finding.line_count, 1);
	assert_int_equal(told[0].finding.lines[0].line, 3);
	assert_string_equal(told[0].finding.lines[0].file, "f.cl");
	assert_string_equal(told[0].finding.lines[0].role, "one access");
}

static void kernels_race_with_kernels(void **state)
{
	struct command *k = enqueue(), *l = enqueue();

	(void)state;
	ran(k, &(struct kernel_of){"k", 1, 2, false, 16, true, -1, false});
	ran(l, &(struct kernel_of){"l", 3, 4, false, 16, false, -1, false});
	idle();
	assert_int_equal(told_count, 1);
	assert_non_null(strstr(told[0].words, "kernel k: a store at f.cl:3; kernel l: a load at f.cl:3: "));
	assert_string_equal(told[0].kernel, "l");
	assert_int_equal(told[0].launch, 2);
	assert_int_equal(told[0].finding.line_count, 2);
	assert_string_equal(told[0].finding.lines[1].role, "the other access");
}

/* They have been judged as they ran.  One that begins when another has ended has not overlapped it. */
static void kernels_that_overlap_are_left_out(void **state)
{
	static const struct {
		uint64_t began, ended;
		bool races;
	} rows[] = {{5, 8, false}, {1, 4, true}, {4, 6, true}, {3, 5, false}, {2, 3, false}, {2, 9, false}};

	(void)state;
	for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
		struct command *k = enqueue(), *l = enqueue();
		uint64_t ended = n ? 4 : 6;

		ran(k, &(struct kernel_of){"k", n == 1 ? 5 : 2, n == 1 ? 9 : ended, false, 16, true, -1, false});
		ran(l, &(struct kernel_of){"l", rows[n].began, rows[n].ended, false, 16, false, -1, false});
		told_count = 0;
		idle();
		assert_int_equal(told_count, rows[n].races);
		order_host_knows_all();
	}
}

/* An atomic races with what is plain in another kernel, and with nothing else. */
static void atomics_race_with_plain_accesses(void **state)
{
	struct command *k = enqueue(), *l = enqueue();

	(void)state;
	ran(k, &(struct kernel_of){"k", 1, 2, false, -1, false, 16, true});
	ran(l, &(struct kernel_of){"l", 3, 4, false, -1, false, 16, true});
	copied(enqueue(), "write", 16, 4, true);
	idle();
	assert_int_equal(told_count, 0);
	ran(enqueue(), &(struct kernel_of){"m", 5, 6, false, 16, false, -1, false});
	idle();
	assert_int_equal(told_count, 3); /* two of them write; and the copy */
	assert_non_null(strstr(told[0].words, "kernel m: a load at f.cl:3"));
}

/* Kernel k writes the word at 0 and then, by an atomic, a flag at 16, which l reads by one. */
static uint32_t told_of_flag(bool k_fences, bool l_fences, bool is_written, bool turned)
{
	struct command *k = enqueue(), *l = enqueue();
	struct kernel_of writer = {"k", 1, 2, k_fences, 0, true, 16, is_written},
			 reader = {"l", 3, 4, l_fences, 0, false, 16, false};

	told_count = 0;
	if (turned) /* l has ended when k begins */
		ran(l, &reader);
	ran(k, &writer);
	if (!turned)
		ran(l, &reader);
	idle();
	order_host_knows_all();
	return told_count;
}

static void a_flag_orders_with_fences(void **state)
{
	(void)state;
	assert_int_equal(told_of_flag(true, true, true, false), 0);
	assert_int_equal(told_of_flag(false, true, true, false), 1);
	assert_int_equal(told_of_flag(true, false, true, false), 1);
	assert_int_equal(told_of_flag(true, true, false, false), 1);
	assert_int_equal(told_of_flag(true, true, true, true), 1);
}

/* A launch in parts has a fence when one of them has. */
static void a_fence_of_any_part_counts(void **state)
{
	(void)state;
	for (uint32_t with = 0; with < 3; with++) { /* 2: none */
		struct command *k = enqueue(), *l = enqueue();
		struct lockstep_access access = {.what = "an atomic", .strong = true};
		struct lockstep_result part = {.kernel = "k", .accesses = &access, .access_count = 1, .last_group = 1};

		told_count = 0;
		for (uint32_t n = 0; n < 2; n++) {
			part.fences = n == with;
			if (n)
				ran(k, &(struct kernel_of){"k", 1, 2, part.fences, 0, true, 16, true});
			else
				host_race_launch(k, &part);
		}
		ran(l, &(struct kernel_of){"l", 3, 4, true, 0, false, 16, false});
		idle();
		assert_int_equal(told_count, with == 2);
		order_host_knows_all();
	}
}

/* While they run together either may hear of the other, whichever ends first; what is behind the one that has heard is
 * behind the other, too. */
static void kernels_that_overlap_hear_of_each_other(void **state)
{
	(void)state;
	for (uint32_t overlap = 0; overlap < 2; overlap++) {
		struct command *k = enqueue(), *l = enqueue(), *later = enqueue_behind(l);

		told_count = 0;
		ran(l, &(struct kernel_of){"l", 1, 4, true, -1, false, 16, false});
		ran(k, &(struct kernel_of){"k", overlap ? 3 : 4, 6, true, 0, true, 16, true});
		copied(later, "read", 0, 4, false);
		idle();
		assert_int_equal(told_count, !overlap);
		order_host_knows_all();
	}
}

/* What the host has learnt while such a kernel ran, the kernel may know from it. */
static void a_kernel_may_hear_of_the_host(void **state)
{
	(void)state;
	for (uint32_t shared = 0; shared < 2; shared++) {
		struct command *c = enqueue(), *k = enqueue();

		told_count = 0;
		if (shared)
			host_race_shared(AT);
		copied(c, "data", 0, 4, true);
		order_host_knows(&c->order);
		ran(k, &(struct kernel_of){"k", 1, 2, false, 0, false, 16, false});
		idle();
		assert_int_equal(told_count, !shared);
		order_host_knows_all();
	}
}

/* A copy that the kernel has read the flag of, needs no fence of its own; and what is behind the kernel is behind the
 * copy. */
static void a_copy_of_a_flag_orders(void **state)
{
	struct command *c = enqueue_behind(copied(enqueue(), "data", 0, 4, true)), *k = enqueue(), *later;

	(void)state;
	later = enqueue_behind(k);
	copied(c, "flag", 16, 4, true);
	ran(k, &(struct kernel_of){"k", 1, 2, false, -1, false, 16, false});
	copied(later, "read", 0, 4, false);
	idle();
	assert_int_equal(told_count, 0);
}

/* It may have told the host, or heard of it, by a word that the host can read without a call. */
static void a_kernel_may_talk_with_the_host(void **state)
{
	(void)state;
	for (uint32_t shared = 0; shared < 2; shared++) {
		struct command *c = enqueue(), *k = enqueue_behind(c), *later;

		told_count = 0;
		if (shared)
			host_race_shared(AT);
		copied(c, "data", 0, 4, true);
		ran(k, &(struct kernel_of){"k", 1, 2, false, -1, false, 16, true});
		later = enqueue();
		copied(later, "read", 0, 4, false);
		idle();
		assert_int_equal(told_count, !shared);
		order_host_knows_all();
	}
}

/* Its first and its last word are shared; what lies beside it is not. */
static void all_of_the_shared_memory_may_have_words_for_the_host(void **state)
{
	static const struct {
		int strong;
		bool races;
	} cases[] = {{60, true}, {61, false}, {64, false}, {127, false}, {128, true}};

	(void)state;
	host_race_placed(buffer, 64, AT, "b", NULL, true);
	host_race_placed(buffer + 64, 64, AT + 64, "shared", NULL, true);
	host_race_placed(buffer + 128, 128, AT + 128, "c", NULL, true);
	host_race_shared(AT + 64);
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct command *c = enqueue(), *k = enqueue_behind(c);

		told_count = 0;
		copied(c, "data", 0, 4, true);
		ran(k, &(struct kernel_of){"k", 1, 2, false, -1, false, cases[n].strong, true});
		copied(enqueue(), "read", 0, 4, false);
		idle();
		assert_int_equal(told_count, cases[n].races);
		order_host_knows_all();
	}
}

/* ---- Calls of the host ---- */

static void a_call_races_with_what_is_under_way(void **state)
{
	struct command *c = enqueue();
	uint64_t since;

	(void)state;
	under_way = c;
	host_race_call("call", buffer, 4, false, 0);
	assert_int_equal(told_count, 0);
	copied(c, "copy", 0, 4, true);
	under_way = NULL;
	idle();
	assert_int_equal(told_count, 1);
	assert_non_null(strstr(told[0].words, "copy, which writes there; call, which reads there"));
	order_host_knows_all();

	c = copied(enqueue(), "copy", 0, 4, true);
	since = order_host()->at[0] + 1; /* what was enqueued before is of no interest */
	host_race_call("later", buffer, 4, false, since);
	assert_int_equal(told_count, 1);
	c = copied(enqueue(), "other", 8, 4, true);
	host_race_call("last", buffer + 8, 4, true, since);
	assert_int_equal(told_count, 2); /* and it is judged at once */
	assert_non_null(strstr(told[1].words, "other, which writes there; last, which writes there"));
}

/* ---- What the host changes under a copy ---- */

static uint32_t told_of_change(struct command *earlier, uint32_t at, bool knows)
{
	struct host_box box = {.at = own, .width = 13, .height = 2, .depth = 2, .row = 32, .slice = 128};
	struct command *c = &command[command_count];

	told_count = 0;
	host_race_source(c, "copy", &box);
	if (knows)
		order_host_knows_all();
	enqueue_behind(earlier);
	own[at]++;
	host_race_copies(c);
	host_race_bytes(c, "copy", buffer + command_count, 1, true);
	host_race_over(c);
	idle();
	order_host_knows_all();
	return told_count;
}

static void a_source_that_changes_is_told(void **state)
{
	struct command *over, *waits;

	(void)state;
	assert_int_equal(told_of_change(NULL, 12, true), 1); /* the last byte of a row */
	assert_non_null(strstr(told[0].words,
		"race on the host's memory: copy, which reads there; the host, which has changed it since the call: "));
	assert_int_equal(told_of_change(NULL, 13, true), 0);
	assert_int_equal(told_of_change(NULL, 32, true), 1);
	assert_int_equal(told_of_change(NULL, 45, true), 0);
	assert_int_equal(told_of_change(NULL, 128, true), 1);
	assert_int_equal(told_of_change(NULL, 128 + 44, true), 1);
	assert_int_equal(told_of_change(NULL, 64, true), 0);
	over = enqueue();
	assert_int_equal(told_of_change(over, 0, true), 1);
	waits = enqueue();
	waits->status = COMMAND_RUNNING; /* it may be what changes it */
	assert_int_equal(told_of_change(waits, 0, true), 0);
	over = enqueue();
	assert_int_equal(told_of_change(over, 0, false), 0); /* over, and the host does not know */
	for (uint32_t chains = order_newest()->count; chains > 0; chains--)
		over = enqueue(); /* each in a chain of its own, this in the newest */
	assert_int_equal(told_of_change(over, 0, false), 0);
}

/* A copy that nothing orders with it has written there: that race is told, and the host is not blamed. */
static void a_source_that_a_command_changes_is_a_race(void **state)
{
	static const struct {
		uint32_t at; /* of the source has bytes 0 to 12 and 32 to 44 */
		bool writes, is_ordered;
		const char *first;
	} rows[] = {
		{40, true, false, "copy, which reads there; another, which writes there"},
		{44, true, false, "copy, which reads there; another, which writes there"},
		{45, true, false, "copy, which reads there; the host, which has changed it"},
		{40, false, false, "copy, which reads there; the host, which has changed it"},
		{40, true, true, "copy, which reads there; the host, which has changed it"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct host_box box = {.at = own, .width = 13, .height = 2, .depth = 1, .row = 32};
		struct command *copy = &command[command_count], *other;

		told_count = 0;
		all.known.count = 0;
		host_race_source(copy, "copy", &box);
		order_host_knows_all();
		enqueue();
		other = enqueue_behind(rows[k].is_ordered ? copy : NULL);
		own[40]++;
		host_race_bytes(other, "another", own + rows[k].at, 1, rows[k].writes);
		host_race_over(other);
		host_race_copies(copy);
		host_race_box(copy, "copy", &box, false);
		host_race_over(copy);
		idle();
		assert_int_equal(told_count, 1);
		if (!strstr(told[0].words, rows[k].first))
			fail_msg("%zu: %s", k, told[0].words);
	}
}

/* ---- Against sets ----
 *
 * Random commands, each with the set of all that is before it, and the rules of the header, word by word.  Commands and
 * calls are numbered in the order of enqueueing; a batch ends when nothing is under way. */

enum { BATCHES = 4, MOST = 12, SHARED = 5 }; /* SHARED: the word that the host may access */

struct model {
	uint64_t before; /* a bit for each */
	uint64_t number, since, began, ended;
	int done;
	bool is_call, is_kernel, fences, is_marker; /* is_call: of the host's */
	struct side {
		bool writes, strong;
		int first, bytes; /* of words; 0: none */
	} side[2];
};

static struct model model[64];
static uint32_t models, batch_begin; /* batch_begin: the first that is not judged */
static uint64_t known_to_host, model_random, model_time;

static uint32_t draw(uint32_t below)
{
	return (uint32_t)(splitmix64(&model_random) % below);
}

/* Commands have the models' numbers; calls leave theirs unused. */
static struct model *new_model(void)
{
	command_count = models + 1;
	model[models] = (struct model){.before = known_to_host};
	return &model[models++];
}

static void draw_side(struct side *side, bool strong, bool may_talk)
{
	*side = (struct side){draw(2), strong, 4 * (int)draw(may_talk ? SHARED + 1 : SHARED), 4};
	if (!draw(3))
		side->bytes = 0;
}

static void draw_command(uint32_t *queue_last, bool in_order)
{
	static struct command_order both[64][2];
	struct model *m = new_model();
	uint32_t k = models - 1, queue = draw(3), event = k > batch_begin ? batch_begin + draw(k - batch_begin) : k;
	struct command *c = &command[k];

	c->before = both[k];
	if (queue_last[queue] < k)
		both[k][c->before_count++].earlier = &command[queue_last[queue]];
	if (event < k && !draw(4) && !model[event].is_call)
		both[k][c->before_count++].earlier = &command[event];
	for (uint32_t n = 0; n < c->before_count; n++) {
		uint32_t earlier = (uint32_t)(c->before[n].earlier - command);

		m->before |= model[earlier].before | 1ull << earlier;
	}
	queue_last[queue] = k;
	host_race_append(c);
	m->number = c->order.at[0];
	m->is_marker = !draw(8);
	m->is_kernel = !m->is_marker && draw(2);
	m->fences = draw(4);
	draw_side(&m->side[0], false, false);
	if (m->is_kernel)
		draw_side(&m->side[1], true, in_order && !draw(3));
	else
		m->side[0].bytes *= 1 + (int)draw(2);
}

/* The host's, while something is under way: the number of a command of the batch, or the next, may be the first that
 * counts. */
static void draw_call(void)
{
	struct model *m = new_model();
	uint32_t other = batch_begin + draw(models - batch_begin);
	char name[16];

	draw_side(&m->side[0], false, false);
	m->is_call = true;
	m->done = (int)all.done + 1;
	m->since = draw(2) ? 0 : model[other].number + draw(2);
	snprintf(name, sizeof name, "c%u", models - 1);
	under_way = &command[0];
	host_race_call(arena_copy(&all.arena, name, strlen(name)), buffer + m->side[0].first, (size_t)m->side[0].bytes,
		m->side[0].writes, m->since);
	under_way = NULL;
	m->number = order_host()->at[0];
	known_to_host |= 1ull << (models - 1);
}

static void end_model(uint32_t k)
{
	struct model *m = &model[k];
	struct command *c = &command[k];
	char name[16];

	snprintf(name, sizeof name, "%c%u", m->is_kernel ? 'k' : 'c', k);
	m->done = (int)all.done + !m->is_marker;
	model_time += 2;
	m->ended = model_time;
	m->began = model_time - (!m->side[1].bytes && !draw(3) ? 3 : 1); /* it overlaps the one before */
	if (m->is_kernel) {
		const struct side *p = &m->side[0], *s = &m->side[1];

		ran(c, &(struct kernel_of){name, m->began, m->ended, m->fences, p->bytes ? p->first : -1, p->writes,
			       s->bytes ? s->first : -1, s->writes});
		return;
	}
	if (!m->is_marker)
		host_race_bytes(c, arena_copy(&all.arena, name, strlen(name)), buffer + m->side[0].first,
			(size_t)m->side[0].bytes, m->side[0].writes);
	host_race_over(c);
}

static bool have_common(const struct side *a, const struct side *b)
{
	return a->first < b->first + b->bytes && b->first < a->first + a->bytes && a->bytes && b->bytes;
}

static bool has(uint32_t later, uint32_t earlier)
{
	return model[later].before >> earlier & 1;
}

/* What is before something that is before it is before it, too. */
static void close_sets(void)
{
	for (bool any = true; any;) {
		any = false;
		for (uint32_t k = 0; k < models; k++)
			for (uint32_t n = 0; n < models; n++)
				if (has(k, n) && model[n].before & ~model[k].before) {
					model[k].before |= model[n].before;
					any = true;
				}
	}
}

/* Of the batch, those that may talk with the host know of what it knows, and all later ones of them. */
static void model_talks(void)
{
	uint64_t told_of = 0;

	for (uint32_t k = batch_begin; k < models; k++) {
		struct model *m = &model[k];

		if (m->is_marker)
			continue;
		m->before |= told_of;
		if (!m->is_kernel || !m->side[1].bytes || m->side[1].first != 4 * SHARED)
			continue;
		known_to_host |= m->before | 1ull << k;
		m->before |= known_to_host;
		told_of |= m->before;
	}
	close_sets();
}

static bool model_hears(const struct model *from, const struct model *by)
{
	bool any = false;

	if (from->is_marker || by->is_marker || from->done > by->done ||
		(from->is_kernel && !(from->fences && by->fences)))
		return false;
	for (uint32_t k = from->is_kernel; k < 1u + from->is_kernel; k++) /* a copy's side, or a kernel's atomic */
		any |= by->is_kernel && from->side[k].writes && have_common(&from->side[k], &by->side[1]);
	return any;
}

static void model_hearing(void)
{
	for (uint32_t round = 0; round < models; round++) {
		for (uint32_t a = 0; a < models; a++)
			for (uint32_t b = a > batch_begin ? 0 : batch_begin; b < models; b++)
				if (a != b && !has(b, a) && !has(a > b ? a : b, a > b ? b : a) &&
					model_hears(&model[a], &model[b]))
					model[b].before |= model[a].before | 1ull << a;
		close_sets();
	}
}

static bool model_overlap(const struct model *a, const struct model *b)
{
	return a->is_kernel && b->is_kernel && a->began < b->ended && b->began < a->ended;
}

static void say_side(char *words, size_t room, uint32_t k, uint32_t side)
{
	const struct model *m = &model[k];
	bool writes = m->side[side].writes;

	if (m->is_kernel)
		snprintf(words, room, "kernel k%u: %s at f.cl:%u", k,
			side     ? "an atomic"
			: writes ? "a store"
				 : "a load",
			3 + side);
	else
		snprintf(words, room, "c%u, which %s there", k, writes ? "writes" : "reads");
}

static void expect_known(uint32_t a, uint32_t a_side, uint32_t b, uint32_t b_side)
{
	char words[2][80], key[200];

	say_side(words[0], sizeof words[0], a, a_side);
	say_side(words[1], sizeof words[1], b, b_side);
	snprintf(key, sizeof key, "%s; %s", words[0], words[1]);
	for (uint32_t k = 0; k < all.known.count; k++)
		if (!strcmp(all.known.at[k].key, key)) {
			assert_int_equal(all.known.at[k].finding.count, 1);
			return;
		}
	fail_msg("not found: %s", key);
}

/* A plain access races with any, but that a copy's with an atomic does not. */
static bool sides_conflict(const struct model *a, const struct side *p, const struct model *b, const struct side *q)
{
	bool plain = !p->strong && !q->strong;

	return (p->writes || q->writes) && have_common(p, q) &&
	       (plain || (a->is_kernel && !p->strong) || (b->is_kernel && !q->strong));
}

/* How many pairs of sides of this batch, or one of it and one before, must have been told. */
static uint32_t expect_races(void)
{
	uint32_t count = 0;

	for (uint32_t b = batch_begin; b < models; b++)
		for (uint32_t a = 0; a < b; a++) {
			const struct model *m = &model[a], *n = &model[b];

			if (has(a, b) || has(b, a) || model_overlap(m, n) || m->is_marker || n->is_marker ||
				m->number < n->since || n->number < m->since)
				continue;
			for (uint32_t s = 0; s < 4; s++)
				if (sides_conflict(m, &m->side[s & 1], n, &n->side[s >> 1])) {
					expect_known(a, s & 1, b, s >> 1);
					count++;
				}
		}
	return count;
}

/* In order of enqueueing, or in any that the sets allow. */
static void end_batch(bool in_order)
{
	uint64_t over = (1ull << batch_begin) - 1;

	for (uint32_t k = batch_begin; k < models; k++)
		over |= (uint64_t)model[k].is_call << k;
	for (uint32_t left = models - batch_begin; left; left--) {
		uint32_t k = batch_begin;

		while (k < models && (over >> k & 1 || model[k].before & ~over || (!in_order && draw(2))))
			k++;
		if (k < models) {
			end_model(k);
			over |= 1ull << k;
		} else if (~over & ((1ull << models) - 1)) {
			left++; /* drawn again */
		}
	}
}

static void play_batch(bool in_order)
{
	uint32_t count = 2 + draw(MOST), queue_last[3] = {64, 64, 64};

	for (uint32_t k = 0; k < count; k++)
		if (k && !in_order && !draw(8)) /* kernels of the others talk with the host */
			draw_call();
		else
			draw_command(queue_last, in_order);
	end_batch(in_order);
	told_count = 0;
	idle();
	close_sets();
	model_talks();
	model_hearing();
}

static void random_commands_race_as_sets_say(void **state)
{
	for (uint32_t seed = 0; seed < 1500; seed++) {
		uint32_t expected = 0;

		begin(state);
		model_random = seed;
		models = batch_begin = 0;
		known_to_host = model_time = 0;
		host_race_placed(buffer, 4 * SHARED, AT, "b", NULL, true);
		host_race_placed(buffer + 4 * SHARED, 4, AT + 4 * SHARED, "shared", NULL, true);
		host_race_shared(AT + 4 * SHARED);
		for (uint32_t batch = 0; batch < BATCHES; batch++) {
			play_batch(batch & 1);
			expected += expect_races();
			if (all.known.count != expected)
				fail_msg("seed %u, batch %u: %u found, not %u", seed, batch, all.known.count, expected);
			for (uint32_t k = 0; k < models; k++)
				if (known_to_host >> k & 1)
					known_to_host |= model[k].before;
			for (uint32_t k = batch_begin; k < models; k++)
				if (!draw(6) && !model[k].is_call) {
					order_host_knows(&command[k].order);
					known_to_host |= model[k].before | 1ull << k;
				}
			batch_begin = models;
		}
		end(state);
	}
}

/* ---- Off ---- */

static void nothing_is_kept_where_it_is_off(void **state)
{
	struct command c = {0};
	struct lockstep_result result = {.kernel = "k", .access_count = 1};

	(void)state;
	assert_false(order_is_on());
	host_race_append(&c);
	assert_int_equal(c.point.number, 0);
	host_race_bytes(&c, "a", buffer, 4, true);
	host_race_source(&c, "a", &(struct host_box){0});
	host_race_launch(&c, &result);
	assert_null(c.accesses);
	host_race_over(&c);
	host_race_call("a", buffer, 4, true, 0);
	host_race_placed(buffer, 4, AT, "b", NULL, true);
	assert_int_equal(all.events.count, 0);
	assert_int_equal(all.memory.count, 0);
	host_race_idle();
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_kept_where_it_is_off),
		WITH(copies_without_order_race),
		WITH(bytes_that_only_touch_do_not_race),
		WITH(reads_do_not_race),
		WITH(what_is_ordered_does_not_race),
		WITH(a_wait_for_a_word_is_behind_all),
		WITH(boxes_have_gaps),
		WITH(common_bytes_are_found),
		WITH(of_a_long_chain_some_are_told),
		WITH(the_same_is_counted),
		WITH(memory_is_named),
		WITH(new_memory_has_no_past),
		WITH(kernels_race_with_copies),
		WITH(kernels_race_with_kernels),
		WITH(kernels_that_overlap_are_left_out),
		WITH(atomics_race_with_plain_accesses),
		WITH(a_flag_orders_with_fences),
		WITH(a_fence_of_any_part_counts),
		WITH(kernels_that_overlap_hear_of_each_other),
		WITH(a_kernel_may_hear_of_the_host),
		WITH(a_copy_of_a_flag_orders),
		WITH(a_kernel_may_talk_with_the_host),
		WITH(all_of_the_shared_memory_may_have_words_for_the_host),
		WITH(a_call_races_with_what_is_under_way),
		WITH(a_source_that_changes_is_told),
		WITH(a_source_that_a_command_changes_is_a_race),
		cmocka_unit_test(random_commands_race_as_sets_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
