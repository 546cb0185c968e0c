/* The explanation of stale reads: it tells of the writer only what is known. */
#include "check/hang_text.h"

#include "machine/lsu/stale.h"

const struct stale_read *stale_first(const struct machine *machine, const struct launch *launch)
{
	const struct stale_read *first = NULL;

	for (const struct stale_read *s = stale_next(machine, NULL); s; s = stale_next(machine, s))
		if (s->launch == launch->ordinal && (!first || s->first_cycle < first->first_cycle))
			first = s;
	return first;
}

static uint64_t times_of(const struct machine *machine, const struct launch *launch)
{
	uint64_t times = 0;

	for (const struct stale_read *s = stale_next(machine, NULL); s; s = stale_next(machine, s))
		times += s->launch == launch->ordinal ? s->times : 0;
	return times;
}

static void add_writer(struct explanation *e, const struct stale_read *s)
{
	uint32_t at[3];

	if (!s->write.is_known || s->write.launch != e->launch->ordinal)
		return;
	launch_place_group(&e->launch->values, s->write.group, at);
	text_print(&e->what, " by group (%u,%u,%u)", at[0], at[1], at[2]);
	if (s->write.pc == STALE_NO_PC)
		return;
	text_print(&e->what, " at %s", hang_place(e, s->write.pc));
	hang_list_line(e, s->write.pc, "it was overwritten here");
}

const char *stale_words(struct machine *machine, struct launch *launch, struct arena *arena)
{
	const struct stale_read *s = stale_first(machine, launch);
	struct explanation e = {.arena = arena,
		.machine = machine,
		.launch = launch,
		.kernel = launch->kernel,
		.finding = &launch->result.finding,
		.detail = (struct finding_detail *)(uintptr_t)launch->result.finding.detail,
		.what = {.arena = arena}};

	if (!s)
		return NULL;
	text_print(&e.what, "%s read %s at %s in cycle %llu from an L1 line that was overwritten ",
		hang_thread(&e, s->group, s->thread),
		hang_word(&e, &(struct word){.space = space_GLOBAL, .address = s->address}), hang_place(&e, s->pc),
		(unsigned long long)s->cycle);
	text_print(&e.what, s->write.once ? "around cycle %llu" : "last around cycle %llu",
		(unsigned long long)s->write.cycle);
	add_writer(&e, s);
	if (times_of(machine, launch) > 1)
		text_print(&e.what, " (%llu loads got old values)", (unsigned long long)times_of(machine, launch));
	hang_list_thread(&e, s->group, s->thread, "read an old value");
	hang_list_line(&e, s->pc, "an old value was read here");
	return e.what.at;
}
