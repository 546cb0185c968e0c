/* Writes claims.md: see page.h. */
#include "experiment/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A cell of a table: without what ends it. */
static const char *cell_of(struct arena *arena, const char *text)
{
	struct text cell = {.arena = arena};
	text_append(&cell, "", 0);
	for (const char *c = text; *c; c++)
		text_print(&cell, *c == '|' ? "\\|" : *c == '\n' ? " " : "%c", *c);
	return cell.at;
}

/* "Intel(R) Xeon(R) ...", as Linux has it. */
static const char *processor(struct arena *arena)
{
	size_t length;
	struct diagnostic none = {0};
	const char *text = text_read_file(arena, "/proc/cpuinfo", &length, &none);
	const char *name = text ? strstr(text, "model name") : NULL;
	name = name ? strchr(name, ':') : NULL;
	if (name)
		return arena_copy(arena, name + 2, strcspn(name + 2, "\n"));
	return none.failed ? arena_printf(arena, "an unknown processor (%s)", none.message) : "an unknown processor";
}

static void write_row(struct text *out, const struct claim *c, const struct verdict *v)
{
	struct arena *arena = out->arena;
	text_print(out, "| %s | %s | %s | %s%s | %s | %s | %s | %s |\n", c->id,
		cell_of(arena, plan_claim_words(arena, c)), c->role, cell_of(arena, c->paper), c->unit ? c->unit : "",
		cell_of(arena, page_value(arena, c, v)), page_interval(arena, v),
		isnan(v->ratio) ? "-" : arena_printf(arena, "%.2f", v->ratio), judge_said(arena, v));
}

/* "1a2b": of the digests of all PTX that ran; "none". */
static const char *kernels_of(struct arena *arena, sqlite3 *db)
{
	struct diagnostic none = {0};
	struct answer a = database_ask(arena, db, "SELECT DISTINCT ptx FROM points WHERE ptx IS NOT NULL ORDER BY 1",
		(struct place){0}, &none);
	XXH3_state_t *state = arena_new(arena, XXH3_state_t);
	XXH3_64bits_reset(state);
	if (a.kind != ANSWER_VALUES || !a.rows)
		return "none";
	for (uint32_t k = 0; k < a.rows; k++)
		XXH3_64bits_update(state, a.values[k], strlen(a.values[k]) + 1);
	return arena_printf(arena, "%016" PRIx64, XXH3_64bits_digest(state));
}

/* What is ours and not the paper's, at other values. */
static void write_parameters(struct text *out, const struct plan *plan, const struct verdict *verdicts)
{
	bool any = false;
	for (uint32_t k = 0; k < plan->controls.count; k++) {
		const struct control *c = &plan->controls.at[k];
		if (!c->parameter)
			continue;
		text_print(out, any ? ""
				    : "\n| parameter at another value | moves, with the first seed, by more than 5 %% "
				      "|\n|---|---|\n");
		text_print(out, "| %s | %s |\n", cell_of(out->arena, c->name),
			cell_of(out->arena, page_moves(out->arena, plan, verdicts, k)));
		any = true;
	}
}

void summary_write(struct text *out, const struct plan *plan, const struct points *points,
	const struct verdict *verdicts, uint32_t seeds, sqlite3 *db)
{
	struct tally tallies[ROLE_COUNT];
	const char *dates = page_dates(out->arena, db);
	text_print(out, "# %s, size %s\n\n", plan->title, size_names[points->size]);
	const struct names said = page_unpinned(out->arena, db);
	for (uint32_t k = 0; k < said.count; k++)
		text_print(out, "%s\n\n", said.at[k]);
	const struct names kernels = page_kernels(out->arena, db);
	for (uint32_t k = 0; k < kernels.count; k++)
		text_print(out, "%s\n\n", kernels.at[k]);
	text_print(out, "%u points, %u seed%s; run %s on %s; simulator build %.16s, plan %.16s, PTX %s.\n\n",
		points->points.count, seeds, seeds == 1 ? "" : "s", *dates ? dates : "at an unknown date",
		processor(out->arena), points->build.simulator, points->build.plan, kernels_of(out->arena, db));
	judge_count(plan, verdicts, tallies);
	for (uint32_t role = 0; role < ROLE_COUNT; role++)
		if (tallies[role].all)
			text_print(out, "- %s, %u: %s\n", role_names[role], tallies[role].all,
				judge_tally(out->arena, &tallies[role]));
	text_print(out, "\n| claim | what | role | paper | ours | 95 %% interval | ratio | result |\n"
			"|---|---|---|---|---|---|---|---|\n");
	for (uint32_t k = 0; k < plan->claims.count; k++)
		write_row(out, &plan->claims.at[k], &verdicts[k]);
	write_parameters(out, plan, verdicts);
}

/* ---- claims.csv ---- */

/* A field: in quotes where it has what ends one. */
static void put_field(struct text *out, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		text_append(out, text, strlen(text));
		return;
	}
	text_append(out, "\"", 1);
	for (const char *c = text; *c; c++)
		text_print(out, *c == '"' ? "\"\"" : "%c", *c);
	text_append(out, "\"", 1);
}

/* "1=4.5; 2=4.6": by seed. */
static const char *values_of(struct arena *arena, const struct verdict *v)
{
	struct text text = {.arena = arena};
	text_append(&text, "", 0);
	for (uint32_t k = 0; v->values && k < v->seeds; k++)
		text_print(&text, "%s%" PRIu64 "=%s", k ? "; " : "", v->of_seeds[k], v->values[k]);
	return text.at;
}

static const char *number_of(struct arena *arena, double number)
{
	return isnan(number) ? "" : arena_printf(arena, "%.15g", number);
}

void summary_write_values(struct text *out, const struct plan *plan, const struct points *points,
	const struct verdict *verdicts, sqlite3 *db)
{
	struct arena *arena = out->arena;
	text_print(out, "# plan %s, build %s, PTX %s\n", points->build.plan, points->build.simulator,
		kernels_of(arena, db));
	text_print(out, "claim,part,role,kind,paper,ours,low,high,result,without,values\n");
	for (uint32_t k = 0; k < plan->claims.count; k++) {
		const struct claim *c = &plan->claims.at[k];
		const struct verdict *v = &verdicts[k];
		const char *fields[] = {c->id, c->part ? c->part : "", c->role, c->kind, c->paper,
			v->ours ? v->ours : "", number_of(arena, v->low), number_of(arena, v->high),
			judgement_words[v->judgement], v->judgement == CLAIM_MET && v->without ? v->without : "",
			values_of(arena, v)};
		for (size_t n = 0; n < sizeof fields / sizeof *fields && !v->unasked; n++) {
			text_append(out, ",", n > 0);
			put_field(out, fields[n]);
		}
		text_append(out, "\n", !v->unasked);
	}
}
