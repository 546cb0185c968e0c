/* Which lanes shuffles read from, by the PTX ISA's definition of shfl: --check barriers=all tells of those that do not
 * take part, with the lanes on both sides. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Lanes for which %p is true are elsewhere.  %m names the others, if `shuffle` asks for a mask. */
#define HEAD ".visible .entry k() {\n .reg .b32 %t, %x, %m; .reg .pred %p;\n mov.u32 %t, %laneid;\n"

struct one {
	const char *away;    /* how %p comes about */
	const char *mask;    /* of those that are here */
	const char *shuffle; /* behind "shfl." or "shfl.sync." */
	const char *what;    /* that is found; null: nothing */
};

#define LOW "setp.ge.u32 %p, %t, 16;", "0xffff"
#define HIGH "setp.lt.u32 %p, %t, 16;", "0xffff0000"
#define EVEN "and.b32 %m, %t, 1; setp.ne.u32 %p, %m, 0;", "0x55555555"
#define ALL "setp.ge.u32 %p, %t, 32;", "0xffffffff"

static const struct one cases[] = {
	{LOW, "down.b32 %x, %t, 8, 31", "lanes 8-15 read from lanes 16-23"},
	{LOW, "down.b32 %x, %t, 16, 31", "lanes 0-15 read from lanes 16-31"},
	{LOW, "down.b32 %x, %t, 1, 31", "lane 15 read from lane 16"},
	{LOW, "down.b32 %x, %t, 8, 0x181f", NULL}, /* segments of 8: beyond the end a lane keeps its own */
	{LOW, "down.b32 %x, %t, 8, 15", NULL},     /* likewise beyond the last */
	{LOW, "down.b32 %x, %t, 8, 17", "lanes 8-9 read from lanes 16-17"}, {LOW, "down.b32 %x, %t, 0, 31", NULL},
	{LOW, "down.b32 %x, %t, 40, 31", "lanes 8-15 read from lanes 16-23"}, /* of the distance five bits count */
	{ALL, "down.b32 %x, %t, 8, 31", NULL}, {LOW, "up.b32 %x, %t, 8, 0", NULL},
	{HIGH, "up.b32 %x, %t, 8, 0", "lanes 16-23 read from lanes 8-15"},
	{HIGH, "up.b32 %x, %t, 1, 0", "lane 16 read from lane 15"},
	{HIGH, "up.b32 %x, %t, 16, 0", "lanes 16-31 read from lanes 0-15"},
	{HIGH, "up.b32 %x, %t, 24, 0", "lanes 24-31 read from lanes 0-7"},
	{HIGH, "up.b32 %x, %t, 8, 0x1000", NULL}, /* segments of 16 */
	{HIGH, "up.b32 %x, %t, 8, 12", "lanes 20-23 read from lanes 12-15"},
	{LOW, "bfly.b32 %x, %t, 16, 31", "lanes 0-15 read from lanes 16-31"},
	{HIGH, "bfly.b32 %x, %t, 16, 31", "lanes 16-31 read from lanes 0-15"}, {LOW, "bfly.b32 %x, %t, 2, 31", NULL},
	{LOW, "bfly.b32 %x, %t, 16, 0x101f", NULL},
	{EVEN, "bfly.b32 %x, %t, 1, 31",
		"lanes 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 read from lanes 1,3,5,7,9,11"},
	{EVEN, "bfly.b32 %x, %t, 2, 31", NULL}, {EVEN, "down.b32 %x, %t, 1, 0x1f1f", NULL},
	/* each its own segment */ {LOW, "idx.b32 %x, %t, 20, 31", "lanes 0-15 read from lane 20"},
	{LOW, "idx.b32 %x, %t, 3, 31", NULL}, {LOW, "idx.b32 %x, %t, 20, 0x101f", NULL}, /* the fifth of 16 */
	{HIGH, "idx.b32 %x, %t, 3, 0x101f", NULL}, {HIGH, "idx.b32 %x, %t, 3, 31", "lanes 16-31 read from lane 3"},
	{LOW, "idx.b32 %x, %t, 20, 15", NULL}, /* beyond the last: its own */
};

static uint32_t failures;

static void shuffle(const struct one *one, bool sync, const char *divergence)
{
	struct lockstep_error error = {0};
	struct lockstep_options options = {
		.size = sizeof options, .mode = LOCKSTEP_FUNCTIONAL, .check = LOCKSTEP_CHECK_BARRIERS_ALL};
	const char *settings[] = {divergence, NULL};
	struct lockstep *gpu;
	struct lockstep_launch launch = {.size = sizeof launch, .kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}};
	const struct lockstep_result *result;
	char ptx[1024];
	bool as_expected;

	options.settings = settings;
	gpu = lockstep_open(&options, &error);
	snprintf(ptx, sizeof ptx, "%s%s%s @%%p bra end;\n shfl.%s%s%s%s;\nend: exit;\n}\n",
		sync ? ".version 8.3\n.target sm_80\n.address_size 64\n"
		     : ".version 5.0\n.target sm_35\n.address_size 64\n",
		HEAD, one->away, sync ? "sync." : "", one->shuffle, sync ? ", " : "", sync ? one->mask : "");
	launch.module = lockstep_load(gpu, "shuffle.ptx", ptx, &error);
	assert_string_equal(error.message, "");
	result = lockstep_run(gpu, &launch, &error);
	assert_non_null(result);
	as_expected = result->finding_count == (one->what != NULL) &&
		      (!one->what || strstr(result->findings[0].message, one->what));
	if (!as_expected) {
		print_error("%s %s: %s\n", sync ? "sync" : "", one->shuffle,
			result->finding_count ? result->findings[0].message : "nothing is found");
		failures++;
	}
	lockstep_close(gpu);
}

static void run_all(bool sync, const char *divergence)
{
	failures = 0;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		shuffle(&cases[k], sync, divergence);
	assert_int_equal(failures, 0);
}

static void shuffles_with_a_mask(void **state)
{
	(void)state;
	run_all(true, "policy.divergence=stack");
	run_all(true, "policy.divergence=independent");
}

static void shuffles_without(void **state)
{
	(void)state;
	run_all(false, "policy.divergence=stack");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shuffles_with_a_mask),
		cmocka_unit_test(shuffles_without),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
