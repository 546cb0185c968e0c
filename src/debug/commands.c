/* The debugger's commands: their table, and what moves a run or sets what stops it. */
#include "debug/engine.h"
#include "kernel/bits.h"
#include "machine/core/observer.h"
#include "machine/state/launch_state.h"
#include "report/source.h"
#include "util/demangle.h"
#include "util/pages.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct command {
	const char *name, *brief, *arguments, *help;
	enum next (*run)(struct debugger *d, const char *words);
};

/* ---- Words ---- */

static const char *skip_space(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* The next word, cut off *at; "": there is none. */
static const char *next_word(struct debugger *d, const char **at)
{
	const char *first = skip_space(*at), *end = first;

	while (*end && !isspace((unsigned char)*end))
		end++;
	*at = skip_space(end);
	return arena_copy(&d->scratch, first, (size_t)(end - first));
}

enum next command_refuse(struct debugger *d, const char *words, const char *expected)
{
	text_print(&d->out, *words ? "'%s': expected %s\n" : "%sexpected %s\n", words, expected);
	return NEXT_ASK;
}

static bool read_times(struct debugger *d, const char *words, uint64_t *times)
{
	*times = 1;
	if (!*words || (text_to_u64(words, times) && *times))
		return true;
	command_refuse(d, words, "a number from 1 on");
	return false;
}

/* ---- Forwards ---- */

static bool is_at_end(struct debugger *d)
{
	if (d->has_ended)
		text_print(&d->out,
			"the launch has ended: `continue` goes on from it, `reverse-stepi` and the like go back\n");
	return d->has_ended;
}

/* A command that moves the warp in focus to a goal. */
#define STEP(name, way, goal)                                                                                          \
	static enum next name(struct debugger *d, const char *words)                                                   \
	{                                                                                                              \
		return way(d, words, goal);                                                                            \
	}

static enum next step(struct debugger *d, const char *words, enum goal_kind kind)
{
	struct goal goal = {.kind = kind, .warp = d->focus};
	struct core *core;
	const struct warp_slot *r;

	if (!read_times(d, words, &goal.times) || is_at_end(d) || !(r = find_focus(d, &core)))
		return NEXT_ASK;
	goal.kernel = r->warp.kernel;
	goal.pc = r->warp.path->pc;
	goal.depth = r->warp.path->depth;
	engine_go(d, &goal);
	return NEXT_GO;
}

STEP(command_step, step, GOAL_LINE)
STEP(command_next, step, GOAL_NEXT)
STEP(command_stepi, step, GOAL_INSTRUCTION)
STEP(command_finish, step, GOAL_RETURN)

static enum next command_continue(struct debugger *d, const char *words)
{
	(void)words;
	engine_go(d, &(struct goal){.kind = GOAL_NONE});
	return NEXT_GO;
}

/* ---- Backwards ---- */

static enum next step_back(struct debugger *d, const char *words, enum goal_kind kind)
{
	struct goal goal = {.kind = kind, .warp = d->focus, .without_stops = true};
	struct core *core;
	const struct warp_slot *r = find_warp(d, &d->focus, &core);

	if (!read_times(d, words, &goal.times))
		return NEXT_ASK;
	if (goal.times != 1)
		return command_refuse(d, words, "one step back at a time, or `goto POSITION`");
	if (!d->focus.known)
		return command_refuse(d, "", "a warp: choose one by `warp GROUP.WARP`, or `goto POSITION`");
	if (r) {
		goal.kernel = r->warp.kernel;
		goal.pc = r->warp.path->pc;
		goal.depth = r->warp.path->depth;
	} else {
		goal.depth = UINT32_MAX; /* it is over: all that it did counts */
	}
	if (!engine_may_go_back(d, d->at))
		return NEXT_ASK;
	engine_go_back(d, &goal);
}

STEP(command_reverse_step, step_back, GOAL_LINE)
STEP(command_reverse_next, step_back, GOAL_NEXT)
STEP(command_reverse_stepi, step_back, GOAL_INSTRUCTION)

static enum next command_reverse_continue(struct debugger *d, const char *words)
{
	(void)words;
	if (!engine_may_go_back(d, d->at))
		return NEXT_ASK;
	engine_go_back(d, &(struct goal){.kind = GOAL_NONE, .times = 1});
}

static enum next go_to_cycle(struct debugger *d, const char *words)
{
	struct goal goal = {.kind = GOAL_CYCLE, .times = 1, .without_stops = true};
	uint32_t k = 0;

	if (!text_to_u64(words, &goal.cycle))
		return command_refuse(d, words, "a cycle");
	while (k + 1 < d->moments.count && d->moments.at[k + 1].cycle < goal.cycle)
		k++;
	if (d->here.core && observer_clock(d->here.core) < goal.cycle && d->moments.at[k].at <= d->at) {
		engine_go(d, &goal);
		return NEXT_GO;
	}
	if (!engine_may_go_back(d, d->at))
		return NEXT_ASK;
	engine_go_from(d, &goal, k);
}

static enum next command_goto(struct debugger *d, const char *words)
{
	const char *first = next_word(d, &words);
	uint64_t position;

	if (!strcmp(first, "end")) {
		engine_go(d, &(struct goal){.kind = GOAL_NONE, .without_stops = true});
		return NEXT_GO;
	}
	if (!strcmp(first, "cycle"))
		return go_to_cycle(d, words);
	if (!text_to_u64(first, &position) || !position || *words)
		return command_refuse(d, first, "a position from 1 on, `cycle N` or `end`");
	if (position <= d->furthest && !engine_may_go_back(d, position))
		return NEXT_ASK;
	if (position <= d->furthest)
		engine_go_to(d, position);
	engine_go(d, &(struct goal){.kind = GOAL_ANY, .times = position - d->at, .without_stops = true});
	return NEXT_GO;
}

/* ---- What stops it ---- */

static void print_stop(struct debugger *d, const struct stop *s)
{
	static const char *const kinds[] = {[STOP_BREAKPOINT] = "breakpoint",
		[STOP_PHASE] = "phase of mbarrier",
		[STOP_WATCH] = "watch",
		[STOP_VALUE] = "watch"};

	text_print(&d->out, "%s %u: %s\n", kinds[s->kind], s->number, s->words);
}

static enum next command_break(struct debugger *d, const char *words)
{
	struct stop stop = {.kind = STOP_BREAKPOINT, .kernel = find_kernel(d)};

	if (!stop.kernel)
		return command_refuse(d, "", "a launch: none has begun");
	stop.pcs = arena_new_array(&d->arena, uint64_t, bits_words(stop.kernel->code_count));
	stop.words = places_find(d, stop.kernel, words, stop.pcs);
	if (stop.words)
		print_stop(d, stops_add(d, stop));
	return NEXT_ASK;
}

static enum next command_phase(struct debugger *d, const char *words)
{
	struct stop stop = {.kind = STOP_PHASE, .group = UINT32_MAX};
	const char *colon = strchr(words, ':');
	uint64_t group = UINT32_MAX;

	if (!text_to_u64(colon ? colon + 1 : words, &stop.object) ||
		(colon && !text_to_u64(arena_copy(&d->scratch, words, (size_t)(colon - words)), &group)))
		return command_refuse(d, words, "an offset in shared memory, as `mbarriers` lists it, or GROUP:OFFSET");
	stop.group = (uint32_t)group;
	stop.words = colon ? arena_printf(&d->arena, "at 0x%" PRIx64 " of group %u", stop.object, stop.group)
			   : arena_printf(&d->arena, "at 0x%" PRIx64 " of any group", stop.object);
	print_stop(d, stops_add(d, stop));
	return NEXT_ASK;
}

/* A variable or a register of this lane; what names a buffer, too, is the buffer. */
static bool watches_value(struct debugger *d, const char *words, struct stop *stop)
{
	struct core *core;
	const struct warp_slot *r = find_warp(d, &d->focus, &core);
	struct shown_value value;
	const char *why;

	if (!r || value_is_buffer(d, words) || !value_of_words(d, r, d->lane, words, &value, &why))
		return false;
	*stop = (struct stop){.kind = STOP_VALUE,
		.path = arena_text(&d->arena, words),
		.lane = d->lane,
		.place.warp = d->focus,
		.was_known = true};
	stop->shown.text = arena_text(&stop->shown.arena, value.text);
	stop->words =
		arena_printf(&d->arena, "%s in lane %u of warp %u.%u", words, d->lane, d->focus.group, d->focus.warp);
	return true;
}

static enum next command_watch(struct debugger *d, const char *words)
{
	struct stop stop = {.kind = STOP_WATCH};

	if (watches_value(d, words, &stop)) {
		print_stop(d, stops_add(d, stop));
		return NEXT_ASK;
	}
	if (!value_place(d, words, &stop.place, 4))
		return NEXT_ASK;
	stop.words = value_place_words(&d->arena, &stop.place);
	print_stop(d, stops_add(d, stop));
	return NEXT_ASK;
}

static enum next command_delete(struct debugger *d, const char *words)
{
	uint64_t number;

	if (!text_to_u64(words, &number) || !stops_remove(d, (uint32_t)number))
		return command_refuse(d, words, "a number that `stops` lists");
	return NEXT_ASK;
}

static enum next command_stops(struct debugger *d, const char *words)
{
	(void)words;
	for (uint32_t k = 0; k < d->stops.count; k++)
		print_stop(d, d->stops.at[k]);
	if (!d->stops.count)
		text_print(&d->out, "no breakpoint, no watch\n");
	return NEXT_ASK;
}

/* A search like reverse-continue, with a watch of its own. */
static enum next command_last_write(struct debugger *d, const char *words)
{
	struct watched_place place;

	if (!value_place(d, words, &place, 4))
		return NEXT_ASK;
	if (!engine_may_go_back(d, d->at))
		return NEXT_ASK;
	writes_ask(d, &place);
	engine_go_back(d, &(struct goal){.kind = GOAL_NONE, .times = 1});
}

/* ---- Where it is ---- */

static enum next command_where(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_warp(d, &d->focus, &core);
	struct frame frames[KERNEL_FRAMES];
	bool is_here = d->here.r && d->here.r == r;

	(void)words;
	show_stop_again(d);
	if (!r || r->warp.path->pc >= r->warp.kernel->code_count)
		return NEXT_ASK;
	if (!is_here) {
		text_print(&d->out, "warp %u.%u is at ", d->focus.group, d->focus.warp);
		show_source(d, r, r->warp.path->pc);
		text_print(&d->out, "\n");
	}
	uint32_t count = kernel_frames(r->warp.kernel, r->warp.path->pc, frames);

	for (uint32_t k = count; count > 1 && k-- > 0;)
		text_print(&d->out, "  #%u %s:%u %s\n", count - 1 - k,
			frames[k].place.file ? frames[k].place.file : "?", frames[k].place.line,
			frames[k].function ? demangle_function(&d->scratch, frames[k].function) : "");
	if (r->warp.path->depth)
		text_print(&d->out, "  %u call%s deep\n", r->warp.path->depth, text_plural(r->warp.path->depth));
	return NEXT_ASK;
}

static enum next command_list(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);
	uint64_t line = 0;

	if (!r)
		return NEXT_ASK;
	struct place place = kernel_place(r->warp.kernel, r->warp.path->pc);
	size_t count = 0;
	const char *const *lines = place.file ? report_source_lines(&d->scratch, place.file, &count) : NULL;

	if (*words && (!text_to_u64(words, &line) || !line))
		return command_refuse(d, words, "a line");
	line = line ? line : place.line;
	show_if_changed(d, r->warp.kernel, place.file);
	if (!lines || !count)
		text_print(&d->out, "%s is not there: `code` shows the PTX\n", place.file ? place.file : "the source");
	for (uint64_t k = line > 5 ? line - 5 : 1; lines && k <= count && k < line + 6; k++)
		text_print(&d->out, "%c%5" PRIu64 "  %s\n", k == place.line ? '>' : ' ', k, lines[k - 1]);
	return NEXT_ASK;
}

