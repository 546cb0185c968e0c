/* The axes of a sweep, its points, and the words of a run. */
#include "sweep/sweep.h"

#include <string.h>

#define COMMAND "lockstep sweep"

static const struct place here = {.file = COMMAND};

/* ---- Reading ---- */

/* The first `length` letters; what ends them is none of a key's. */
static bool is_key(const char *text, size_t length)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return length && strspn(text, allowed) == length;
}

static bool add_value(
	struct sweep *sweep, struct sweep_axis *axis, const char *at, size_t length, struct diagnostic *diagnostic)
{
	const char *value = arena_copy(sweep->arena, at, length);

	if (!length)
		diagnose(diagnostic, (struct place){0}, "--vary %s: an empty value", axis->key);
	for (uint32_t k = 0; k < axis->values.count; k++)
		if (!strcmp(axis->values.at[k], value))
			diagnose(
				diagnostic, (struct place){0}, "--vary %s: the value %s comes twice", axis->key, value);
	*vector_push(sweep->arena, &axis->values) = value;
	return !diagnostic->failed;
}

bool sweep_add_axis(struct sweep *sweep, const char *text, struct diagnostic *diagnostic)
{
	const char *equals = strchr(text, '='), *at = equals ? equals + 1 : text;
	const char *separators = strchr(at, ';') ? ";" : ",";
	struct sweep_axis axis = {0};

	if (!equals || !is_key(text, (size_t)(equals - text)))
		return diagnose(diagnostic, (struct place){0},
			"--vary %s: expected KEY=VALUE,VALUE..., KEY an option such as scheduler or a field such as "
			"core.count",
			text);
	axis.key = arena_copy(sweep->arena, text, (size_t)(equals - text));
	for (uint32_t k = 0; k < sweep->axes.count; k++)
		if (!strcmp(sweep->axes.at[k].key, axis.key))
			diagnose(diagnostic, (struct place){0}, "--vary %s: comes twice", axis.key);
	while (!diagnostic->failed) {
		size_t length = strcspn(at, separators);

		if (!add_value(sweep, &axis, at, length, diagnostic) || !at[length])
			break;
		at += length + 1;
	}
	*vector_push(sweep->arena, &sweep->axes) = axis;
	return !diagnostic->failed;
}

/* ---- Checking ---- */

static const char *place_of(struct arena *arena, const char *key)
{
	return arena_printf(arena, "{%s}", key);
}

static bool has_place(const struct sweep *sweep, const char *key)
{
	const char *place = place_of(sweep->arena, key);

	for (char **word = sweep->words; *word; word++)
		if (strstr(*word, place))
			return true;
	return false;
}

/* The option, alone or with its value. */
static bool is_option(const char *word, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(word, "--", 2) && !strncmp(word + 2, name, length) &&
	       (!word[2 + length] || word[2 + length] == '=');
}

static bool has_option(const struct sweep *sweep, const char *name)
{
	for (char **word = sweep->words; *word; word++)
		if (is_option(*word, name))
			return true;
	return false;
}

/* Which of two would count? */
static void check_axis(const struct sweep *sweep, struct sweep_axis *axis, struct diagnostic *diagnostic)
{
	axis->is_placed = has_place(sweep, axis->key);
	if (!axis->is_placed && has_option(sweep, axis->key))
		diagnose(diagnostic, here,
			"the command has --%s, too: expected it without, or with {%s} where the value goes", axis->key,
			axis->key);
	if (sweep->seeds && !strcmp(axis->key, "seed"))
		diagnose(diagnostic, here, "--seeds and --vary seed: expected one of them");
}

static void check_command(const struct sweep *sweep, struct diagnostic *diagnostic)
{
	const char *command = *sweep->words;

	if (!command)
		diagnose(diagnostic, here, "no command, expected -- kernel FILE ... or -- run ./app ...");
	else if (strcmp(command, "kernel") && strcmp(command, "run"))
		diagnose(diagnostic, here, "'%s' cannot be swept, expected -- kernel FILE ... or -- run ./app ...",
			command);
	else if (!strcmp(command, "kernel") && (has_option(sweep, "output") || has_option(sweep, "report")))
		diagnose(diagnostic, here, "the command has --output or --report: a sweep reads the reports itself");
	else if (sweep->seeds && has_option(sweep, "seed"))
		diagnose(diagnostic, here, "--seeds, and the command has --seed: expected one of them");
}

bool sweep_check(struct sweep *sweep, struct diagnostic *diagnostic)
{
	uint64_t points = 1;

	check_command(sweep, diagnostic);
	if (!sweep->axes.count && !sweep->seeds)
		diagnose(diagnostic, here, "nothing varies, expected --vary KEY=VALUE,VALUE... or --seeds N");
	for (uint32_t k = 0; k < sweep->axes.count && !diagnostic->failed; k++) {
		check_axis(sweep, &sweep->axes.at[k], diagnostic);
		points *= sweep->axes.at[k].values.count;
		if (points * sweep_repeats(sweep) > SWEEP_RUNS_MOST)
			diagnose(diagnostic, here, "more than %u runs", SWEEP_RUNS_MOST);
	}
	sweep->points = (uint32_t)points;
	sweep->runs = (uint32_t)points * sweep_repeats(sweep);
	return !diagnostic->failed;
}

/* ---- Points ---- */

uint32_t sweep_choice(const struct sweep *sweep, uint32_t point, uint32_t axis)
{
	for (uint32_t k = sweep->axes.count - 1; k > axis; k--)
		point /= sweep->axes.at[k].values.count;
	return point % sweep->axes.at[axis].values.count;
}

const char *sweep_value(const struct sweep *sweep, uint32_t point, uint32_t axis)
{
	return sweep->axes.at[axis].values.at[sweep_choice(sweep, point, axis)];
}

static const char *placed(const struct sweep *sweep, struct arena *arena, uint32_t run, const char *word)
{
	uint32_t point = run / sweep_repeats(sweep);

	for (uint32_t k = 0; k < sweep->axes.count; k++)
		word = text_replace(arena, word, place_of(arena, sweep->axes.at[k].key), sweep_value(sweep, point, k));
	return sweep->seeds ? text_replace(arena, word, "{seed}", arena_printf(arena, "%u", run % sweep->seeds)) : word;
}

/* Options follow the command's name: a program of `run` has words of its own after them. */
const char **sweep_words(const struct sweep *sweep, struct arena *arena, uint32_t run, const char *report)
{
	VECTOR(const char *) words = {0};
	uint32_t point = run / sweep_repeats(sweep);

	*vector_push(arena, &words) = "lockstep";
	*vector_push(arena, &words) = sweep->words[0];
	*vector_push(arena, &words) = "--report=json";
	*vector_push(arena, &words) = arena_printf(arena, "--output=%s", report);
	for (uint32_t k = 0; k < sweep->axes.count; k++) {
		const struct sweep_axis *axis = &sweep->axes.at[k];

		if (!axis->is_placed)
			*vector_push(arena, &words) = arena_printf(arena, "--%s%s=%s",
				strchr(axis->key, '.') ? "set=" : "", axis->key, sweep_value(sweep, point, k));
	}
	if (sweep->seeds)
		*vector_push(arena, &words) = arena_printf(arena, "--seed=%u", run % sweep->seeds);
	for (char **word = sweep->words + 1; *word; word++)
		*vector_push(arena, &words) = placed(sweep, arena, run, *word);
	*vector_push(arena, &words) = NULL;
	return words.at;
}
