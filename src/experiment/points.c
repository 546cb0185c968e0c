/* Sets become points: command lines, their keys, and which set names which. */
#include "experiment/points.h"

#include "util/folder.h"
#include "util/map.h"
#include "util/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- Hashes ---- */

static void add_text(XXH3_state_t *state, const char *text)
{
	XXH3_128bits_update(state, text, strlen(text) + 1);
}

/* The name without folders and the contents: the same wherever it lies. */
static bool add_file(struct arena *scratch, XXH3_state_t *state, const char *path, struct diagnostic *diagnostic)
{
	size_t length = 0;
	char *data = text_read_file(scratch, path, &length, diagnostic);
	const char *slash = strrchr(path, '/');
	if (!data)
		return false;
	add_text(state, slash ? slash + 1 : path);
	XXH3_128bits_update(state, &length, sizeof length);
	XXH3_128bits_update(state, data, length);
	return true;
}

static void end_hash(XXH3_state_t *state, char key[KEY_BYTES])
{
	XXH128_hash_t hash = XXH3_128bits_digest(state);
	snprintf(key, KEY_BYTES, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

/* ---- Where things are ---- */

/* A program without '/' is one of ours. */
static const char *find_program(struct arena *arena, const struct plan *plan, const struct program *p,
	const char *folder, struct diagnostic *diagnostic)
{
	const char *found = NULL;
	bool ours = !strchr(p->file, '/');
	const char *places[] = {
		ours ? arena_printf(arena, "%s/workloads/%s", folder, p->file) : plan_path(arena, plan, p->file),
		ours ? arena_printf(arena, "%s/../lib/lockstep/workloads/%s", folder, p->file) : "",
	};
	for (size_t k = 0; k < sizeof places / sizeof *places && !found; k++)
		if (!access(places[k], X_OK))
			found = folder_whole_path(arena, places[k]);
	if (!found)
		diagnose(diagnostic, p->place, "there is no program '%s', expected %s", p->file,
			ours ? "one of workloads/, built, beside the command"
			     : "an executable file, seen from the experiment's folder");
	return found;
}

/* Files whose contents decide what comes out. */
static void hash_simulator(struct arena *arena, struct build *build, struct diagnostic *diagnostic)
{
	static const char *const parts[] = {"liblockstep-opencl.so", "cuda/libcudart.so.12", "cuda/libcudart.so.13"};
	static const char *const installed[] = {
		"lockstep/liblockstep-opencl.so", "lockstep/cuda/libcudart.so.12", "lockstep/cuda/libcudart.so.13"};
	const char *folder = build->folder;
	struct arena scratch = {0};
	XXH3_state_t *state = arena_new(&scratch, XXH3_state_t);
	XXH3_128bits_reset(state);
	build->command = arena_printf(arena, "%s/lockstep", folder);
	bool good = add_file(&scratch, state, build->command, diagnostic);
	for (size_t k = 0; k < sizeof parts / sizeof *parts && good; k++) {
		const char *path = arena_printf(arena, "%s/%s", folder, parts[k]);
		if (access(path, R_OK))
			path = arena_printf(arena, "%s/../lib/%s", folder, installed[k]);
		if (!access(path, R_OK))
			good = add_file(&scratch, state, path, diagnostic);
	}
	end_hash(state, build->simulator);
	arena_free(&scratch);
}

/* Who reads the files says what is wrong with them. */
static void hash_plan(const struct plan *plan, struct build *build)
{
	struct arena scratch = {0};
	struct diagnostic ignored = {0};
	XXH3_state_t *state = arena_new(&scratch, XXH3_state_t);
	XXH3_128bits_reset(state);
	add_file(&scratch, state, plan->file, &ignored);
	if (plan->views)
		add_file(&scratch, state, plan_path(&scratch, plan, plan->views), &ignored);
	for (uint32_t k = 0; k < plan->tables.count; k++)
		add_file(&scratch, state, plan_path(&scratch, plan, plan->tables.at[k]), &ignored);
	end_hash(state, build->plan);
	arena_free(&scratch);
}

/* The folder of a program's pinned PTX; null: it has none. */
static const char *pinned_folder(struct arena *arena, const struct plan *plan, const struct program *p)
{
	const char *slash = strrchr(p->file, '/');
	if (!plan->pinned || !p->sources.count)
		return NULL;
	const char *folder =
		arena_printf(arena, "%s/%s", plan_path(arena, plan, plan->pinned), slash ? slash + 1 : p->file);
	const char *whole = folder_whole_path(arena, folder);
	return whole ? whole : folder; /* `lockstep run` refuses what is not there */
}

/* Its files, in the order of their names. */
static void add_folder(struct arena *scratch, XXH3_state_t *state, const char *folder, struct diagnostic *diagnostic)
{
	struct folder_list list;
	folder_read(scratch, folder, &list);
	for (uint32_t k = 0; k < list.names.count && !diagnostic->failed; k++)
		add_file(scratch, state, arena_printf(scratch, "%s/%s", folder, list.names.at[k]), diagnostic);
}

static void hash_program(
	struct arena *arena, const struct plan *plan, uint32_t k, struct build *build, struct diagnostic *diagnostic)
{
	const struct program *p = &plan->programs.at[k];
	struct arena scratch = {0};
	XXH3_state_t *state = arena_new(&scratch, XXH3_state_t);
	XXH3_128bits_reset(state);
	build->paths[k] = find_program(arena, plan, p, build->folder, diagnostic);
	bool good = build->paths[k] && add_file(&scratch, state, build->paths[k], diagnostic);
	for (uint32_t n = 0; n < p->sources.count && good; n++) {
		const char *path = plan_path(&scratch, plan, p->sources.at[n]);
		if (access(path, R_OK))
			diagnose(diagnostic, p->place,
				"cannot read '%s': %s; expected a file, seen from the experiment's folder",
				p->sources.at[n], strerror(errno));
		good = !diagnostic->failed && add_file(&scratch, state, path, diagnostic);
	}
	const char *pinned = pinned_folder(&scratch, plan, p);
	if (pinned && good)
		add_folder(&scratch, state, pinned, diagnostic);
	end_hash(state, build->programs[k]);
	arena_free(&scratch);
}

/* ---- Command lines ---- */

static void push_words(struct arena *arena, struct names *words, const char *text)
{
	for (const char *at = text; *(at += strspn(at, " \t\n"));) {
		size_t length = strcspn(at, " \t\n");
		*vector_push(arena, words) = arena_copy(arena, at, length);
		at += length;
	}
}

static bool is_path(const char *gpu)
{
	return strpbrk(gpu, "/.") != NULL; /* as model_load has it */
}

#define OUTPUT_WORD 4 /* --output FILE follows this many words */

static void make_words(struct arena *arena, const struct plan *plan, const struct build *build, struct point *p)
{
	size_t index = (size_t)(p->program - plan->programs.at);
	const char *gpu = is_path(p->gpu) ? plan_path(arena, plan, p->gpu) : p->gpu;
	const char *whole = is_path(gpu) ? folder_whole_path(arena, gpu) : NULL;
	*vector_push(arena, &p->words) = build->command;
	push_words(arena, &p->words, "run --report json --gpu");
	*vector_push(arena, &p->words) = whole ? whole : gpu;
	p->gpu_words = p->words.count;
	push_words(arena, &p->words, p->starts); /* before the policy's, which may have other values */
	push_words(arena, &p->words, p->options);
	push_words(arena, &p->words, arena_printf(arena, "--seed %" PRIu64 " --threads 1", p->seed));
	p->run_words = p->words.count;
	const char *pinned = pinned_folder(arena, plan, p->program);
	if (pinned) {
		*vector_push(arena, &p->words) = "--pinned";
		*vector_push(arena, &p->words) = pinned;
	}
	p->pinned_words = p->words.count;
	*vector_push(arena, &p->words) = build->paths[index];
	push_words(arena, &p->words, p->arguments);
}

/* What is compiled otherwise is another point. */
static const char *const chosen[] = {"LOCKSTEP_CLANG", "LOCKSTEP_LIBCLC"};

static void make_key(const struct build *build, struct point *p, struct diagnostic *diagnostic)
{
	struct arena scratch = {0};
	XXH3_state_t *state = arena_new(&scratch, XXH3_state_t);
	XXH3_128bits_reset(state);
	add_text(state, p->shown);
	add_text(state, build->simulator);
	add_text(state, p->build);
	for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++)
		if (getenv(chosen[k]))
			add_text(state, getenv(chosen[k]));
	if (is_path(p->gpu))
		add_file(&scratch, state, p->words.at[5], diagnostic);
	end_hash(state, p->key);
	arena_free(&scratch);
}

/* "ht-gtx480-gto-bows-5b1c": what may be in a file's name, and enough of the key to be unique. */
static const char *make_name(struct arena *arena, const struct point *p, const struct entry *e)
{
	char *name = arena_printf(arena, "%s-%s-%s%s%s-%.16s", p->program->name, p->gpu, e->policy->name,
		e->variation ? "-" : "", e->variation ? e->variation->name : "", p->key);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-._+=", *c))
			*c = '_';
	return name;
}

static const char *make_shown(struct arena *arena, const struct point *p)
{
	return arena_printf(arena, "lockstep run --report json --gpu %s%s%s%s%s --seed %" PRIu64 " --threads 1 %s%s%s",
		p->gpu, *p->starts ? " " : "", p->starts, *p->options ? " " : "", p->options, p->seed, p->program->file,
		*p->arguments ? " " : "", p->arguments);
}

/* ---- Seeds ---- */

/* A chip does not start its work-groups in the same cycles twice.  A dispatcher that gives out one in a cycle has
 * served the cores of most models after 16; a core that sets up one warp in a cycle needs 4 for the warps of a small
 * group. Either is small beside what a launch takes, and enough for any order of neighbours.
 *
 * All seeds draw, the first too: that all start at once is one course among many, and a mean with it in would lean
 * towards it.  Points without a seed draw nothing. */
#define STARTS "--set dispatch.jitter=16 --set dispatch.warp_jitter=4"

static const char *starts_of(const struct plan *plan, uint64_t seed)
{
	return seed && !plan->fixed_starts ? STARTS : "";
}

/* ---- Sets ---- */

/* One more entry, and a point unless there is one of that command line. */
static void add_entry(
	struct arena *arena, struct points *points, struct map *known, struct point point, struct entry entry)
{
	point.shown = make_shown(arena, &point);
	struct point *seen = map_get(known, point.shown);
	entry.point = seen ? (uint32_t)(uintptr_t)seen - 1 : points->points.count;
	if (!seen) {
		*vector_push(arena, &points->points) = point;
		map_put(arena, known, point.shown, strlen(point.shown), (void *)(uintptr_t)points->points.count);
	}
	*vector_push(arena, &points->entries) = entry;
}

static void add_set(
	struct arena *arena, const struct plan *plan, const struct set *set, struct points *points, struct map *known)
{
	static double no_seed[] = {0};
	static const char *no_variation[] = {NULL};
	const double *seeds = set->seeds.count ? set->seeds.at : no_seed;
	const char *const *variations = set->variations.count ? set->variations.at : no_variation;
	uint32_t seed_count = set->seeds.count ? set->seeds.count : 1,
		 variation_count = set->variations.count ? set->variations.count : 1;
	uint32_t count = set->programs.count * set->gpus.count * set->policies.count * variation_count * seed_count;
	for (uint32_t k = 0; k < count; k++) { /* the seed runs fastest, the program slowest */
		uint32_t rest = k, seed = rest % seed_count;
		const char *variation = variations[(rest /= seed_count) % variation_count];
		const char *policy = set->policies.at[(rest /= variation_count) % set->policies.count];
		const char *gpu = set->gpus.at[(rest /= set->policies.count) % set->gpus.count];
		struct entry e = {.set = set, .policy = plan_policy(plan, policy)};
		struct point p = {.program = plan_program(plan, set->programs.at[rest / set->gpus.count]), .gpu = gpu};
		e.variation = variation ? plan_variation(plan, variation) : NULL;
		p.seed = (uint64_t)seeds[seed];
		p.options = e.policy->options;
		p.starts = starts_of(plan, p.seed);
		const char *base = p.program->arguments[points->size],
			   *more = e.variation ? e.variation->arguments[points->size] : "";
		p.arguments = text_replace(arena, arena_printf(arena, "%s%s%s", base, *base && *more ? " " : "", more),
			"{seed}", arena_printf(arena, "%" PRIu64, p.seed));
		add_entry(arena, points, known, p, e);
	}
}

void points_count(
	struct arena *arena, const struct plan *plan, enum size size, const struct names *only, struct points *points)
{
	struct map known = {0};
	*points = (struct points){.size = size};
	for (uint32_t k = 0; k < plan->sets.count; k++) {
		const struct set *set = &plan->sets.at[k];
		bool is_of_size = !set->size || !strcmp(set->size, size_names[size]);
		if (is_of_size && (!only->count || names_have(only, set->name)))
			add_set(arena, plan, set, points, &known);
	}
}

bool points_make(struct arena *arena, const struct plan *plan, enum size size, const struct names *only,
	const char *folder, struct points *points, struct diagnostic *diagnostic)
{
	points_count(arena, plan, size, only, points);
	if (only->count) {
		struct points *all = arena_new(arena, struct points);
		points_count(arena, plan, size, &(struct names){0}, all);
		points->planned = all;
	}
	struct build *build = &points->build;
	build->paths = arena_new_array(arena, const char *, plan->programs.count + 1);
	build->programs = arena_array(arena, plan->programs.count + 1, sizeof *build->programs);
	build->folder = folder ? folder : folder_own(arena);
	hash_plan(plan, build);
	hash_simulator(arena, build, diagnostic);
	for (uint32_t k = 0; k < plan->programs.count && !diagnostic->failed; k++)
		hash_program(arena, plan, k, build, diagnostic);
	for (uint32_t k = 0; k < points->points.count && !diagnostic->failed; k++) {
		struct point *p = &points->points.at[k];
		p->build = build->programs[p->program - plan->programs.at];
		make_words(arena, plan, build, p);
		make_key(build, p, diagnostic);
	}
	for (uint32_t k = 0; k < points->entries.count && !diagnostic->failed; k++) {
		struct point *p = &points->points.at[points->entries.at[k].point];
		if (!p->name)
			p->name = make_name(arena, p, &points->entries.at[k]);
	}
	return !diagnostic->failed;
}

static bool none_or_has(const struct names *names, const char *name)
{
	return !names->count || names_have(names, name);
}

bool points_in_scope(const struct points *points, const struct entry *e, const struct scope *scope)
{
	return names_have(&scope->sets, e->set->name) && none_or_has(&scope->policies, e->policy->name) &&
	       none_or_has(&scope->variations, e->variation ? e->variation->name : "") &&
	       none_or_has(&scope->programs, points->points.at[e->point].program->name);
}

static uint32_t count_in_scope(const struct points *points, const struct scope *scope)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < points->entries.count; k++)
		count += points_in_scope(points, &points->entries.at[k], scope);
	return count;
}

