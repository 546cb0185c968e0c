/* The table of instructions as data, and the search for the row that an instruction's words mean. */
#include "ptx/ops.h"

#include "ptx/matrix.h"
#include "ptx/rules.h"
#include "ptx/type_sets.h"
#include "util/text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct ptx_type_info ptx_types[TYPE_COUNT] = {
	[TYPE_NONE] = {"", 0, KIND_NONE},
#define TYPE(name, text, bits, kind) [TYPE_##name] = {text, bits, KIND_##kind},
#include "ptx/types.def"
#undef TYPE
};

const struct op_info ptx_ops[OP_COUNT] = {
#define LANE(id, spelling, allow, flags, shape, types, result, latency, effects, meaning)                              \
	[OP_##id] = {#id, spelling, OP_KIND_LANE, allow, flags, SHAPE_##shape, TYPE_BITS(types), RESULT_##result,      \
		LATENCY_##latency, effects, #meaning, 0},
#define WARP(id, spelling, allow, flags, shape, types, result, latency, effects, function)                             \
	[OP_##id] = {#id, spelling, OP_KIND_WARP, allow, flags, SHAPE_##shape, TYPE_BITS(types), RESULT_##result,      \
		LATENCY_##latency, effects, #function, 0},
#define CORE(id, spelling, allow, flags, shape, types, result, latency, effects, kind)                                 \
	[OP_##id] = {#id, spelling, OP_KIND_CORE, allow, flags, SHAPE_##shape, TYPE_BITS(types), RESULT_##result,      \
		LATENCY_##latency, effects, "", 0},
#define REFUSED(id, spelling, since, reason)                                                                           \
	[OP_##id] = {#id, spelling, OP_KIND_REFUSED, .effects = EFFECT_UNSUPPORTED, .meaning = reason, since},
#include "ptx/ops.def"
#undef LANE
#undef WARP
#undef CORE
#undef REFUSED
};

const char *const ptx_shapes[SHAPE_COUNT] = {
#define SHAPE(name, text, types) text,
#include "ptx/shapes.def"
#undef SHAPE
};

const char *const ptx_shape_types[SHAPE_COUNT] = {
#define SHAPE(name, text, types) types,
#include "ptx/shapes.def"
#undef SHAPE
};

/* ---- Words: what each may mean ---- */

enum modifier_class {
#define CLASS(class) CLASS_##class,
#include "ptx/modifiers.def"
	CLASS_flag,
	CLASS_hint
};

static const struct word {
	const char *text;
	enum modifier_class class;
	uint32_t value; /* of a class: the small value; of a flag: its bit */
} words_known[] = {
#define MODIFIER(class, name, word) {word, CLASS_##class, class##_##name},
#define SPELLING(class, name, word) {word, CLASS_##class, class##_##name},
#define FLAG(name, word) {word, CLASS_flag, FLAG_##name},
#define HINT(word) {word, CLASS_hint, 0},
#include "ptx/modifiers.def"
};
enum { WORD_COUNT = sizeof words_known / sizeof words_known[0] };

static const uint8_t class_field[] = {
/* where it is in struct ptx_modifiers */
#define CLASS(class) [CLASS_##class] = offsetof(struct ptx_modifiers, class),
#include "ptx/modifiers.def"
};

static bool row_accepts_rounding(uint32_t allow, uint32_t value)
{
	if (value >= rounding_RNA)
		return allow & ALLOW_IRND;
	return (allow & ALLOW_RND) || (value == rounding_RN && (allow & ALLOW_RN)) ||
	       (value == rounding_RZ && (allow & ALLOW_RZ));
}

static bool row_accepts(const struct op_info *row, const struct word *word)
{
	static const uint32_t bit[] = {
		[CLASS_precision] = ALLOW_PRECISION,
		[CLASS_compare] = ALLOW_COMPARE,
		[CLASS_boolean] = ALLOW_BOOLEAN,
		[CLASS_space] = ALLOW_SPACE,
		[CLASS_order] = ALLOW_ORDER,
		[CLASS_scope] = ALLOW_SCOPE,
		[CLASS_cache] = ALLOW_CACHE,
		[CLASS_vector] = ALLOW_VECTOR,
		[CLASS_limit] = ALLOW_LIMIT,
		[CLASS_permute] = ALLOW_PERMUTE,
		[CLASS_hint] = ALLOW_HINTS,
		[CLASS_secondary] = ALLOW_SECONDARY,
		[CLASS_geometry] = ALLOW_GEOMETRY | ALLOW_FLAT | ALLOW_TENSOR,
		[CLASS_box] = ALLOW_TENSOR,
		[CLASS_bounds] = ALLOW_BOUNDS,
		[CLASS_primary] = ALLOW_POLICY,
		[CLASS_others] = ALLOW_POLICY,
	};
	if (word->class == CLASS_geometry && word->value >= geometry_4D)
		return row->allow & ALLOW_TENSOR;
	if (word->class == CLASS_geometry && word->value >= geometry_CUBE)
		return row->allow & ALLOW_GEOMETRY;
	if (word->class == CLASS_geometry && word->value >= geometry_A1D)
		return row->allow & (ALLOW_GEOMETRY | ALLOW_FLAT);
	if (word->class == CLASS_flag)
		return row->flags & word->value;
	if (word->class == CLASS_rounding)
		return row_accepts_rounding(row->allow, word->value);
	return row->allow & bit[word->class];
}

static enum ptx_type type_named(const char *text)
{
	for (unsigned t = 1; t < TYPE_COUNT; t++)
		if (!strcmp(ptx_types[t].text, text))
			return (enum ptx_type)t;
	return TYPE_NONE;
}

/* ---- Texts of rows ---- */

/* The `index`-th word of a spelling, word 0 being the mnemonic; its length, 0 when there is none. */
static size_t spelling_word(const char *spelling, uint32_t index, const char **start)
{
	for (; index; index--) {
		spelling = strchr(spelling, '.');
		if (!spelling)
			return 0;
		spelling++;
	}
	*start = spelling;
	return strcspn(spelling, ".");
}

bool ptx_is_mnemonic(const struct op_info *row, const char *mnemonic)
{
	const char *spelling = row->spelling;
	if (!spelling) /* OP_NONE */
		return false;
	/* Each instruction of a text asks all rows, most of which differ in the first letter. */
	while (*mnemonic && *mnemonic == *spelling && *spelling != '.')
		mnemonic++, spelling++;
	return !*mnemonic && (!*spelling || *spelling == '.');
}

/* A text that is cut where its room ends. */
struct clause {
	char *at;
	size_t room, length;
};

static void say(struct clause *clause, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct clause *clause, const char *format, ...)
{
	if (clause->length + 1 >= clause->room)
		return;
	va_list list;
	va_start(list, format);
	int wrote = vsnprintf(clause->at + clause->length, clause->room - clause->length, format, list);
	va_end(list);
	if (wrote > 0)
		clause->length += (size_t)wrote;
}

/* As it was written. */
static void say_opcode(const struct ptx_words *words, struct clause *clause)
{
	say(clause, "%s", words->mnemonic);
	for (uint32_t w = 0; w < words->count; w++)
		say(clause, ".%s", words->word[w]);
}

/* ---- One row against the words ---- */

enum fit {            /* how far a row got, the nearest miss last */
	FIT_OTHER,    /* a refused row that is not meant */
	FIT_WORD,     /* a word that it does not take */
	FIT_TWICE,    /* two words of one class */
	FIT_TYPE,     /* the first type is not in its set */
	FIT_SPELLING, /* fits but for words of its own spelling */
	FIT_TYPES,    /* too many or too few types */
	FIT_REFUSED,
	FIT_YES
};

struct attempt {
	enum fit fit;
	/* FIT_WORD, FIT_TWICE: the first offender; FIT_SPELLING: start of the missing word in the spelling */
	const char *word;
	struct ptx_modifiers modifiers;
	enum ptx_type types[4];
	uint32_t type_count;
};

/* Strikes the row's own words from `left` (a bit per word); the first that is missing, or null. */
static const char *strike_spelling(const struct op_info *row, const struct ptx_words *words, uint32_t *left)
{
	const char *start, *missing = NULL;
	size_t length;
	for (uint32_t k = 1; (length = spelling_word(row->spelling, k, &start)) != 0; k++) {
		uint32_t w = 0;
		while (w < words->count && (!(*left >> w & 1) || strlen(words->word[w]) != length ||
						   memcmp(words->word[w], start, length)))
			w++;
		if (w < words->count)
			*left &= ~(1u << w);
		else if (!missing)
			missing = start;
	}
	return missing;
}

/* Two words of a class exclude each other, but for .nc, beside which another cache operator says nothing more, and
 * .mmio, which is written together with .relaxed. */
static bool set_class(struct attempt *attempt, const struct word *word)
{
	uint8_t *field = (uint8_t *)&attempt->modifiers + class_field[word->class];
	unsigned stronger = word->class == CLASS_cache ? cache_NC : word->class == CLASS_order ? order_MMIO : 0;
	unsigned weaker = word->class == CLASS_order ? order_RELAXED : 0; /* the only one allowed beside; 0: any */
	if (*field) {
		bool has_stronger = *field == stronger || word->value == stronger;
		bool has_weaker = !weaker || *field == weaker || word->value == weaker;
		if (!stronger || !has_stronger || !has_weaker || *field == word->value)
			return false;
		*field = (uint8_t)stronger;
		return true;
	}
	*field = (uint8_t)word->value;
	attempt->modifiers.cluster |= !strcmp(word->text, "shared::cluster");
	return true;
}

/* Takes one word as a modifier that the row accepts. */
static enum fit take_modifier(const struct op_info *row, const char *text, struct attempt *attempt)
{
	enum fit fit = FIT_WORD;
	for (unsigned k = 0; k < WORD_COUNT; k++) {
		const struct word *word = &words_known[k];
		if (strcmp(word->text, text) || !row_accepts(row, word))
			continue;
		if (word->class == CLASS_hint)
			return FIT_YES;
		if (word->class == CLASS_flag) {
			bool twice = attempt->modifiers.flags & word->value;
			attempt->modifiers.flags |= word->value;
			return twice ? FIT_TWICE : FIT_YES;
		}
		if (set_class(attempt, word))
			return FIT_YES;
		fit = FIT_TWICE; /* unless the word is of another class, too */
	}
	return fit;
}

/* Sorts the words left over from the spelling into types and modifiers. */
static enum fit take_words(
	const struct op_info *row, const struct ptx_words *words, uint32_t left, struct attempt *attempt)
{
	for (uint32_t w = 0; w < words->count; w++) {
		if (!(left >> w & 1))
			continue;
		const char *text = attempt->word = words->word[w];
		bool any = row->allow & ALLOW_MATRIX;
		enum ptx_type type = any ? TYPE_NONE : type_named(text);
		if (type) {
			if (attempt->type_count == 4)
				return FIT_TYPES;
			attempt->types[attempt->type_count++] = type;
			continue;
		}
		if (!strcmp(text, "xorsign") && w + 1 < words->count && !strcmp(words->word[w + 1], "abs")) {
			text = "xorsign.abs";
			w++;
		}
		enum fit fit = take_modifier(row, text, attempt);
		if (fit != FIT_YES && !(any && fit == FIT_WORD))
			return fit;
	}
	return FIT_YES;
}

static bool type_count_fits(const struct op_info *row, uint32_t count)
{
	if (row->allow & ALLOW_TYPE3)
		return count == 3;
	if (row->allow & ALLOW_TYPE2)
		return count == 2;
	return count <= 1;
}

static struct attempt try_row(const struct op_info *row, const struct ptx_words *words)
{
	struct attempt attempt = {0};
	uint32_t left = (1u << words->count) - 1;
	const char *missing = strike_spelling(row, words, &left);
	if (row->kind == OP_KIND_REFUSED) {
		attempt.fit = missing ? FIT_OTHER : FIT_REFUSED;
		return attempt;
	}
	attempt.fit = take_words(row, words, left, &attempt);
	if (attempt.fit != FIT_YES)
		return attempt;
	if (!(row->types >> attempt.types[0] & 1))
		attempt.fit = missing ? FIT_WORD : FIT_TYPE;
	else if (!type_count_fits(row, attempt.type_count))
		attempt.fit = missing ? FIT_WORD : FIT_TYPES;
	else if (missing)
		attempt.fit = FIT_SPELLING;
	if (missing)
		attempt.word = missing;
	return attempt;
}

/* ---- Explaining a miss ---- */

static void explain_mnemonic(const char *mnemonic, struct clause *clause)
{
	char names[OP_COUNT][24];
	const char *candidates[OP_COUNT];
	for (unsigned k = 1; k < OP_COUNT; k++) {
		const char *start = "";
		size_t length = spelling_word(ptx_ops[k].spelling, 0, &start);
		snprintf(names[k], sizeof names[k], "%.*s", (int)length, start);
		candidates[k - 1] = names[k];
	}
	const char *nearest = text_nearest(mnemonic, candidates, OP_COUNT - 1);
	say(clause, "unknown instruction '%s'", mnemonic);
	if (nearest)
		say(clause, " (nearest: '%s')", nearest);
}

/* Hints change nothing, and space::kind is another way to write the space. */
static bool worth_naming(const struct word *word)
{
	return word->class != CLASS_hint && !strchr(word->text, ':');
}

/* Says `text` after `before` unless the clause has it already.  Returns what to say before the next one. */
static const char *name_once(struct clause *clause, const char *before, const char *text)
{
	size_t length = strlen(text);
	for (const char *at = clause->at; (at = strstr(at, text)); at += length)
		if (at[-1] == ' ' && (at[length] == ' ' || !at[length]))
			return before;
	say(clause, "%s %s", before, text);
	return "";
}

/* Every word that some row of the mnemonic takes: those of its spelling, then modifiers. */
static void explain_word(const struct ptx_words *words, const char *word, struct clause *clause)
{
	say(clause, "%s does not take .%s", words->mnemonic, word);
	const char *before = " (accepts";
	for (unsigned k = 1; k < OP_COUNT; k++) {
		const struct op_info *row = &ptx_ops[k];
		const char *dot = strchr(row->spelling, '.');
		if (ptx_is_mnemonic(row, words->mnemonic) && row->kind != OP_KIND_REFUSED && dot)
			before = name_once(clause, before, dot);
	}
	bool taken[WORD_COUNT] = {0};
	for (unsigned k = 1; k < OP_COUNT; k++)
		for (unsigned m = 0; m < WORD_COUNT && ptx_is_mnemonic(&ptx_ops[k], words->mnemonic); m++)
			taken[m] |= row_accepts(&ptx_ops[k], &words_known[m]);
	for (unsigned m = 0; m < WORD_COUNT; m++) {
		if (!taken[m] || !worth_naming(&words_known[m]))
			continue;
		char text[32];
		snprintf(text, sizeof text, ".%s", words_known[m].text);
		before = name_once(clause, before, text);
	}
	say(clause, *before ? ": it takes no such words" : ")");
}

/* ---- Instructions of many words ---- */

#define LONG_SPELLING 2 /* words that are right, from which on only the rows that begin with them count */

/* Words with which the row's spelling begins that stand in these places. */
static uint32_t begins_alike(const struct op_info *row, const struct ptx_words *words)
{
	const char *start;
	size_t length;
	uint32_t k = 0;
	while (k < words->count && (length = spelling_word(row->spelling, k + 1, &start)) != 0 &&
		strlen(words->word[k]) == length && !memcmp(words->word[k], start, length))
		k++;
	return k;
}

static bool is_meant(const struct op_info *row, const struct ptx_words *words, uint32_t alike)
{
	return ptx_is_mnemonic(row, words->mnemonic) && row->kind != OP_KIND_REFUSED &&
	       begins_alike(row, words) == alike;
}

/* The most words that the spelling of a row begins with. */
static uint32_t most_alike(const struct ptx_words *words)
{
	uint32_t most = 0;
	for (unsigned k = 1; k < OP_COUNT; k++) {
		uint32_t alike = begins_alike(&ptx_ops[k], words);
		if (alike > most && is_meant(&ptx_ops[k], words, alike))
			most = alike;
	}
	return most;
}

static void say_words(const struct ptx_words *words, uint32_t count, struct clause *clause)
{
	say(clause, "%s", words->mnemonic);
	for (uint32_t w = 0; w < count; w++)
		say(clause, ".%s", words->word[w]);
}

/* The word behind those with which the row begins, unless the row takes it; null: there is none. */
static const char *wrong_word(const struct op_info *row, const struct ptx_words *words, uint32_t alike)
{
	struct attempt attempt = try_row(row, words);
	for (uint32_t w = alike; w < words->count; w++)
		if (attempt.fit == FIT_WORD && attempt.word == words->word[w])
			return words->word[w];
	return NULL;
}

/* What may follow the words with which some rows begin: the next of their spellings, and the modifiers of one that has
 * none. */
static void say_forms(const struct ptx_words *words, uint32_t alike, struct clause *clause)
{
	const char *before = " (expected", *start;
	for (unsigned k = 1; k < OP_COUNT; k++) {
		size_t length =
			is_meant(&ptx_ops[k], words, alike) ? spelling_word(ptx_ops[k].spelling, alike + 1, &start) : 0;
		char text[64];
		snprintf(text, sizeof text, ".%.*s", (int)length, length ? start : "");
		if (length)
			before = name_once(clause, before, text);
	}
	for (unsigned m = 0; m < WORD_COUNT; m++) {
		bool taken = false;
		char text[32];
		for (unsigned k = 1; k < OP_COUNT; k++)
			taken |= is_meant(&ptx_ops[k], words, alike) && row_accepts(&ptx_ops[k], &words_known[m]) &&
				 !spelling_word(ptx_ops[k].spelling, alike + 1, &start);
		snprintf(text, sizeof text, ".%s", words_known[m].text);
		if (taken && worth_naming(&words_known[m]))
			before = name_once(clause, before, text);
	}
	say(clause, *before ? ": it takes no more words" : ")");
}

/* Where the words begin as those of a long spelling: says which of them is wrong there. */
static bool explain_form(const struct ptx_words *words, struct clause *clause)
{
	uint32_t alike = most_alike(words);
	const char *wrong = NULL;
	for (unsigned k = 1; k < OP_COUNT && alike >= LONG_SPELLING && !wrong; k++)
		if (is_meant(&ptx_ops[k], words, alike))
			wrong = wrong_word(&ptx_ops[k], words, alike);
	if (!wrong)
		return false;
	say_words(words, alike, clause);
	say(clause, " does not take .%s", wrong);
	say_forms(words, alike, clause);
	return true;
}

/* The types of all rows whose other words fit. */
static void explain_type(
	const struct ptx_words *words, const struct op_info *row, const struct attempt *best, struct clause *clause)
{
	uint64_t types = 0;
	for (unsigned k = 1; k < OP_COUNT; k++)
		if (ptx_is_mnemonic(&ptx_ops[k], words->mnemonic) && try_row(&ptx_ops[k], words).fit == FIT_TYPE)
			types |= ptx_ops[k].types;
	if (best->types[0])
		say(clause, "%s does not take type .%s", row->spelling, ptx_types[best->types[0]].text);
	else
		say(clause, "%s needs a type", row->spelling);
	if (types & ~UINT64_C(1))
		say(clause, " (takes");
	for (unsigned t = 1; t < TYPE_COUNT; t++)
		if (types >> t & 1)
			say(clause, " .%s", ptx_types[t].text);
	say(clause, types & ~UINT64_C(1) ? ")" : ": it is written without one");
}

static void explain_spelling(const struct ptx_words *words, struct clause *clause)
{
	const char *before = " needs";
	uint32_t most = most_alike(words), alike = 0;
	for (unsigned k = 1; k < OP_COUNT && most >= LONG_SPELLING && !alike; k++)
		if (is_meant(&ptx_ops[k], words, most) && try_row(&ptx_ops[k], words).fit == FIT_SPELLING)
			alike = most;
	say_words(words, alike, clause);
	for (unsigned k = 1; k < OP_COUNT; k++) {
		if (!ptx_is_mnemonic(&ptx_ops[k], words->mnemonic) || (alike && !is_meant(&ptx_ops[k], words, alike)))
			continue;
		struct attempt attempt = try_row(&ptx_ops[k], words);
		if (attempt.fit != FIT_SPELLING)
			continue;
		say(clause, "%s .%.*s", before, (int)strcspn(attempt.word, "."), attempt.word);
		before = " or";
	}
}

/* The row of a long spelling that lacks but a type, where others lack words; null: there is none. */
static const struct op_info *row_without_type(const struct ptx_words *words, struct attempt *attempt)
{
	uint32_t most = most_alike(words);
	for (unsigned k = 1; k < OP_COUNT && most >= LONG_SPELLING; k++) {
		if (!is_meant(&ptx_ops[k], words, most))
			continue;
		*attempt = try_row(&ptx_ops[k], words);
		if (attempt->fit == FIT_TYPE)
			return &ptx_ops[k];
	}
	return NULL;
}

static void explain_missing(const struct ptx_words *words, struct clause *clause)
{
	struct attempt attempt;
	const struct op_info *row = row_without_type(words, &attempt);
	if (row)
		explain_type(words, row, &attempt, clause);
	else
		explain_spelling(words, clause);
}

static void explain(
	const struct ptx_words *words, const struct op_info *row, const struct attempt *best, struct clause *clause)
{
	switch (best->fit) {
	case FIT_OTHER:
	case FIT_REFUSED:
		say_opcode(words, clause);
		say(clause, ": %s", row->meaning);
		break;
	case FIT_TYPES:
		say(clause, "%s takes %s, not %u", row->spelling,
			row->allow & ALLOW_TYPE3   ? "three types"
			: row->allow & ALLOW_TYPE2 ? "two types"
						   : "one type",
			best->type_count);
		break;
	case FIT_TYPE: explain_type(words, row, best, clause); break;
	case FIT_SPELLING: explain_missing(words, clause); break;
	case FIT_TWICE:
		say(clause, "%s has two words of a kind, .%s is the second", words->mnemonic, best->word);
		break;
	default:
		if (!explain_form(words, clause))
			explain_word(words, best->word, clause);
		break;
	}
}

/* ---- Unknown types ---- */

/* Whether a word that nothing knows was meant as a type: u33, i32, bf15. */
static bool resembles_type(const char *word)
{
	if (type_named(word))
		return false;
	for (unsigned k = 0; k < WORD_COUNT; k++)
		if (!strcmp(words_known[k].text, word))
			return false;
	size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz");
	return word[letters] >= '0' && word[letters] <= '9' &&
	       (letters == 1 ? *word != 'v' : letters == 2 && word[1] == 'f');
}

/* The types, a bit each, that make a known instruction when they stand in place of word `place`; with `lenient` one
 * that needs nothing but more words. */
static uint64_t types_in_place(const struct ptx_words *words, uint32_t place, bool lenient)
{
	struct ptx_words probe = *words;
	uint64_t types = 0;
	for (unsigned k = 1; k < OP_COUNT; k++) {
		for (unsigned t = 1; t < TYPE_COUNT && ptx_is_mnemonic(&ptx_ops[k], words->mnemonic); t++) {
			probe.word[place] = ptx_types[t].text;
			struct attempt attempt = try_row(&ptx_ops[k], &probe);
			if (lenient ? attempt.fit == FIT_SPELLING || attempt.fit == FIT_YES
				    : attempt.fit == FIT_YES &&
						!ptx_rule_broken((enum op)k, &probe, &attempt.modifiers, attempt.types))
				types |= UINT64_C(1) << t;
		}
	}
	return types;
}

/* Whether the mistake is an unknown type; if so, says which types may stand there. */
static bool explain_unknown_type(const struct ptx_words *words, struct clause *clause)
{
	for (uint32_t w = 0; w < words->count; w++) {
		if (!resembles_type(words->word[w]))
			continue;
		uint64_t types = types_in_place(words, w, false);
		if (!types)
			types = types_in_place(words, w, true);
		if (!types)
			return false;
		say(clause, "unknown type .%s, %s takes", words->word[w], words->mnemonic);
		for (unsigned t = 1; t < TYPE_COUNT; t++)
			if (types >> t & 1)
				say(clause, " .%s", ptx_types[t].text);
		say(clause, " there");
		return true;
	}
	return false;
}

/* ---- The order of words ---- */

/* The first modifier after a type, null when there is none.  Only prmt, surface and video instructions have them
 * there. */
static const char *modifier_behind_type(const struct op_info *row, const struct ptx_words *words)
{
	bool behind = false;
	if ((row->allow & (ALLOW_PERMUTE | ALLOW_BOUNDS | ALLOW_MATRIX)) || row->spelling[0] == 'v')
		return NULL;
	for (uint32_t w = 0; w < words->count; w++) {
		bool is_type = type_named(words->word[w]) != TYPE_NONE;
		if (behind && !is_type)
			return words->word[w];
		behind |= is_type;
	}
	return NULL;
}

static const char *matrix_problem(const struct ptx_words *words)
{
	struct matrix matrix;
	char text[256] = "";
	struct clause clause = {text, sizeof text, 0};
	say_opcode(words, &clause);
	return matrix_read(text, &matrix);
}

enum op ptx_find_op(const struct ptx_words *words, struct ptx_modifiers *modifiers, enum ptx_type types[4],
	uint32_t *type_count, char *reason, uint32_t size)
{
	struct clause clause = {reason, size, 0};
	struct attempt best = {0};
	const struct op_info *best_row = NULL;
	for (unsigned k = 1; k < OP_COUNT; k++) {
		const struct op_info *row = &ptx_ops[k];
		if (!ptx_is_mnemonic(row, words->mnemonic))
			continue;
		struct attempt attempt = try_row(row, words);
		if (!best_row || attempt.fit > best.fit) {
			best = attempt;
			best_row = row;
		}
		if (attempt.fit >= FIT_REFUSED)
			break;
	}
	if (!best_row) {
		explain_mnemonic(words->mnemonic, &clause);
		return OP_NONE;
	}
	const char *problem = best.fit != FIT_YES              ? NULL
			      : best_row->allow & ALLOW_MATRIX ? matrix_problem(words)
							       : ptx_rule_broken((enum op)(best_row - ptx_ops), words,
									 &best.modifiers, best.types);
	if (best.fit != FIT_YES || problem) {
		if (problem && best_row->allow & ALLOW_MATRIX) { /* of which the spelling is the least */
			say_opcode(words, &clause);
			say(&clause, ": %s", problem);
		} else if (problem)
			say(&clause, "%s: %s", best_row->spelling, problem);
		else if (best.fit > FIT_WORD || !explain_unknown_type(words, &clause))
			explain(words, best_row, &best, &clause);
		return OP_NONE;
	}
	const char *behind = modifier_behind_type(best_row, words);
	if (behind) {
		say(&clause, "%s: .%s stands behind the type, expected it in front", best_row->spelling, behind);
		return OP_NONE;
	}
	*modifiers = best.modifiers;
	memcpy(types, best.types, sizeof best.types);
	*type_count = best.type_count;
	return (enum op)(best_row - ptx_ops);
}

const struct op_info *ptx_refused_row(const struct ptx_words *words)
{
	for (unsigned k = 1; k < OP_COUNT; k++)
		if (ptx_ops[k].kind == OP_KIND_REFUSED && ptx_is_mnemonic(&ptx_ops[k], words->mnemonic) &&
			try_row(&ptx_ops[k], words).fit == FIT_REFUSED)
			return &ptx_ops[k];
	return NULL;
}

/* ---- Types of operands ---- */

static enum ptx_type wider(enum ptx_type type)
{
	switch (type) {
	case TYPE_U16: return TYPE_U32;
	case TYPE_S16: return TYPE_S32;
	case TYPE_U32: return TYPE_U64;
	case TYPE_S32: return TYPE_S64;
	default: return type;
	}
}

/* The type of the destination register; TYPE_NONE when there is none.  128-bit results have no wider type: WIDE of
 * those never occurs. */
static enum ptx_type result_type(enum op op, const enum ptx_type types[4])
{
	switch (ptx_ops[op].result) {
	case RESULT_SAME:
	case RESULT_OWN: return types[0];
	case RESULT_WIDE: return wider(types[0]);
	case RESULT_U32: return TYPE_U32;
	case RESULT_PRED: return TYPE_PRED;
	case RESULT_NONE: break;
	}
	return TYPE_NONE;
}

enum ptx_type ptx_operand_type(enum op op, const enum ptx_type types[4], uint32_t index)
{
	const char *letters = ptx_shape_types[ptx_ops[op].shape];
	if (index >= strlen(letters))
		return TYPE_NONE;
	switch (letters[index]) {
	case 'R': return result_type(op, types);
	case '1': return types[0];
	case '2': return types[1];
	case '3': return types[2];
	case 'U': return TYPE_U32;
	case 'L': return TYPE_B64;
	case 'H': return TYPE_B16;
	case 'F': return TYPE_F32;
	case 'P': return TYPE_PRED;
	default: return TYPE_NONE;
	}
}

enum latency_class ptx_latency(enum op op, const enum ptx_type types[4])
{
	enum latency_class class = ptx_ops[op].latency;
	bool is_double = types[0] == TYPE_F64 || types[1] == TYPE_F64;
	return class == LATENCY_FP_ADD && is_double ? LATENCY_DP_ADD : class;
}
