/* Reads experiment.cfg: each kind of group is a table of keys, so that a wrong or unknown one is named with its
 * line. */
#include "experiment/plan.h"

#include "util/text.h"

#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEYS_MAX 32 /* of a kind of group */

const char *const size_names[SIZE_COUNT] = {"small", "paper"};
const char *const role_names[ROLE_COUNT] = {"fitted", "confirmed", "definition", "other-machine"};

/* What a key holds, and so the type of its member. */
enum kind {
	TEXT,         /* const char * */
	VALUE,        /* const char *: text, or a number as written in C */
	NAMES,        /* struct names: text, or an array of texts */
	NUMBER,       /* double */
	NUMBERS,      /* struct numbers: an array */
	SIZED_TEXT,   /* const char *[SIZE_COUNT]: text for all sizes, or a group small, paper */
	SIZED_NUMBER, /* double [SIZE_COUNT], likewise */
	SWITCH,       /* bool */
	GROUPS,       /* read by the caller */
};
static const char *const kind_words[] = {"a text in quotes", "a number or a text in quotes",
	"a text or an array of texts", "a number", "an array of numbers",
	"a text, or { small = \"...\"; paper = \"...\"; }", "a number, or { small = ...; paper = ...; }",
	"true or false", "a list of groups: ( { ... }, { ... } )"};

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	bool required;
	double least, most; /* of a number; both 0: any */
};
/* clang-format would take #member for a directive. */
/* clang-format off */
#define KEY(type, member, kind, required) {#member, kind, offsetof(type, member), required, 0, 0}
/* A number that may be left out. */
#define RANGE(type, member, kind, least, most) {#member, kind, offsetof(type, member), false, least, most}
#define SCOPED(type, member, required) {#member, NAMES, offsetof(type, scope.member), required, 0, 0}
#define SCOPE(type) SCOPED(type, sets, true), SCOPED(type, programs, false), SCOPED(type, policies, false), SCOPED(type, variations, false)
#define END {NULL, TEXT, 0, false, 0, 0}
/* clang-format on */

#define SECONDS_MOST (366 * 86400.0)  /* a year */
#define SEEDS_MOST 9007199254740992.0 /* 2^53: up to there doubles are whole numbers without a gap */

static const struct key plan_keys[] = {
	KEY(struct plan, title, TEXT, true),
	KEY(struct plan, paper, TEXT, false),
	KEY(struct plan, text, TEXT, false),
	KEY(struct plan, views, TEXT, false),
	KEY(struct plan, tables, NAMES, false),
	KEY(struct plan, pinned, TEXT, false),
	RANGE(struct plan, time_limit, SIZED_NUMBER, 0.001, SECONDS_MOST),
	KEY(struct plan, fixed_starts, SWITCH, false),
	{"programs", GROUPS, 0, true, 0, 0},
	{"benchmarks", GROUPS, 0, true, 0, 0},
	{"policies", GROUPS, 0, true, 0, 0},
	{"variations", GROUPS, 0, false, 0, 0},
	{"sets", GROUPS, 0, true, 0, 0},
	{"controls", GROUPS, 0, false, 0, 0},
	{"claims", GROUPS, 0, false, 0, 0},
	{"figures", GROUPS, 0, false, 0, 0},
	END,
};

static const struct key program_keys[] = {
	KEY(struct program, name, TEXT, true),
	KEY(struct program, file, TEXT, true),
	KEY(struct program, sources, NAMES, false),
	KEY(struct program, arguments, SIZED_TEXT, false),
	RANGE(struct program, seconds, SIZED_NUMBER, 0, SECONDS_MOST),
	END,
};

static const struct key benchmark_keys[] = {
	KEY(struct benchmark, name, TEXT, true),
	KEY(struct benchmark, program, TEXT, true),
	KEY(struct benchmark, kernels, NAMES, false),
	END,
};

static const struct key policy_keys[] = {
	KEY(struct policy, name, TEXT, true),
	KEY(struct policy, options, TEXT, true),
	END,
};

static const struct key variation_keys[] = {
	KEY(struct variation, name, TEXT, true),
	KEY(struct variation, arguments, SIZED_TEXT, true),
	RANGE(struct variation, value, NUMBER, -1e300, 1e300),
	END,
};

