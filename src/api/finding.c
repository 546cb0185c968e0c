/* What a kernel did wrong, or may do, as findings of the public interface. */
#include "api/api.h"

#include "check/lint.h"
#include "machine/core/fault.h"
#include "util/demangle.h"

void api_unflatten(uint32_t flat, const uint32_t size[3], uint32_t to[3])
{
	to[0] = flat % size[0];
	to[1] = flat / size[0] % size[1];
	to[2] = flat / size[0] / size[1];
}

const char *api_thread_text(struct arena *arena, const struct lockstep_thread *t)
{
	return arena_printf(arena, "group (%u,%u,%u) thread (%u,%u,%u)", t->group[0], t->group[1], t->group[2],
		t->thread[0], t->thread[1], t->thread[2]);
}

struct lockstep_line api_line(struct arena *arena, const struct kernel *kernel, uint32_t pc, const char *role)
{
	struct frame frames[KERNEL_FRAMES];
	uint32_t count = kernel_frames(kernel, pc, frames);
	struct lockstep_frame *inlined = arena_new_array(arena, struct lockstep_frame, count);

	for (uint32_t k = 1; k < count; k++)
		inlined[k - 1] = (struct lockstep_frame){.file = api_text(arena, frames[k].place.file),
			.line = frames[k].place.line,
			.function = frames[k].function ? arena_text(arena, demangle_function(arena, frames[k].function))
						       : NULL};
	return (struct lockstep_line){.file = api_text(arena, frames[0].place.file),
		.line = frames[0].place.line,
		.role = role,
		.inlined = inlined,
		.inlined_count = count - 1};
}

static const struct lockstep_stuck_barrier *barrier_of(
	struct arena *arena, const struct finding_barrier *b, const struct kernel *kernel)
{
	struct lockstep_stuck_barrier *barrier = arena_new(arena, struct lockstep_stuck_barrier);
	struct lockstep_line *line = arena_new(arena, struct lockstep_line);

	if (!b->found)
		return NULL;
	if (b->is_mbarrier)
		*line = api_line(arena, kernel, b->initialised_at, NULL);
	*barrier = (struct lockstep_stuck_barrier){
		.address = b->is_mbarrier ? arena_printf(arena, "0x%llx", (unsigned long long)b->address) : NULL,
		.number = b->number,
		.phase = (uint64_t)b->phase,
		.expected = b->expected,
		.arrived = b->arrived,
		.bytes_expected = b->bytes_expected,
		.bytes_arrived = b->bytes_arrived,
		.initialised_at = b->is_mbarrier ? line : NULL};
	return barrier;
}

/* The places, threads and addresses of a hang. */
static void add_detail(struct arena *arena, struct lockstep_finding *finding, const struct finding_detail *d,
	const struct lockstep_result *result, const struct kernel *kernel)
{
	struct lockstep_line *lines = arena_new_array(arena, struct lockstep_line, FINDING_LINES);
	struct lockstep_thread *threads = arena_new_array(arena, struct lockstep_thread, FINDING_THREADS);
	struct lockstep_rival *rivals = arena_new_array(arena, struct lockstep_rival, FINDING_RIVALS);

	for (uint32_t k = 0; k < d->rival_count; k++)
		rivals[k] = (struct lockstep_rival){.cause = d->rivals[k].cause, .went_on = d->rivals[k].went_on};
	for (uint32_t k = 0; k < d->line_count; k++)
		lines[k] = api_line(arena, kernel, d->lines[k], d->roles[k]);
	for (uint32_t k = 0; k < d->thread_count; k++) {
		threads[k].state = d->threads[k].state;
		api_unflatten(d->threads[k].group, result->grid, threads[k].group);
		api_unflatten(d->threads[k].thread, result->block, threads[k].thread);
	}
	*finding = (struct lockstep_finding){.kind = finding->kind,
		.certainty = d->proved ? "proved" : "suspected",
		.cause = finding->cause,
		.message = d->message,
		.lines = lines,
		.line_count = d->line_count,
		.threads = threads,
		.thread_count = d->thread_count,
		.addresses = d->addresses,
		.address_count = d->address_count,
		.confirmed = d->confirmed,
		.would_go_on = d->would_go_on,
		.rivals = rivals,
		.rival_count = d->rival_count,
		.barrier = barrier_of(arena, &d->barrier, kernel),
		.what = d->what,
		.who = d->who,
		.checked = d->checked,
		.fix = d->remedy,
		.count = 1};
}

