/* What of a plan must fit together: names that are known, and once; claims of a kind that their values allow. */
#include "experiment/plan.h"

#include "util/text.h"

#include <math.h>
#include <string.h>

struct checker {
	struct arena *arena;
	struct diagnostic *diagnostic;
};

/* All names of a vector of structs, for a message. */
#define NAMES_OF(arena, vector, list)                                                                                  \
	struct names list = {                                                                                          \
		.at = arena_new_array((arena), const char *, (vector).count + 1), .count = (vector).count};            \
	for (uint32_t n_ = 0; n_ < (vector).count; n_++)                                                               \
	list.at[n_] = (vector).at[n_].name

static void unknown_name(
	struct checker *r, struct place place, const char *what, const char *name, const struct names *known)
{
	text_refuse_unknown(r->diagnostic, place, what, name, known->at, known->count, "one of this file's");
}

static void check_names(
	struct checker *r, struct place place, const char *what, const struct names *names, const struct names *known)
{
	for (uint32_t k = 0; k < names->count; k++)
		if (!names_have(known, names->at[k]))
			unknown_name(r, place, what, names->at[k], known);
}

static void check_once(struct checker *r, struct place place, const char *what, const struct names *known, uint32_t k)
{
	struct names before = {.at = known->at, .count = k};
	if (names_have(&before, known->at[k]))
		diagnose(r->diagnostic, place, "there are two of %s '%s', expected one", what, known->at[k]);
}

static void check_choice(struct checker *r, struct place place, const char *key, const char *value,
	const char *const *choices, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (!strcmp(choices[k], value))
			return;
	diagnose(r->diagnostic, place, "'%s' is \"%s\", expected %s", key, value,
		text_alternatives(r->arena, choices, count));
}

