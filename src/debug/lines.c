/* Lines of the source and instructions, in both directions: see lines.h. */
#include "debug/lines.h"

#include "util/text.h"

#include <assert.h>
#include <string.h>

/* ---- Files ---- */

/* "cell.cu" and "src/cell.cu" for "/home/a/src/cell.cu". */
static bool is_tail(const char *name, const char *tail)
{
	size_t length = strlen(name), of_tail = strlen(tail);

	if (of_tail > length || !of_tail || strcmp(name + length - of_tail, tail) != 0)
		return false;
	return of_tail == length || name[length - of_tail - 1] == '/' || tail[0] == '/';
}

static bool is_installed(const char *file)
{
	return !strncmp(file, "/usr/", 5) || !strncmp(file, "/opt/", 5);
}

/* Number 0 is the PTX itself. */
static const char *file_name(const struct ptx_module *module, uint16_t number)
{
	if (!number)
		return module->file;
	return number < module->files.count ? module->files.at[number] : NULL;
}

/* The place of an instruction, then that of each call around it that was inlined; null: there are no more. */
static const struct ptx_loc *loc_around(const struct ptx_module *module, const struct ptx_loc *loc)
{
	return loc->site ? &module->sites.at[loc->site].loc : NULL;
}

static void mark_files(const struct ptx_module *module, const struct ptx_function *function, bool *has_code)
{
	for (uint32_t k = 0; k < function->code.count; k++)
		for (const struct ptx_loc *l = &function->code.at[k].loc; l; l = loc_around(module, l))
			has_code[l->line ? l->file : 0] = true;
}

/* Which files have code, by number. */
static bool *files_with_code(struct arena *arena, const struct ptx_module *module)
{
	bool *has_code = arena_new_array(arena, bool, UINT16_MAX + 1);

	for (uint32_t f = 0; f < module->functions.count; f++)
		mark_files(module, module->functions.at[f], has_code);
	return has_code;
}

typedef VECTOR(const char *) names;

static void add_name(struct arena *arena, names *list, const char *name)
{
	for (uint32_t k = 0; k < list->count; k++)
		if (!strcmp(list->at[k], name))
			return;
	*vector_push(arena, list) = name;
}

static const char *of_names(struct arena *arena, const names *list)
{
	return text_alternatives(arena, list->at, list->count);
}

/* The one file that is meant; null and an error. */
static const char *find_file(
	struct arena *arena, const struct ptx_module *module, const char *file, struct diagnostic *diagnostic)
{
	const bool *has_code = files_with_code(arena, module);
	names all = {0}, meant = {0};

	for (uint32_t k = 1; k < module->files.count; k++) {
		const char *name = file_name(module, (uint16_t)k);
		if (!name || !has_code[k])
			continue;
		add_name(arena, &all, name);
		if (file ? is_tail(name, file) : !is_installed(name))
			add_name(arena, &meant, name);
		if (file && !strcmp(name, file))
			return name;
	}
	add_name(arena, &all, module->file);
	if (!meant.count && (!file || is_tail(module->file, file)))
		return module->file;
	if (meant.count == 1)
		return meant.at[0];
	if (meant.count)
		diagnose(diagnostic, (struct place){0}, "%s means several files: %s", file ? file : "a line alone",
			of_names(arena, &meant));
	else
		diagnose(diagnostic, (struct place){0}, "no code comes from a file '%s'; files are %s", file,
			of_names(arena, &all));
	return NULL;
}

/* ---- Lines ---- */

static bool is_in(const struct ptx_module *module, const struct ptx_loc *loc, const char *file)
{
	const char *name = loc->line && loc->file ? file_name(module, loc->file) : NULL;

	return name && !strcmp(name, file);
}

/* The least line at or after the one asked for, of the instructions themselves and of inlined calls. */
struct nearest {
	const struct ptx_module *module;
	const char *file;
	uint32_t asked, own, inlined, last; /* UINT32_MAX: none */
	bool is_ptx;
};

