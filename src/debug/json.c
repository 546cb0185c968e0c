/* Commands of programs: their table, and those that tell where a run has stopped, or set what stops it.
 *
 * Keys say what a value is in the debugger's own terms, so that another front end than that of the Debug Adapter
 * Protocol (cli/dap.c) may use them. */
#include "debug/json.h"

#include "kernel/bits.h"
#include "machine/core/observer.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "json-"

void json_note_stop(struct debugger *d, const char *why)
{
	d->told.stops++;
	snprintf(d->told.why, sizeof d->told.why, "%s", why ? why : "");
}

/* ---- Arguments and answers ---- */

uint64_t json_number(json_object *from, const char *key, uint64_t otherwise)
{
	json_object *value;

	return json_object_object_get_ex(from, key, &value) ? (uint64_t)json_object_get_int64(value) : otherwise;
}

const char *json_word(json_object *from, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(from, key, &value) && json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : "";
}

void json_put_number(json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_int64((int64_t)value));
}

void json_put_text(json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

void json_put_flag(json_object *to, const char *key, bool value)
{
	json_object_object_add(to, key, json_object_new_boolean(value));
}

json_object *json_put_list(json_object *to, const char *key)
{
	json_object *list = json_object_new_array();

	json_object_object_add(to, key, list);
	return list;
}

json_object *json_put_entry(json_object *list)
{
	json_object *entry = json_object_new_object();

	json_object_array_add(list, entry);
	return entry;
}

/* Without a group the warp in focus. */
struct warp_slot *json_warp(struct debugger *d, json_object *from, struct core **core)
{
	const struct machine *machine = d->gpu->machine;
	struct warp_name name = d->focus;

	if (json_object_object_get_ex(from, "group", NULL))
		name = (struct warp_name){.known = true,
			.launch =
				machine && machine->launches.first ? machine->launches.first->ordinal : d->focus.launch,
			.group = (uint32_t)json_number(from, "group", 0),
			.warp = (uint32_t)json_number(from, "warp", 0)};
	struct warp_slot *r = find_warp(d, &name, core);

	if (!r)
		text_print(&d->out, "warp %u.%u is on no core here\n", name.group, name.warp);
	return r;
}

/* ---- Where it has stopped ---- */

static const char *stop_kind(const struct debugger *d)
{
	static const char *const kinds[] = {
		[STOP_BREAKPOINT] = "breakpoint", [STOP_PHASE] = "phase", [STOP_WATCH] = "watch"};

	if (d->has_ended)
		return d->told.is_finding ? "finding" : "end";
	if (d->reached)
		return kinds[d->reached->kind];
	return d->focus_ended ? "warp ended" : *d->told.why ? "other" : "goal";
}

/* All that are here: a run that has just begun has not looked. */
static void put_stops_here(json_object *list, const struct debugger *d)
{
	const struct here *h = &d->here;

	for (uint32_t k = 0; h->r && k < d->stops.count; k++) {
		const struct stop *s = d->stops.at[k];

		if (s == d->reached || (s->kind == STOP_BREAKPOINT && s->kernel == h->r->warp.kernel && h->lanes &&
					       bits_has(s->pcs, h->r->warp.path->pc)))
			json_object_array_add(list, json_object_new_int64(s->number));
	}
}

static bool answer_stop(struct debugger *d, json_object *from, json_object *to)
{
	(void)from;
	json_put_number(to, "stops", d->told.stops);
	json_put_text(to, "kind", stop_kind(d));
	json_put_text(to, "why", d->told.why);
	json_put_number(to, "position", d->at);
	if (d->here.core)
		json_put_number(to, "cycle", observer_clock(d->here.core));
	json_put_flag(to, "ended", d->has_ended);
	struct core *core;

	json_put_flag(to, "present", find_warp(d, &d->focus, &core));
	if (d->focus.known) {
		json_put_number(to, "group", d->focus.group);
		json_put_number(to, "warp", d->focus.warp);
		json_put_number(to, "lane", d->lane);
	}
	put_stops_here(json_put_list(to, "here"), d);
	return true;
}

/* ---- What stops it ---- */

static bool add_stop(struct debugger *d, json_object *from, json_object *to)
{
	const char *kind = json_word(from, "kind"), *words = json_word(from, "words");
	struct stop stop = {.kernel = find_kernel(d)};

	if (!strcmp(kind, "watch")) {
		stop.kind = STOP_WATCH;
		if (!value_place(d, words, &stop.place, 4))
			return false;
		stop.words = value_place_words(&d->arena, &stop.place);
	} else {
		stop.kind = STOP_BREAKPOINT;
		if (!stop.kernel) {
			text_print(&d->out, "no launch has begun\n");
			return false;
		}
		stop.pcs = arena_new_array(&d->arena, uint64_t, bits_words(stop.kernel->code_count));
		if (json_object_object_get_ex(from, "line", NULL))
			words = json_line_words(d, stop.kernel, words, json_number(from, "line", 0));
		stop.words = words ? places_find(d, stop.kernel, words, stop.pcs) : NULL;
		if (!stop.words)
			return false;
		for (uint32_t pc = 0; pc < stop.kernel->code_count; pc++)
			if (bits_has(stop.pcs, pc)) {
				json_put_code(d, to, stop.kernel, pc,
					json_object_object_get_ex(from, "line", NULL) ? words : "");
				break;
			}
	}
	json_put_number(to, "number", stops_add(d, stop)->number);
	json_put_text(to, "words", stop.words);
	return true;
}

/* {"remove": [numbers], "add": [{"kind": "watch"|"break", "words": ..., "line": N}]}: an entry for each that is added.
 */
static bool answer_stops(struct debugger *d, json_object *from, json_object *to)
{
	json_object *removed = NULL, *added = NULL, *list = json_put_list(to, "stops");

	json_object_object_get_ex(from, "remove", &removed);
	json_object_object_get_ex(from, "add", &added);
	for (size_t k = 0; removed && k < json_object_array_length(removed); k++)
		stops_remove(d, (uint32_t)json_object_get_int64(json_object_array_get_idx(removed, k)));
	for (size_t k = 0; added && k < json_object_array_length(added); k++) {
		json_object *entry = json_put_entry(list);

		if (!add_stop(d, json_object_array_get_idx(added, k), entry))
			json_put_text(entry, "error", json_take_words(d));
	}
	return true;
}

/* ---- The table ---- */

static const struct json_command {
	const char *name;
	bool (*answer)(struct debugger *d, json_object *from, json_object *to);
} commands[] = {
#define JSON_COMMAND(name, function) {name, function},
#include "debug/json.def"
#undef JSON_COMMAND
};

const char *json_take_words(struct debugger *d)
{
	size_t length = d->out.length;
	const char *words;

	while (length && d->out.at[length - 1] == '\n')
		length--;
	words = arena_copy(&d->scratch, length ? d->out.at : "", length);
	d->out.length = 0;
	return words;
}

static void write_answer(struct debugger *d, json_object *to)
{
	d->out.length = 0;
	text_print(&d->out, "%s", json_object_to_json_string_ext(to, JSON_C_TO_STRING_PLAIN));
	json_object_put(to);
}

/* "json-go OBJECT": the command of people that its `line` is, of the warp that it names; "json-resume": as the run was
 * going, after an interruption. */
static bool run_on(struct debugger *d, const char *name, json_object *from, enum next *next)
{
	struct core *core;

	if (!strcmp(name, "resume")) {
		if (d->plan.goal.warp.known)
			d->focus = d->plan.goal.warp;
		*next = NEXT_GO;
		json_object_put(from);
		return true;
	}
	if (strcmp(name, "go") != 0)
		return false;
	const struct warp_slot *r = json_object_object_get_ex(from, "group", NULL) ? json_warp(d, from, &core) : NULL;

	d->out.length = 0;
	if (r)
		d->focus = name_of(r);
	const char *line = arena_text(&d->scratch, json_word(from, "line"));

	json_object_put(from); /* the command may not return */
	*next = commands_run(d, line);
	return true;
}

bool json_run(struct debugger *d, const char *line, enum next *next)
{
	const char *name, *object;
	json_object *from, *to;

	if (strncmp(line, PREFIX, strlen(PREFIX)) != 0)
		return false;
	line += strlen(PREFIX);
	name = arena_copy(&d->scratch, line, strcspn(line, " "));
	object = line + strlen(name);
	from = json_tokener_parse(object + strspn(object, " "));
	from = from ? from : json_object_new_object();
	if (run_on(d, name, from, next))
		return true;
	to = json_object_new_object();
	*next = NEXT_ASK;
	for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
		if (!strcmp(commands[k].name, name)) {
			if (!commands[k].answer(d, from, to))
				json_put_text(to, "error", json_take_words(d));
			json_object_put(from);
			write_answer(d, to);
			return true;
		}
	json_put_text(to, "error", "no such command");
	json_object_put(from);
	write_answer(d, to);
	return true;
}
