/* Running a launch again to see who writes a few words (explore/history.h): what is noted before it, and whether it
 * came to the same end.  The run itself is scripted: it changes memory as the launch would. */
#define again_clock scripted_clock
#define again_refuses scripted_refuses
#define again_begin scripted_begin
#define again_run scripted_run
#define again_end scripted_end
#define again_limit_for scripted_limit
#define again_elapsed scripted_elapsed
#define again_elapsed_on scripted_elapsed_on
#define machine_group scripted_group
#define space_find scripted_find
#include "explore/history.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BUFFER GLOBAL_BASE
#define BYTES 64

static struct {
	enum again_outcome outcome;
	double now;
	bool refuses, group_is_gone, group_ends;
	uint64_t elapsed;
	/* What the run leaves in the words, and what was seen to be written there. */
	uint32_t left[2], seen[2];
	/* What was asked for */
	uint32_t begins, ends;
	struct again_limits limits;
	bool observes;
} script;

static uint32_t memory[BYTES / 4], shared[BYTES / 4];
static struct allocation allocation = {.address = BUFFER, .bytes = BYTES};
static struct group group = {.shared = (uint8_t *)shared};
static struct written_word words[WRITES_WORDS + 1];
static struct writes writes;
static struct launch launch = {.group.threads = 96, .total_groups = 12};
static struct address_space space = {.bytes = (uint8_t *)memory};
static struct machine machine = {.space = &space};

double again_clock(void)
{
	return script.now;
}

const char *again_refuses(const struct machine *m)
{
	(void)m;
	return script.refuses ? "no" : NULL;
}

struct again *again_begin(
	struct machine *m, void (*change)(struct gpu *gpu, struct gpu_model *model, void *context), void *context)
{
	struct gpu gpu = {0};

	(void)m;
	script.begins++;
	change(&gpu, NULL, context);
	script.observes = gpu.observe[OBSERVER_writes] == context;
	return NULL;
}

enum again_outcome again_run(struct again *again, struct again_limits limits)
{
	(void)again;
	script.limits = limits;
	for (uint32_t k = 0; k < 2; k++) {
		*(words[k].space == space_SHARED ? &shared[k] : &memory[k]) = script.left[k];
		words[k].value = script.seen[k];
	}
	script.group_is_gone |= script.group_ends;
	return script.outcome;
}

void again_end(struct again *again)
{
	(void)again;
	script.ends++;
}

uint64_t again_limit_for(const struct machine *m)
{
	(void)m;
	return 7000;
}

uint64_t again_elapsed(const struct again *again)
{
	(void)again;
	return script.elapsed;
}

uint64_t again_elapsed_on(const struct machine *m)
{
	(void)m;
	return 500;
}

struct group *machine_group(const struct machine *m, uint64_t of_launch, uint32_t number, struct core **core)
{
	(void)m;
	*core = NULL;
	return of_launch == 3 && number == 4 && !script.group_is_gone ? &group : NULL;
}

const struct allocation *space_find(const struct address_space *s, uint64_t address, uint64_t bytes)
{
	(void)s;
	return address >= BUFFER && address + bytes <= BUFFER + BYTES ? &allocation : NULL;
}

/* Two words, at the beginnings of the buffer and of shared memory, or both of the buffer. */
static void begin(uint8_t second)
{
	memset(&script, 0, sizeof script);
	script.outcome = AGAIN_HANGS;
	script.elapsed = 500;
	memory[0] = 5;
	memory[1] = 6;
	shared[1] = 7;
	memset(words, 0, sizeof words);
	words[0] = (struct written_word){.space = space_GLOBAL, .bytes = 4, .address = BUFFER};
	words[1] = (struct written_word){.space = second,
		.bytes = 4,
		.address = second == space_SHARED ? 4 : BUFFER + 4,
		.launch = 3,
		.group = 4};
	writes = (struct writes){.words = words, .count = 2};
	for (uint32_t k = 0; k < 2; k++)
		script.left[k] = script.seen[k] = 70000 + k;
}

static bool runs(void)
{
	return history_of(&machine, &launch, &writes, 60);
}

static void words_are_noted_before_the_run(void **state)
{
	(void)state;
	begin(space_SHARED);
	assert_true(runs());
	assert_true(words[0].has_initial);
	assert_int_equal(words[0].initial, 5);
	assert_false(words[1].has_initial); /* of a group that has not begun */
	assert_int_equal(words[1].initial, 0);
	assert_int_equal(writes.group_threads, 96);
	assert_int_equal(writes.groups, 12);
	assert_int_equal(writes.first, BUFFER);
	assert_int_equal(writes.end, BUFFER + BYTES);
	assert_true(script.observes);
	assert_int_equal(script.limits.cycles, 7000);
	assert_true(script.limits.until == 60);
	assert_int_equal(script.begins, 1);
	assert_int_equal(script.ends, 1);
	begin(space_SHARED);
	words[0] = words[1]; /* the first word says which memory is looked at */
	script.left[0] = 70001;
	script.seen[0] = 70001;
	shared[0] = 70001;
	runs();
	assert_int_equal(writes.first, 0);
	assert_int_equal(writes.end, UINT32_MAX);
}

static void the_end_must_be_the_same(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		uint8_t second = k ? space_SHARED : space_GLOBAL;
		begin(second);
		assert_true(runs());
		for (uint32_t other = 0; other < 2; other++) {
			begin(second);
			script.seen[other]++;
			assert_false(runs());
		}
	}
	begin(space_SHARED);
	script.group_ends = true;
	script.seen[1] = 0; /* as its word would read now */
	assert_false(runs());
	static const enum again_outcome others[] = {AGAIN_COMPLETED, AGAIN_LIMIT, AGAIN_FAULT, AGAIN_TIME_OVER};
	for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
		begin(space_GLOBAL);
		script.outcome = others[k];
		assert_false(runs());
		assert_int_equal(script.ends, 1);
	}
	begin(space_GLOBAL);
	assert_true(runs());
	assert_true(writes.as_before);
	begin(space_GLOBAL);
	script.elapsed++; /* the same, but not at the same time */
	assert_true(runs());
	assert_false(writes.as_before);
}

static void nothing_is_run_in_vain(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 9; k++) {
		begin(space_SHARED);
		switch (k) {
		case 0: script.now = 60; break;
		case 1: script.refuses = true; break;
		case 2: writes.count = 0; break;
		case 3:
			writes.count = WRITES_WORDS + 1;
			for (uint32_t n = 1; n < writes.count; n++)
				words[n] = words[0];
			break;
		case 4: words[1].bytes = 2; break;
		case 5: words[0].address += 2; break;
		case 6: words[0].address = BUFFER + BYTES; break;
		case 7: words[1].group++; break;
		default: words[1].bytes = 8, words[1].address = 4; break; /* not aligned for it */
		}
		assert_false(runs());
		assert_int_equal(script.begins, 0);
	}
	begin(space_SHARED);
	words[1].bytes = 8;
	words[1].address = 8;
	runs();
	assert_int_equal(script.begins, 1);
	begin(space_GLOBAL);
	writes.count = WRITES_WORDS;
	for (uint32_t k = 2; k < WRITES_WORDS; k++)
		words[k] = words[0];
	runs();
	assert_int_equal(script.begins, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_noted_before_the_run),
		cmocka_unit_test(the_end_must_be_the_same),
		cmocka_unit_test(nothing_is_run_in_vain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
