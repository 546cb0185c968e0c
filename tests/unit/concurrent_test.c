/* Several launches at once: two kernels that wait for each other through memory, their results and their limits. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ask: sets flag[0], waits until flag[1] is set, writes to out.  answer: waits for flag[0], then sets flag[1].
 * in_two: its first work-group waits for flag[1], its second sets it.  fail: stores to address 16. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry ask(.param .u64 flags) {\n"
			  " .reg .b64 %a; .reg .b32 %v; .reg .pred %p;\n"
			  " ld.param.u64 %a, [flags];\n"
			  " st.release.gpu.global.u32 [%a], 1;\n"
			  "again: ld.acquire.gpu.global.u32 %v, [%a+4];\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again;\n"
			  " st.global.u32 [%a+8], 7; ret;\n}\n"
			  ".visible .entry answer(.param .u64 flags) {\n"
			  " .reg .b64 %a; .reg .b32 %v; .reg .pred %p;\n"
			  " ld.param.u64 %a, [flags];\n"
			  "again: ld.acquire.gpu.global.u32 %v, [%a];\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again;\n"
			  " st.release.gpu.global.u32 [%a+4], 1; ret;\n}\n"
			  ".visible .entry in_two(.param .u64 flags) {\n"
			  " .reg .b64 %a; .reg .b32 %v; .reg .pred %p;\n"
			  " ld.param.u64 %a, [flags]; mov.u32 %v, %ctaid.x; setp.ne.u32 %p, %v, 0; @%p bra set;\n"
			  "again: ld.acquire.gpu.global.u32 %v, [%a+4];\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n"
			  "set: st.release.gpu.global.u32 [%a+4], 1; ret;\n}\n"
			  ".visible .entry fail() { .reg .b64 %a; mov.u64 %a, 16; st.global.u32 [%a], 1; ret; }\n"
			  ".visible .entry change(.param .u64 flags) {\n"
			  " .reg .b64 %a; ld.param.u64 %a, [flags]; st.global.u32 [%a+128], 7; ret;\n}\n"
			  ".visible .entry sum(.param .u64 flags) {\n"
			  " .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [flags];\n"
			  " ld.global.u32 %v, [%a+128]; red.global.add.u32 [%a+256], %v; ret;\n}\n"
			  ".visible .entry meet() { bar.sync 1, 64; ret; }\n"
			  ".visible .entry wide(.param .u64 flags) {\n"
			  " .shared .align 4 .b8 room[30000]; .reg .b64 %a; .reg .b32 %v; .reg .pred %p;\n"
			  " ld.param.u64 %a, [flags]; st.shared.u32 [room], 1; atom.global.add.u32 %v, [%a], 1;\n"
			  "again: ld.acquire.gpu.global.u32 %v, [%a];\n"
			  " setp.lt.u32 %p, %v, 2; @%p bra again; ret;\n}\n"
			  ".visible .entry whole(.param .u64 flags) {\n"
			  " .shared .align 4 .b8 room[49152]; .reg .b64 %a; .reg .b32 %v; .reg .pred %p;\n"
			  " ld.param.u64 %a, [flags]; st.shared.u32 [room], 1; st.release.gpu.global.u32 [%a], 1;\n"
			  "again: ld.acquire.gpu.global.u32 %v, [%a+4];\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n";

struct bench {
	struct lockstep *gpu;
	struct lockstep_module *module;
	uint64_t flags;
};

static struct bench open_gpu_until(
	const char *model, const char *setting, enum lockstep_mode mode, uint32_t threads, uint64_t max_cycles)
{
	struct lockstep_error error;
	const char *settings[] = {setting, NULL};
	struct lockstep_options options = {.size = sizeof options,
		.gpu = model,
		.settings = settings,
		.mode = mode,
		.max_cycles = max_cycles,
		.threads = threads};
	struct bench b = {.gpu = lockstep_open(&options, &error)};

	assert_non_null(b.gpu);
	b.module = lockstep_load(b.gpu, "concurrent.ptx", ptx, &error);
	assert_non_null(b.module);
	b.flags = lockstep_allocate(b.gpu, 512, "flags");
	return b;
}

static struct bench open_gpu(const char *model, const char *setting, enum lockstep_mode mode, uint32_t threads)
{
	return open_gpu_until(model, setting, mode, threads, 2000000);
}

static uint64_t start(struct bench *b, const char *kernel, uint32_t groups, uint32_t threads)
{
	struct lockstep_error error;
	bool takes_flags = strcmp(kernel, "fail") && strcmp(kernel, "meet");
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = b->module,
		.kernel = kernel,
		.grid = {groups, 1, 1},
		.block = {threads, 1, 1},
		.parameters = &b->flags,
		.parameter_bytes = takes_flags ? sizeof b->flags : 0};
	uint64_t number = lockstep_start(b->gpu, &launch, &error);

	assert_int_not_equal(number, 0);
	return number;
}

static void kernels_that_wait_for_each_other(void **state)
{
	static const char *const models[] = {"gtx480", "v100"};
	uint64_t cycles[4] = {0};

	(void)state;
	for (uint32_t k = 0; k < 8; k++) {
		struct bench b = open_gpu(models[k % 2], "policy.scheduler=lrr",
			k & 2 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, k & 4 ? 3 : 1);
		uint64_t ask = start(&b, "ask", 1, 1), answer = start(&b, "answer", 1, 1);
		const struct lockstep_result *first = lockstep_finish(b.gpu), *second = lockstep_finish(b.gpu);

		assert_non_null(first);
		assert_non_null(second);
		assert_null(lockstep_finish(b.gpu));
		assert_int_equal(first->number + second->number, ask + answer);
		assert_int_equal(first->outcome, LOCKSTEP_COMPLETED);
		assert_int_equal(second->outcome, LOCKSTEP_COMPLETED);
		assert_true(first->overlapped && second->overlapped);
		assert_int_equal(((uint32_t *)lockstep_map(b.gpu, b.flags, 12))[2], 7);
		if (k & 4) /* threads change nothing */
			assert_int_equal(first->cycles, cycles[k % 4]);
		cycles[k % 4] = first->cycles;
		lockstep_close(b.gpu);
	}
}

