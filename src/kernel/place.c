/* Where an instruction comes from, and how it reads. */
#include "kernel/kernel.h"
#include "util/demangle.h"
#include "util/text.h"

#include <string.h>

/* Calls that a text names before it leaves out all but the innermost one. */
#define FRAMES_SAID 3

static const struct ptx_instruction *written(const struct kernel *kernel, uint32_t pc)
{
	const struct insn *insn = &kernel->code[pc];
	const struct ptx_function *function = kernel->functions[insn->function].ptx;
	return insn->source < function->code.count ? &function->code.at[insn->source] : NULL;
}

/* Headers of a compiler and of other installed libraries: users look for a line of their own. */
static bool is_library(const char *file)
{
	return !strncmp(file, "/usr/", 5) || !strncmp(file, "/opt/", 5);
}

static const char *file_of(const struct ptx_module *module, const struct ptx_loc *loc)
{
	return loc->line && loc->file < module->files.count ? module->files.at[loc->file] : NULL;
}

/* The call around a place that was inlined; null: none. */
static const struct ptx_loc *call_of(const struct ptx_module *module, const struct ptx_loc *loc)
{
	return loc->site ? &module->sites.at[loc->site].loc : NULL;
}

/* From here outwards, the first place of the user's own; null: none. */
static const struct ptx_loc *own_place(const struct ptx_module *module, const struct ptx_loc *loc)
{
	while (loc && !(file_of(module, loc) && !is_library(file_of(module, loc))))
		loc = call_of(module, loc);
	return loc;
}

struct place instruction_place(const struct ptx_module *module, const struct ptx_instruction *instruction)
{
	const struct ptx_loc *loc = own_place(module, &instruction->loc);
	for (const struct ptx_loc *at = &instruction->loc; at && !loc; at = call_of(module, at))
		loc = file_of(module, at) && !call_of(module, at) ? at : NULL; /* the outermost of libraries' alone */
	if (loc)
		return (struct place){.file = file_of(module, loc), .line = loc->line};
	return (struct place){.file = module->file, .line = instruction->line, .column = instruction->column};
}

static struct frame frame_of(const struct ptx_module *module, const struct ptx_loc *loc)
{
	return (struct frame){.place = {.file = file_of(module, loc), .line = loc->line},
		.function = loc->function < module->inlined.count ? module->inlined.at[loc->function] : NULL};
}

uint32_t kernel_frames(const struct kernel *kernel, uint32_t pc, struct frame to[KERNEL_FRAMES])
{
	const struct ptx_module *module = kernel->module;
	const struct ptx_instruction *instruction = pc < kernel->code_count ? written(kernel, pc) : NULL;
	const struct ptx_loc *inner = instruction ? own_place(module, &instruction->loc) : NULL, *loc;
	uint32_t count = 0;

	if (!inner) {
		to[0] = (struct frame){.place = kernel_place(kernel, pc)};
		return 1;
	}
	for (loc = inner; loc; loc = own_place(module, call_of(module, loc)))
		count++;
	uint32_t kept = count < KERNEL_FRAMES ? count : KERNEL_FRAMES;
	for (loc = inner; loc; loc = own_place(module, call_of(module, loc)))
		if (--count < kept - 1)
			to[count] = frame_of(module, loc);
	to[kept - 1] = frame_of(module, inner);
	return kept;
}

const char *kernel_place_text(struct arena *arena, const struct kernel *kernel, uint32_t pc)
{
	struct frame frames[KERNEL_FRAMES];
	uint32_t count = kernel_frames(kernel, pc, frames);
	struct text text = {.arena = arena};

	text_print(&text, "%s:%u", frames[0].place.file, frames[0].place.line);
	for (uint32_t k = 1; k < count; k++) {
		text_print(&text, k == 1 ? " (in " : ", in ");
		if (k == FRAMES_SAID && k + 1 < count) {
			text_print(&text, "further calls");
			k = count - 2;
			continue;
		}
		text_print(&text, frames[k].function ? "%s at %s:%u" : "%scode inlined from %s:%u",
			frames[k].function ? demangle_brief(arena, frames[k].function) : "", frames[k].place.file,
			frames[k].place.line);
	}
	text_print(&text, count > 1 ? ")" : "");
	return text.at;
}

struct place kernel_ptx_place(const struct kernel *kernel, uint32_t pc)
{
	const struct ptx_instruction *i = pc < kernel->code_count ? written(kernel, pc) : NULL;
	return (struct place){kernel->module->file, i ? i->line : 0, i ? i->column : 0};
}

struct place kernel_place(const struct kernel *kernel, uint32_t pc)
{
	const struct ptx_instruction *instruction = pc < kernel->code_count ? written(kernel, pc) : NULL;
	return instruction ? instruction_place(kernel->module, instruction) : kernel_ptx_place(kernel, pc);
}

bool kernel_same_line(const struct kernel *kernel, uint32_t a, uint32_t b)
{
	struct place of_a, of_b;

	if (a == b)
		return true;
	of_a = kernel_place(kernel, a);
	of_b = kernel_place(kernel, b);
	return of_a.line == of_b.line && of_a.file && of_b.file && !strcmp(of_a.file, of_b.file);
}

bool kernel_same_place(const struct kernel *kernel, uint32_t a, uint32_t b)
{
	struct frame of_a[KERNEL_FRAMES], of_b[KERNEL_FRAMES];
	uint32_t count = a == b ? 0 : kernel_frames(kernel, a, of_a);

	if (a == b)
		return true;
	if (kernel_frames(kernel, b, of_b) != count)
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (of_a[k].place.line != of_b[k].place.line || strcmp(of_a[k].place.file, of_b[k].place.file))
			return false;
	return true;
}

void kernel_name_pc(struct text *out, const struct kernel *kernel, uint32_t pc)
{
	while (kernel->code[pc].inserted == INSERTED_RETURNS && pc + 1 < kernel->code_count)
		pc++;
	const struct ptx_function *function = kernel->functions[kernel->code[pc].function].ptx;
	const struct ptx_instruction *instruction = written(kernel, pc);
	uint32_t at = instruction ? kernel->code[pc].source : function->code.count;
	const struct ptx_label *label = ptx_find_label(function, at);
	uint32_t behind = label ? at - label->target : at;
	text_print(out, "%s", label ? label->name : function->name);
	if (behind)
		text_print(out, "+%u", behind);
	if (instruction)
		text_print(out, ":%u", instruction->line);
}

const char *kernel_text(struct arena *arena, const struct kernel *kernel, uint32_t pc)
{
	struct text text = {.arena = arena};
	const struct insn *insn = &kernel->code[pc];
	const struct ptx_instruction *instruction = written(kernel, pc);
	if (insn->op == OP_NONE || !instruction) /* the end that decode adds to a function that runs off */
		return insn->kind == INSN_EXIT ? "exit" : "ret";
	ptx_print_instruction(&text, kernel->functions[insn->function].ptx, instruction);
	return text.at;
}
