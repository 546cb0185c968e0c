/* Reads reports and timelines in which one member at a time is of another type, negative, huge, null or missing.
 *
 *     hostile_results FILE...      each as `lockstep report`, `compare`, `sweep` and `experiment` read it
 *
 * A member of another type must be refused with a message that names it; all else must be read to the end.  Lists and
 * tables by name are changed at their first element.  Run by tests/hostile_results.py. */
#include "unit/experiment_harness.h"

#include "experiment/collect.h"
#include "report/comparison.h"
#include "report/members.h"
#include "report/page.h"
#include "report/result_file.h"
#include "sweep/sweep.h"
#include "util/map.h"

/* What no reader reads: any value is taken.  The configuration's fields are many, of several types. */
static const char *const unread[] = {"configuration", "buffers", "kernels", "streams", "simulated_cycles"};
/* Members of timelines that only viewers read. */
static const char *const viewers[] = {"displayTimeUnit", "producer", "unit", "name", "value", "sort_index", "args"};

static const char *const values[] = {"\"x\"", "5", "-1", "1e300", "18446744073709551614", "true", "null", "[]", "[1,2]",
	"[\"x\",\"y\",\"z\"]", "[null]", "[{}]", "{}", "{\"a\":1}", "{\"a\":\"x\"}"};
#define LIST_KEPT 3   /* elements, */
#define TABLE_KEPT 24 /* and members by name: the reports are made small, so that each change is read soon */

struct hostile {
	struct folder *folder;
	const struct plan *plan;
	struct points points;
	const char *file;           /* that is written */
	json_object *whole, *plain; /* the report that is changed, and one that is not */
	struct map seen;            /* forms of paths that were changed, in any file */
	bool is_timeline;           /* of the report that is changed */
	uint32_t changes, wrong;
};

/* ---- Readers ---- */

static void read_as_report(struct hostile *h, struct diagnostic *diagnostic)
{
	bool is_timeline;
	json_object *object = result_file_read(&h->folder->arena, h->file, &is_timeline, diagnostic);
	struct page_result result = {
		.name = "a", .report = h->is_timeline ? h->plain : object, .timeline = h->is_timeline ? object : NULL};
	if (object)
		json_object_put(page_data(&result, 1));
	json_object_put(object);
}

static void read_as_comparison(struct hostile *h, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena};
	struct comparison c;
	if (comparison_read(&c, &arena, (const char *const[]){h->file, h->file}, diagnostic)) {
		comparison_text(&text, &c, 20);
		comparison_json(&text, &c, 20);
		comparison_free(&c);
	}
	arena_free(&arena);
}

static void read_as_sweep(struct hostile *h, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct sweep_run run = {0};
	struct sweep sweep = {.arena = &arena, .folder = h->folder->path, .run = &run, .runs = 1};
	sweep_read_report(&sweep, 0, diagnostic);
	arena_free(&arena);
}

static void read_as_experiment(struct hostile *h, struct diagnostic *diagnostic)
{
	struct status statuses[8] = {{0}};
	const char *database = arena_printf(&h->folder->arena, "%s/results.sqlite", h->folder->path);
	collect(&h->folder->arena, h->plan, &h->points, h->folder->path, database, statuses, diagnostic);
}

/* ---- Changes ---- */

static bool is_among(const char *const *names, size_t count, const char *name)
{
	for (size_t k = 0; k < count; k++)
		if (!strcmp(names[k], name))
			return true;
	return false;
}

static int class_of(json_object *value)
{
	enum json_type type = json_object_get_type(value);
	return type == json_type_double ? json_type_int : (int)type;
}

static void check_said(
	struct hostile *h, const char *path, const char *value, bool must_fail, const struct diagnostic *diagnostic)
{
	const char *expected = arena_printf(&h->folder->arena, ".json: %s", path);
	if (h->is_timeline && !strcmp(path, "traceEvents") && !strcmp(value, "missing"))
		expected = ".json: schema ''"; /* it is no timeline then */
	if (!strcmp(path, "schema"))
		expected = ".json: schema";
	bool names_it = strstr(diagnostic->message, expected) && !strchr(diagnostic->message, '\n');
	if (diagnostic->failed ? names_it : !must_fail)
		return;
	fprintf(stderr, "%s is %s: %s\n", path, value, diagnostic->failed ? diagnostic->message : "accepted");
	h->wrong++;
}

static void read_all(struct hostile *h, const char *path, const char *value, bool must_fail)
{
	static void (*const readers[])(struct hostile *, struct diagnostic *) = {
		read_as_report, read_as_comparison, read_as_sweep, read_as_experiment};
	struct diagnostic diagnostic = {0};
	const char *text = json_object_to_json_string(h->whole);
	assert_true(text_write_file(h->file, text, strlen(text), &diagnostic));
	for (size_t k = 0; k < (h->is_timeline ? 1 : sizeof readers / sizeof *readers); k++) {
		struct diagnostic said = {0};
		readers[k](h, &said);
		check_said(h, path, value, must_fail, &said);
	}
	h->changes++;
}

