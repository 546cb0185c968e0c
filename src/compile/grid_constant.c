/* __grid_constant__: the address of a kernel's parameter.
 *
 * Clang before 20 knows no such parameter: it copies a structure whose address is taken into local memory, where no
 * tensor copy can read its map.  Our header makes an annotation of the word:
 *
 *     @.str = private unnamed_addr constant [23 x i8] c"lockstep.grid_constant\00", section "llvm.metadata"
 *     define void @k(i32 %0, %struct.Map* byval(%struct.Map) align 64 %1) {
 *       %3 = bitcast %struct.Map* %1 to i8*
 *       call void @llvm.var.annotation(i8* %3, i8* getelementptr (..., [23 x i8]* @.str, i32 0, i32 0), ...)
 *
 * or, with opaque pointers, call void @llvm.var.annotation.p0.p0(ptr %1, ptr @.str, ...).  In place of the call the
 * code asks for the address, and what follows uses that instead of the parameter, which LLVM then has no need to copy:
 *
 *       %lockstep.grid.0 = call %struct.Map* asm "mov.b64 $0, k_param_1; cvta.param.u64 $0, $0;", "=l"() ... */
#include "compile/rewrite.h"

#include <ctype.h>
#include <string.h>

/* The text from `at` to the next `end`; of length 0 when there is none. */
static struct span until(const char *at, const char *end)
{
	const char *found = at ? strstr(at, end) : NULL;
	return (struct span){at, found ? (size_t)(found - at) : 0};
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || strchr("._$-", c);
}

/* The first place of a name, and not of a longer one, within [from, to); null: none. */
static const char *find_name(const char *from, const char *to, struct span name)
{
	while ((from = memmem(from, (size_t)(to - from), name.at, name.length))) {
		if (from + name.length == to || !from[name.length] || !is_name(from[name.length]))
			return from;
		from += name.length;
	}
	return NULL;
}

/* Which parameter of the function that `define` begins `value` is, if a structure: "k_param_1"; null: none. */
static const char *parameter_name(struct arena *arena, const char *define, struct span value)
{
	const char *name = strchr(define, '@');
	struct span function = until(name ? name + 1 : NULL, "(");
	uint32_t number = 0, depth = 0;
	bool is_structure = false;
	for (const char *at = function.at + function.length + 1; function.length && *at && *at != '\n'; at++) {
		is_structure |= !strncmp(at, "byval(", strlen("byval("));
		if (is_structure && at == find_name(at, at + strlen(at), value))
			return arena_printf(arena, "%.*s_param_%u", SPAN(function), number);
		depth += (*at == '(') - (uint32_t)(*at == ')');
		if (depth || *at != ',')
			continue;
		number++;
		is_structure = false;
	}
	return NULL;
}

struct annotated {
	struct span type, value; /* %struct.Map* %1 */
	const char *parameter;   /* k_param_1 */
};

/* `call`: the line of a call that annotates something, in `ir`.  False: it is no parameter. */
static bool read_annotated(struct arena *arena, const char *ir, const char *call, struct annotated *a)
{
	const char *define = ir, *before = call - 1;
	for (const char *next = ir; (next = strstr(next, "\ndefine ")) && next < call; next++)
		define = next + 1;
	while (before > ir && before[-1] != '\n')
		before--;
	struct span argument = until(strchr(call, '(') + 1, ",");
	if (!strncmp(argument.at, "ptr ", strlen("ptr "))) {
		a->type = (struct span){argument.at, strlen("ptr")};
		a->value = (struct span){argument.at + strlen("ptr "), argument.length - strlen("ptr ")};
	} else {
		struct span from = until(strstr(before, " = bitcast "), " to i8*");
		const char *end = from.at ? from.at + from.length : NULL, *value = end;
		if (!from.length || end > call)
			return false;
		while (*value != ' ' || value == end)
			value--;
		from.at += strlen(" = bitcast ");
		a->type = (struct span){from.at, (size_t)(value - from.at)};
		a->value = (struct span){value + 1, (size_t)(end - value - 1)};
	}
	a->parameter = parameter_name(arena, define, a->value);
	return a->parameter;
}

const char *grid_constants(struct arena *arena, const char *ir)
{
	static const char text[] = " = private unnamed_addr constant [23 x i8] c\"lockstep.grid_constant\\00\"";
	static const char annotation[] = "  call void @llvm.var.annotation";
	const char *mark = strstr(ir, text), *start = mark;
	struct annotated a;
	while (start && start > ir && start[-1] != '\n')
		start--;
	struct span name = {start, mark ? (size_t)(mark - start) : 0};
	uint32_t made = 0;
	for (const char *call = mark; call && (call = strstr(call, annotation));) {
		struct text out = {.arena = arena};
		const char *end = call + strcspn(call, "\n"), *last = strstr(end, "\n}");
		if (!last || !find_name(call, end, name) || !read_annotated(arena, ir, call, &a)) {
			call = end;
			continue;
		}
		text_append(&out, ir, (size_t)(call - ir));
		text_print(&out,
			"  %%lockstep.grid.%u = call %.*s asm \"mov.b64 $0, %s; cvta.param.u64 $0, $0;\", \"=l\"() "
			"nounwind "
			"readnone",
			made, SPAN(a.type), a.parameter);
		size_t resume = out.length;
		for (const char *use; (use = find_name(end, last, a.value)); end = use + a.value.length) {
			text_append(&out, end, (size_t)(use - end));
			text_print(&out, "%%lockstep.grid.%u", made);
		}
		text_append(&out, end, strlen(end));
		made++;
		ir = out.at;
		call = ir + resume;
	}
	return ir;
}
