/* Profiles: lines of a launch as JSON, launches added up, and which form a file has. */
#include "report/profile.h"

#include "report/members.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Costs ---- */

uint64_t profile_stalled(const struct profile_cost *cost)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < lockstep_profiled_stalls(); k++)
		sum += cost->values[k];
	return sum;
}

uint64_t profile_cycles(const struct profile_cost *cost)
{
	return cost->issued + profile_stalled(cost);
}

static size_t index_of(const char *counter)
{
	const char *name;
	size_t k = 0;
	while ((name = lockstep_profiled(k)) && strcmp(name, counter))
		k++;
	return k;
}

uint64_t profile_value(const struct profile_cost *cost, const char *counter)
{
	size_t k = index_of(counter);
	assert(lockstep_profiled(k));
	return cost->values[k];
}

#define STALLED "smsp__issue_stalled_"

const char *profile_reason(size_t k, char to[PROFILE_REASON])
{
	const char *name = lockstep_profiled(k) + strlen(STALLED);
	size_t length = strcspn(name, ".");
	memcpy(to, name, length);
	to[length] = '\0';
	return to;
}

void profile_add_cost(struct profile_cost *to, const struct profile_cost *cost)
{
	to->issued += cost->issued;
	to->lanes += cost->lanes;
	for (size_t k = 0; lockstep_profiled(k); k++)
		to->values[k] += cost->values[k];
}

struct profile_line *profile_line_at(const struct profile_kernel *kernel, const char *file, uint64_t line)
{
	for (uint32_t k = 0; k < kernel->lines.count; k++)
		if (kernel->lines.at[k].line == line && !strcmp(kernel->lines.at[k].file, file))
			return &kernel->lines.at[k];
	return NULL;
}

static struct profile_line *find_line(
	struct arena *arena, struct profile_kernel *kernel, const char *file, uint64_t line)
{
	struct profile_line *known = profile_line_at(kernel, file, line);
	if (known)
		return known;
	known = vector_push(arena, &kernel->lines);
	*known = (struct profile_line){.file = arena_text(arena, file), .line = line};
	return known;
}

static int by_place(const struct profile_line *a, const struct profile_line *b)
{
	int files = strcmp(a->file, b->file);
	return files ? files : a->line < b->line ? -1 : a->line > b->line;
}

static int by_cost(const void *left, const void *right)
{
	const struct profile_line *a = left, *b = right;
	uint64_t x = profile_cycles(&a->cost), y = profile_cycles(&b->cost);
	return x == y ? by_place(a, b) : x < y ? 1 : -1;
}

static int kernels_by_cost(const void *left, const void *right)
{
	const struct profile_kernel *a = left, *b = right;
	uint64_t x = profile_cycles(&a->cost), y = profile_cycles(&b->cost);
	return x == y ? strcmp(a->name, b->name) : x < y ? 1 : -1;
}

static void sort_lines(struct profile_kernel *kernel)
{
	if (kernel->lines.count)
		qsort(kernel->lines.at, kernel->lines.count, sizeof *kernel->lines.at, by_cost);
}

void profile_sort(struct profile *profile)
{
	for (uint32_t k = 0; k < profile->kernels.count; k++) {
		sort_lines(&profile->kernels.at[k]);
		profile_sort_locks(&profile->kernels.at[k]);
		profile_sort_waits(&profile->kernels.at[k]);
		profile_sort_mbarriers(&profile->kernels.at[k]);
		profile_sort_tables(&profile->kernels.at[k]);
	}
	if (profile->kernels.count)
		qsort(profile->kernels.at, profile->kernels.count, sizeof *profile->kernels.at, kernels_by_cost);
}

/* ---- As JSON ---- */

static void add_values(json_object *object, const char *key, const struct profile_cost *cost, size_t from, size_t to)
{
	json_object *values = json_object_new_object();
	char reason[PROFILE_REASON];
	for (size_t k = from; k < to && lockstep_profiled(k); k++)
		if (cost->values[k])
			add_number(values,
				k < lockstep_profiled_stalls() ? profile_reason(k, reason) : lockstep_profiled(k),
				cost->values[k]);
	add_member(object, key, values);
}

/* What is 0 is left out of "stalls" and "counters". */
static void add_json(json_object *object, const struct profile_cost *cost)
{
	add_number(object, "issued", cost->issued);
	add_number(object, "lanes", cost->lanes);
	add_values(object, "stalls", cost, 0, lockstep_profiled_stalls());
	add_values(object, "counters", cost, lockstep_profiled_stalls(), SIZE_MAX);
}

json_object *profile_line_object(const struct profile_line *line)
{
	json_object *object = json_object_new_object(), *instructions = json_object_new_array();
	add_text(object, "file", line->file);
	add_number(object, "line", line->line);
	add_json(object, &line->cost);
	for (uint32_t k = 0; k < line->instructions.count; k++) {
		const struct profile_instruction *i = &line->instructions.at[k];
		json_object *instruction = add_object(instructions);
		add_number(instruction, "pc", i->pc);
		add_text(instruction, "text", i->text);
		add_json(instruction, &i->cost);
	}
	add_member(object, "instructions", instructions);
	return object;
}

