/* The parser of litmus tests: what it takes, and what it says to the rest. */
#include "litmus/test.h"
#include "util/arena.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "PTX name\n{ x=0; y=0; }\n"
#define TWO HEAD "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"

static const char all[] = "ptx All+kinds\n\"a comment { \"\nmore words (* and { these *)\n"
			  "{ x=1; y = -2; P0:r9 = 0x10; 1:r3=4 }\n"
			  "P0@cta 3,gpu 0 | P1@cta 4,gpu 1 ;\n"
			  "ld.acquire.sys r0, x | bne r3, 4, LC0 ; // a comment\n"
			  "atom.acq_rel.cta.cas r1, y, r0, 2 | red.release.gpu.add y, 1 ;\n"
			  "membar.gl | LC0: ;\n"
			  "fence.sc.cta ;\n"
			  "add r2, r1, -1 | st.volatile x, r3 ;\n"
			  "locations [y; P0:r2;]\n"
			  "~exists (0:r0 == 1 /\\ ~(P0:r1 != 2 \\/ x <= 3))\n";

static struct litmus_test *read(struct arena *arena, const char *text, struct diagnostic *diagnostic)
{
	return litmus_read(arena, "a.litmus", text, diagnostic);
}

static void reads_threads(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct litmus_test *test = read(&arena, all, &diagnostic);
	assert_string_equal(diagnostic.message, "");
	assert_string_equal(test->name, "All+kinds");
	assert_int_equal(test->threads.count, 2);
	assert_int_equal(test->threads.at[1].cta, 4);
	assert_int_equal(test->threads.at[1].gpu, 1);
	assert_int_equal(test->locations.at[1].initial, -2);
	assert_string_equal(test->threads.at[0].registers.at[0].name, "r9");
	assert_int_equal(test->threads.at[0].registers.at[0].initial, 16);
	assert_int_equal(test->threads.at[0].code.count, 5);
	assert_int_equal(test->threads.at[1].code.count, 3);
	assert_int_equal(test->threads.at[1].code.at[0].jump, 2);
	arena_free(&arena);
}

static void reads_instructions(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	const struct litmus_instruction *i = read(&arena, all, &diagnostic)->threads.at[0].code.at;
	assert_int_equal(i[0].kind, LITMUS_LOAD);
	assert_int_equal(i[0].order, LITMUS_ACQUIRE);
	assert_int_equal(i[0].scope, LITMUS_SYS);
	assert_int_equal(i[1].operation, LITMUS_CAS);
	assert_true(i[1].a.is_register);
	assert_int_equal(i[1].b.value, 2);
	assert_true(i[2].membar);
	assert_int_equal(i[2].order, LITMUS_SC);
	assert_int_equal(i[2].scope, LITMUS_GPU);
	assert_int_equal(i[3].scope, LITMUS_CTA);
	assert_false(i[3].membar);
	assert_int_equal(i[4].b.value, -1);
	assert_int_equal(i[4].place.line, 10);
	arena_free(&arena);
}

/* The variables are the registers that are loaded (P0:r0, P0:r1), then those of `locations` (y, P0:r2), then x. */
static void asks_conditions(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct litmus_test *test = read(&arena, all, &diagnostic);
	assert_int_equal(test->variables.count, 5);
	assert_string_equal(litmus_variable_name(&arena, test, &test->variables.at[1]), "P0:r1");
	assert_string_equal(litmus_variable_name(&arena, test, &test->variables.at[2]), "y");
	assert_string_equal(litmus_variable_name(&arena, test, &test->variables.at[4]), "x");
	assert_int_equal(test->quantifier, LITMUS_NEVER);
	assert_true(litmus_fulfils(test->condition, (int32_t[]){1, 2, 0, 0, 4}));
	assert_false(litmus_fulfils(test->condition, (int32_t[]){0, 2, 0, 0, 4}));
	assert_false(litmus_fulfils(test->condition, (int32_t[]){1, 3, 0, 0, 4}));
	assert_false(litmus_fulfils(test->condition, (int32_t[]){1, 2, 0, 0, 3}));
	assert_string_equal(test->condition_text, "~exists (0:r0 == 1 /\\ ~(P0:r1 != 2 \\/ x <= 3))");
	arena_free(&arena);
}

/* /\ binds before \/. */
static void joins_conditions(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct litmus_test *test = read(&arena, TWO ";\nforall x=1 \\/ y=1 /\\ x=2", &diagnostic);
	assert_string_equal(diagnostic.message, "");
	assert_int_equal(test->quantifier, LITMUS_ALWAYS);
	assert_true(litmus_fulfils(test->condition, (int32_t[]){1, 0}));
	assert_true(litmus_fulfils(test->condition, (int32_t[]){2, 1}));
	assert_false(litmus_fulfils(test->condition, (int32_t[]){0, 1}));
	arena_free(&arena);
}

