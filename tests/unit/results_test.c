/* The result of a launch through the public interface (lockstep.h) and the JSON report of the same launch: each field
 * that a caller reads is there, and what can be counted by hand is right.  The kernels take a lock, meet at a barrier,
 * fence, and hang. */
#include "lockstep.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* work: of each of 2 x 3 work-groups one thread takes the lock at `data`, and counts at data + 8; with a fence, a
 * barrier and 256 bytes of shared memory.  stuck: thread (0,0,0) waits for data + 4 under that lock, the others for
 * the lock.  wild: thread (3,1,0) of group (1,2,0) stores to address 12. */
#define HEAD                                                                                                           \
	"(.param .u64 data) {\n.reg .b64 %a; .reg .b32 %v, %t, %u, %w, %x, %y; .reg .pred %p, %q;\n"                   \
	"ld.param.u64 %a, [data]; mov.u32 %t, %tid.x; mov.u32 %u, %tid.y; or.b32 %w, %t, %u;\n"
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry work" HEAD ".shared .align 4 .b8 room[256]; st.shared.u32 [room], %t;\n"
	"bar.sync 0; setp.ne.u32 %p, %w, 0; @%p bra done;\n"
	"again: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %q, %v, 0; @%q bra again;\n"
	"ld.volatile.global.u32 %v, [%a+8]; add.u32 %v, %v, 1; st.volatile.global.u32 [%a+8], %v;\n"
	"membar.gl; atom.global.exch.b32 %v, [%a], 0;\ndone: ret;\n}\n"
	".visible .entry stuck" HEAD "lock: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %q, %v, 0; @%q bra lock;\n"
	"wait: ld.volatile.global.u32 %v, [%a+4]; setp.eq.u32 %p, %v, 0; @%p bra wait;\n"
	"atom.global.exch.b32 %v, [%a], 0; ret;\n}\n"
	".visible .entry wild" HEAD "mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; setp.ne.u32 %p, %t, 3; @%p ret;\n"
	"setp.ne.u32 %p, %u, 1; @%p ret; setp.ne.u32 %p, %x, 1; @%p ret; setp.ne.u32 %p, %y, 2; @%p ret;\n"
	"mov.u64 %a, 12; st.global.u32 [%a], 5; ret;\n}\n";

static struct lockstep *gpu;
static struct lockstep_module *module;
static uint64_t data;

static void open_gpu(enum lockstep_profile profile, uint64_t samples)
{
	struct lockstep_options options = {.size = sizeof options,
		.gpu = "gtx480",
		.profile = profile,
		.samples = samples,
		.hang_after = 100000,
		.seed = 3};
	struct lockstep_error error = {0};

	gpu = lockstep_open(&options, &error);
	assert_string_equal(error.message, "");
	module = lockstep_load(gpu, "results.ptx", ptx, &error);
	assert_string_equal(error.message, "");
	data = lockstep_allocate(gpu, 64, "data");
}

static const struct lockstep_result *run(const char *kernel, struct lockstep_launch launch)
{
	struct lockstep_error error = {0};

	launch.module = module;
	launch.kernel = kernel;
	launch.parameters = &data;
	launch.parameter_bytes = sizeof data;
	const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	return result;
}

/* ---- JSON ---- */

/* The value at a path such as "occupancy/groups" or "lines/0/stalls"; the names in it have no slash. */
static json_object *at(json_object *object, const char *path, ...)
{
	char name[200], whole[200];
	va_list list;

	va_start(list, path);
	vsnprintf(whole, sizeof whole, path, list);
	va_end(list);
	for (const char *next = whole; *next; next += next[0] == '/') {
		size_t length = strcspn(next, "/");
		snprintf(name, sizeof name, "%.*s", (int)length, next);
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, strtoul(name, NULL, 10));
		else if (!json_object_object_get_ex(object, name, &object))
			fail_msg("there is no %s", whole);
		next += length;
	}
	return object;
}

#define number(...) json_object_get_uint64(at(__VA_ARGS__))
#define text(...) json_object_get_string(at(__VA_ARGS__))
#define length(...) json_object_array_length(at(__VA_ARGS__))

