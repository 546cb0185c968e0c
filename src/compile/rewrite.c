/* printf, inline functions and faults of the PTX back end.
 *
 * clang makes vprintf of CUDA's printf only; OpenCL's stays a call with any number of arguments, which PTX does not
 * have:
 *
 *     %7 = call i32 (i8 addrspace(4)*, ...) @printf(i8 addrspace(4)* noundef FORMAT, i32 noundef %3, double 1.0), !dbg
 * !9
 *
 * becomes stores of the arguments into a local block, each aligned to its size (a vector to that of its elements), and
 *
 *     %lockstep.0 = call i32 @vprintf(i8* FORMAT, i8* BLOCK), !dbg !9
 *     %7 = ashr i32 %lockstep.0, 31
 *
 * since OpenCL's returns 0 or -1.  Pointers are written with their pointee up to clang 14 and as `ptr` from 15 on. */
#include "compile/rewrite.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES_MAX 256 /* the machine takes no more */

struct rewriter {
	struct arena *arena;
	struct text out;
	bool opaque; /* `ptr` */
	uint32_t names;
	uint32_t block_bytes; /* of this function: each place where it is inlined has its own */
};

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

/* Within [from, to); null when it is not there. */
static const char *find(const char *from, const char *to, const char *what)
{
	return memmem(from, (size_t)(to - from), what, strlen(what));
}

static bool starts(const char *at, const char *word)
{
	return !strncmp(at, word, strlen(word));
}

/* Behind the bracket that closes the one at `at`; `end` when there is none. */
static const char *behind_bracket(const char *at, const char *end)
{
	int depth = 0;
	bool quoted = false;
	for (; at < end; at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (!quoted && strchr("([{<", *at))
			depth++;
		else if (!quoted && strchr(")]}>", *at) && !--depth)
			return at + 1;
	}
	return end;
}

/* ---- Arguments ---- */

struct argument {
	struct span type, value;
};

/* "i32 noundef %3", "i8 addrspace(4)* getelementptr (...)", "<4 x float> <float 1.0, ...>". */
static struct argument read_argument(const char *at, const char *end)
{
	static const char *const attributes[] = {
		"noundef ", "nonnull ", "signext ", "zeroext ", "nocapture ", "readonly "};
	const char *type = at;
	if (strchr("<[{", *at))
		at = behind_bracket(at, end);
	else
		while (at < end && *at != ' ')
			at++;
	if (starts(at, " addrspace("))
		at = behind_bracket(at + strlen(" addrspace"), end);
	at = at < end ? at : end;
	while (at < end && *at == '*')
		at++;
	struct argument argument = {.type = {type, (size_t)(at - type)}};
	at += at < end && *at == ' ';
	for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
		if (starts(at, attributes[k])) {
			at += strlen(attributes[k]);
			k = (size_t)-1;
		}
	if (starts(at, "align ")) {
		at += strlen("align ");
		at += strcspn(at, " ");
		at += *at == ' ';
	}
	at = at < end ? at : end; /* what looks like an attribute may go on past the argument */
	argument.value = (struct span){at, (size_t)(end - at)};
	return argument;
}

/* The next one in [*at, end), which are the arguments of a call without its brackets. */
static bool next_argument(const char **at, const char *end, struct argument *argument)
{
	const char *start = *at, *stop = start;
	if (start >= end)
		return false;
	while (stop < end && *stop != ',')
		stop = strchr("([{<\"", *stop) ? *stop == '"' ? stop + 1 : behind_bracket(stop, end) : stop + 1;
	*argument = read_argument(start, stop);
	*at = stop < end ? stop + 1 + (stop[1] == ' ') : end;
	return true;
}

static uint32_t scalar_bytes(const char *type)
{
	static const struct {
		const char *name;
		uint32_t bytes;
	} types[] = {
		{"i16", 2}, {"half", 2}, {"i32", 4}, {"float", 4}, {"i64", 8}, {"double", 8}, {"i8", 1}, {"i1", 1}};
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (starts(type, types[k].name))
			return types[k].bytes;
	return 8;
}