/* A number before a colon is a thread's, whatever is between. */
static void blanks_mean_nothing(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct litmus_test *test = read(&arena,
		"PTX  n \n{ x = - 1 ;P0 :r0 = 2 ;0\t: r1 = 3 }\nP0 @ cta 0 , gpu 0 ;\nst . weak x , r0 ;\n"
		"locations [ P0 : r0 ; x ; ]\nexists ( 0 :r0 = 2 /\\ 3 = 0\t: r1 /\\ 0 = [ x ] )",
		&diagnostic);
	assert_string_equal(diagnostic.message, "");
	assert_string_equal(test->name, "n");
	assert_int_equal(test->locations.at[0].initial, -1);
	assert_int_equal(test->threads.at[0].registers.at[0].initial, 2);
	assert_int_equal(test->threads.at[0].registers.at[1].initial, 3);
	assert_int_equal(test->variables.count, 3); /* P0:r0, x, P0:r1 */
	assert_true(litmus_fulfils(test->condition, (int32_t[]){2, 0, 3}));
	for (uint32_t k = 0; k < 3; k++) {
		int32_t values[] = {2, 0, 3};

		values[k]++;
		assert_false(litmus_fulfils(test->condition, values));
	}
	arena_free(&arena);
}

static const struct {
	const char *text, *message;
} bad[] = {
	{"", "1:1: the file ends here, expected PTX and the test's name"},
	{"C name\n", "1:1: unexpected 'C', expected PTX and the test's name"},
	{"PTX\n{}", "2:1: unexpected '{', expected the test's name behind PTX"},
	{"PTX name\n", "2:1: the file ends here, expected '{'"},
	{"PTX n\n(* {", "2:1: the comment does not end, expected '*)'"},
	{"PTX n\n\"{", "2:1: the text does not end, expected '\"'"},
	{"PTX n\n{ x=1 y=2 }", "2:7: unexpected 'y', expected ';'"},
	{"PTX n\n{ x @ generic aliases y; }", "2:23: unexpected 'y', expected a location that was named before"},
	{"PTX n\n{ y=0; x @ local aliases y; }",
		"2:12: unexpected 'local', expected generic, surface, texture or constant, or '}' before the threads"},
	{"PTX n\n{ y=0; x @ generic y; }", "2:20: unexpected 'y', expected 'aliases'"},
	{"PTX n\n{ x=y; }",
		"2:5: unexpected 'y', expected a number, or for another name of a location: y @ generic aliases x"},
	{"PTX n\n{ P0:r0=x; }", "2:9: unexpected 'x', expected a number (addresses in registers are not supported)"},
	{"PTX n\n{ P9:r0=1; }", "2:3: unexpected 'P9', expected a thread such as P0, at most P7"},
	{"PTX n\n{ x=99999999999; }", "2:5: unexpected '99999999999', expected a whole number of 32 bits"},
	{"PTX n\n{ P1:r0=1; }\nP0@cta 0,gpu 0;\n;exists x=1", "2:3: there is no thread P1, expected one of the test"},
	{HEAD "P0 | P1;", "3:4: unexpected '|', expected '@'"},
	{HEAD "P1@cta 0,gpu 0;", "3:1: unexpected 'P1', expected 'P0'"},
	{TWO "ld.weak r0, x ; ld.weak", "4:24: the file ends here, expected a register such as r0"},
	{TWO "ldd r0, x ;",
		"4:1: unknown instruction 'ldd', expected ld, st, atom, red, sust, suld, tld, cold, fence, membar, "
		"bar, mov, add, sub, mul, "
		"and, or, xor, min, max, beq, bne, blt, ble, bgt, bge or goto; or the condition: exists, ~exists or "
		"forall"},
	{TWO "ld.relaxed r0, x ;", "4:12: unexpected 'r0', expected '.'"},
	{TWO "ld.release.gpu r0, x ;", "4:4: unexpected 'release', expected weak, volatile, relaxed or acquire"},
	{TWO "ld.relaxed.cluster r0, x ;", "4:12: unexpected 'cluster', expected the scope cta, gpu or sys"},
	{TWO "st.acquire.gpu x, 1 ;", "4:4: unexpected 'acquire', expected weak, volatile, relaxed or release"},
	{TWO "atom.relaxed.gpu.inc r0, x, 1 ;",
		"4:18: unexpected 'inc', expected add, sub, and, or, xor, min, max, exch or cas"},
	{TWO "red.weak.add x, 1 ;", "4:5: unexpected 'weak', expected relaxed, acquire, release or acq_rel"},
	{TWO "red.relaxed.gpu.cas x, 1 ;", "4:17: unexpected 'cas', expected add, sub, and, or, xor, min or max"},
	{TWO "fence.proxy.generic ;", "4:13: unexpected 'generic', expected alias, surface, texture or constant"},
	{TWO "fence.relaxed.gpu ;", "4:7: unexpected 'relaxed', expected sc, acq_rel or proxy"},
	{TWO "sust.relaxed.gpu x, 1 ;", "4:6: unexpected 'relaxed', expected weak"},
	{TWO "tld.volatile r0, x ;", "4:5: unexpected 'volatile', expected weak"},
	{TWO "bar.cta.red 0 ;", "4:9: unexpected 'red', expected sync or arrive"},
	{TWO "bar.cta.sync 16 ;\nexists x=1", "4:1: there is no barrier 16, expected one from 0 to 15"},
	{TWO "bar.cta.sync 0, -1 ;\nexists x=1", "4:1: there is no barrier -1, expected one from 0 to 15"},
	{TWO "bar.cta.sync 0, 1, 2000 ;", "4:20: unexpected '2000', expected a whole number from 0 to 1024"},
	{TWO "goto LC0 | LC0: ;\nexists x=1", "4:6: unknown label 'LC0', expected one of this thread"},
	{TWO "st.weak x, y ;", "4:12: unexpected 'y', expected a register such as r0, or a number"},
	{TWO "st.weak r0, 1 ;", "4:9: unexpected 'r0', expected a location such as x"},
	{TWO "| | ;", "4:3: unexpected '|', expected ';'"},
	{TWO "fence.sc.gpu fence.sc.gpu ;", "4:14: unexpected 'fence', expected '|' or ';'"},
	{TWO "", "4:1: the file ends here, expected an instruction, or exists, ~exists or forall"},
	{TWO "filter (x=1)", "4:1: unexpected 'filter', expected exists, ~exists or forall (filter is not supported)"},
	{TWO "exists (x=1", "4:12: the file ends here, expected ')'"},
	{TWO "exists (x+1)", "4:10: unexpected '+', expected =, ==, !=, <, <=, > or >="},
	{TWO "exists (q=1)",
		"4:9: unexpected 'q', expected a register such as P0:r1, a location of the test, or a number"},
	{TWO "exists (P2:r0=1)", "4:12: unexpected 'r0', expected a register of a thread that there is"},
	{TWO "exists (P1:r0=1)", "4:12: unexpected 'r0', expected a register that P1 uses"},
	{TWO "exists (x=1) y", "4:14: unexpected 'y', expected /\\, \\/ or the end of the file"},
	{TWO "~forall (x=1)", "4:2: unexpected 'forall', expected exists"},
};