static void same_triple(json_object *object, const uint32_t triple[3])
{
	assert_int_equal(json_object_array_length(object), 3);
	for (uint32_t k = 0; k < 3; k++)
		assert_int_equal(number(object, "%u", k), triple[k]);
}

static void same_launch(json_object *json, const struct lockstep_result *r)
{
	static const char *const outcomes[] = {"completed", "hang", "fault", "limit", "interrupted"};

	assert_string_equal(text(json, "kernel"), r->kernel);
	same_triple(at(json, "grid"), r->grid);
	same_triple(at(json, "block"), r->block);
	assert_string_equal(text(json, "outcome"), outcomes[r->outcome]);
	assert_string_equal(text(json, "mode"), r->mode == LOCKSTEP_TIMING ? "timing" : "functional");
	assert_int_equal(number(json, "cycles"), r->cycles);
	assert_int_equal(number(json, "warp_instructions"), r->warp_instructions);
	assert_int_equal(number(json, "thread_instructions"), r->thread_instructions);
	assert_true(json_object_get_double(at(json, "wall_seconds")) == r->wall_seconds);
	assert_int_equal(number(json, "registers_per_thread"), r->registers_per_thread);
	assert_int_equal(number(json, "shared_bytes"), r->shared_bytes);
	assert_int_equal(number(json, "occupancy/groups_per_core"), r->groups_per_core);
	assert_int_equal(number(json, "occupancy/groups"), r->groups);
	assert_string_equal(text(json, "occupancy/limiter"), r->limiter);
	assert_int_equal(json_object_object_length(at(json, "counters")), r->counter_count);
	for (size_t k = 0; k < r->counter_count; k++) {
		struct lockstep_counter counter;

		assert_true(lockstep_counter(k, &counter));
		assert_string_equal(r->counters[k].name, counter.name);
		assert_string_equal(r->counters[k].unit, counter.unit);
		assert_string_equal(r->counters[k].meaning, counter.meaning);
		assert_int_equal(number(json, "counters/%s", r->counters[k].name), r->counters[k].value);
	}
	assert_false(lockstep_counter(r->counter_count, &(struct lockstep_counter){0}));
}

static void same_findings(json_object *json, const struct lockstep_result *r)
{
	assert_int_equal(length(json, "findings"), r->finding_count);
	for (size_t k = 0; k < r->finding_count; k++) {
		const struct lockstep_finding *f = &r->findings[k];
		json_object *found = at(json, "findings/%zu", k);

		assert_string_equal(text(found, "kernel"), r->kernel);
		assert_string_equal(text(found, "kind"), f->kind);
		assert_string_equal(text(found, "certainty"), f->certainty);
		assert_string_equal(text(found, "cause"), f->cause);
		assert_int_equal(json_object_get_boolean(at(found, "confirmed")), f->confirmed);
		assert_int_equal(number(found, "count"), f->count);
		assert_string_equal(text(found, "message"), f->message);
		assert_int_equal(length(found, "lines"), f->line_count);
		for (size_t l = 0; l < f->line_count; l++) {
			assert_string_equal(text(found, "lines/%zu/file", l), f->lines[l].file);
			assert_int_equal(number(found, "lines/%zu/line", l), f->lines[l].line);
			if (f->lines[l].role)
				assert_string_equal(text(found, "lines/%zu/role", l), f->lines[l].role);
		}
		assert_int_equal(length(found, "threads"), f->thread_count);
		for (size_t t = 0; t < f->thread_count; t++) {
			same_triple(at(found, "threads/%zu/group", t), f->threads[t].group);
			same_triple(at(found, "threads/%zu/thread", t), f->threads[t].thread);
			assert_string_equal(text(found, "threads/%zu/state", t), f->threads[t].state);
		}
		assert_int_equal(length(found, "addresses"), f->address_count);
		for (size_t a = 0; a < f->address_count; a++)
			assert_string_equal(text(found, "addresses/%zu", a), f->addresses[a]);
	}
}

static uint64_t counted(const struct lockstep_result *r, const char *name)
{
	for (size_t k = 0; k < r->counter_count; k++)
		if (!strcmp(r->counters[k].name, name))
			return r->counters[k].value;
	fail_msg("there is no counter %s", name);
	return 0;
}

