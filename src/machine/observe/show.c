/* Drawings of a warp's divergence state, as in the figures of paper 1; and what both kinds of drawings do.
 *
 * An instruction changes the state when entries come or go, or one below the top has another pc; that the top goes on
 * is no change, nor, in models without a stack, that another path runs. */
#include "machine/observe/show.h"

#include "machine/state/launch_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef VECTOR(struct divergence_entry) entries;

struct show {
	struct drawings drawings;
	entries last, now; /* as the last instruction left it; as it is */
	bool begun;
	uint32_t pc; /* of the last instruction */
};

/* ---- What has changed ---- */

static void take_entry(void *context, const struct divergence_entry *entry)
{
	struct show *s = context;

	*vector_push(s->drawings.out.arena, &s->now) = *entry;
}

static void look(struct show *s, const struct core *core, const struct warp_slot *r)
{
	assert(r->warp.divergence);
	s->now.count = 0;
	core->machine->divergence->each_entry(r->warp.divergence, take_entry, s);
}

static bool can_run(const struct divergence_entry *path)
{
	return !path->waiting || !strcmp(path->waiting, WAITS_FOR_TURN);
}

static bool is_alike(const struct divergence_entry *a, const struct divergence_entry *b)
{
	assert(!a->type == !b->type);
	if (a->active != b->active || a->reconvergence_pc != b->reconvergence_pc || a->depth != b->depth)
		return false;
	if (a->type)
		return !strcmp(a->type, b->type) && a->top == b->top && (a->top || a->pc == b->pc);
	return can_run(a) || can_run(b) ? can_run(a) && can_run(b) : !strcmp(a->waiting, b->waiting);
}

static bool has_changed(const struct show *s)
{
	assert(s->begun);
	if (s->now.count != s->last.count)
		return true;
	for (uint32_t k = 0; k < s->now.count; k++)
		if (!is_alike(&s->now.at[k], &s->last.at[k]))
			return true;
	return false;
}

static void remember(struct show *s)
{
	entries before = s->last;

	assert(s->begun);
	s->last = s->now;
	s->now = before;
}

/* ---- Drawing ---- */

struct row {
	const char *mark, *pc, *stop, *depth, *lanes, *what;
};

static const char *name_of(struct arena *arena, const struct kernel *kernel, uint32_t pc)
{
	struct text name = {.arena = arena};

	if (pc == NO_RECONVERGENCE)
		return "-1";
	assert(pc < kernel->code_count);
	kernel_name_pc(&name, kernel, pc);
	return name.at;
}

/* Lane 0 leftmost, as paper 1 draws threads; as many as the warp has. */
static const char *mask_of(struct arena *arena, const struct warp *w, lane_mask active)
{
	uint32_t lanes = (uint32_t)__builtin_popcountll(w->full);
	char *text = arena_alloc(arena, lanes + 1u);

	assert(!(active & ~w->full));
	for (uint32_t lane = 0; lane < lanes; lane++)
		text[lane] = active >> lane & 1 ? '1' : '0';
	return text;
}

static struct row row_of(struct arena *arena, const struct warp *w, const struct divergence_entry *e)
{
	const char *mark = e->type ? "TOS ->" : "runs ->", *what = e->type ? e->type : e->waiting;

	return (struct row){
		.mark = e->top ? mark : "",
		.pc = name_of(arena, w->kernel, e->pc),
		.stop = name_of(arena, w->kernel, e->reconvergence_pc),
		.depth = arena_printf(arena, "%" PRIu32, e->depth),
		.lanes = mask_of(arena, w, e->active),
		.what = what ? what : "-",
	};
}

static int longer(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static void print_rows(struct text *out, const struct row *rows, uint32_t count, bool with_depth)
{
	int pc = 0, stop = 0, lanes = 0;

	assert(count);
	for (uint32_t k = 0; k < count; k++) {
		pc = longer(pc, rows[k].pc);
		stop = longer(stop, rows[k].stop);
		lanes = longer(lanes, rows[k].lanes);
	}
	for (uint32_t k = 0; k < count; k++) {
		const struct row *r = &rows[k];

		text_print(out, "  %7s  %-*s  %-*s  ", r->mark, pc, r->pc, stop, r->stop);
		if (with_depth)
			text_print(out, "%-5s  ", r->depth);
		text_print(out, "%-*s  %s\n", lanes, r->lanes, r->what);
	}
}

/* The table; calls deep only in kernels that call. */
static void print_entries(struct text *out, const struct warp *w, const struct divergence_entry *at, uint32_t count)
{
	struct row *rows = arena_new_array(out->arena, struct row, count + 1u);
	bool is_stack = count && at[0].type;

	if (!count) {
		text_print(out, "           no lane is left\n");
		return;
	}
	rows[0] = (struct row){"", "PC", is_stack ? "RPC" : "meet at", "depth", is_stack ? "active mask" : "lanes",
		is_stack ? "type" : "wait for"};
	for (uint32_t k = 0; k < count; k++)
		rows[k + 1] = row_of(out->arena, w, &at[k]);
	print_rows(out, rows, count + 1, w->kernel->function_count > 1);
}

/* What led to it: "start", or the last instruction. */
static void print_heading(struct text *out, const struct show *s, const struct warp *w, const char *how)
{
	text_print(out, "%s", how);
	if (s->begun)
		text_print(out, "%s  %s", name_of(out->arena, w->kernel, s->pc),
			kernel_text(out->arena, w->kernel, s->pc));
	text_print(out, "\n");
}

static void draw(struct show *s, const struct warp *w, const char *how)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena};

	assert(s->begun || !s->last.count);
	print_heading(&text, s, w, how);
	print_entries(&text, w, s->now.at, s->now.count);
	drawings_add(&s->drawings, &text);
	arena_free(&arena);
}

