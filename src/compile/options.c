/* The options of clBuildProgram: words, which may be quoted, each looked up in a table.
 *
 * clang knows most by the same name.  Some change nothing here: debugging lines are always kept, kernels are always
 * compiled with argument information, and optimisation stays as it is, since without it a kernel would measure the
 * stack. */
#include "compile/options.h"

#include "util/text.h"

#include <string.h>
#include <unistd.h>

enum treatment {
	PASS,   /* clang knows it */
	IGNORE, /* nothing to do */
	FAST,   /* pass, and PTX may be made with approximate instructions */
};

static const struct known {
	const char *word;
	enum treatment treatment;
} known_words[] = {
	{"-w", PASS},
	{"-Werror", PASS},
	{"-g", IGNORE},
	{"-cl-single-precision-constant", PASS},
	{"-cl-denorms-are-zero", PASS},
	{"-cl-fp32-correctly-rounded-divide-sqrt", PASS},
	{"-cl-opt-disable", IGNORE},
	{"-cl-strict-aliasing", IGNORE},
	{"-cl-mad-enable", PASS},
	{"-cl-no-signed-zeros", PASS},
	{"-cl-unsafe-math-optimizations", FAST},
	{"-cl-finite-math-only", PASS},
	{"-cl-fast-relaxed-math", FAST},
	{"-cl-uniform-work-group-size", IGNORE},
	{"-cl-no-subgroup-ifp", IGNORE},
	{"-cl-kernel-arg-info", IGNORE},
	{"-create-library", IGNORE},
	{"-enable-link-options", IGNORE},
};

/* The next word without its quotes; null at the end. */
static const char *next_word(struct arena *arena, const char **at)
{
	while (**at && strchr(" \t\r\n", **at))
		++*at;
	if (!**at)
		return NULL;
	char *word = arena_alloc(arena, strlen(*at) + 1), quote = 0;
	size_t length = 0;
	for (; **at && (quote || !strchr(" \t\r\n", **at)); ++*at) {
		if (quote ? **at == quote : **at == '"' || **at == '\'')
			quote = quote ? 0 : **at;
		else if (**at == '\\' && quote != '\'' && (*at)[1] && strchr("\\\"' ", (*at)[1]))
			word[length++] = *++*at;
		else
			word[length++] = **at;
	}
	return word;
}

static void add(struct compile_options *options, const char *word)
{
	*vector_push(options->arena, &options->source) = word;
}

/* clang runs in the same folder, so relative ones are right. */
static bool read_pair(struct compile_options *options, const char *word, const char **at)
{
	const char *value = word[2] ? word + 2 : next_word(options->arena, at);
	if (!value || !*value) {
		options->bad = arena_printf(
			options->arena, "%s wants %s behind it", word, word[1] == 'D' ? "a macro" : "a folder");
		return false;
	}
	add(options, arena_printf(options->arena, "-%c%s", word[1], value));
	return true;
}

static bool read_standard(struct compile_options *options, const char *name)
{
	static const char *const names[] = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (!strcmp(name, names[k])) {
			options->standard = names[k];
			return true;
		}
	options->bad = arena_printf(
		options->arena, "-cl-std=%s: not supported, expected CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0", name);
	return false;
}

static bool read_known(struct compile_options *options, const char *word)
{
	for (size_t k = 0; k < sizeof known_words / sizeof *known_words; k++) {
		if (strcmp(word, known_words[k].word))
			continue;
		if (known_words[k].treatment != IGNORE)
			add(options, word);
		if (known_words[k].treatment == FAST)
			*vector_push(options->arena, &options->generation) =
				strstr(word, "relaxed") ? "-ffast-math" : "-funsafe-math-optimizations";
		return true;
	}
	/* NVIDIA's own (-cl-nv-maxrregcount=32, -cl-nv-verbose) tune its compiler; programs made for it give them. */
	if (!strncmp(word, "-cl-nv-", 7))
		return true;
	options->bad = arena_printf(options->arena, "unknown option '%s'", word);
	return false;
}

/* With all variables, which is other code: what is optimised has few of them. */
static bool read_debug_info(struct compile_options *options, const char *word)
{
	if (strcmp(word, "--debug-info") != 0)
		return false;
	add(options, "-g");
	add(options, "-O0");
	return true;
}

bool compile_options_read(struct compile_options *options, const char *text)
{
	const char *at = text ? text : "", *word;
	options->standard = "CL1.2"; /* without -cl-std: the highest of 1.x */
	while ((word = next_word(options->arena, &at))) {
		bool good;
		if (!strncmp(word, "-D", 2) || !strncmp(word, "-I", 2))
			good = read_pair(options, word, &at);
		else if (!strncmp(word, "-cl-std=", 8))
			good = read_standard(options, word + 8);
		else if (!strcmp(word, "-x")) {
			const char *language = next_word(options->arena, &at);
			good = language && !strcmp(language, "cl");
			if (!good)
				options->bad = arena_printf(
					options->arena, "-x %s: only cl is supported", language ? language : "");
		} else
			good = !*word || read_debug_info(options, word) || read_known(options, word);
		if (!good)
			return false;
	}
	return true;
}

bool compile_options_read_cuda(struct compile_options *options, const char *text)
{
	const char *at = text ? text : "", *word;
	while ((word = next_word(options->arena, &at)))
		if (!strncmp(word, "-D", 2) || !strncmp(word, "-I", 2)) {
			if (!read_pair(options, word, &at))
				return false;
		} else if (*word && !read_debug_info(options, word)) {
			options->bad = arena_printf(options->arena, "option '%s' of CUDA C: expected -D or -I", word);
			return false;
		}
	return true;
}