uint32_t points_left_out(const struct points *points, const struct scope *scope)
{
	return points->planned ? count_in_scope(points->planned, scope) - count_in_scope(points, scope) : 0;
}

/* ---- Giving them away ---- */

const char *points_file(struct arena *arena, const struct point *point, const char *folder, const char *ending)
{
	return arena_printf(arena, "%s/%s.%s", folder, point->name, ending);
}

const char **points_words(struct arena *arena, const struct point *point, const char *folder)
{
	const char **words = arena_new_array(arena, const char *, point->words.count + 3);
	memcpy(words, point->words.at, OUTPUT_WORD * sizeof *words);
	words[OUTPUT_WORD] = "--output";
	words[OUTPUT_WORD + 1] = points_file(arena, point, folder, "json");
	memcpy(words + OUTPUT_WORD + 2, point->words.at + OUTPUT_WORD,
		(point->words.count - OUTPUT_WORD) * sizeof *words);
	return words;
}

/* In single quotes where a shell would see more than the word. */
static void print_quoted(struct text *text, const char *word)
{
	if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+:,@%") ==
			     strlen(word)) {
		text_append(text, word, strlen(word));
		return;
	}
	text_append(text, "'", 1);
	for (const char *c = word; *c; c++)
		text_print(text, *c == '\'' ? "'\\''" : "%c", *c);
	text_append(text, "'", 1);
}

const char *points_shell(struct arena *arena, const struct point *point, const char *folder)
{
	struct text text = {.arena = arena};
	const char **words = points_words(arena, point, folder);
	for (uint32_t k = 0; words[k]; k++) {
		text_append(&text, " ", k > 0);
		print_quoted(&text, words[k]);
	}
	text_print(&text, " > ");
	print_quoted(&text, points_file(arena, point, folder, "log"));
	text_print(&text, " 2>&1");
	return text.at;
}
