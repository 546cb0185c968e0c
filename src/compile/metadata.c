/* Kernel information from LLVM's textual intermediate code:
 *
 *     define ... @NAME(...) ... !kernel_arg_addr_space !14 !kernel_arg_type !16 !reqd_work_group_size !53 {
 *     !14 = !{i32 1, i32 3}
 *     !16 = !{!"float*", !"uint"}
 *     !52 = !{<4 x float> undef, i32 0}
 *
 * The form has been the same from clang 14 to 19. */
#include "compile/kernel_info.h"

#include "util/vector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct arena arena;
	VECTOR(const char *) nodes; /* by number: the text after "!{", null when unknown */
};

#define NODES_MAX (1u << 22)

/* ---- Nodes ---- */

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

static void find_nodes(struct reader *r, const char *ir)
{
	for (const char *at = ir; *at; at = line_end(at), at += *at == '\n') {
		char *behind;
		if (*at != '!' || !isdigit((unsigned char)at[1]))
			continue;
		unsigned long number = strtoul(at + 1, &behind, 10);
		if (strncmp(behind, " = !{", 5) || number >= NODES_MAX)
			continue;
		while (r->nodes.count <= number)
			vector_push(&r->arena, &r->nodes);
		r->nodes.at[number] = behind + 5;
	}
}

/* The node that a definition's line names for this kind; null when it has none. */
static const char *node_of(const struct reader *r, const char *line, const char *kind)
{
	size_t length = strlen(kind);
	for (const char *end = line_end(line); line < end; line++)
		if (*line == '!' && !strncmp(line + 1, kind, length) && !strncmp(line + 1 + length, " !", 2)) {
			unsigned long number = strtoul(line + length + 3, NULL, 10);
			return number < r->nodes.count ? r->nodes.at[number] : NULL;
		}
	return NULL;
}

/* The k-th element up to the comma or brace after it; null past the last. */
static const char *element(const char *node, uint32_t k, size_t *length)
{
	while (node && *node && *node != '}' && *node != '\n') {
		const char *start = node;
		int depth = 0;
		bool quoted = false;
		for (; *node && *node != '\n'; node++) {
			if (*node == '"')
				quoted = !quoted;
			else if (!quoted && strchr("<({[", *node))
				depth++;
			else if (!quoted && depth && strchr(">)}]", *node))
				depth--;
			else if (!quoted && !depth && (*node == ',' || *node == '}'))
				break;
		}
		if (!k--) {
			*length = (size_t)(node - start);
			return start;
		}
		node += *node == ',';
		node += *node == ' ';
	}
	return NULL;
}

static uint32_t element_number(const char *node, uint32_t k)
{
	size_t length;
	const char *text = element(node, k, &length);
	return text && length > 4 && !strncmp(text, "i32 ", 4) ? (uint32_t)strtoul(text + 4, NULL, 10) : 0;
}

/* The text of a string between quotes, \XX undone, blanks as ~; "-" when there is nothing. */
static const char *unquote(struct reader *r, const char *text, size_t length)
{
	char *to = arena_alloc(&r->arena, length + 2);
	size_t used = 0;
	for (size_t k = 0; k < length && text[k] != '"'; k++) {
		char c = text[k], digits[3] = "";
		if (c == '\\' && k + 2 < length && isxdigit((unsigned char)text[k + 1]) &&
			isxdigit((unsigned char)text[k + 2])) {
			memcpy(digits, text + k + 1, 2);
			c = (char)strtoul(digits, NULL, 16);
			k += 2;
		}
		to[used++] = c == ' ' ? '~' : c;
	}
	if (!used)
		to[used++] = '-';
	return to;
}

static const char *element_string(struct reader *r, const char *node, uint32_t k)
{
	size_t length;
	const char *text = element(node, k, &length);
	if (!text || length < 3 || text[0] != '!' || text[1] != '"')
		return "-";
	return unquote(r, text + 2, length - 2);
}

/* ---- Kernels ---- */

static const char *function_name(struct reader *r, const char *line)
{
	const char *end = line_end(line), *at = memchr(line, '@', (size_t)(end - line));
	if (!at)
		return NULL;
	if (at[1] == '"')
		return unquote(r, at + 2, (size_t)(end - at - 2));
	size_t length = strcspn(at + 1, "(\n");
	return arena_copy(&r->arena, at + 1, length);
}

static uint32_t argument_count(const char *node)
{
	uint32_t count = 0;
	size_t length;
	while (element(node, count, &length))
		count++;
	return count;
}