static void see(struct nearest *n, uint32_t *least, uint32_t line)
{
	n->last = line > n->last ? line : n->last;
	if (line >= n->asked && line < *least)
		*least = line;
}

static void see_instruction(struct nearest *n, const struct ptx_instruction *i)
{
	const struct ptx_loc *loc = &i->loc;

	if (n->is_ptx)
		see(n, &n->own, i->line);
	if (is_in(n->module, loc, n->file))
		see(n, &n->own, loc->line);
	while ((loc = loc_around(n->module, loc)))
		if (is_in(n->module, loc, n->file))
			see(n, &n->inlined, loc->line);
}

bool lines_find(const struct ptx_module *module, const char *file, uint32_t line, struct source_line *found,
	struct diagnostic *diagnostic)
{
	struct arena scratch = {0};
	const char *name = find_file(&scratch, module, file, diagnostic);
	struct nearest n = {.module = module, .file = name, .asked = line, .own = UINT32_MAX, .inlined = UINT32_MAX};

	n.is_ptx = name == module->file;
	for (uint32_t f = 0; name && f < module->functions.count; f++)
		for (uint32_t k = 0; k < module->functions.at[f]->code.count; k++)
			see_instruction(&n, &module->functions.at[f]->code.at[k]);
	arena_free(&scratch); /* a file's name lies in the module */
	if (!name)
		return false;
	*found = (struct source_line){.file = name,
		.line = n.own <= n.inlined ? n.own : n.inlined,
		.asked = line,
		.is_inlined = n.inlined < n.own,
		.is_ptx = n.is_ptx};
	if (found->line == UINT32_MAX)
		return diagnose(diagnostic, (struct place){0}, "%s has no code at line %u or below; its last is %u",
			name, line, n.last);
	return true;
}

static const struct ptx_instruction *instruction_of(const struct kernel *kernel, uint32_t pc)
{
	const struct insn *insn = &kernel->code[pc];
	const struct ptx_function *function = kernel->functions[insn->function].ptx;

	return insn->source < function->code.count ? &function->code.at[insn->source] : NULL;
}

bool lines_has(const struct kernel *kernel, uint32_t pc, const struct source_line *line)
{
	assert(pc < kernel->code_count);
	const struct ptx_module *module = kernel->module;
	const struct ptx_instruction *i = instruction_of(kernel, pc);
	const struct ptx_loc *loc = i ? &i->loc : NULL;

	if (!i)
		return false;
	if (line->is_ptx)
		return i->line == line->line;
	if (!line->is_inlined)
		return loc->line == line->line && is_in(module, loc, line->file);
	while ((loc = loc_around(module, loc)))
		if (loc->line == line->line && is_in(module, loc, line->file))
			return true;
	return false;
}

const uint32_t *lines_pcs(
	struct arena *arena, const struct kernel *kernel, const struct source_line *line, uint32_t *count)
{
	VECTOR(uint32_t) pcs = {0};

	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (lines_has(kernel, pc, line))
			*vector_push(arena, &pcs) = pc;
	*count = pcs.count;
	return pcs.at;
}

uint32_t lines_body(const struct ptx_function *function)
{
	const struct ptx_instruction *code = function->code.at;

	for (uint32_t k = 0; k < function->code.count; k++) {
		if (code[k].loc.line && code[k].loc.line != code[0].loc.line)
			return k;
		for (uint32_t o = 0; o < code[k].operand_count; o++)
			if (code[k].operand[o].kind == OPERAND_LABEL || code[k].operand[o].kind == OPERAND_TABLE)
				return 0;
	}
	return 0;
}

void lines_print(struct text *out, const struct source_line *line)
{
	text_print(out, "%s:%u", line->file, line->line);
	if (line->line != line->asked)
		text_print(out, ", the next line after %u that has code", line->asked);
	if (line->is_inlined)
		text_print(out, ", whose call is inlined");
}