/* ---- A launch that completes ---- */

/* Instructions of the profile: each in one line of the report, and the lines add up to the launch. */
static void same_costs(json_object *json, const struct lockstep_result *r)
{
	uint64_t issued = 0, lanes = 0;
	size_t found = 0, stalls = lockstep_profiled_stalls();

	for (size_t k = 0; k < r->cost_count; k++) {
		const struct lockstep_cost *c = &r->costs[k];

		issued += c->issued;
		lanes += c->lanes;
		for (size_t l = 0; l < length(json, "lines"); l++)
			for (size_t n = 0; n < length(json, "lines/%zu/instructions", l); n++) {
				json_object *i = at(json, "lines/%zu/instructions/%zu", l, n);
				uint64_t stalled = 0, of_json = 0;

				if (number(i, "pc") != c->pc)
					continue;
				found++;
				assert_string_equal(text(json, "lines/%zu/file", l), c->file);
				assert_int_equal(number(json, "lines/%zu/line", l), c->line);
				assert_string_equal(text(i, "text"), c->text);
				assert_int_equal(number(i, "issued"), c->issued);
				assert_int_equal(number(i, "lanes"), c->lanes);
				for (size_t v = 0; v < stalls; v++)
					stalled += c->values[v];
				json_object_object_foreach(at(i, "stalls"), reason, value)
				{
					assert_non_null(reason);
					of_json += json_object_get_uint64(value);
				}
				assert_int_equal(of_json, stalled);
				for (size_t v = stalls; lockstep_profiled(v); v++)
					if (c->values[v])
						assert_int_equal(
							number(i, "counters/%s", lockstep_profiled(v)), c->values[v]);
			}
	}
	assert_int_equal(found, r->cost_count);
	assert_string_equal(r->costs[0].text, "ld.param.u64 %a, [data]");
	assert_int_equal(issued, r->warp_instructions);
	assert_int_equal(lanes, r->thread_instructions);
}

static void same_waits(json_object *json, const struct lockstep_result *r)
{
	assert_int_equal(length(json, "locks"), r->lock_count);
	assert_int_equal(r->lock_count, 1);
	const struct lockstep_lock *lock = &r->locks[0];
	assert_string_equal(text(json, "locks/0/address"), lock->address);
	char address[64];
	snprintf(address, sizeof address, "0x%llx (buf 'data' + 0x0)", (unsigned long long)data);
	assert_string_equal(lock->address, address);
	assert_int_equal(lock->groups, 0);
	assert_int_equal(lock->longest_queue, 5);
	assert_int_equal(lock->from_other_core, 5); /* a work-group on each of six cores */
	assert_true(lock->worst_thread.group[0] < 2 && lock->worst_thread.group[1] < 3);
	assert_int_equal(lock->worst_thread.group[2] + lock->worst_thread.thread[0] + lock->worst_thread.thread[1], 0);
	assert_string_equal(lock->sites[0].file, "results.ptx");
	assert_int_equal(lock->acquires, 6);
	assert_int_equal(number(json, "locks/0/acquires"), lock->acquires);
	assert_int_equal(number(json, "locks/0/failed"), lock->failed);
	assert_int_equal(lock->site_count, 1);
	assert_int_equal(lock->sites[0].acquires, 6);
	assert_int_equal(lock->sites[0].failed, lock->failed);
	assert_int_equal(lock->sites[0].line, 9);
	assert_true(lock->worst <= lock->waited && lock->held > 0 && lock->held < r->cycles);
	assert_int_equal(length(json, "barriers"), r->barrier_count);
	assert_int_equal(r->barrier_count, 1);
	assert_string_equal(text(json, "barriers/0/text"), r->barriers[0].text);
	assert_int_equal(r->barriers[0].phases, 6); /* once in each work-group */
	assert_int_equal(number(json, "barriers/0/phases"), 6);
	assert_int_equal(number(json, "barriers/0/waited"), r->barriers[0].waited);
	assert_int_equal(number(json, "barriers/0/line"), 8);
	assert_int_equal(length(json, "fences"), r->fence_count);
	assert_int_equal(r->fence_count, 1);
	assert_int_equal(r->fences_waited[0].count, 6);
	assert_int_equal(number(json, "fences/0/count"), 6);
	assert_int_equal(number(json, "fences/0/waited"), r->fences_waited[0].waited);
	assert_string_equal(text(json, "fences/0/scope"), "gpu");
	assert_int_equal(number(json, "fences/0/line"), 11);
}

