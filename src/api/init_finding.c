/* Uninitialised reads as findings of the public interface. */
#include "api/api.h"
#include "machine/observe/init.h"

#include <inttypes.h>
#include <string.h>

/* "a load of 4 bytes", "an atomic of 4 bytes, 2 of which nothing had written" */
static const char *what_of(struct arena *arena, const struct init_found *f)
{
	const struct insn *i = &f->kernel->code[f->pc];
	const char *noun = i->kind == INSN_LOAD     ? "a load"
			   : i->kind == INSN_ATOMIC ? "an atomic"
			   : i->kind == INSN_COPY   ? "an asynchronous copy"
						    : ptx_ops[i->op].spelling;

	if (f->missing == f->bytes)
		return arena_printf(arena, "%s of %" PRIu64 " byte%s", noun, f->bytes, f->bytes > 1 ? "s" : "");
	return arena_printf(
		arena, "%s of %" PRIu64 " bytes, %" PRIu64 " of which nothing had written", noun, f->bytes, f->missing);
}

static const char *cause_of(uint8_t space)
{
	return space == space_SHARED ? "shared-memory" : space == space_LOCAL ? "local-memory" : "global-memory";
}

static const char *remedy_of(uint8_t space)
{
	return space == space_SHARED  ? "Let a thread store to it first, with a barrier between the two"
	       : space == space_LOCAL ? "Give the variable a value on every way to here"
				      : "Copy, fill or store something there first";
}

static struct lockstep_finding finding_of(
	const struct lockstep *lockstep, struct started *started, const struct init_found *f)
{
	struct arena *arena = &started->arena;
	struct lockstep_line *line = arena_new(arena, struct lockstep_line);
	struct lockstep_thread *thread = arena_new(arena, struct lockstep_thread);
	const char **address = arena_new_array(arena, const char *, 1);

	*line = api_line(arena, f->kernel, f->pc, "the read");
	api_unflatten(f->group, started->result.grid, thread->group);
	api_unflatten(f->thread, started->result.block, thread->thread);
	thread->state = what_of(arena, f);
	*address = api_object(arena, lockstep, f->kernel, f->space, f->first);
	if (f->has_owner) {
		struct lockstep_thread owner = {0};

		api_unflatten(f->owner, started->result.grid, owner.group);
		*address = arena_printf(
			arena, "%s of group (%u,%u,%u)", *address, owner.group[0], owner.group[1], owner.group[2]);
	}
	return (struct lockstep_finding){.kind = "uninitialised",
		.certainty = f->is_part ? "suspected" : "proved",
		.cause = cause_of(f->space),
		.message = arena_printf(arena,
			"uninitialised read of %s: %s: %s at %s: nothing has written there%s. %s%s", *address,
			api_thread_text(arena, thread), thread->state, kernel_place_text(arena, f->kernel, f->pc),
			f->may_be_carried ? ", or only a copy of bytes that nothing had written" : "",
			remedy_of(f->space),
			f->is_part ? "; unless it is padding, which goes with a structure and is not used" : ""),
		.lines = line,
		.line_count = 1,
		.threads = thread,
		.thread_count = 1,
		.addresses = address,
		.address_count = 1,
		.count = f->count};
}

static struct inits *inits_of(const struct lockstep *lockstep)
{
	return lockstep->gpu.observe[OBSERVER_init];
}

static uint32_t count(const struct lockstep *lockstep)
{
	return inits_of(lockstep) ? inits_of(lockstep)->list.found.count : 0;
}

static struct seen seen(const struct lockstep *lockstep, uint32_t k)
{
	const struct init_found *f = &inits_of(lockstep)->list.found.at[k];

	return (struct seen){.launch = f->launch, .count = f->count};
}

static struct lockstep_finding finding(const struct lockstep *lockstep, struct started *started, uint32_t k)
{
	return finding_of(lockstep, started, &inits_of(lockstep)->list.found.at[k]);
}

const struct check api_inits = {.count = count, .seen = seen, .finding = finding};

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;

	(void)diagnostic;
	if (lockstep->checks.init)
		gpu->observe[OBSERVER_init] = inits_create(&lockstep->arena, GLOBAL_BASE, gpu->space.size);
}

static void forget(struct lockstep *lockstep, const struct ptx_module *module)
{
	if (inits_of(lockstep))
		init_list_forget(&inits_of(lockstep)->list, module);
}

const struct result_part result_part_init = {.open = open_part, .forget = forget};