static enum next command_code(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);
	uint64_t around = 5;

	if (!r)
		return NEXT_ASK;
	if (*words && !text_to_u64(words, &around))
		return command_refuse(d, words, "how many instructions before and behind");
	uint32_t pc = r->warp.path->pc;

	for (uint64_t k = pc > around ? pc - around : 0; k < r->warp.kernel->code_count && k <= pc + around; k++) {
		struct text name = {.arena = &d->scratch};

		kernel_name_pc(&name, r->warp.kernel, (uint32_t)k);
		text_print(&d->out, "%c%5" PRIu64 "  %-18s %s\n", k == pc ? '>' : ' ', k, name.at,
			kernel_text(&d->scratch, r->warp.kernel, (uint32_t)k));
	}
	return NEXT_ASK;
}

static enum next command_warp(struct debugger *d, const char *words)
{
	const char *dot = strchr(words, '.');
	uint64_t group, warp;
	struct warp_name before = d->focus;
	struct core *core;

	if (!dot || !text_to_u64(arena_copy(&d->scratch, words, (size_t)(dot - words)), &group) ||
		!text_to_u64(dot + 1, &warp))
		return command_refuse(d, words, "GROUP.WARP, as `warps` lists them");
	d->focus = (struct warp_name){.known = true,
		.launch = d->gpu->machine && d->gpu->machine->launches.first ? d->gpu->machine->launches.first->ordinal
									     : before.launch,
		.group = (uint32_t)group,
		.warp = (uint32_t)warp};
	const struct warp_slot *r = find_focus(d, &core);