static bool is_pointer(struct span type)
{
	return starts(type.at, "ptr") || (type.length && type.at[type.length - 1] == '*');
}

/* Size and alignment in the block. */
static void measure(struct span type, uint32_t *bytes, uint32_t *align)
{
	uint32_t lanes = 1;
	const char *element = type.at;
	if (*element == '<') {
		lanes = (uint32_t)strtoul(element + 1, NULL, 10);
		const char *by = find(element, element + type.length, " x ");
		element = by ? by + 3 : element;
	}
	*align = is_pointer(type) ? 8 : scalar_bytes(element);
	*bytes = *align * (lanes ? lanes : 1);
}

/* The next argument with its place in the block; false at the end, and when the block is full.  `behind` is the end of
 * what has its place already. */
static bool next_place(const char **at, const char *end, struct argument *argument, uint32_t *align, uint32_t *offset,
	uint32_t *behind)
{
	uint32_t bytes;
	if (!next_argument(at, end, argument))
		return false;
	measure(argument->type, &bytes, align);
	*offset = (*behind + *align - 1) / *align * *align;
	if (*offset + bytes > BLOCK_BYTES_MAX)
		return false;
	*behind = *offset + bytes;
	return true;
}

/* ---- Calls ---- */

/* A pointer as a generic one: the name of a value. */
static const char *generic(struct rewriter *r, struct argument argument)
{
	const char *name;
	if (!find(argument.type.at, argument.type.at + argument.type.length, "addrspace"))
		return arena_printf(r->arena, "%.*s", SPAN(argument.value));
	name = arena_printf(r->arena, "%%lockstep.%u", r->names++);
	text_print(&r->out, "  %s = addrspacecast %.*s %.*s to %s\n", name, SPAN(argument.type), SPAN(argument.value),
		r->opaque ? "ptr" : "i8*");
	return name;
}

static void store(struct rewriter *r, struct argument argument, uint32_t offset, uint32_t align)
{
	uint32_t place = r->names++;
	struct span type = argument.type;
	const char *value = NULL;
	if (is_pointer(type)) {
		value = generic(r, argument);
		type = (struct span){r->opaque ? "ptr" : "i8*", 3};
		if (!r->opaque && !find(argument.type.at, argument.type.at + argument.type.length, "addrspace"))
			type = argument.type;
	}
	if (r->opaque) {
		text_print(
			&r->out, "  %%lockstep.%u = getelementptr i8, ptr %%lockstep.block, i64 %u\n", place, offset);
		text_print(&r->out, "  store %.*s ", SPAN(type));
	} else {
		text_print(&r->out,
			"  %%lockstep.%u = getelementptr [%u x i8], [%u x i8]* %%lockstep.block, i64 0, i64 %u\n",
			place, r->block_bytes, r->block_bytes, offset);
		text_print(
			&r->out, "  %%lockstep.%u = bitcast i8* %%lockstep.%u to %.*s*\n", r->names, place, SPAN(type));
		place = r->names++;
		text_print(&r->out, "  store %.*s ", SPAN(type));
	}
	if (value)
		text_print(&r->out, "%s", value);
	else
		text_append(&r->out, argument.value.at, argument.value.length);
	if (r->opaque)
		text_print(&r->out, ", ptr %%lockstep.%u, align %u\n", place, align);
	else
		text_print(&r->out, ", %.*s* %%lockstep.%u, align %u\n", SPAN(type), place, align);
}