static void same_samples(json_object *json, const struct lockstep_result *r)
{
	const struct lockstep_samples *s = r->samples;
	uint64_t cycles = 0;

	assert_true(s->count > 1);
	assert_int_equal(number(json, "samples/interval"), s->interval);
	assert_int_equal(length(json, "samples/cycles"), s->count);
	for (size_t k = 0; k < s->count; k++) {
		assert_int_equal(number(json, "samples/cycles/%zu", k), s->cycles[k]);
		cycles += s->cycles[k];
	}
	assert_in_range(cycles, r->cycles, r->cycles + s->interval); /* the last ends with a quantum */
	for (size_t f = 0; lockstep_sampled(f); f++) {
		uint64_t sum = 0;
		for (size_t k = 0; k < s->count; k++) {
			sum += s->values[f][k];
			if (counted(r, lockstep_sampled(f)))
				assert_int_equal(number(json, "samples/counters/%s/%zu", lockstep_sampled(f), k),
					s->values[f][k]);
		}
		assert_int_equal(sum, counted(r, lockstep_sampled(f)));
	}
	assert_int_equal(length(json, "samples/warps"), s->warp_count);
	for (size_t k = 0; k < s->warp_count; k++) {
		assert_int_equal(number(json, "samples/warps/%zu/core", k), s->warps[k].core);
		assert_int_equal(number(json, "samples/warps/%zu/warp", k), s->warps[k].warp);
		assert_int_equal(strlen(text(json, "samples/warps/%zu/states", k)), s->count);
		assert_memory_equal(text(json, "samples/warps/%zu/states", k), s->warps[k].states, s->count);
	}
	/* Two warps on each of six cores, of which one takes the lock and the other soon ends. */
	assert_int_equal(s->warp_count, 12);
	for (size_t k = 0; k < 12; k++) {
		assert_int_equal(s->warps[k].core, s->warps[k - k % 2].core);
		assert_int_equal(s->warps[k].warp, k % 2);
		assert_true(s->warps[k].states[s->count - 2] == '.' || k % 2 == 0);
		assert_true(!k || k % 2 || s->warps[k].core != s->warps[k - 1].core);
	}
	assert_memory_not_equal(s->warps[0].states, s->warps[1].states, s->count);
}

