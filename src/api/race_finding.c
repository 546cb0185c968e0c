/* Races as findings of the public interface. */
#include "api/api.h"
#include "machine/observe/races.h"

#include <inttypes.h>
#include <string.h>

static const char *word_of(uint8_t scope)
{
	return scope == scope_CTA       ? " .cta"
	       : scope == scope_CLUSTER ? " .cluster"
	       : scope == scope_SYS     ? " .sys"
					: " .gpu";
}

/* What is told as a block; null: it is not. */
static const char *block_of(struct arena *arena, const struct race_side *side)
{
	const struct insn *i = &side->kernel->code[side->pc];
	const char *name = ptx_ops[i->op].spelling;

	if (i->kind == INSN_DEVICE)
		return "a call of CUDA's device runtime, which writes here,";
	if (i->kind == INSN_COPY)
		return arena_printf(arena, "an asynchronous copy (%s), which %s here", name,
			side->reads_source ? "reads" : "writes");
	if (i->kind == INSN_FRAGMENT || i->kind == INSN_TEXTURE || i->kind == INSN_MBARRIER ||
		i->op == OP_sust_formatted)
		return arena_printf(arena, "%s", name);
	return NULL;
}

/* "a store of 4 bytes", "an atomic of 4 bytes, .relaxed .gpu" */
static const char *what_of(struct arena *arena, const struct race_side *side)
{
	static const char *const orders[] = {[order_RELAXED] = "relaxed",
		[order_ACQUIRE] = "acquire",
		[order_RELEASE] = "release",
		[order_ACQ_REL] = "acq_rel",
		[order_SC] = "sc",
		[order_VOLATILE] = "volatile",
		[order_MMIO] = "mmio"};
	const struct insn *i = &side->kernel->code[side->pc];
	const char *noun = i->kind == INSN_LOAD ? "a load" : i->kind == INSN_STORE ? "a store" : "an atomic";
	uint8_t order = i->access.order;
	const char *block = block_of(arena, side);

	if (block)
		return block;
	if (i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE || i->kind == INSN_LOAD_LOCK ||
		i->kind == INSN_STORE_UNLOCK)
		return "a lock instruction";
	if (i->kind == INSN_ATOMIC && order <= order_WEAK)
		order = order_RELAXED;
	if (order <= order_WEAK)
		return arena_printf(arena, "%s of %u byte%s", noun, i->access.bytes, i->access.bytes > 1 ? "s" : "");
	return arena_printf(arena, "%s of %u byte%s, .%s%s", noun, i->access.bytes, i->access.bytes > 1 ? "s" : "",
		orders[order], order == order_VOLATILE || order == order_MMIO ? "" : word_of(i->access.scope));
}

/* One side: its thread, its line, and both in words. */
static const char *side_of(struct arena *arena, const struct started *started, const struct race_side *side,
	struct lockstep_thread *thread, struct lockstep_line *line)
{
	const uint32_t flat[3] = {UINT32_MAX, 1, 1}; /* another launch's shape is not known here */
	bool is_own = side->launch == started->result.number - 1;

	api_unflatten(side->group, is_own ? started->result.grid : flat, thread->group);
	api_unflatten(side->thread, is_own ? started->result.block : flat, thread->thread);
	*line = api_line(arena, side->kernel, side->pc, NULL);
	thread->state = what_of(arena, side);
	return arena_printf(arena, "%s%s: %s at %s", api_thread_text(arena, thread),
		is_own ? ""
		       : arena_printf(
				 arena, " of launch %" PRIu64 " (%s)", side->launch + 1, side->kernel->entry->name),
		thread->state, kernel_place_text(arena, side->kernel, side->pc));
}

static struct lockstep_finding finding_of(
	const struct lockstep *lockstep, struct started *started, const struct race_found *f)
{
	struct arena *arena = &started->arena;
	const struct race_cause_text *cause = &race_causes[f->cause];
	const char *missing = f->detail ? race_details[f->detail].missing : cause->missing;
	const char *remedy = f->detail ? race_details[f->detail].remedy : cause->remedy;
	struct lockstep_line *lines = arena_new_array(arena, struct lockstep_line, 2);
	struct lockstep_thread *threads = arena_new_array(arena, struct lockstep_thread, 2);
	const char **addresses = arena_new_array(arena, const char *, 2);
	const char *earlier = side_of(arena, started, &f->earlier, &threads[0], &lines[0]);
	const char *later = side_of(arena, started, &f->later, &threads[1], &lines[1]);
	const char *heard = "";

	lines[0].role = "the one access";
	lines[1].role = "the other access";
	addresses[0] = api_object(arena, lockstep, f->later.kernel, f->space, f->address);
	if (f->has_owner && f->later.launch == started->result.number - 1) {
		struct lockstep_thread owner = {0};

		api_unflatten(f->owner, started->result.grid, owner.group);
		addresses[0] = arena_printf(
			arena, "%s of group (%u,%u,%u)", addresses[0], owner.group[0], owner.group[1], owner.group[2]);
	}
	if (f->has_heard) {
		addresses[1] = api_object(arena, lockstep, f->later.kernel, f->heard_space, f->heard);
		heard = arena_printf(arena, " (the word is %s)", addresses[1]);
	}
	return (struct lockstep_finding){.kind = "race",
		.certainty = f->cause == RACE_SAME_VALUE ? "noted" : "proved",
		.cause = cause->name,
		.message = arena_printf(arena, "race on %s: %s; %s: %s%s. %c%s", addresses[0], earlier, later, missing,
			heard, remedy[0] - 'a' + 'A', remedy + 1),
		.lines = lines,
		.line_count = 2,
		.threads = threads,
		.thread_count = 2,
		.addresses = addresses,
		.address_count = f->has_heard ? 2 : 1,
		.count = f->count};
}

static struct races *races_of(const struct lockstep *lockstep)
{
	return races_of_gpu(&lockstep->gpu);
}

static uint32_t count(const struct lockstep *lockstep)
{
	uint32_t count = 0;

	if (races_of(lockstep))
		races_found(races_of(lockstep), &count);
	return count;
}

static struct seen seen(const struct lockstep *lockstep, uint32_t k)
{
	uint32_t count;
	const struct race_found *f = &races_found(races_of(lockstep), &count)[k];

	return (struct seen){.launch = f->launch, .count = f->count};
}

static struct lockstep_finding finding(const struct lockstep *lockstep, struct started *started, uint32_t k)
{
	uint32_t count;

	const struct schedule_list *shown = k < started->search.races.count ? &started->search.races.at[k] : NULL;
	struct lockstep_finding f = finding_of(lockstep, started, &races_found(races_of(lockstep), &count)[k]);

	f.message = api_with_schedule(&started->arena, f.message, shown);
	return f;
}

const struct check api_races = {.count = count, .seen = seen, .finding = finding};

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;
	const struct checks *checks = &lockstep->checks;

	(void)diagnostic;
	if (checks->races)
		gpu->observe[OBSERVER_races] = races_create(&lockstep->arena,
			&(struct races_asked){.strict = checks->strict,
				.same_values = checks->same_values,
				.volatiles = checks->volatiles},
			GLOBAL_BASE, gpu->space.size);
}

static void forget(struct lockstep *lockstep, const struct ptx_module *module)
{
	if (races_of(lockstep))
		races_forget(races_of(lockstep), module);
}

const struct result_part result_part_races = {.open = open_part, .forget = forget};