/* `open` is the bracket after the name. */
static void rewrite_call(struct rewriter *r, const char *line, const char *open, const char *end)
{
	const char *close = behind_bracket(open, end) - 1, *at = open + 1;
	const char *equals = find(line, open, " = "), *debug = find(close, end, ", !dbg ");
	struct argument argument;
	uint32_t offset, behind = 0, align, result;
	if (!next_argument(&at, close, &argument))
		return;
	const char *format = generic(r, argument);
	while (next_place(&at, close, &argument, &align, &offset, &behind))
		store(r, argument, offset, align);
	result = r->names++;
	if (r->opaque)
		text_print(
			&r->out, "  %%lockstep.%u = call i32 @vprintf(ptr %s, ptr %%lockstep.block)", result, format);
	else {
		uint32_t block = r->names++;
		text_print(&r->out, "  %%lockstep.%u = bitcast [%u x i8]* %%lockstep.block to i8*\n", block,
			r->block_bytes);
		text_print(&r->out, "  %%lockstep.%u = call i32 @vprintf(i8* %s, i8* %%lockstep.%u)", result, format,
			block);
	}
	if (debug)
		text_append(&r->out, debug, strcspn(debug + 1, ",\n") + 1);
	text_print(&r->out, "\n");
	if (equals) {
		text_append(&r->out, line, (size_t)(equals - line));
		text_print(&r->out, " = ashr i32 %%lockstep.%u, 31\n", result);
	}
}

/* ---- Lines ---- */

/* A label at the beginning of a function; else the entry has none. */
static bool is_label(const char *line)
{
	const char *end = line_end(line), *colon = memchr(line, ':', (size_t)(end - line));
	return *line != ' ' && colon && !memchr(line, ' ', (size_t)(colon - line));
}

/* What the function whose `define` is at `line` needs for its calls of printf; 0 when it has none. */
static uint32_t block_bytes(const char *line)
{
	const char *function_end = strstr(line, "\n}"), *call = line;
	uint32_t most = 0;
	function_end = function_end ? function_end : line + strlen(line);
	while ((call = find(call, function_end, "@printf("))) {
		const char *open = call + strlen("@printf"), *close = behind_bracket(open, line_end(open)) - 1,
			   *at = open + 1;
		struct argument argument;
		uint32_t align, offset, behind = 0;
		bool more = next_argument(&at, close, &argument); /* the format */
		while (more && next_place(&at, close, &argument, &align, &offset, &behind))
			;
		most = behind > most ? behind : most ? most : 1;
		call = open;
	}
	return most;
}

static void append_without(struct rewriter *r, const char *line, const char *end)
{
	static const char *const words[] = {" | DIFlagAllCallsDescribed", "flags: DIFlagAllCallsDescribed, "};
	for (size_t k = 0; k < 2; k++) {
		const char *found = find(line, end, words[k]);
		if (!found)
			continue;
		text_append(&r->out, line, (size_t)(found - line));
		line = found + strlen(words[k]);
	}
	text_append(&r->out, line, (size_t)(end - line));
}

/* Where clang has left printf to somebody else; a program's own is none of our business. */
static bool has_printf(const char *ir)
{
	for (const char *at = ir; (at = strstr(at, "@printf(")); at++) {
		const char *line = at;
		while (line > ir && line[-1] != '\n')
			line--;
		if (starts(line, "declare "))
			return find(at, line_end(at), "...") != NULL;
	}
	return false;
}

const char *rewrite_ir(struct arena *arena, const char *ir, size_t *length)
{
	struct rewriter r = {.arena = arena, .out = {.arena = arena}};
	bool printing = has_printf(ir), block_due = false;
	r.opaque = printing && strstr(ir, "@printf(ptr");
	for (const char *line = ir, *end; *line; line = end + (*end == '\n')) {
		end = line_end(line);
		const char *call = printing ? find(line, end, "@printf(") : NULL;
		if (block_due && !is_label(line)) {
			text_print(&r.out, "  %%lockstep.block = alloca [%u x i8], align 16\n", r.block_bytes);
			block_due = false;
		}
		if (call && starts(line, "declare ")) {
			text_print(&r.out, "declare i32 @vprintf(%s)", r.opaque ? "ptr, ptr" : "i8*, i8*");
		} else if (call && find(line, call, "call ")) {
			rewrite_call(&r, line, call + strlen("@printf"), end);
			continue;
		} else
			append_without(&r, line, end);
		text_append(&r.out, "\n", 1);
		if (printing && starts(line, "define "))
			block_due = (r.block_bytes = block_bytes(line)) != 0;
	}
	*length = r.out.length;
	return r.out.at;
}