static const struct key set_keys[] = {
	KEY(struct set, name, TEXT, true),
	KEY(struct set, text, TEXT, false),
	KEY(struct set, programs, NAMES, true),
	KEY(struct set, gpus, NAMES, true),
	KEY(struct set, policies, NAMES, true),
	KEY(struct set, variations, NAMES, false),
	RANGE(struct set, seeds, NUMBERS, 0, SEEDS_MOST),
	KEY(struct set, may_fail, SWITCH, false),
	KEY(struct set, size, TEXT, false),
	END,
};

static const struct key control_keys[] = {
	KEY(struct control, name, TEXT, true),
	KEY(struct control, text, TEXT, false),
	KEY(struct control, parameter, TEXT, false),
	KEY(struct control, policies, NAMES, true),
	KEY(struct control, by, NAMES, true),
	KEY(struct control, variations, NAMES, false),
	KEY(struct control, by_variations, NAMES, false),
	END,
};

static const struct key claim_keys[] = {
	KEY(struct claim, id, TEXT, true),
	KEY(struct claim, part, TEXT, false),
	KEY(struct claim, where, TEXT, false),
	KEY(struct claim, metric, TEXT, true),
	KEY(struct claim, kind, TEXT, true),
	KEY(struct claim, role, TEXT, true),
	KEY(struct claim, parameter, TEXT, false),
	KEY(struct claim, unit, TEXT, false),
	KEY(struct claim, paper, VALUE, true),
	KEY(struct claim, value, TEXT, true),
	SCOPE(struct claim),
	RANGE(struct claim, seeds, NUMBERS, 0, SEEDS_MOST),
	RANGE(struct claim, tolerance, NUMBER, 1e-9, 1000),
	KEY(struct claim, explanation, TEXT, false),
	KEY(struct claim, holds, NUMBERS, false),
	END,
};

static const struct key figure_keys[] = {
	KEY(struct figure, id, TEXT, true),
	KEY(struct figure, title, TEXT, true),
	KEY(struct figure, caption, TEXT, false),
	KEY(struct figure, paper, TEXT, false),
	KEY(struct figure, shape, TEXT, true),
	KEY(struct figure, rows, TEXT, true),
	KEY(struct figure, marks, TEXT, false),
	SCOPE(struct figure),
	KEY(struct figure, template, TEXT, false),
	KEY(struct figure, setup, TEXT, false),
	RANGE(struct figure, width, NUMBER, 100, 10000),
	RANGE(struct figure, height, NUMBER, 100, 10000),
	END,
};

struct reader {
	struct arena *arena;
	struct diagnostic *diagnostic;
	const char *file, *text;
};

/* ---- Places ---- */

static const char *line_of(const struct reader *r, uint32_t line)
{
	const char *at = r->text;
	while (--line && (at = strchr(at, '\n')))
		at++;
	return at ? at : "";
}

/* Of `name =` in a line; 0 where there is none or several, and so it is not known which is meant. */
static uint32_t column_of_key(const char *line, const char *name)
{
	size_t length = strlen(name), end = strcspn(line, "\n");
	uint32_t column = 0;
	for (size_t k = 0; k + length < end; k++) {
		const char *behind = line + k + length;
		bool begins = !k || strchr(" \t{(;,", line[k - 1]);
		if (!begins || strncmp(line + k, name, length) || !strchr("=:", behind[strspn(behind, " \t")]))
			continue;
		if (column)
			return 0;
		column = (uint32_t)k + 1;
	}
	return column;
}

/* Of a list's element, a group: the line's first brace, unless the element before is in the same line. */
static uint32_t column_of_element(const char *line, const config_setting_t *s)
{
	int index = config_setting_index(s);
	const config_setting_t *before =
		index > 0 ? config_setting_get_elem(config_setting_parent(s), (unsigned)index - 1) : NULL;
	size_t brace = strcspn(line, "{\n");
	bool known =
		line[brace] == '{' && (!before || config_setting_source_line(before) < config_setting_source_line(s));
	return known ? (uint32_t)brace + 1 : 0;
}

/* libconfig keeps lines alone. */
static struct place place_of(const struct reader *r, const config_setting_t *setting)
{
	struct place place = {.file = r->file, .line = setting ? config_setting_source_line(setting) : 0};
	const char *line = place.line ? line_of(r, place.line) : "",
		   *name = place.line ? config_setting_name(setting) : NULL;
	if (name)
		place.column = column_of_key(line, name);
	else if (*line && config_setting_is_group(setting))
		place.column = column_of_element(line, setting);
	return place;
}

/* ---- Values ---- */