/* It is part of files' names and of the page. */
static void check_id(struct checker *r, struct place place, const char *id)
{
	if (!*id || id[strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")])
		diagnose(r->diagnostic, place, "'id' is \"%s\", expected letters, digits, - and _", id);
}

/* The paper's value must be one that the kind can judge. */
static void check_paper(struct checker *r, const struct claim *c)
{
	double number = 0;
	bool is_number = text_to_f64(c->paper, &number);
	bool is_range = !strcmp(c->kind, "range");
	if (is_range && isnan(plan_paper(c).from))
		diagnose(r->diagnostic, c->place,
			"'paper' is \"%s\", expected two numbers, the smaller first, as in \"2.6 to 4.3\", as the kind "
			"is range",
			c->paper);
	else if (plan_has_numbers(c) && !is_range && !is_number)
		diagnose(r->diagnostic, c->place, "'paper' is \"%s\", expected a number, as the kind is %s", c->paper,
			c->kind);
	else if (!strcmp(c->kind, "ratio") && c->unit && !strcmp(c->unit, "x"))
		diagnose(r->diagnostic, c->place, "'kind' is \"ratio\" and 'unit' \"x\", expected the kind factor");
	else if (!strcmp(c->kind, "factor") && (!(number > 0) || number == 1))
		diagnose(r->diagnostic, c->place,
			"'paper' is %s, expected a number above 0 other than 1, as the kind is factor: 1 is no effect",
			c->paper);
}

static void check_role(struct checker *r, const struct claim *c)
{
	check_choice(r, c->place, "role", c->role, role_names, ROLE_COUNT);
	if (!strcmp(c->role, role_names[ROLE_FITTED]) != (c->parameter != NULL))
		diagnose(r->diagnostic, c->place,
			c->parameter ? "'parameter' is given, expected none, as the role is not fitted"
				     : "'parameter' is missing, expected what was chosen on this claim, as the role is "
				       "fitted");
}

/* An explanation is of certain values: of others it explains nothing. */
static void check_explanation(struct checker *r, const struct claim *c)
{
	bool needs = c->explanation && plan_has_numbers(c);
	if (needs && !c->holds.count)
		diagnose(r->diagnostic, c->place,
			"'holds' is missing, expected [from, to], the values of which the explanation is");
	else if (!needs && c->holds.count)
		diagnose(r->diagnostic, c->place, "'holds' is given, expected an explanation of a number with it");
	else if (needs && (c->holds.count != 2 || !(c->holds.at[0] <= c->holds.at[1])))
		diagnose(r->diagnostic, c->place, "bad value of 'holds', expected two numbers, [from, to]");
}

static void check_claim(struct checker *r, const struct claim *c)
{
	static const char *const kinds[] = {
		"exact", "verdict", "trend", "factor", "points", "ratio", "range", "atmost", "atleast"};
	check_choice(r, c->place, "kind", c->kind, kinds, sizeof kinds / sizeof *kinds);
	check_paper(r, c);
	check_role(r, c);
	check_explanation(r, c);
}

static void check_control(struct checker *r, const struct control *c)
{
	if (c->policies.count != c->by.count)
		diagnose(r->diagnostic, c->place, "'by' has %u policies, expected one for each of the %u in 'policies'",
			c->by.count, c->policies.count);
	else if (c->variations.count != c->by_variations.count ||
		 (c->variations.count && c->variations.count != c->policies.count))
		diagnose(r->diagnostic, c->place,
			"'variations' has %u and 'by_variations' %u, expected none or one for each of the %u policies",
			c->variations.count, c->by_variations.count, c->policies.count);
}

/* {seed} is the only word in braces that means something. */
static void check_placeholders(struct checker *r, struct place place, const char *text)
{
	for (const char *at = text; (at = strchr(at, '{')); at++)
		if (strncmp(at, "{seed}", 6)) {
			size_t length = strcspn(at, "} \t\n");
			length += at[length] == '}';
			diagnose(r->diagnostic, place, "unknown placeholder '%.*s', expected {seed}", (int)length, at);
		}
}

static void check_arguments(struct checker *r, const struct plan *p)
{
	for (int size = 0; size < SIZE_COUNT; size++) {
		for (uint32_t k = 0; k < p->programs.count; k++)
			check_placeholders(r, p->programs.at[k].place, p->programs.at[k].arguments[size]);
		for (uint32_t k = 0; k < p->variations.count; k++)
			check_placeholders(r, p->variations.at[k].place, p->variations.at[k].arguments[size]);
	}
	for (uint32_t k = 0; k < p->policies.count; k++) /* which even {seed} does not replace */
		if (strchr(p->policies.at[k].options, '{'))
			diagnose(
				r->diagnostic, p->policies.at[k].place, "'options' has a '{', expected no placeholder");
}

static void check_whole_seeds(struct checker *r, struct place place, const struct numbers *seeds)
{
	for (uint32_t n = 0; n < seeds->count; n++)
		if (seeds->at[n] != (double)(uint64_t)seeds->at[n])
			diagnose(r->diagnostic, place, "a seed is %g, expected a whole number", seeds->at[n]);
}

static void check_sets(struct checker *r, const struct plan *p, const struct names *programs,
	const struct names *policies, const struct names *variations)
{
	for (uint32_t k = 0; k < p->sets.count; k++) {
		const struct set *s = &p->sets.at[k];
		check_names(r, s->place, "program", &s->programs, programs);
		check_names(r, s->place, "policy", &s->policies, policies);
		check_names(r, s->place, "variation", &s->variations, variations);
		check_whole_seeds(r, s->place, &s->seeds);
		if (s->size)
			check_choice(r, s->place, "size", s->size, size_names, SIZE_COUNT);
	}
}

static const char *part_of(const struct claim *c)
{
	return c->part ? c->part : "";
}

/* A claim may have several parts, each with a name of its own. */
static void check_claim_once(struct checker *r, const struct plan *p, uint32_t k)
{
	const struct claim *c = &p->claims.at[k];
	for (uint32_t n = 0; n < k; n++)
		if (!strcmp(p->claims.at[n].id, c->id) && !strcmp(part_of(&p->claims.at[n]), part_of(c)))
			diagnose(r->diagnostic, c->place,
				"there are two of claim '%s' with the part '%s', expected one", c->id, part_of(c));
}

/* A scope's variations may have "": points without one. */
static void check_scope(struct checker *r, struct place place, const struct scope *scope, const struct names known[4])
{
	check_names(r, place, "set", &scope->sets, &known[0]);
	check_names(r, place, "program", &scope->programs, &known[1]);
	check_names(r, place, "policy", &scope->policies, &known[2]);
	for (uint32_t k = 0; k < scope->variations.count; k++)
		if (*scope->variations.at[k] && !names_have(&known[3], scope->variations.at[k]))
			unknown_name(r, place, "variation", scope->variations.at[k], &known[3]);
}

static void check_controls(
	struct checker *r, const struct plan *p, const struct names *policies, const struct names *variations)
{
	NAMES_OF(r->arena, p->controls, controls);
	for (uint32_t k = 0; k < p->controls.count; k++) {
		const struct control *c = &p->controls.at[k];
		check_once(r, c->place, "control", &controls, k);
		check_names(r, c->place, "policy", &c->policies, policies);
		check_names(r, c->place, "policy", &c->by, policies);
		check_names(r, c->place, "variation", &c->variations, variations);
		check_names(r, c->place, "variation", &c->by_variations, variations);
		check_control(r, c);
	}
}

/* The names are there once each; `list` has them from here on. */
#define CHECK_ONCE(r, vector, list, what)                                                                              \
	NAMES_OF((r)->arena, vector, list);                                                                            \
	for (uint32_t k_ = 0; k_ < (vector).count; k_++)                                                               \
	check_once((r), (vector).at[k_].place, (what), &list, k_)

static void check_all(struct checker *r, const struct plan *p)
{
	static const char *const shapes[] = {"bars", "stacks", "lines", "table"};
	CHECK_ONCE(r, p->programs, programs, "program");
	CHECK_ONCE(r, p->policies, policies, "policy");
	CHECK_ONCE(r, p->sets, sets, "set");
	CHECK_ONCE(r, p->variations, variations, "variation");
	NAMES_OF(r->arena, p->benchmarks, benchmarks);
	check_arguments(r, p);
	for (uint32_t k = 0; k < p->benchmarks.count; k++) {
		const struct benchmark *b = &p->benchmarks.at[k];
		check_once(r, b->place, "benchmark", &benchmarks, k);
		check_names(r, b->place, "program", &(struct names){.at = (const char **)&b->program, .count = 1},
			&programs);
	}
	const struct names known[4] = {sets, programs, policies, variations};
	check_sets(r, p, &programs, &policies, &variations);
	check_controls(r, p, &policies, &variations);
	for (uint32_t k = 0; k < p->claims.count; k++) {
		const struct claim *c = &p->claims.at[k];
		check_claim_once(r, p, k);
		check_scope(r, c->place, &c->scope, known);
		check_whole_seeds(r, c->place, &c->seeds);
		check_claim(r, c);
	}
	for (uint32_t k = 0; k < p->figures.count; k++) {
		const struct figure *f = &p->figures.at[k];
		for (uint32_t n = 0; n < k; n++)
			if (!strcmp(p->figures.at[n].id, f->id))
				diagnose(r->diagnostic, f->place, "there are two of figure '%s', expected one", f->id);
		check_scope(r, f->place, &f->scope, known);
		check_choice(r, f->place, "shape", f->shape, shapes, sizeof shapes / sizeof *shapes);
		check_id(r, f->place, f->id);
	}
}

void plan_check(struct arena *arena, const struct plan *plan, struct diagnostic *diagnostic)
{
	check_all(&(struct checker){arena, diagnostic}, plan);
}
