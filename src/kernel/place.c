/* Where an instruction comes from, and how it reads. */
#include "kernel/kernel.h"
#include "util/text.h"

static const struct ptx_instruction *written(const struct kernel *kernel, uint32_t pc)
{
	const struct insn *insn = &kernel->code[pc];
	const struct ptx_function *function = kernel->functions[insn->function].ptx;
	return insn->source < function->code.count ? &function->code.at[insn->source] : NULL;
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
	if (instruction && instruction->loc.line && instruction->loc.file < kernel->module->files.count &&
		kernel->module->files.at[instruction->loc.file])
		return (struct place){
			.file = kernel->module->files.at[instruction->loc.file], .line = instruction->loc.line};
	return kernel_ptx_place(kernel, pc);
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