static struct lockstep_finding finding_of(
	struct arena *arena, const struct lockstep_result *result, const struct finding *f, const struct kernel *kernel)
{
	struct lockstep_line *line = arena_new(arena, struct lockstep_line);
	struct lockstep_thread *thread = arena_new(arena, struct lockstep_thread);
	const char **address = arena_new_array(arena, const char *, 1);

	kernel = f->kernel ? f->kernel : kernel;
	*line = api_line(arena, kernel, f->pc, NULL);
	api_unflatten(f->group, result->grid, thread->group);
	api_unflatten(f->thread, result->block, thread->thread);
	thread->state = arena_printf(arena, "at %s:%u: %s", kernel_ptx_place(kernel, f->pc).file,
		kernel_ptx_place(kernel, f->pc).line, kernel_text(arena, kernel, f->pc));
	*address = arena_printf(arena, "0x%llx", (unsigned long long)f->address);
	return (struct lockstep_finding){.kind = f->kind,
		.certainty = "proved",
		.cause = f->cause,
		.count = 1,
		.message = arena_printf(arena, "%s: %s: %s", kernel_place_text(arena, kernel, f->pc),
			api_thread_text(arena, thread), f->message),
		.lines = line,
		.line_count = 1,
		.threads = thread,
		.thread_count = 1,
		.addresses = address,
		.address_count = f->has_address};
}

/* The accesses that were dropped at one place. */
static struct lockstep_finding dropped_of(
	struct arena *arena, const struct lockstep_result *result, const struct drop *drop, const struct kernel *kernel)
{
	struct lockstep_finding finding = finding_of(arena, result, &drop->first, kernel);

	finding.count = drop->count;
	finding.message = arena_printf(arena, "%s; dropped%s", finding.message,
		drop->count == 1 ? ""
				 : arena_printf(arena, ", the first of %llu such accesses here",
					   (unsigned long long)drop->count));
	return finding;
}

void api_add_findings(struct lockstep *lockstep, struct started *started, const struct gpu_result *r)
{
	struct arena *arena = &started->arena;
	struct lockstep_result *result = &started->result;
	const struct kernel *kernel = started->kernel;
	uint64_t launch = result->number - 1;
	struct lockstep_finding *list = arena_new_array(arena, struct lockstep_finding,
					r->drops.count + api_count_checked(lockstep) + 3),
				*next = list;

	if (r->finding.found) {
		*next = finding_of(arena, result, &r->finding, kernel);
		if (r->finding.detail)
			add_detail(arena, next, r->finding.detail, result, kernel);
		next++;
	}
	for (uint32_t k = 0; k < r->drops.count; k++)
		*next++ = dropped_of(arena, result, &r->drops.at[k], kernel);
	if (r->left_bits.count) {
		*next = finding_of(arena, result, &r->left_bits.first, kernel);
		next++->count = r->left_bits.count;
	}
	if (r->drops.elsewhere)
		*next++ = (struct lockstep_finding){
			.kind = fault_kind(FAULT_other),
			.certainty = "proved",
			.cause = fault_name(FAULT_other),
			.count = r->drops.elsewhere,
			.message = arena_printf(arena, "kernel %s: accesses at further places; %llu dropped there",
				demangle_brief(arena, kernel->entry->name), (unsigned long long)r->drops.elsewhere),
		};
	next = api_add_checked(lockstep, started, launch, list, next);
	result->findings = list;
	result->finding_count = (size_t)(next - list);
}

size_t lockstep_lint(struct lockstep_module *module, const struct lockstep_finding **findings)
{
	struct lint lint = lint_module(&module->arena, module->ptx);
	struct lockstep_finding *list = arena_new_array(&module->arena, struct lockstep_finding, lint.count);

	for (uint32_t k = 0; k < lint.count; k++) {
		const struct lint_finding *f = &lint.at[k];
		struct lockstep_line *lines = arena_new_array(&module->arena, struct lockstep_line, f->line_count);

		for (uint32_t n = 0; n < f->line_count; n++)
			lines[n] = (struct lockstep_line){.file = f->lines[n].place.file,
				.line = f->lines[n].place.line,
				.role = f->lines[n].role};
		list[k] = (struct lockstep_finding){.kind = "spin",
			.certainty = f->may_block ? "suspected" : "noted",
			.cause = f->cause,
			.message = f->message,
			.lines = lines,
			.line_count = f->line_count,
			.count = 1};
	}
	*findings = list;
	return lint.count;
}