static const char *text_in(struct reader *r, const config_setting_t *s)
{
	const char *text = config_setting_get_string(s);
	return text ? arena_text(r->arena, text) : NULL;
}

static bool number_in(const config_setting_t *s, double *number)
{
	int type = config_setting_type(s);
	bool whole = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
	if (whole)
		*number = (double)config_setting_get_int64(s);
	else if (type == CONFIG_TYPE_FLOAT)
		*number = config_setting_get_float(s);
	return whole || type == CONFIG_TYPE_FLOAT;
}

static bool read_value(struct reader *r, const config_setting_t *s, const char **to)
{
	double number;
	*to = text_in(r, s);
	if (!*to && number_in(s, &number))
		*to = arena_printf(r->arena, "%.15g", number);
	return *to;
}

static bool read_names(struct reader *r, const config_setting_t *s, struct names *to)
{
	bool one = config_setting_type(s) == CONFIG_TYPE_STRING, good = one || config_setting_is_aggregate(s);
	uint32_t count = one ? 1 : good ? (uint32_t)config_setting_length(s) : 0;
	to->at = arena_new_array(r->arena, const char *, count + 1);
	for (uint32_t k = 0; k < count && good; k++)
		good = (to->at[k] = text_in(r, one ? s : config_setting_get_elem(s, k)));
	to->count = count;
	return good;
}

static bool read_numbers(struct reader *r, const config_setting_t *s, struct numbers *to)
{
	bool good = config_setting_is_aggregate(s);
	to->count = good ? (uint32_t)config_setting_length(s) : 0;
	to->at = arena_new_array(r->arena, double, to->count + 1);
	for (uint32_t k = 0; k < to->count && good; k++)
		good = number_in(config_setting_get_elem(s, k), &to->at[k]);
	return good;
}

/* The setting of a size: the member of that name in a group, or the setting itself. */
static const config_setting_t *sized(const config_setting_t *s, int size)
{
	if (!config_setting_is_group(s))
		return s;
	return config_setting_length(s) == SIZE_COUNT ? config_setting_get_member(s, size_names[size]) : NULL;
}

static bool read_sized(struct reader *r, const config_setting_t *s, enum kind kind, void *to)
{
	bool good = true;
	for (int size = 0; size < SIZE_COUNT && good; size++) {
		const config_setting_t *of = sized(s, size);
		if (!of)
			return false;
		if (kind == SIZED_TEXT)
			good = (((const char **)to)[size] = text_in(r, of));
		else
			good = number_in(of, &((double *)to)[size]);
	}
	return good;
}

static bool read_kind(struct reader *r, const config_setting_t *s, enum kind kind, void *to)
{
	switch (kind) {
	case TEXT: return (*(const char **)to = text_in(r, s));
	case VALUE: return read_value(r, s, to);
	case NAMES: return read_names(r, s, to);
	case NUMBER: return number_in(s, to);
	case NUMBERS: return read_numbers(r, s, to);
	case SIZED_TEXT:
	case SIZED_NUMBER: return read_sized(r, s, kind, to);
	case SWITCH: *(bool *)to = config_setting_get_bool(s); return config_setting_type(s) == CONFIG_TYPE_BOOL;
	case GROUPS: return config_setting_is_list(s);
	}
	return false;
}

/* ---- Groups ---- */

/* Numbers of a key that has a range. */
static bool in_range(const struct key *key, const void *value)
{
	const struct numbers *numbers = value;
	const double *at = key->kind == NUMBERS ? numbers->at : value;
	uint32_t count = key->kind == NUMBERS ? numbers->count : key->kind == SIZED_NUMBER ? SIZE_COUNT : 1;
	if (!(key->least < key->most)) /* it has no range */
		return true;
	for (uint32_t k = 0; k < count; k++)
		if (!(at[k] >= key->least && at[k] <= key->most))
			return false;
	return true;
}

static void unknown_key(struct reader *r, const config_setting_t *s, const struct key *keys)
{
	const char *names[KEYS_MAX] = {0}, *name = config_setting_name(s);
	size_t count = 0;
	for (const struct key *k = keys; k->name; k++)
		names[count++] = k->name;
	text_refuse_unknown(
		r->diagnostic, place_of(r, s), "key", name, names, count, text_alternatives(r->arena, names, count));
}