static void what_completes_is_the_same_in_both(void **state)
{
	const uint32_t grid[] = {2, 3, 1}, block[] = {16, 4, 1};

	(void)state;
	open_gpu(LOCKSTEP_PROFILE, 100);
	const struct lockstep_result *r =
		run("work", (struct lockstep_launch){
				    .size = sizeof(struct lockstep_launch), .grid = {2, 3, 1}, .block = {16, 4, 1}});
	json_object *json = json_tokener_parse(lockstep_report_launch(gpu, r));

	same_launch(json, r);
	same_findings(json, r);
	same_costs(json, r);
	same_waits(json, r);
	same_samples(json, r);
	json_object_put(json);
	assert_string_equal(r->kernel, "work");
	assert_memory_equal(r->grid, grid, sizeof grid);
	assert_memory_equal(r->block, block, sizeof block);
	assert_int_equal(r->number, 1);
	assert_int_equal(r->start, 0);
	assert_int_equal(r->outcome, LOCKSTEP_COMPLETED);
	assert_int_equal(r->mode, LOCKSTEP_TIMING);
	assert_false(r->overlapped);
	assert_int_equal(r->shared_bytes, 256);
	assert_int_equal(r->groups_per_core, 8); /* of a gtx480, whose 15 cores have room for 8 groups each */
	assert_int_equal(r->groups, 120);
	assert_string_equal(r->limiter, "groups");
	assert_int_equal(r->finding_count + r->again_count + r->access_count, 0);
	assert_null(r->search);
	assert_int_equal(r->parent + r->children + r->root + r->stream, 0);
	assert_int_equal(counted(r, "smsp__inst_executed.sum"), r->warp_instructions);
	assert_int_equal(counted(r, "smsp__thread_inst_executed.sum"), r->thread_instructions);
	assert_int_equal(((uint32_t *)lockstep_map(gpu, data, 64))[2], 6);
	/* The next begins where this one has ended, and is a result of its own. */
	const struct lockstep_result *next = run("work",
		(struct lockstep_launch){
			.size = sizeof(struct lockstep_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = 5});
	assert_int_equal(next->number, 2);
	assert_in_range(next->start, r->cycles, r->cycles + 500);
	assert_int_equal(next->stream, 5);
	assert_true(next->thread_instructions < next->warp_instructions); /* two guards were false */
	assert_int_equal(lockstep_result_count(gpu), 2);
	assert_ptr_equal(lockstep_result(gpu, 0), r);
	assert_ptr_equal(lockstep_result(gpu, 1), next);
	assert_null(lockstep_result(gpu, 2));
	lockstep_forget(gpu, r);
	assert_int_equal(lockstep_result_count(gpu), 1);
	assert_ptr_equal(lockstep_result(gpu, 0), next);
	lockstep_close(gpu);
}

/* ---- Where a lock came from, and how far fences reach ---- */

/* Each of the first lanes of warps takes the lock so often. */
static const char takes[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry takes(.param .u64 data, .param .u32 times) {\n"
	".reg .b64 %a; .reg .b32 %v, %t, %n; .reg .pred %p, %q; ld.param.u64 %a, [data]; ld.param.u32 %n, [times];\n"
	"mov.u32 %t, %tid.x; and.b32 %t, %t, 31; setp.ne.u32 %p, %t, 0; @%p bra done;\n"
	"turn: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %q, %v, 0; @%q bra turn;\n"
	"membar.gl; atom.global.exch.b32 %v, [%a], 0;\n"
	"sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra turn;\ndone: ret;\n}\n";

/* The first time it comes from nowhere. */
static void a_lock_comes_from_where_it_was(void **state)
{
	static const struct {
		uint32_t groups, threads, times;
		uint64_t from_same_warp, from_same_core, from_other_core;
	} rows[] = {{1, 1, 4, 3, 0, 0}, {1, 64, 1, 0, 1, 0}, {2, 1, 1, 0, 0, 1}, {3, 1, 1, 0, 0, 2}};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep_error error = {0};
		open_gpu(LOCKSTEP_PROFILE, 0);
		struct {
			uint64_t data;
			uint32_t times;
		} parameters = {data, rows[k].times};
		const struct lockstep_result *r = lockstep_run(gpu,
			&(struct lockstep_launch){.size = sizeof(struct lockstep_launch),
				.module = lockstep_load(gpu, "takes.ptx", takes, &error),
				.grid = {rows[k].groups, 1, 1},
				.block = {rows[k].threads, 1, 1},
				.parameters = &parameters,
				.parameter_bytes = 12},
			&error);
		assert_string_equal(error.message, "");
		assert_int_equal(r->lock_count, 1);
		assert_int_equal(r->locks->from_same_warp, rows[k].from_same_warp);
		assert_int_equal(r->locks->from_same_core, rows[k].from_same_core);
		assert_int_equal(r->locks->from_other_core, rows[k].from_other_core);
		json_object *json = json_tokener_parse(lockstep_report_launch(gpu, r));
		assert_int_equal(number(json, "locks/0/from_same_warp"), rows[k].from_same_warp);
		assert_int_equal(number(json, "locks/0/from_same_core"), rows[k].from_same_core);
		assert_int_equal(number(json, "locks/0/from_other_core"), rows[k].from_other_core);
		json_object_put(json);
		lockstep_close(gpu);
	}
}

/* In the order of the code; one of a work-group waits for nothing, and is not among them.  What is waited for is told
 * by what was answered last: the first store and the first load of a place miss the L2. */
static void fences_reach_as_far_as_they_say(void **state)
{
	static const struct {
		const char *text, *scope, *fixed;
		char awaited; /* Store, Load, Atomic, Nothing */
		bool misses;
	} rows[] = {{"membar.gl", "gpu", "fence.latency", 'S', true},
		{"membar.sys", "sys", "fence.system_latency", 'N', false},
		{"fence.acq_rel.cluster", "cluster", "fence.latency", 'N', false},
		{"fence.acq_rel.gpu", "gpu", "fence.latency", 'L', true},
		{"membar.gl", "gpu", "fence.latency", 'L', false},
		{"fence.sc.sys", "sys", "fence.system_latency", 'A', false}};
	static const char fences[] =
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry fences(.param .u64 data) {\n"
		".reg .b64 %a; .reg .b32 %r;\n"
		"ld.param.u64 %a, [data]; fence.sc.cta; st.global.u32 [%a], 1; membar.gl; membar.sys; "
		"fence.acq_rel.cluster;\n"
		"ld.volatile.global.u32 %r, [%a+512]; fence.acq_rel.gpu; ld.volatile.global.u32 %r, [%a+512]; "
		"membar.gl;\nmembar.cta; red.global.add.u32 [%a+512], 1; fence.sc.sys; ret;\n}\n";
	static const char *const settings[] = {"l2.prefill=0", NULL};
	struct lockstep_options options = {
		.size = sizeof options, .gpu = "h200", .settings = settings, .profile = LOCKSTEP_PROFILE};
	struct lockstep_error error = {0};
	(void)state;
	gpu = lockstep_open(&options, &error);
	data = lockstep_allocate(gpu, 1024, "data");
	const struct lockstep_result *r = lockstep_run(gpu,
		&(struct lockstep_launch){.size = sizeof(struct lockstep_launch),
			.module = lockstep_load(gpu, "fences.ptx", fences, &error),
			.grid = {1, 1, 1},
			.block = {2, 1, 1},
			.parameters = &data,
			.parameter_bytes = sizeof data},
		&error);
	assert_string_equal(error.message, "");
	json_object *json = json_tokener_parse(lockstep_report_launch(gpu, r));
	assert_int_equal(r->fence_count, sizeof rows / sizeof *rows);
	for (size_t k = 0; k < r->fence_count; k++) {
		const struct lockstep_fence *f = &r->fences_waited[k];
		assert_string_equal(f->text, rows[k].text);
		assert_string_equal(f->scope, rows[k].scope);
		assert_int_equal(f->count, 1);
		assert_int_equal(f->waited > 0, rows[k].awaited != 'N');
		assert_int_equal(f->stores, rows[k].awaited == 'S' ? f->waited : 0);
		assert_int_equal(f->loads, rows[k].awaited == 'L' ? f->waited : 0);
		assert_int_equal(f->atomics, rows[k].awaited == 'A' ? f->waited : 0);
		assert_int_equal(f->others, 0);
		assert_int_equal(f->worst, f->waited);
		assert_int_equal(f->missed, rows[k].misses ? f->waited : 0);
		assert_int_equal(f->fixed, lockstep_field(gpu, rows[k].fixed).number);
		assert_int_equal(f->emptied, 1);
		assert_int_equal(number(json, "fences/%zu/waited", k), f->waited);
		assert_string_equal(text(json, "fences/%zu/scope", k), f->scope);
	}
	json_object_put(json);
	lockstep_close(gpu);
}

/* ---- Those that do not ---- */

static void a_hang_is_the_same_in_both(void **state)
{
	(void)state;
	open_gpu(LOCKSTEP_NO_PROFILE, 0);
	const struct lockstep_result *r =
		run("stuck", (struct lockstep_launch){
				     .size = sizeof(struct lockstep_launch), .grid = {3, 1, 1}, .block = {1, 1, 1}});
	json_object *json = json_tokener_parse(lockstep_report_launch(gpu, r)), *found = at(json, "findings/0");
	const struct lockstep_finding *f = r->findings;

	same_launch(json, r);
	same_findings(json, r);
	assert_int_equal(r->outcome, LOCKSTEP_HANG);
	assert_int_equal(r->finding_count, 1);
	assert_string_equal(f->kind, "hang");
	assert_string_equal(f->certainty, "proved");
	assert_string_equal(text(found, "verdict/what"), f->what);
	assert_string_equal(text(found, "verdict/who"), f->who);
	assert_string_equal(text(found, "verdict/checked"), f->checked);
	assert_string_equal(text(found, "verdict/fix"), f->fix);
	assert_non_null(strstr(f->message, f->what));
	assert_non_null(strstr(f->message, f->who));
	assert_non_null(strstr(f->message, f->fix));
	assert_int_equal(length(found, "rivals"), f->rival_count);
	for (size_t k = 0; k < f->rival_count; k++) {
		assert_string_equal(text(found, "rivals/%zu/cause", k), f->rivals[k].cause);
		assert_int_equal(json_object_get_boolean(at(found, "rivals/%zu/went_on", k)), f->rivals[k].went_on);
	}
	assert_int_equal(json_object_object_get_ex(found, "would_go_on", NULL), f->would_go_on);
	assert_null(r->costs);
	assert_null(r->samples);
	assert_null(r->locks);
	json_object_put(json);
	lockstep_close(gpu);
}

static void a_fault_is_the_same_in_both(void **state)
{
	(void)state;
	open_gpu(LOCKSTEP_NO_PROFILE, 0);
	const struct lockstep_result *r =
		run("wild", (struct lockstep_launch){
				    .size = sizeof(struct lockstep_launch), .grid = {2, 3, 1}, .block = {4, 2, 1}});
	json_object *json = json_tokener_parse(lockstep_report_launch(gpu, r));
	const struct lockstep_finding *f = r->findings;

	same_launch(json, r);
	same_findings(json, r);
	assert_int_equal(r->outcome, LOCKSTEP_FAULT);
	assert_string_equal(f->kind, "fault");
	assert_string_equal(f->cause, "address");
	assert_null(f->what);
	assert_false(json_object_object_get_ex(at(json, "findings/0"), "verdict", NULL));
	assert_int_equal(f->threads[0].group[0], 1);
	assert_int_equal(f->threads[0].group[1], 2);
	assert_int_equal(f->threads[0].thread[0], 3);
	assert_int_equal(f->threads[0].thread[1], 1);
	json_object_put(json);
	lockstep_close(gpu);
}

/* The report of all launches has those of each, without the modes, and the findings with the kernels that they are of.
 */
static void the_report_has_all_launches(void **state)
{
	(void)state;
	open_gpu(LOCKSTEP_NO_PROFILE, 0);
	run("work", (struct lockstep_launch){
			    .size = sizeof(struct lockstep_launch), .grid = {1, 1, 1}, .block = {4, 1, 1}});
	run("wild", (struct lockstep_launch){
			    .size = sizeof(struct lockstep_launch), .grid = {2, 3, 1}, .block = {4, 2, 1}});
	json_object *json = json_tokener_parse(lockstep_report(gpu));

	assert_int_equal(length(json, "launches"), 2);
	for (size_t k = 0; k < 2; k++) {
		const struct lockstep_result *r = lockstep_result(gpu, k);
		json_object *launch = at(json, "launches/%zu", k);

		json_object_object_add(launch, "mode", json_object_new_string("timing"));
		same_launch(launch, r);
	}
	same_findings(json, lockstep_result(gpu, 1));
	assert_string_equal(text(json, "gpu"), "gtx480");
	assert_int_equal(number(json, "configuration/run.seed"), 3);
	struct lockstep_field field;
	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++)
		if (field.text)
			assert_string_equal(text(json, "configuration/%s", field.path), field.text);
		else
			assert_int_equal(number(json, "configuration/%s", field.path), field.number);
	json_object_put(json);
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_completes_is_the_same_in_both),
		cmocka_unit_test(a_lock_comes_from_where_it_was),
		cmocka_unit_test(fences_reach_as_far_as_they_say),
		cmocka_unit_test(a_hang_is_the_same_in_both),
		cmocka_unit_test(a_fault_is_the_same_in_both),
		cmocka_unit_test(the_report_has_all_launches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