static void refuses(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		struct arena arena = {0};
		struct diagnostic diagnostic = {0};
		assert_null(read(&arena, bad[k].text, &diagnostic));
		assert_int_equal(strncmp(diagnostic.message, "a.litmus:", 9), 0);
		assert_string_equal(diagnostic.message + 9, bad[k].message);
		arena_free(&arena);
	}
}

/* No depth of parentheses ends the stack. */
static void refuses_depth(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	static char text[100000];
	memset(text, '(', sizeof text - 1);
	memcpy(text, TWO "exists", sizeof(TWO "exists") - 1);
	assert_null(read(&arena, text, &diagnostic));
	assert_string_equal(diagnostic.message, "a.litmus:4:71: unexpected '(', expected fewer parentheses");
	arena_free(&arena);
}

/* 64 conditions within each other are too many, by parentheses or by ~, which mean the same however many there are. */
static void reads_depth(void **state)
{
	(void)state;
	for (uint32_t count = 62; count <= 64; count++)
		for (uint32_t k = 0; k < 3; k++) {
			struct arena arena = {0};
			struct diagnostic diagnostic = {0};
			struct text open = {.arena = &arena}, close = {.arena = &arena};
			uint32_t nots = 0;

			for (uint32_t n = 0; n < count; n++) {
				bool is_not = k == 1 || (k == 2 && n % 2);

				text_print(&open, is_not ? "~" : "(");
				text_print(&close, is_not ? "" : ")");
				nots += is_not;
			}
			struct litmus_test *test = read(&arena,
				arena_printf(&arena, TWO ";\nexists %sx=1%s", open.at, close.length ? close.at : ""),
				&diagnostic);
			assert_int_equal(test != NULL, count < 64);
			if (test)
				assert_int_equal(litmus_fulfils(test->condition, (int32_t[]){1}), nots % 2 == 0);
			arena_free(&arena);
		}
}

/* Every beginning of a test is refused or read, and nothing is read behind its end. */
static void reads_beginnings(void **state)
{
	(void)state;
	for (size_t length = 0; length < sizeof all; length++) {
		struct arena arena = {0};
		struct diagnostic diagnostic = {0};
		struct litmus_test *test = read(&arena, arena_copy(&arena, all, length), &diagnostic);
		assert_int_equal(!test, diagnostic.failed);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_threads),
		cmocka_unit_test(reads_instructions),
		cmocka_unit_test(asks_conditions),
		cmocka_unit_test(joins_conditions),
		cmocka_unit_test(blanks_mean_nothing),
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_depth),
		cmocka_unit_test(reads_depth),
		cmocka_unit_test(reads_beginnings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
