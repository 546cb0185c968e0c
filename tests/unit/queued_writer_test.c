/* What that is queued behind a launch, or was launched on the GPU, may write the word that is waited for
 * (check/change.h). */
#include "check/queued.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BUFFER 0x10000000u
#define BYTES 64u
#define WORD (BUFFER + 16)

static struct allocation buffer = {.address = BUFFER, .bytes = BYTES, .live = true};
static const struct kernel stores, only_reads;
static struct arena arena;

const struct allocation *space_find(const struct address_space *space, uint64_t address, uint64_t bytes)
{
	(void)space;
	return address >= BUFFER && address + bytes <= BUFFER + BYTES ? &buffer : NULL;
}

bool ahead_has_stores(const struct kernel *kernel, uint8_t space)
{
	assert_int_equal(space, space_GLOBAL);
	return kernel == &stores;
}

static struct gpu gpu;
static struct machine machine = {.gpu = &gpu};
static const struct change word = {.kind = CHANGE_WORD, .space = space_GLOBAL, .bytes = 4, .address = WORD};

/* How many of these may write the word. */
static struct change change_of(const struct queued_work *work, uint32_t count)
{
	gpu.host.queued = work;
	gpu.host.queued_count = count;
	return queued_change(&machine, &word);
}

/* One of its parameters, which are as wide as pointers, points into the word's buffer; and it has stores. */
static void a_kernel_needs_a_pointer_and_stores(void **state)
{
	static const struct {
		uint64_t parameters[3];
		uint32_t bytes;
		const struct kernel *kernel;
		bool may;
	} rows[] = {
		{{BUFFER}, 8, &stores, true},
		{{BUFFER}, 8, &only_reads, false},
		{{BUFFER + BYTES - 1}, 8, &stores, true},
		{{BUFFER + BYTES}, 8, &stores, false},
		{{BUFFER - 1}, 8, &stores, false},
		{{7, BUFFER}, 16, &stores, true},
		{{7, 8, WORD}, 24, &stores, true},
		{{7, 8, WORD}, 20, &stores, false}, /* the last is cut off */
		{{7, 8, WORD}, 16, &stores, false},
		{{(uint64_t)BUFFER << 32, BUFFER >> 8}, 16, &stores, false}, /* half of one, and half of the next */
		{{BUFFER}, 0, &stores, false},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct gpu_launch launch = {.kernel = rows[k].kernel,
			.values = {.parameters = (uint8_t *)(uintptr_t)rows[k].parameters,
				.parameter_bytes = rows[k].bytes}};
		const struct queued_work work = {.is_kernel = true, .launch = &launch};

		if (change_of(&work, 1).value_count != rows[k].may)
			fail_msg("row %zu", k);
	}
	assert_int_equal(change_of(&(struct queued_work){.is_kernel = true}, 1).value_count, 0);
}

