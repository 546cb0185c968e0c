/* Where an instruction comes from, and how it reads. */
#include "kernel/kernel.h"
#include "util/text.h"

#include <string.h>

static const struct ptx_instruction *written(const struct kernel *kernel, uint32_t pc)
{
	const struct insn *insn = &kernel->code[pc];
	const struct ptx_function *function = kernel->functions[insn->function].ptx;
	return insn->source < function->code.count ? &function->code.at[insn->source] : NULL;
}

/* Headers of a compiler and of other installed libraries: of no use to who looks for his own line. */
static bool is_library(const char *file)
{
	return !strncmp(file, "/usr/", 5) || !strncmp(file, "/opt/", 5);
}

struct place instruction_place(const struct ptx_module *module, const struct ptx_instruction *instruction)
{
	const struct ptx_loc *loc = &instruction->loc;
	while (loc->site && loc->file < module->files.count && module->files.at[loc->file] &&
		is_library(module->files.at[loc->file]))
		loc = &module->sites.at[loc->site].loc;
	if (loc->line && loc->file < module->files.count && module->files.at[loc->file])
		return (struct place){.file = module->files.at[loc->file], .line = loc->line};
	return (struct place){.file = module->file, .line = instruction->line, .column = instruction->column};
}

struct place kernel_ptx_place(const struct kernel *kernel, uint32_t pc)
{
	struct place place = {.file = kernel->module->file};
	const struct ptx_instruction *instruction = pc < kernel->code_count ? written(kernel, pc) : NULL;
	if (instruction) {
		place.line = instruction->line;
		place.column = instruction->column;
	}
	return place;
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
	if (insn->op == OP_NONE || !instruction) /* the end that decode puts behind a function that runs off */
		return insn->kind == INSN_EXIT ? "exit" : "ret";
	ptx_print_instruction(&text, kernel->functions[insn->function].ptx, instruction);
	return text.at;
}