/* A launch sees what those that have ended before it have written, in lines too that its cores have read before: here
 * all cores read a word, one writes it, and all read it again, while another kernel keeps the machine. */
static void a_launch_sees_what_was_written_before(void **state)
{
	static const char *const models[] = {"gtx480", "v100", "quadro-k5200", "radeon-r9"};

	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		static const char *const kernels[] = {"sum", "change", "sum"};
		struct bench b = open_gpu(models[k], "policy.scheduler=lrr", LOCKSTEP_TIMING, 1);
		uint64_t answer = start(&b, "answer", 1, 1), number;

		for (uint32_t n = 0; n < 3; n++) {
			number = start(&b, kernels[n], n == 1 ? 1 : 100, 1);
			assert_int_equal(lockstep_finish(b.gpu)->number, number);
		}
		assert_int_equal(((uint32_t *)lockstep_map(b.gpu, b.flags, 512))[64], 700);
		number = start(&b, "ask", 1, 1);
		assert_int_equal(lockstep_finish(b.gpu)->number + lockstep_finish(b.gpu)->number, number + answer);
		lockstep_close(b.gpu);
	}
}

/* Two work-groups of 30,000 bytes of shared memory, which wait for each other, do not fit one core of 48 KB, whoever
 * launches them; two cores have room. */
static void launches_share_the_memory_of_a_core(void **state)
{
	(void)state;
	for (uint32_t cores = 1; cores <= 2; cores++) {
		struct bench b = open_gpu("gtx480", cores == 1 ? "core.count=1" : "core.count=2", LOCKSTEP_TIMING, 1);

		start(&b, "wide", 1, 1);
		start(&b, "wide", 1, 1);
		assert_int_equal(lockstep_finish(b.gpu)->outcome, cores == 1 ? LOCKSTEP_HANG : LOCKSTEP_COMPLETED);
		lockstep_close(b.gpu);
	}
}

