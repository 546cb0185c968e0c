/* Makes samples (sample.h): copies of the rows of one seed, the schema's views and the experiment's. */
#include "experiment/sample.h"

#include "util/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which seeds ---- */

static int by_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

static void find_seeds(struct arena *arena, const struct points *points, struct samples *samples)
{
	samples->seeds = arena_new_array(arena, uint64_t, points->points.count + 1);
	for (uint32_t k = 0; k < points->points.count; k++)
		if (points->points.at[k].seed)
			samples->seeds[samples->count++] = points->points.at[k].seed;
	qsort(samples->seeds, samples->count, sizeof *samples->seeds, by_number);
	uint32_t kept = 0;
	for (uint32_t k = 0; k < samples->count; k++)
		if (!k || samples->seeds[k] != samples->seeds[k - 1])
			samples->seeds[kept++] = samples->seeds[k];
	samples->count = kept ? kept : 1; /* of which the seed is 0 */
}

/* ---- One ---- */

static const char *copy_rows(struct arena *arena, uint64_t seed)
{
	return arena_printf(arena,
		"CREATE TEMP TABLE its_points AS SELECT point FROM all_results.points WHERE seed IN (0, %" PRIu64 ");"
		"CREATE TABLE points AS SELECT * FROM all_results.points WHERE point IN its_points;"
		"CREATE TABLE entries AS SELECT * FROM all_results.entries WHERE point IN its_points;"
		"CREATE TABLE benchmarks AS SELECT * FROM all_results.benchmarks;"
		"CREATE TABLE policies AS SELECT * FROM all_results.policies;"
		"CREATE TABLE launches AS SELECT * FROM all_results.launches WHERE point IN its_points;"
		"CREATE TABLE counter_names AS SELECT * FROM all_results.counter_names;"
		"CREATE TABLE counter_values AS SELECT * FROM all_results.counter_values"
		" WHERE launch IN (SELECT launch FROM launches);"
		"CREATE TABLE runs AS SELECT * FROM all_results.runs WHERE point IN its_points;",
		seed);
}

/* Of a policy, or of a policy with a variation: what joins the two. */
static char *rows_of(const char *policy, const char *variation, const char *join)
{
	return variation ? sqlite3_mprintf("policy = %Q %s variation = %Q", policy, join, variation)
			 : sqlite3_mprintf("policy = %Q", policy);
}

/* In a table the rows of the control's k-th policy, and variation, become those of what replaces it. */
static const char *replacement(struct arena *arena, const struct control *c, uint32_t k, const char *table)
{
	const char *variation = c->variations.count ? c->variations.at[k] : NULL,
		   *by_variation = c->variations.count ? c->by_variations.at[k] : NULL;
	char *mine = rows_of(c->policies.at[k], variation, "AND"), *other = rows_of(c->by.at[k], by_variation, "AND"),
	     *names = rows_of(c->policies.at[k], variation, ",");
	const char *sql = arena_printf(arena,
		"CREATE TEMP TABLE other AS SELECT * FROM all_results.%s WHERE point IN its_points AND %s;"
		"UPDATE other SET %s; DELETE FROM main.%s WHERE %s; INSERT INTO main.%s SELECT * FROM other;"
		"DROP TABLE other;",
		table, other, names, table, mine, table);
	sqlite3_free(mine);
	sqlite3_free(other);
	sqlite3_free(names);
	return sql;
}

static const char *replacements(struct arena *arena, const struct control *c)
{
	struct text sql = {.arena = arena};
	for (uint32_t k = 0; k < c->policies.count; k++)
		text_print(&sql, "%s%s", replacement(arena, c, k, "runs"), replacement(arena, c, k, "entries"));
	return sql.at;
}

/* `control` may be null. */
static sqlite3 *open_one(const struct plan *plan, const char *file, uint64_t seed, const struct control *control,
	struct diagnostic *diagnostic)
{
	struct arena scratch = {0};
	const struct place place = {.file = file};
	sqlite3 *db = database_open(NULL, diagnostic);
	char *attach = sqlite3_mprintf("ATTACH %Q AS all_results;", file);
	bool good = db && database_run(db, attach, place, diagnostic) &&
		    database_run(db, copy_rows(&scratch, seed), place, diagnostic) &&
		    (!control || database_run(db, replacements(&scratch, control), place, diagnostic)) &&
		    database_run(db, "DROP TABLE its_points; DETACH all_results;", place, diagnostic) &&
		    collect_views(db, plan, diagnostic);
	sqlite3_free(attach);
	arena_free(&scratch);
	if (good)
		return db;
	sqlite3_close(db);
	return NULL;
}

/* ---- All ---- */

bool samples_open(struct arena *arena, const struct plan *plan, const struct points *points, const char *file,
	struct samples *samples, struct diagnostic *diagnostic)
{
	*samples = (struct samples){0};
	find_seeds(arena, points, samples);
	samples->db = arena_new_array(arena, sqlite3 *, samples->count);
	samples->controlled = arena_new_array(arena, sqlite3 *, (size_t)samples->count * plan->controls.count + 1);
	for (uint32_t k = 0; k < samples->count && !diagnostic->failed; k++) {
		samples->db[k] = open_one(plan, file, samples->seeds[k], NULL, diagnostic);
		for (uint32_t c = 0; c < plan->controls.count && !diagnostic->failed; c++) {
			if (k && plan->controls.at[c].parameter)
				continue;
			samples->controlled[c * samples->count + k] =
				open_one(plan, file, samples->seeds[k], &plan->controls.at[c], diagnostic);
		}
	}
	return !diagnostic->failed;
}

void samples_close(struct samples *samples, const struct plan *plan)
{
	for (uint32_t k = 0; k < samples->count && samples->db; k++) {
		sqlite3_close(samples->db[k]);
		for (uint32_t c = 0; c < plan->controls.count; c++)
			sqlite3_close(samples->controlled[c * samples->count + k]);
	}
	*samples = (struct samples){0};
}

bool sample_concerns(const struct points *points, const struct control *control, const struct scope *scope)
{
	for (uint32_t k = 0; k < points->entries.count; k++) {
		const struct entry *e = &points->entries.at[k];
		const char *variation = e->variation ? e->variation->name : "";
		if (!points_in_scope(points, e, scope))
			continue;
		for (uint32_t n = 0; n < control->policies.count; n++)
			if (!strcmp(control->policies.at[n], e->policy->name) &&
				(!control->variations.count || !strcmp(control->variations.at[n], variation)))
				return true;
	}
	return false;
}
