/* Commands of programs that tell of code: instructions, lines, and the frames of a warp. */
#include "debug/json.h"

#include "machine/core/path.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *function_name(struct debugger *d, const struct kernel *kernel, uint32_t pc)
{
	return demangle_brief(&d->scratch, kernel->functions[kernel->code[pc].function].ptx->name);
}

static void put_place(json_object *to, struct place place)
{
	if (place.file) {
		json_put_text(to, "file", place.file);
		json_put_number(to, "line", place.line);
	}
}

void json_put_code(struct debugger *d, json_object *to, const struct kernel *kernel, uint32_t pc, const char *words)
{
	json_put_number(to, "pc", pc);
	json_put_text(to, "function", function_name(d, kernel, pc));
	put_place(to, *words == '*' ? kernel_ptx_place(kernel, pc) : kernel_place(kernel, pc));
}

/* ---- Lines ---- */

/* One of them may be from another folder, or be shorter. */
static bool is_same_file(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), shorter = la < lb ? la : lb;
	char ra[PATH_MAX], rb[PATH_MAX];

	if (!strcmp(a + la - shorter, b + lb - shorter) &&
		(la == lb || *a != '/' || *b != '/') && /* two whole paths are the same, or are not */
		(la == shorter || a[la - shorter - 1] == '/') && (lb == shorter || b[lb - shorter - 1] == '/'))
		return true;
	return realpath(a, ra) && realpath(b, rb) && !strcmp(ra, rb);
}

/* The first instruction of the PTX's line, or of the next that has one. */
static const char *ptx_line(struct debugger *d, const struct kernel *kernel, uint64_t line)
{
	uint32_t best = UINT32_MAX, best_pc = 0;

	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		uint32_t there = kernel_ptx_place(kernel, pc).line;

		if (there >= line && there < best) {
			best = there;
			best_pc = pc;
		}
	}
	return best == UINT32_MAX ? NULL : arena_printf(&d->scratch, "*%u", best_pc);
}

const char *json_line_words(struct debugger *d, const struct kernel *kernel, const char *file, uint64_t line)
{
	const char *last = NULL, *words = NULL;

	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const char *name = kernel_place(kernel, pc).file;

		if (!name || (last && !strcmp(last, name)))
			continue;
		last = name;
		if (is_same_file(name, file))
			return arena_printf(&d->scratch, "%s:%" PRIu64, name, line);
	}
	const char *ptx = kernel->code_count ? kernel_ptx_place(kernel, 0).file : NULL;

	if (ptx && is_same_file(ptx, file))
		words = ptx_line(d, kernel, line);
	if (!words)
		text_print(&d->out, "no instruction of the kernel is of %s:%" PRIu64 " or a later line\n", file, line);
	return words;
}

/* ---- Instructions ---- */

#define MOST_INSTRUCTIONS 4096

/* {"first": N, "count": N}: of the kernel in focus; fewer where it ends. */
bool answer_code(struct debugger *d, json_object *from, json_object *to)
{
	const struct kernel *kernel = find_kernel(d);
	uint64_t first = json_number(from, "first", 0), count = json_number(from, "count", 0);
	json_object *list = json_put_list(to, "instructions");

	if (!kernel) {
		text_print(&d->out, "no launch has begun\n");
		return false;
	}
	for (uint64_t pc = first; pc < kernel->code_count && pc - first < count && pc - first < MOST_INSTRUCTIONS;
		pc++) {
		json_object *entry = json_put_entry(list);
		struct text name = {.arena = &d->scratch};

		json_put_code(d, entry, kernel, (uint32_t)pc, "");
		kernel_name_pc(&name, kernel, (uint32_t)pc);
		json_put_text(entry, "name", name.at);
		json_put_text(entry, "text", kernel_text(&d->scratch, kernel, (uint32_t)pc));
	}
	return true;
}

/* ---- Frames ---- */

struct frames {
	struct debugger *d;
	const struct warp_slot *r;
	json_object *list;
	bool current; /* the path that runs is what is put now */
};

static void put_frames(struct frames *f, uint32_t pc, lane_mask lanes, const char *waiting)
{
	const struct kernel *kernel = f->r->warp.kernel;
	struct frame frames[KERNEL_FRAMES];
	uint32_t count = pc < kernel->code_count ? kernel_frames(kernel, pc, frames) : 0;
	struct text masked = {.arena = &f->d->scratch};

	show_lanes(&masked, lanes);
	for (uint32_t k = count; k-- > 0;) {
		json_object *entry = json_put_entry(f->list);
		const char *inlined = frames[k].function;

		json_put_number(entry, "pc", pc);
		json_put_text(entry, "function",
			inlined ? demangle_brief(&f->d->scratch, inlined) : function_name(f->d, kernel, pc));
		put_place(entry, frames[k].place);
		json_put_text(entry, "lanes", masked.at);
		json_put_number(entry, "lane", lanes >> f->d->lane & 1 ? f->d->lane : (uint32_t)__builtin_ctzll(lanes));
		json_put_flag(entry, "runs", f->current);
		json_put_flag(entry, "inlined", k > 0);
		if (waiting)
			json_put_text(entry, "waits", waiting);
		if (f->current && !k)
			json_put_number(entry, "depth", f->r->warp.path->depth);
	}
}

static void visit(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct frames *f = context;
	const struct path *path = f->r->warp.path;
	bool is_current = path->pc == pc && path->active == lanes;

	if (lanes && is_current == f->current)
		put_frames(f, pc, lanes, waiting);
}

/* Of the path that runs, then of the others; the innermost call first. */
bool answer_frames(struct debugger *d, json_object *from, json_object *to)
{
	struct core *core;
	struct frames f = {.d = d, .r = json_warp(d, from, &core), .list = json_put_list(to, "frames")};

	if (!f.r)
		return false;
	f.current = true;
	path_each(f.r, visit, &f);
	f.current = false;
	path_each(f.r, visit, &f);
	return true;
}