/* One member of an object, or the first element of a list, as each of the values, and then missing. */
static void change(struct hostile *h, json_object *owner, const char *key, const char *path, bool is_read)
{
	json_object *was =
		key ? json_object_get(member(owner, key)) : json_object_get(json_object_array_get_idx(owner, 0));
	for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
		json_object *value = json_tokener_parse(values[k]);
		bool is_other = class_of(value) != class_of(was) || values[k][0] == '-';
		if (key)
			json_object_object_add(owner, key, value);
		else
			json_object_array_put_idx(owner, 0, value);
		read_all(h, path, values[k], is_read && is_other && was);
	}
	if (key) {
		json_object_object_del(owner, key);
		read_all(h, path, "missing", false);
		json_object_object_add(owner, key, was);
	} else {
		json_object_array_put_idx(owner, 0, was);
	}
}

static void change_within(struct hostile *h, json_object *owner, const char *path, const char *form, bool is_read);

/* `form`: the path, but with * for names that are not of Lockstep. */
static void change_part(
	struct hostile *h, json_object *owner, const char *key, const char *path, const char *form, bool is_read)
{
	struct arena *arena = &h->folder->arena;
	json_object *value = key ? member(owner, key) : json_object_array_get_idx(owner, 0);
	if (map_get(&h->seen, form))
		return;
	map_put(arena, &h->seen, form, strlen(form), h);
	change(h, owner, key, path, is_read);
	change_within(h, value, path, form, is_read);
}

static bool is_word(const char *name)
{
	return !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static void change_within(struct hostile *h, json_object *owner, const char *path, const char *form, bool is_read)
{
	struct arena *arena = &h->folder->arena;
	if (json_object_is_type(owner, json_type_array) && json_object_array_length(owner))
		change_part(
			h, owner, NULL, arena_printf(arena, "%s[0]", path), arena_printf(arena, "%s[]", form), is_read);
	if (!json_object_is_type(owner, json_type_object))
		return;
	VECTOR(const char *) keys = {0};
	json_object_object_foreach(owner, name, ignored)
	{
		(void)ignored;
		*vector_push(arena, &keys) = arena_copy(arena, name, strlen(name));
	}
	for (uint32_t k = 0; k < keys.count; k++) {
		const char *key = keys.at[k], *dot = *path ? "." : "";
		bool is_table = !strcmp(path + (strlen(path) > 6 ? strlen(path) - 6 : 0), "stalls");
		bool reads = is_read && !(!*path && is_among(unread, sizeof unread / sizeof *unread, key)) &&
			     !(h->is_timeline && is_among(viewers, sizeof viewers / sizeof *viewers, key));
		change_part(h, owner, key,
			is_word(key) ? arena_printf(arena, "%s%s%s", path, dot, key)
				     : arena_printf(arena, "%s[\"%s\"]", path, key),
			arena_printf(arena, "%s.%s", form,
				(is_word(key) && !is_table) || !strcmp(key, "core.warp_size") ? key : "*"),
			reads);
	}
}

/* The kinds of events of a timeline have members of their own: each is the first element in turn. */
static void change_events(struct hostile *h)
{
	json_object *events = json_object_get(member(h->whole, "traceEvents"));
	struct map kinds = {0};
	for (size_t k = 0; k < json_object_array_length(events); k++) {
		json_object *event = json_object_array_get_idx(events, k), *first = json_object_new_array();
		const char *kind = arena_printf(&h->folder->arena, "%s%s", text_of(event, "ph"), text_of(event, "cat"));
		if (map_get(&kinds, kind))
			continue;
		map_put(&h->folder->arena, &kinds, kind, strlen(kind), h);
		json_object_array_add(first, json_object_get(event));
		json_object_object_add(h->whole, "traceEvents", first);
		h->seen = (struct map){0};
		change_within(h, h->whole, "", "", true);
		json_object_object_add(h->whole, "traceEvents", json_object_get(events));
	}
	json_object_put(events);
}

static json_object *shortened(json_object *value)
{
	if (json_object_is_type(value, json_type_array)) {
		while (json_object_array_length(value) > LIST_KEPT)
			json_object_array_del_idx(value, LIST_KEPT, 1);
		for (size_t k = 0; k < json_object_array_length(value); k++)
			shortened(json_object_array_get_idx(value, k));
	} else if (json_object_is_type(value, json_type_object)) {
		int seen = 0;
		json_object_object_foreach(value, name, part)
		{
			if (seen++ < TABLE_KEPT || is_word(name))
				shortened(part);
			else
				json_object_object_del(value, name);
		}
	}
	return value;
}

int main(int count, char **files)
{
	struct folder folder = make_folder(plain);
	struct hostile h = {.folder = &folder, .points = points_of(&folder), .plan = plan_of(&folder)};
	h.file = arena_printf(&folder.arena, "%s/0001.json", folder.path);
	/* The sweep's first run is the experiment's first point. */
	assert_int_equal(symlink(h.file, points_file(&folder.arena, &h.points.points.at[0], folder.path, "json")), 0);
	h.plain = shortened(json_object_from_file(files[1]));
	for (int k = 1; k < count; k++) {
		h.whole = json_object_from_file(files[k]);
		h.is_timeline = member(h.whole, "traceEvents");
		h.whole = h.is_timeline ? h.whole : shortened(h.whole);
		if (h.is_timeline)
			change_events(&h);
		else
			change_within(&h, h.whole, "", "", true);
		json_object_put(h.whole);
	}
	json_object_put(h.plain);
	printf("%u changes, %u wrong\n", h.changes, h.wrong);
	remove_folder(&folder);
	return h.wrong ? 1 : 0;
}