/* One that takes all shared memory of a core leaves room for one that wants none, and for which it waits. */
static void a_kernel_without_shared_memory_needs_none(void **state)
{
	struct bench b = open_gpu("gtx480", "core.count=1", LOCKSTEP_TIMING, 1);

	(void)state;
	start(&b, "whole", 1, 32);
	start(&b, "answer", 1, 1);
	for (int k = 0; k < 2; k++)
		assert_int_equal(lockstep_finish(b.gpu)->outcome, LOCKSTEP_COMPLETED);
	lockstep_close(b.gpu);
}

static void one_at_a_time_the_first_waits_for_ever(void **state)
{
	struct bench b = open_gpu("gtx480", "dispatch.concurrent_kernels=1", LOCKSTEP_TIMING, 1);
	const struct lockstep_result *result;
	uint64_t ask = start(&b, "ask", 1, 1), answer = start(&b, "answer", 1, 1);

	(void)state;
	result = lockstep_finish(b.gpu);
	assert_int_equal(result->number, ask);
	assert_int_equal(result->outcome, LOCKSTEP_HANG);
	assert_false(result->overlapped);
	assert_non_null(strstr(result->findings[0].message, ". The kernel answer has not begun: it waits for running "
							    "kernels to end (dispatch.concurrent_kernels is 1)"));
	result = lockstep_finish(b.gpu); /* its flag is set by now */
	assert_int_equal(result->number, answer);
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	lockstep_close(b.gpu);
}

/* 15 cores x 1 group of 1024 threads leave 512 threads of each core: a group of 512 of the second kernel finds
 * room; one of 1024 finds none. */
static void they_share_cores_as_room_allows(void **state)
{
	(void)state;
	for (uint32_t large = 0; large < 2; large++) {
		struct bench b = open_gpu_until("gtx480", "policy.scheduler=gto", LOCKSTEP_TIMING, 1, 200000);
		const struct lockstep_result *result;

		start(&b, "ask", 15, 1024);
		start(&b, "answer", 1, large ? 1024 : 512);
		result = lockstep_finish(b.gpu);
		assert_int_equal(result->outcome, large ? LOCKSTEP_LIMIT : LOCKSTEP_COMPLETED);
		lockstep_close(b.gpu);
	}
}

/* 15 cores of one group each.  Beside 15 groups nothing of the second kernel begins; beside 14 the group that waits,
 * and not the one that would set the flag. */
static void a_kernel_without_room_is_named(void **state)
{
	(void)state;
	for (uint32_t groups = 14; groups <= 15; groups++) {
		struct bench b = open_gpu("gtx480", "core.groups=1", LOCKSTEP_TIMING, 1);
		uint64_t ask = start(&b, "ask", groups, 1), in_two = start(&b, "in_two", 2, 1);
		const struct lockstep_result *result;

		result = lockstep_finish(b.gpu);
		assert_int_equal(result->number, ask);
		assert_int_equal(result->outcome, LOCKSTEP_HANG);
		assert_string_equal(result->findings[0].cause, "occupancy");
		assert_non_null(strstr(result->findings[0].message,
			groups == 15
				? ". The kernel in_two has not begun: the running kernels leave no room for it"
				: ". The kernel in_two has not fully begun: the running kernels leave no room for it"));
		result = lockstep_finish(b.gpu);
		assert_int_equal(result->number, in_two);
		assert_int_equal(result->outcome, LOCKSTEP_HANG);
		assert_string_equal(result->findings[0].cause, "occupancy");
		assert_ptr_equal(strstr(result->findings[0].message,
					 groups == 15 ? "No work-group of this kernel can start: work-groups that "
							"never end occupy the cores. Confirmed: with 17 cores, "
						      : "Group (0,0,0) thread (0,0,0) spins at concurrent.ptx:22 on "),
			result->findings[0].message);
		lockstep_close(b.gpu);
	}
}