	if (!r) {
		d->focus = before;
		return NEXT_ASK;
	}
	if (r->warp.path->active && !(r->warp.path->active >> d->lane & 1))
		d->lane = (uint32_t)__builtin_ctzll(r->warp.path->active);
	return command_where(d, "");
}

static enum next command_lane(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);
	uint64_t lane;

	if (!r)
		return NEXT_ASK;
	if (!text_to_u64(words, &lane) || lane >= r->warp.lanes || !(r->warp.full >> lane & 1))
		return command_refuse(d, words, "a lane that `threads` lists");
	d->lane = (uint32_t)lane;
	return NEXT_ASK;
}

static enum next command_snapshots(struct debugger *d, const char *words)
{
	char grouped[TEXT_DIGITS];

	(void)words;
	text_print(&d->out, "%u snapshot%s, %s bytes, from position %" PRIu64 " to %" PRIu64 "\n", d->moments.count,
		text_plural(d->moments.count), text_grouped(pages_taken(), grouped), d->moments.at[0].at,
		d->moments.at[d->moments.count - 1].at);
	return NEXT_ASK;
}

static enum next command_quit(struct debugger *d, const char *words)
{
	(void)words;
	d->is_over = true;
	d->quits = 1;
	return NEXT_GO;
}

/* ---- The table ---- */