/* ---- All kinds of drawings ---- */

static void say_again(struct drawings *d)
{
	if (d->again)
		text_print(&d->out, "... %" PRIu64 " more step%s, drawn above\n\n", d->again, d->again > 1 ? "s" : "");
	d->again = 0;
}

void drawings_add(struct drawings *drawings, const struct text *drawing)
{
	assert(drawing->length);
	assert(drawings->out.arena);
	if (map_get_length(&drawings->drawn, drawing->at, drawing->length)) {
		drawings->again++;
		return;
	}
	map_put(drawings->out.arena, &drawings->drawn, drawing->at, drawing->length, drawings);
	say_again(drawings);
	assert(!drawings->again);
	text_print(&drawings->out, "%s\n", drawing->at);
}

void drawings_flush(const struct machine *machine, enum observer_id observer, bool at_end)
{
	assert(!at_end || !machine->launches.first);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct drawings *drawings = observer_state(&machine->cores.at[c], observer);

		assert(!drawings || drawings->out.arena == &machine->cores.arenas[c]);
		if (!drawings) /* no group has been there */
			continue;
		if (at_end)
			say_again(drawings);
		machine_print(machine, &drawings->out);
	}
}

/* ---- Lines ---- */

void show_line_begins(struct text *out, const struct core *core, const struct warp_slot *r, const char *other)
{
	assert(!r != !other);
	text_print(out, "%8" PRIu64 "  ", observer_clock(core));
	if (r)
		text_print(out, "warp %-2" PRIu32 "  ", r->warp.first_thread / r->warp.lanes);
	else
		text_print(out, "%s  ", other);
}

void show_place(struct text *out, const struct launch *launch, uint32_t pc)
{
	const struct place place = pc == NO_PC ? (struct place){0} : kernel_place(launch->kernel, pc);
	const char *slash = place.file ? strrchr(place.file, '/') : NULL;

	assert(pc == NO_PC || pc < launch->kernel->code_count);
	if (pc == NO_PC)
		text_print(out, "-  ");
	else
		text_print(out, "%s:%" PRIu32 "  ", slash ? slash + 1 : place.file ? place.file : "?", place.line);
}

/* ---- Hooks ---- */

static bool is_target(const struct core *core, const struct warp_slot *r)
{
	const struct show_target *target = core->machine->gpu->observe[OBSERVER_show];

	assert(r->warp.lanes);
	assert(r->warp.first_thread % r->warp.lanes == 0);
	return r->group->number == target->group && r->warp.first_thread / r->warp.lanes == target->warp;
}

/* What has changed since the last instruction, when memory answered or a barrier opened. */
static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct show *s = state;

	(void)i;
	(void)lanes;
	if (!is_target(core, r))
		return;
	assert(s->begun || !s->last.count);
	look(s, core, r);
	if (!s->begun) {
		text_print(&s->drawings.out,
			"warp %" PRIu32 " of work-group %" PRIu32
			", divergence model %s; the first lane is the leftmost\n\n",
			r->warp.first_thread / r->warp.lanes, r->group->number, core->machine->divergence->name);
		draw(s, &r->warp, "start");
		s->begun = true;
	} else if (has_changed(s)) {
		draw(s, &r->warp, "later, behind ");
	}
	remember(s);
}

static void after(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct show *s = state;

	(void)lanes;
	if (!is_target(core, r))
		return;
	assert(s->begun);
	s->pc = launch_pc(r->core_launch->launch, i);
	look(s, core, r);
	if (has_changed(s))
		draw(s, &r->warp, "");
	remember(s);
}

static void flush(struct machine *machine, bool at_end)
{
	drawings_flush(machine, OBSERVER_show, at_end);
}

const struct observer observer_show = {
	.state_size = sizeof(struct show),
	.has_arena = true,
	.before = before,
	.after = after,
	.flush = flush,
};
