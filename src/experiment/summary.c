/* Writes claims.md: see page.h. */
#include "experiment/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
	text_print(out, "%u points, %u seed%s; run %s on %s; simulator build %.16s.\n\n", points->points.count, seeds,
		seeds == 1 ? "" : "s", *dates ? dates : "at an unknown date", processor(out->arena),
		points->build.simulator);
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