static const char *qualifier_letters(struct reader *r, const char *names)
{
	const char *letters = arena_printf(&r->arena, "%s%s%s%s", strstr(names, "const") ? "c" : "",
		strstr(names, "volatile") ? "v" : "", strstr(names, "restrict") ? "r" : "",
		strstr(names, "pipe") ? "p" : "");
	return *letters ? letters : "-";
}

/* "float4" for "<4 x float> undef, i32 0"; the second element tells whether an integer is signed. */
static const char *vector_type(struct reader *r, const char *node)
{
	static const struct {
		const char *llvm, *is_unsigned, *is_signed;
	} types[] = {{"i8", "uchar", "char"}, {"i16", "ushort", "short"}, {"i32", "uint", "int"},
		{"i64", "ulong", "long"}, {"half", "half", "half"}, {"float", "float", "float"},
		{"double", "double", "double"}};
	size_t length;
	const char *text = element(node, 0, &length);
	unsigned long lanes = 1;
	if (!text)
		return "-";
	if (*text == '<') {
		char *behind;
		lanes = strtoul(text + 1, &behind, 10);
		text = strncmp(behind, " x ", 3) ? behind : behind + 3;
	}
	for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
		size_t name = strlen(types[k].llvm);
		if (strncmp(text, types[k].llvm, name) || !strchr(" >", text[name]))
			continue;
		const char *word = element_number(node, 1) ? types[k].is_signed : types[k].is_unsigned;
		return lanes > 1 ? arena_printf(&r->arena, "%s%lu", word, lanes) : word;
	}
	return "-";
}

/* Where it is the number of a required or hinted size, three numbers; else nothing. */
static void put_sizes(struct text *out, struct text *attributes, const char *word, const char *name, const char *node)
{
	uint32_t x = element_number(node, 0), y = element_number(node, 1), z = element_number(node, 2);
	text_print(out, " %s %u %u %u", word, x, y, z);
	if (node)
		text_print(attributes, "%s%s(%u,%u,%u)", attributes->length ? " " : "", name, x, y, z);
}

static void put_kernel(struct reader *r, const char *line, struct text *out)
{
	struct text attributes = {.arena = &r->arena};
	const char *vector = vector_type(r, node_of(r, line, "vec_type_hint"));
	uint32_t sub_group = element_number(node_of(r, line, "intel_reqd_sub_group_size"), 0);
	text_print(out, "// lockstep.kernel %s", function_name(r, line));
	put_sizes(out, &attributes, "reqd", "reqd_work_group_size", node_of(r, line, "reqd_work_group_size"));
	put_sizes(out, &attributes, "hint", "work_group_size_hint", node_of(r, line, "work_group_size_hint"));
	text_print(out, " vec %s subgroup %u", vector, sub_group);
	if (strcmp(vector, "-"))
		text_print(&attributes, "%svec_type_hint(%s)", attributes.length ? " " : "", vector);
	if (sub_group)
		text_print(&attributes, "%sintel_reqd_sub_group_size(%u)", attributes.length ? " " : "", sub_group);
	text_print(out, " attributes %s\n", attributes.length ? attributes.at : "-");
}

static void put_argument(struct reader *r, const char *line, uint32_t k, struct text *out)
{
	static const char *const spaces[] = {"private", "global", "constant", "local"};
	uint32_t space = element_number(node_of(r, line, "kernel_arg_addr_space"), k);
	const char *access = element_string(r, node_of(r, line, "kernel_arg_access_qual"), k);
	text_print(out, "// lockstep.arg %s %u %s %s %s %s %s\n", function_name(r, line), k,
		spaces[space < 4 ? space : 1], *access == '-' ? "none" : access,
		element_string(r, node_of(r, line, "kernel_arg_type"), k),
		qualifier_letters(r, element_string(r, node_of(r, line, "kernel_arg_type_qual"), k)),
		element_string(r, node_of(r, line, "kernel_arg_name"), k));
}

void metadata_to_kernel_info(const char *ir, struct text *out)
{
	struct reader r = {0};
	find_nodes(&r, ir);
	for (const char *at = ir; *at; at = line_end(at), at += *at == '\n') {
		if (strncmp(at, "define ", 7) || !function_name(&r, at))
			continue;
		const char *spaces = node_of(&r, at, "kernel_arg_addr_space");
		if (!spaces)
			continue;
		put_kernel(&r, at, out);
		for (uint32_t k = 0, count = argument_count(spaces); k < count; k++)
			put_argument(&r, at, k, out);
	}
	arena_free(&r.arena);
}
