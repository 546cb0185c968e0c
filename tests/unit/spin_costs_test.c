/* What a turn of a spin loop costs: a poll and a failed attempt to take a lock are a chain of three instructions, each
 * of which waits for the one before, and take what the tables of the models add up to.
 *
 *     access      its latency, from a chain of such accesses in the same launch, less `address`
 *     guard       from the compare to the branch that it guards: Mesa's compiler NAK, sm75 (12) and sm80 (13); h200 has
 *                 no table, but those of 8.0 and 10.0 agree
 *     branch      from the branch to the next access: 5, the stall count that NVIDIA's compiler gives BRA.  What a
 * taken branch costs beyond it is not known address     from an addition to the address of an access, which ends each
 * link of the chain: NAK, 6 and 5 */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define LINKS 32
#define TEXT 8192

static const struct model {
	const char *name;
	uint32_t guard, branch, address;
} models[] = {{"rtx2070s", 12, 5, 6}, {"a100", 13, 5, 5}, {"rtx4090", 13, 5, 5}, {"h200", 13, 5, 5}};

/* Of the word at %a, which is 0 until the end, into %x. */
static const char *const accesses[] = {"ld.volatile.global.u64 %x, [%a];", "ld.acquire.gpu.global.u64 %x, [%a];",
	"atom.global.cas.b64 %x, [%a], %five, %five;"};

#define ACCESSES (sizeof accesses / sizeof *accesses)

/* Group 0 makes the chain, then spins; group 1 writes the word in the end. */
static const char head[] =
	".version 7.5\n.target sm_75\n.address_size 64\n"
	".visible .entry k(.param .u64 words) {\n"
	" .reg .b64 %a, %o, %x, %five; .reg .b32 %g, %n, %t, %u; .reg .pred %p;\n"
	" ld.param.u64 %a, [words]; add.u64 %o, %a, 1024; mov.u64 %five, 5; mov.u32 %n, 0; mov.u32 %g, %ctaid.x;\n"
	" setp.ne.u32 %p, %g, 0; @%p bra write;\n mov.u32 %t, %clock;\n";
static const char between[] = " mov.u32 %u, %clock; sub.u32 %u, %u, %t; st.global.u32 [%o], %u;\n"
			      " mov.u32 %t, %clock;\nspin:\n";
static const char tail[] = " add.u32 %n, %n, 1; setp.eq.u64 %p, %x, 0; @%p bra spin;\n"
			   " mov.u32 %u, %clock; sub.u32 %u, %u, %t; st.global.u32 [%o+4], %u;\n"
			   " st.global.u32 [%o+8], %n; ret;\nwrite:\n mov.u32 %t, %clock;\nwait:\n"
			   " mov.u32 %u, %clock; sub.u32 %u, %u, %t; setp.lt.u32 %p, %u, 60000; @%p bra wait;\n"
			   " mov.u64 %x, 1; st.volatile.global.u64 [%a], %x; ret;\n}\n";

/* Tenths of a cycle: of a link of the chain, and of a turn of the loop. */
struct costs {
	uint32_t link, turn;
};

static size_t write_kernel(char *ptx, const char *access)
{
	size_t length = (size_t)snprintf(ptx, TEXT, "%s", head);

	for (uint32_t k = 0; k < LINKS; k++)
		length += (size_t)snprintf(ptx + length, TEXT - length, " %s add.u64 %%a, %%a, %%x;\n", access);
	length += (size_t)snprintf(ptx + length, TEXT - length, "%s %s%s", between, access, tail);
	assert_true(length < TEXT);
	return length;
}

static struct costs costs_of(const char *model, const char *access, const char *setting)
{
	static char ptx[TEXT];
	const char *settings[] = {setting, NULL};
	struct lockstep_options options = {.size = sizeof options,
		.gpu = model,
		.settings = setting ? settings : NULL,
		.mode = LOCKSTEP_TIMING,
		.threads = 1};
	struct lockstep_error error;
	struct lockstep *gpu = lockstep_open(&options, &error);
	uint32_t out[3] = {0};

	assert_non_null(gpu);
	write_kernel(ptx, access);
	uint64_t words = lockstep_allocate(gpu, 4096, "words");
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = lockstep_load(gpu, "spin.ptx", ptx, &error),
		.kernel = "k",
		.grid = {2, 1, 1},
		.block = {1, 1, 1},
		.parameters = &words,
		.parameter_bytes = sizeof words};
	assert_non_null(launch.module);
	assert_non_null(lockstep_run(gpu, &launch, &error));
	assert_true(lockstep_read(gpu, out, words + 1024, sizeof out, &error));
	lockstep_close(gpu);
	assert_true(out[2] > 20);
	return (struct costs){.link = out[0] * 10 / LINKS, .turn = out[1] * 10 / out[2]};
}

/* Two cycles and a half for what comes before the first access and after the last.  In the hostile build other costs
 * come on top: there the kernels only run. */
static void near(uint32_t is, uint32_t should)
{
#if !LOCKSTEP_HOSTILE
	assert_in_range(is, should - 25, should + 25);
#else
	(void)is, (void)should;
#endif
}

static void a_turn_is_access_guard_and_branch(void **state)
{
	(void)state;
	for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
		const struct model *model = &models[m];

		for (size_t k = 0; k < ACCESSES; k++) {
			struct costs costs = costs_of(model->name, accesses[k], NULL);

			near(costs.turn, costs.link + 10 * (model->guard + model->branch - model->address));
		}
	}
}

/* Without the tables the compare and the branch take four cycles and two. */
static void without_the_tables_it_takes_less(void **state)
{
	(void)state;
	for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
		const struct model *model = &models[m];
		uint32_t turn = costs_of(model->name, accesses[0], NULL).turn;

		near(costs_of(model->name, accesses[0], "pair.alu_guard=0").turn, turn - 10 * (model->guard - 4));
		near(costs_of(model->name, accesses[0], "latency.branch=0").turn, turn - 10 * (model->branch - 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_is_access_guard_and_branch),
		cmocka_unit_test(without_the_tables_it_takes_less),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