/* A copy must have the whole word; what a function of the host writes is not known, but of memory that it may write. */
static void a_copy_has_the_word(void **state)
{
	static const struct {
		uint64_t address, bytes;
		bool may;
	} rows[] = {{WORD, 4, true}, {WORD, 3, false}, {WORD + 1, 16, false}, {WORD - 1, 5, true}, {WORD - 1, 4, false},
		{BUFFER, BYTES, true}, {BUFFER, 16, false}, {BUFFER, 20, true}, {WORD + 4, 4, false}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_int_equal(change_of(&(struct queued_work){.address = rows[k].address, .bytes = rows[k].bytes}, 1)
					 .value_count,
			rows[k].may);
	for (uint32_t writes = 0; writes < 2; writes++) {
		buffer.host_writes = writes;
		assert_int_equal(change_of(&(struct queued_work){0}, 1).value_count, writes);
	}
	buffer.host_writes = false;
}

/* Their numbers, in the order in which they are queued, as many as there is room for; of a word in global memory. */
static void those_that_may_are_numbered(void **state)
{
	struct queued_work work[2 * CHANGE_VALUES + 3];
	const struct change elsewhere[] = {{.kind = CHANGE_WORD, .space = space_SHARED, .bytes = 4, .address = WORD},
		{.kind = CHANGE_BIT, .space = space_GLOBAL, .bytes = 4, .address = WORD},
		{.kind = CHANGE_WORD, .space = space_GLOBAL, .bytes = 4, .address = BUFFER + BYTES - 2}};
	struct change change;

	(void)state;
	for (uint32_t k = 0; k < sizeof work / sizeof *work; k++)
		work[k] = (struct queued_work){.what = k % 2 ? "copy" : "other",
			.where = "behind it",
			.address = k % 2 ? WORD : BUFFER,
			.bytes = 4};
	change = change_of(work, 6);
	assert_int_equal(change.kind, CHANGE_QUEUED);
	assert_int_equal(change.address, WORD);
	assert_int_equal(change.value_count, 3);
	for (uint32_t k = 0; k < 3; k++)
		assert_int_equal(change.values[k], 2 * k + 1);
	assert_string_equal(
		queued_words(&machine, &change, 1, true, &arena), "copy, which would write it, is queued behind it");
	assert_string_equal(
		queued_words(&machine, &change, 1, false, &arena), "copy, which would write it, is queued behind it");
	work[3].bytes = 0; /* a function */
	assert_string_equal(
		queued_words(&machine, &change, 1, false, &arena), "copy, which may write it, is queued behind it");
	assert_string_equal(
		queued_words(&machine, &change, 1, true, &arena), "copy, which would write it, is queued behind it");
	assert_int_equal(change_of(work, sizeof work / sizeof *work).value_count, CHANGE_VALUES);
	for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
		assert_int_equal(queued_change(&machine, &elsewhere[k]).value_count, 0);
}

/* A grid that waits for the end of its kernel: in the tail-launch stream, or behind one in a stream. */
static void a_grid_waits_for_its_kernel(void **state)
{
	static struct ptx_function entry = {.name = "k"};
	const struct kernel kernel = {.entry = &entry};
	static uint64_t pointer = WORD, other = 9;
	struct child *then[2];
	struct child set = {.is_grid = true, .grid = {.parameters = (uint8_t *)&pointer, .parameter_bytes = 8}},
		     unset = {.is_grid = true,
			     .next = &set,
			     .grid = {.parameters = (uint8_t *)&other, .parameter_bytes = 8}},
		     own = {.is_grid = true};
	struct family family = {.tail = &unset};
	struct launch second = {.kernel = &kernel}, first = {.kernel = &kernel, .next = &second};

	(void)state;
	machine.launches.first = &first;
	assert_null(queued_grid_words(&machine, &word, &arena));
	second.family = &family;
	assert_string_equal(queued_grid_words(&machine, &word, &arena),
		"a grid that kernel k has launched into its tail-launch stream may write it, and begins when that "
		"kernel has ended");
	set.done = true;
	assert_null(queued_grid_words(&machine, &word, &arena));
	set.done = false;
	set.is_grid = false; /* an event */
	assert_null(queued_grid_words(&machine, &word, &arena));
	set.is_grid = true;
	second.family = NULL;
	second.child = &own;
	assert_null(queued_grid_words(&machine, &word, &arena));
	own.then.at = then;
	own.then.count = 2;
	then[0] = &unset;
	then[1] = &set;
	assert_string_equal(queued_grid_words(&machine, &word, &arena),
		"a grid that was launched on the GPU behind kernel k in its stream may write it, and begins when that "
		"kernel has "
		"ended");
	pointer = BUFFER + BYTES;
	assert_null(queued_grid_words(&machine, &word, &arena));
	machine.launches.first = NULL;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_needs_a_pointer_and_stores),
		cmocka_unit_test(a_copy_has_the_word),
		cmocka_unit_test(those_that_may_are_numbered),
		cmocka_unit_test(a_grid_waits_for_its_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