static void read_keys(struct reader *r, const config_setting_t *group, const struct key *keys, void *to)
{
	for (int k = 0; k < config_setting_length(group) && !r->diagnostic->failed; k++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)k);
		const struct key *key = keys;
		while (key->name && strcmp(key->name, config_setting_name(s)))
			key++;
		if (!key->name)
			unknown_key(r, s, keys);
		else if (!read_kind(r, s, key->kind, (char *)to + key->offset))
			diagnose(r->diagnostic, place_of(r, s), "bad value of '%s', expected %s", key->name,
				kind_words[key->kind]);
		else if (!in_range(key, (char *)to + key->offset))
			diagnose(r->diagnostic, place_of(r, s), "bad value of '%s', expected from %.16g to %.16g",
				key->name, key->least, key->most);
	}
	for (const struct key *key = keys; key->name && !r->diagnostic->failed; key++)
		if (key->required && !config_setting_get_member(group, key->name))
			diagnose(r->diagnostic, place_of(r, group), "'%s' is missing, expected %s", key->name,
				kind_words[key->kind]);
}

static const config_setting_t *element_of(struct reader *r, const config_setting_t *list, int k)
{
	const config_setting_t *element = config_setting_get_elem(list, (unsigned)k);
	if (config_setting_is_group(element))
		return element;
	diagnose(r->diagnostic, place_of(r, element), "unexpected value, expected a group: { ... }");
	return NULL;
}

