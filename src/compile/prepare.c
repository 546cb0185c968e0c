/* Line by line, in the forms of clang 14 (pointers with their pointee) and of 15 and later (`ptr`):
 *
 *     attributes #4 = { convergent nounwind }
 *     %6 = addrspacecast i32 addrspace(3)* %5 to i32*, !dbg !20
 *     %8 = addrspacecast i32* %7 to i32 addrspace(3)*, !dbg !21
 *
 * become
 *
 *     attributes #4 = { convergent nomerge nounwind }
 *     %lockstep.cast.0 = addrspacecast i32 addrspace(3)* %5 to i32*, !dbg !20
 *     %lockstep.null.0 = icmp eq i32 addrspace(3)* %5, null, !dbg !20
 *     %6 = select i1 %lockstep.null.0, i32* null, i32* %lockstep.cast.0, !dbg !20
 *     %lockstep.cast.1 = call i32 addrspace(3)* asm "cvta.to.shared.u64 $0, $1;", "=l,l"(i32* %7)
 *         nounwind readnone, !dbg !21
 *     %lockstep.null.1 = icmp eq i32* %7, null, !dbg !21
 *     %8 = select i1 %lockstep.null.1, i32 addrspace(3)* null, i32 addrspace(3)* %lockstep.cast.1, !dbg !21
 *
 * The selection: PTX's cvta is a bare addition, and NULL would become the first address of the window.  For global
 * memory there is none, since its window begins at 0.  Constants need nothing: clang itself makes NULL of NULL, and a
 * variable is none.  Private memory needs nothing either: clang gives its pointers as generic ones.
 *
 * Assembly on the way back: LLVM joins casts from one memory to the generic one and on to another, which a program may
 * do where it never comes ("if (get_fence(p) == CLK_LOCAL_MEM_FENCE) q = (local int *)p"), and then the PTX back end
 * stops. */
#include "compile/rewrite.h"

#include <stdlib.h>
#include <string.h>

/* NVPTX's address spaces that OpenCL C can name beside the generic one, which is 0. */
static const struct space {
	long number;
	const char *name; /* in PTX */
	bool has_null;    /* the generic address of its first byte is not 0 */
} spaces[] = {{1, "global", false}, {3, "shared", true}};

/* The last place of `what` within [from, to); null when there is none. */
static const char *find_last(const char *from, const char *to, const char *what)
{
	const char *found = NULL;
	while ((from = memmem(from, (size_t)(to - from), what, strlen(what))))
		found = from++;
	return found;
}

/* "i32 addrspace(3)*" and "ptr addrspace(3)": 3; "i32*" and "ptr": 0; -1: a vector of pointers, which no program can
 * name. */
static long space_of(struct span type)
{
	static const char word[] = " addrspace(";
	const char *end = type.at + type.length - (type.length && type.at[type.length - 1] == '*');
	bool opaque = type.length >= 3 && !strncmp(type.at, "ptr", 3);
	if (end == type.at + type.length && !opaque)
		return -1;
	const char *space = end[-1] == ')' ? find_last(type.at, end, word) : NULL;
	return space ? strtol(space + strlen(word), NULL, 10) : 0;
}

static const struct space *find_space(long number)
{
	for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
		if (spaces[k].number == number)
			return &spaces[k];
	return NULL;
}

struct cast {
	struct span result, from, value, into, debug; /* result = addrspacecast from value to into debug */
	bool to_generic;
	const struct space *space; /* the other one */
};

/* `at` is past the word addrspacecast of this line.  False for a cast that may stay. */
static bool read_cast(struct cast *cast, const char *line, const char *at, const char *end)
{
	const char *to = find_last(at, end, " to "), *value = to ? find_last(at, to, " ") : NULL;
	if (!value || value[1] != '%')
		return false;
	const char *into = to + strlen(" to "), *debug = memmem(into, (size_t)(end - into), ", !", 3);
	debug = debug ? debug : end;
	cast->result = (struct span){line, (size_t)(at - line) - strlen(" = addrspacecast ")};
	cast->from = (struct span){at, (size_t)(value - at)};
	cast->value = (struct span){value + 1, (size_t)(to - value - 1)};
	cast->into = (struct span){into, (size_t)(debug - into)};
	cast->debug = (struct span){debug, (size_t)(end - debug)};
	long from = space_of(cast->from), other = space_of(cast->into);
	cast->to_generic = !other;
	cast->space = from && other ? NULL : find_space(from ? from : other);
	return cast->space && (!cast->to_generic || cast->space->has_null);
}

static void write_cast(struct text *out, const struct cast *c, uint32_t k)
{
	struct arena *arena = out->arena;
	const char *result = arena_printf(arena, "%.*s", SPAN(c->result));
	const char *moved = c->space->has_null ? arena_printf(arena, "  %%lockstep.cast.%u", k) : result;
	if (c->to_generic)
		text_print(out, "%s = addrspacecast %.*s %.*s to %.*s%.*s\n", moved, SPAN(c->from), SPAN(c->value),
			SPAN(c->into), SPAN(c->debug));
	else
		text_print(out,
			"%s = call %.*s asm \"cvta.to.%s.u64 $0, $1;\", \"=l,l\"(%.*s %.*s) nounwind readnone%.*s\n",
			moved, SPAN(c->into), c->space->name, SPAN(c->from), SPAN(c->value), SPAN(c->debug));
	if (!c->space->has_null)
		return;
	text_print(out, "  %%lockstep.null.%u = icmp eq %.*s %.*s, null%.*s\n", k, SPAN(c->from), SPAN(c->value),
		SPAN(c->debug));
	text_print(out, "%s = select i1 %%lockstep.null.%u, %.*s null, %.*s %s%.*s\n", result, k, SPAN(c->into),
		SPAN(c->into), moved + 2, SPAN(c->debug));
}

const char *prepare_ir(struct arena *arena, const char *ir, size_t *length)
{
	static const char attributes[] = "attributes #", convergent[] = " convergent ", word[] = " = addrspacecast ";
	struct text out = {.arena = arena};
	struct cast cast;
	uint32_t casts = 0;
	text_print(&out, "%s", "");
	for (const char *line = ir, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		const char *found = *line == ' ' ? memmem(line, (size_t)(end - line), word, strlen(word)) : NULL;
		bool changes = found && read_cast(&cast, line, found + strlen(word), end);
		end += *end == '\n';
		if (changes) {
			write_cast(&out, &cast, casts++);
			continue;
		}
		if (!strncmp(line, attributes, strlen(attributes)) &&
			(found = memmem(line, (size_t)(end - line), convergent, strlen(convergent)))) {
			found += strlen(convergent);
			text_append(&out, line, (size_t)(found - line));
			text_append(&out, "nomerge ", strlen("nomerge "));
			line = found;
		}
		text_append(&out, line, (size_t)(end - line));
	}
	*length = out.length;
	return out.at;
}