static json_object *lines_of(const struct lockstep_result *result)
{
	struct arena arena = {0};
	struct profile_kernel kernel = {0};
	json_object *lines = json_object_new_array();
	for (size_t k = 0; k < result->cost_count; k++) {
		const struct lockstep_cost *c = &result->costs[k];
		struct profile_line *line = find_line(&arena, &kernel, c->file ? c->file : "", c->line);
		struct profile_instruction *i = vector_push(&arena, &line->instructions);
		*i = (struct profile_instruction){
			.pc = c->pc, .text = c->text, .cost = {.issued = c->issued, .lanes = c->lanes}};
		for (size_t v = 0; lockstep_profiled(v); v++)
			i->cost.values[v] = c->values[v];
		profile_add_cost(&line->cost, &i->cost);
	}
	sort_lines(&kernel);
	for (uint32_t k = 0; k < kernel.lines.count; k++)
		json_object_array_add(lines, profile_line_object(&kernel.lines.at[k]));
	arena_free(&arena);
	return lines;
}

void profile_add_to(json_object *launch, const struct lockstep_result *result)
{
	add_member(launch, "lines", lines_of(result));
	add_member(launch, "locks", profile_locks(result));
	profile_waits_to(launch, result);
	profile_mbarriers_to(launch, result);
}

/* ---- From JSON ---- */

static void read_cost(json_object *object, struct profile_cost *cost)
{
	json_object *stalls = member(object, "stalls"), *counters = member(object, "counters");
	char reason[PROFILE_REASON];
	*cost = (struct profile_cost){.issued = number_of(object, "issued"), .lanes = number_of(object, "lanes")};
	for (size_t k = 0; lockstep_profiled(k); k++)
		cost->values[k] = k < lockstep_profiled_stalls() ? number_of(stalls, profile_reason(k, reason))
								 : number_of(counters, lockstep_profiled(k));
}

static void add_instruction(struct arena *arena, struct profile_line *line, json_object *object)
{
	struct profile_instruction *i = NULL;
	struct profile_cost cost;
	uint64_t pc = number_of(object, "pc");
	for (uint32_t k = 0; k < line->instructions.count && !i; k++)
		if (line->instructions.at[k].pc == pc)
			i = &line->instructions.at[k];
	if (!i) {
		const char *text = text_of(object, "text");
		i = vector_push(arena, &line->instructions);
		*i = (struct profile_instruction){.pc = pc, .text = arena_text(arena, text)};
	}
	read_cost(object, &cost);
	profile_add_cost(&i->cost, &cost);
}

static void add_line(struct arena *arena, struct profile_kernel *kernel, json_object *object)
{
	struct profile_line *line = find_line(arena, kernel, text_of(object, "file"), number_of(object, "line"));
	json_object *instructions = member(object, "instructions");
	struct profile_cost cost;
	read_cost(object, &cost);
	profile_add_cost(&line->cost, &cost);
	profile_add_cost(&kernel->cost, &cost);
	for (size_t k = 0; k < length_of(instructions); k++)
		add_instruction(arena, line, element(instructions, k));
}

static struct profile_kernel *find_kernel(struct profile *profile, const char *name)
{
	for (uint32_t k = 0; k < profile->kernels.count; k++)
		if (!strcmp(profile->kernels.at[k].name, name))
			return &profile->kernels.at[k];
	struct profile_kernel *kernel = vector_push(profile->arena, &profile->kernels);
	*kernel = (struct profile_kernel){.name = arena_text(profile->arena, name)};
	return kernel;
}

void profile_add(struct profile *profile, json_object *launch, uint64_t warp_size)
{
	json_object *lines = member(launch, "lines");
	if (!lines && !member(launch, "tables"))
		return;
	struct profile_kernel *kernel = find_kernel(profile, text_of(launch, "kernel"));
	kernel->launches++;
	kernel->idle += number_of(member(launch, "counters"), STALLED "no_warp.sum");
	kernel->warp_size = warp_size;
	for (size_t k = 0; lines && k < json_object_array_length(lines); k++)
		add_line(profile->arena, kernel, element(lines, k));
	profile_add_locks(profile->arena, kernel, launch);
	profile_add_waits(profile->arena, kernel, launch);
	profile_add_mbarriers(profile->arena, kernel, launch);
	profile_add_tables(profile->arena, kernel, launch);
}

/* ---- Forms ---- */

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), tail = strlen(end);
	return length > tail && !strcmp(name + length - tail, end);
}

profile_form *profile_form_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	if (ends_in(name, ".speedscope.json"))
		return profile_speedscope;
	if (ends_in(name, ".callgrind") || (!strncmp(name, "callgrind.out.", 14) && name[14]))
		return profile_callgrind;
	return NULL;
}

void profile_write(const char *path, const struct profile *profile, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena};
	text_append(&text, "", 0);
	profile_form_of(path)(&text, profile);
	text_write_file(path, text.at, text.length, diagnostic);
	arena_free(&arena);
}