static enum next command_help(struct debugger *d, const char *words);

#define SHOW(function)                                                                                                 \
	static enum next run_##function(struct debugger *d, const char *words)                                         \
	{                                                                                                              \
		function(d, words);                                                                                    \
		return NEXT_ASK;                                                                                       \
	}
SHOW(show_warps)
SHOW(show_threads)
SHOW(show_stack)
SHOW(show_locks)
SHOW(show_barriers)
SHOW(show_mbarriers)

static const struct command commands[] = {
#define COMMAND(name, brief, arguments, function, help) {name, brief, arguments, help, function},
#include "debug/commands.def"
#undef COMMAND
};
#define COMMANDS (sizeof commands / sizeof *commands)

const char *debugger_command(size_t k)
{
	return k < COMMANDS ? commands[k].name : NULL;
}

static enum next command_help(struct debugger *d, const char *words)
{
	for (size_t k = 0; k < COMMANDS; k++)
		if (!*words || !strncmp(commands[k].name, words, strlen(words)))
			text_print(&d->out, "%-17s %-4s %-30s %s\n", commands[k].name, commands[k].brief,
				commands[k].arguments, commands[k].help);
	if (!*words)
		text_print(&d->out, "An empty line repeats the last command.\n");
	return NEXT_ASK;
}

/* By its name, its short name, or what only one begins with; null and an answer. */
static const struct command *find_command(struct debugger *d, const char *name)
{
	const struct command *found = NULL;
	const char *names[COMMANDS], *nearest;
	size_t matches = 0;

	for (size_t k = 0; k < COMMANDS; k++) {
		names[k] = commands[k].name;
		if (!strcmp(commands[k].name, name) || !strcmp(commands[k].brief, name))
			return &commands[k];
		if (!strncmp(commands[k].name, name, strlen(name))) {
			found = &commands[k];
			matches++;
		}
	}
	if (matches == 1)
		return found;
	nearest = text_nearest(name, names, COMMANDS);
	if (matches)
		text_print(&d->out, "'%s' may be several commands: `help %s` lists them\n", name, name);
	else
		text_print(&d->out, "there is no command '%s'%s%s%s\n", name,
			nearest ? ": did you mean '" : ": `help` lists them", nearest ? nearest : "",
			nearest ? "'?" : "");
	return NULL;
}

enum next commands_run(struct debugger *d, const char *line)
{
	const char *at = skip_space(line), *name;
	const struct command *command;
	enum next next;

	if (json_run(d, at, &next))
		return next;
	if (!*at && d->last.line)
		at = d->last.line;
	if (!*at || *at == '#')
		return NEXT_ASK;
	if (at != d->last.line) {
		arena_free(&d->last.arena);
		d->last.line = arena_text(&d->last.arena, at);
	}
	at = arena_text(&d->scratch, at);
	name = next_word(d, &at);
	bool prints_all = !strcmp(name, "print/all") || !strcmp(name, "p/all");

	command = find_command(d, prints_all ? "print" : name);
	if (!command)
		return NEXT_ASK;
	size_t length = strlen(at);
	while (length && isspace((unsigned char)at[length - 1]))
		length--;
	d->prints_all = prints_all;
	return command->run(d, arena_copy(&d->scratch, at, length));
}