static void a_fault_ends_what_runs_beside_it(void **state)
{
	struct bench b = open_gpu("v100", "policy.scheduler=gto", LOCKSTEP_TIMING, 1);
	const struct lockstep_result *result;
	uint64_t fail;

	(void)state;
	start(&b, "ask", 1, 1);
	fail = start(&b, "fail", 1, 1);
	result = lockstep_finish(b.gpu);
	assert_int_equal(result->number, fail);
	assert_int_equal(result->outcome, LOCKSTEP_FAULT);
	assert_string_equal(result->findings[0].cause, "address");
	result = lockstep_finish(b.gpu);
	assert_int_equal(result->outcome, LOCKSTEP_FAULT);
	assert_string_equal(result->findings[0].cause, "other");
	*(uint32_t *)lockstep_map(b.gpu, b.flags, 4) = 1;
	start(&b, "answer", 1, 1); /* the GPU goes on */
	result = lockstep_finish(b.gpu);
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	lockstep_close(b.gpu);
}

static void blocked_kernels_hang_together(void **state)
{
	(void)state;
	for (uint32_t mode = 0; mode < 2; mode++) {
		struct bench b =
			open_gpu("gtx480", "policy.scheduler=gto", mode ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, 1);
		const struct lockstep_result *result;

		start(&b, "meet", 1, 32);
		start(&b, "meet", 3, 32);
		for (uint32_t k = 0; k < 2; k++) {
			result = lockstep_finish(b.gpu);
			assert_int_equal(result->outcome, LOCKSTEP_HANG);
			assert_string_equal(result->findings[0].cause, "barrier");
		}
		assert_null(lockstep_finish(b.gpu));
		lockstep_close(b.gpu);
	}
}

static void modes_do_not_mix_and_run_returns_its_own(void **state)
{
	struct bench b = open_gpu("gtx480", "policy.scheduler=gto", LOCKSTEP_TIMING, 1);
	struct lockstep_error error;
	const struct lockstep_result *result;
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = b.module,
		.kernel = "answer",
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.parameters = &b.flags,
		.parameter_bytes = sizeof b.flags};
	uint64_t ask;

	(void)state;
	ask = start(&b, "ask", 1, 1);
	result = lockstep_run(b.gpu, &launch, &error);
	assert_int_equal(result->number, ask + 1);
	lockstep_set_mode(b.gpu, LOCKSTEP_FUNCTIONAL);
	result = lockstep_run(b.gpu, &launch, &error);
	assert_int_equal(result->mode, LOCKSTEP_FUNCTIONAL);
	assert_false(result->overlapped);
	result = lockstep_finish(b.gpu);
	assert_int_equal(result->number, ask);
	assert_null(lockstep_finish(b.gpu));
	lockstep_close(b.gpu);
}

/* A buffer goes while a kernel uses it, after the list of buffers has moved in memory. */
static void a_freed_buffer_is_missed(void **state)
{
	(void)state;
	for (uint32_t mode = LOCKSTEP_TIMING; mode <= LOCKSTEP_FUNCTIONAL; mode++) {
		struct bench b = open_gpu("gtx480", "policy.scheduler=lrr", (enum lockstep_mode)mode, 1);
		uint64_t answer = start(&b, "answer", 1, 1), meet = start(&b, "meet", 1, 64);
		const struct lockstep_result *result = lockstep_finish(b.gpu);

		assert_non_null(result);
		assert_int_equal(result->number, meet);
		for (uint32_t k = 0; k < 40; k++) /* none fits where the flags are */
			assert_int_not_equal(lockstep_allocate(b.gpu, 65536, NULL), 0);
		assert_true(lockstep_free(b.gpu, b.flags));
		result = lockstep_finish(b.gpu);
		assert_non_null(result);
		assert_int_equal(result->number, answer);
		assert_int_equal(result->outcome, LOCKSTEP_FAULT);
		lockstep_close(b.gpu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_that_wait_for_each_other),
		cmocka_unit_test(a_launch_sees_what_was_written_before),
		cmocka_unit_test(launches_share_the_memory_of_a_core),
		cmocka_unit_test(a_kernel_without_shared_memory_needs_none),
		cmocka_unit_test(one_at_a_time_the_first_waits_for_ever),
		cmocka_unit_test(they_share_cores_as_room_allows),
		cmocka_unit_test(a_kernel_without_room_is_named),
		cmocka_unit_test(a_fault_ends_what_runs_beside_it),
		cmocka_unit_test(blocked_kernels_hang_together),
		cmocka_unit_test(modes_do_not_mix_and_run_returns_its_own),
		cmocka_unit_test(a_freed_buffer_is_missed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