/* ---- Inline functions ---- */

/* "define available_externally spir_func ..." becomes "define internal spir_func ...", so that programs that are linked
 * may each have one of that name; of a kernel, "define spir_kernel ...". */
const char *inline_keep(struct arena *arena, const char *ir)
{
	static const char word[] = "\ndefine available_externally ";
	struct text out = {.arena = arena};
	const char *from = ir, *at;
	for (; (at = strstr(from, word)); from = at + strlen(word)) {
		const char *after = at + strlen(word);
		text_append(&out, from, (size_t)(at - from));
		text_print(&out, "\ndefine %s",
			find(after, after + strcspn(after, "@\n"), "spir_kernel ") ? "" : "internal ");
	}
	text_append(&out, from, strlen(from));
	return out.at;
}

/* ---- PTX ---- */

/* The old form of a rotation's first two lines, %lhs and %amt2 being names of its own:
 *
 *     shl.b64 %lhs, %rd4, %r1;  sub.u32 %amt2, 64, %r1;
 */
static bool is_rotation(const char *line, const char *end, struct span *amount)
{
	static const char between[] = "\n\tsub.u32 \t%amt2, 64, ";
	const char *comma = memrchr(line, ',', (size_t)(end - line));
	if (!(starts(line, "\tshl.b64 \t%lhs, ") || starts(line, "\tshr.b64 \t%lhs, ")) || end[-1] != ';' || !comma)
		return false;
	*amount = (struct span){comma + 2, (size_t)(end - comma - 3)};
	return comma[2] == '%' && comma[3] == 'r' && starts(end, between) &&
	       !strncmp(end + strlen(between), amount->at, amount->length + 1);
}

/* The count of elements in `.global .align 4 .b8 name[3]`, a vector of three by its size and alignment,
 * and the bytes that it takes in memory; null: another line. */
static const char *find_vector_of_three(const char *line, const char *end, uint32_t *bytes)
{
	bool declares = line[*line == '\t'] == '.'; /* after a tab: within a function */
	const char *align = declares ? find(line, end, ".align ") : NULL;
	const char *type = align ? find(align, end, " .b8 ") : NULL;
	const char *open = type ? memchr(type, '[', (size_t)(end - type)) : NULL;
	if (!open || find(line, open, ".param") || find(line, open, ".local"))
		return NULL;
	uint32_t wanted = (uint32_t)strtoul(align + strlen(".align "), NULL, 10);
	uint32_t count = (uint32_t)strtoul(open + 1, NULL, 10);
	*bytes = wanted;
	return wanted >= 4 && wanted <= 32 && count * 4 == wanted * 3 ? open + 1 : NULL;
}

void rewrite_ptx(struct text *out, const char *ptx)
{
	static const char table[] = "PIBITS_TBL[158]", longer[] = "PIBITS_TBL[192]";
	struct span amount;
	uint32_t bytes;
	for (const char *line = ptx, *end; *line; line = end + (*end == '\n')) {
		end = line_end(line);
		if (starts(line, ".target ")) {
			text_append(out, line, (size_t)(end - line));
			text_print(out, ", texmode_independent\n");
			continue;
		}
		const char *found = starts(line, ".const ") ? find(line, end, table) : NULL;
		if (found) {
			text_append(out, line, (size_t)(found - line));
			text_append(out, longer, strlen(longer));
			line = found + strlen(table);
		} else if ((found = find_vector_of_three(line, end, &bytes))) {
			text_append(out, line, (size_t)(found - line));
			text_print(out, "%u", bytes);
			line = found + strspn(found, "0123456789");
		} else if (is_rotation(line, end, &amount)) {
			text_print(out, "\tand.b32 \t%%amt2, %.*s, 63;\n", SPAN(amount));
			text_append(out, line, (size_t)(amount.at - line));
			text_print(out, "%%amt2;\n\tsub.u32 \t%%amt2, 64, %%amt2;\n");
			end = line_end(end + 1);
			continue;
		}
		text_append(out, line, (size_t)(end - line));
		text_append(out, "\n", 1);
	}
}