/* Each element of the list NAME becomes one of the vector of that name; `keys` says how. */
#define READ_LIST(r, root, plan, vector, keys)                                                                         \
	do {                                                                                                           \
		const config_setting_t *list_ = config_setting_get_member((root), #vector);                            \
		for (int k_ = 0; list_ && k_ < config_setting_length(list_) && !(r)->diagnostic->failed; k_++) {       \
			const config_setting_t *element_ = element_of((r), list_, k_);                                 \
			if (!element_)                                                                                 \
				break;                                                                                 \
			void *to_ = vector_push((r)->arena, &(plan)->vector);                                          \
			(plan)->vector.at[k_].place = place_of((r), element_);                                         \
			read_keys((r), element_, (keys), to_);                                                         \
		}                                                                                                      \
	} while (0)

/* ---- Lookups ---- */

/* Of a vector of structs whose member `name` is the name. */
#define FIND(vector, wanted)                                                                                           \
	for (uint32_t k = 0; k < (vector).count; k++)                                                                  \
		if (!strcmp((vector).at[k].name, (wanted)))                                                            \
			return &(vector).at[k];                                                                        \
	return NULL

const struct program *plan_program(const struct plan *plan, const char *name)
{
	FIND(plan->programs, name);
}

const struct policy *plan_policy(const struct plan *plan, const char *name)
{
	FIND(plan->policies, name);
}

const struct variation *plan_variation(const struct plan *plan, const char *name)
{
	FIND(plan->variations, name);
}

void plan_limit_seeds(struct plan *plan, uint32_t count)
{
	for (uint32_t k = 0; k < plan->sets.count; k++)
		if (plan->sets.at[k].seeds.count > count)
			plan->sets.at[k].seeds.count = count;
}

const char *plan_claim_words(struct arena *arena, const struct claim *claim)
{
	return claim->part ? arena_printf(arena, "%s, %s", claim->metric, claim->part) : claim->metric;
}

bool plan_has_numbers(const struct claim *claim)
{
	static const char *const kinds[] = {"factor", "points", "ratio", "range", "atmost", "atleast"};
	bool has = false;

	for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		has |= !strcmp(claim->kind, kinds[k]);
	return has;
}

static struct bounds paper_range(const char *text)
{
	static const char between[] = " to ";
	const char *at = strstr(text, between);
	char from[64] = "";
	struct bounds bounds = {NAN, NAN};

	if (!at || (size_t)(at - text) >= sizeof from)
		return bounds;
	memcpy(from, text, (size_t)(at - text));
	if (!text_to_f64(from, &bounds.from) || !text_to_f64(at + strlen(between), &bounds.to) ||
		!(bounds.from < bounds.to))
		return (struct bounds){NAN, NAN};
	return bounds;
}

struct bounds plan_paper(const struct claim *claim)
{
	double number;

	if (!strcmp(claim->kind, "range"))
		return paper_range(claim->paper);
	if (!text_to_f64(claim->paper, &number))
		return (struct bounds){NAN, NAN};
	return (struct bounds){
		strcmp(claim->kind, "atmost") ? number : -INFINITY, strcmp(claim->kind, "atleast") ? number : INFINITY};
}

enum role plan_role(const struct claim *claim)
{
	enum role role = 0;
	while (role + 1 < ROLE_COUNT && strcmp(role_names[role], claim->role))
		role++;
	return role;
}

const char *plan_path(struct arena *arena, const struct plan *plan, const char *path)
{
	return *path == '/' ? path : arena_printf(arena, "%s/%s", plan->folder, path);
}

bool names_have(const struct names *names, const char *name)
{
	for (uint32_t k = 0; k < names->count; k++)
		if (!strcmp(names->at[k], name))
			return true;
	return false;
}

#define DEFAULT_LIMIT_SMALL 120.0
#define DEFAULT_LIMIT_PAPER 7200.0
#define DEFAULT_TOLERANCE 0.35
#define DEFAULT_POINTS 10.0 /* percent */
#define DEFAULT_WIDTH 900.0
#define DEFAULT_HEIGHT 380.0

static void fill_defaults(struct plan *p)
{
	const double limits[SIZE_COUNT] = {DEFAULT_LIMIT_SMALL, DEFAULT_LIMIT_PAPER};
	for (int size = 0; size < SIZE_COUNT; size++) {
		if (p->time_limit[size] <= 0)
			p->time_limit[size] = limits[size];
		for (uint32_t k = 0; k < p->programs.count; k++) {
			struct program *program = &p->programs.at[k];
			program->arguments[size] = program->arguments[size] ? program->arguments[size] : "";
		}
	}
	for (uint32_t k = 0; k < p->claims.count; k++) {
		struct claim *c = &p->claims.at[k];
		bool is_percent = c->unit && strchr(c->unit, '%');
		if (c->tolerance == 0 && !strcmp(c->kind, "points"))
			c->tolerance = is_percent ? DEFAULT_POINTS : DEFAULT_POINTS / 100;
		else if (c->tolerance == 0)
			c->tolerance = DEFAULT_TOLERANCE;
	}
	for (uint32_t k = 0; k < p->figures.count; k++) {
		struct figure *f = &p->figures.at[k];
		f->width = f->width > 0 ? f->width : DEFAULT_WIDTH;
		f->height = f->height > 0 ? f->height : DEFAULT_HEIGHT;
	}
}

static void read_plan(struct reader *r, const config_setting_t *root, struct plan *p)
{
	read_keys(r, root, plan_keys, p);
	READ_LIST(r, root, p, programs, program_keys);
	READ_LIST(r, root, p, benchmarks, benchmark_keys);
	READ_LIST(r, root, p, policies, policy_keys);
	READ_LIST(r, root, p, variations, variation_keys);
	READ_LIST(r, root, p, sets, set_keys);
	READ_LIST(r, root, p, controls, control_keys);
	READ_LIST(r, root, p, claims, claim_keys);
	READ_LIST(r, root, p, figures, figure_keys);
}

struct plan *plan_read(struct arena *arena, const char *folder, struct diagnostic *diagnostic)
{
	struct plan *p = arena_new(arena, struct plan);
	size_t length = strlen(folder);
	while (length > 1 && folder[length - 1] == '/')
		length--;
	p->folder = arena_copy(arena, folder, length);
	const char *slash = strrchr(p->folder, '/');
	p->name = slash && slash[1] ? slash + 1 : p->folder;
	p->file = arena_printf(arena, "%s/experiment.cfg", p->folder);
	char *text = text_read_file(arena, p->file, &length, diagnostic);
	struct reader r = {.arena = arena, .diagnostic = diagnostic, .file = p->file, .text = text};
	if (!text)
		return NULL;
	config_t config;
	config_init(&config);
	if (strlen(text) != length)
		diagnose(diagnostic, place_of(&r, NULL), "is not a text file");
	else if (text_config_too_large(text))
		diagnose(diagnostic, (struct place){.file = p->file, .line = text_config_too_large(text)},
			"a number is too large, expected at most 2147483647, or an L behind it");
	else if (config_read_string(&config, text))
		read_plan(&r, config_root_setting(&config), p);
	else
		diagnose(diagnostic, (struct place){.file = p->file, .line = (uint32_t)config_error_line(&config)},
			"%s, expected name = value;", config_error_text(&config));
	config_destroy(&config);
	if (!diagnostic->failed) {
		fill_defaults(p);
		plan_check(arena, p, diagnostic);
	}
	return diagnostic->failed ? NULL : p;
}
