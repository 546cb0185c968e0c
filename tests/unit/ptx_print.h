/* A module as PTX again.
 *
 * Parse, print, parse is a fixed point.  The text is canonical, not the author's: blocks are gone, so names that meant
 * different things in different blocks get distinct ones; labels are numbered by instruction; arrays are flat.
 * Functions are declared first, then come the variables, then the bodies, entries last. */
#include "ptx/print.c"

/* The module; the names that are taken in it, and in the function: to struct taken; the place of the last line. */
static const struct ptx_module *printed_module;
static struct map module_names, names;
static struct ptx_loc loc_before;

/* A name that is taken, and the number that the next one like it gets. */
struct taken {
	unsigned next;
};

static void take(struct printing *p, struct map *of, const char *name)
{
	struct taken *taken = arena_new(p->out->arena, struct taken);

	taken->next = 2;
	map_put(p->out->arena, of, name, strlen(name), taken);
}

static bool is_taken(const char *name)
{
	return map_get(&names, name) || map_get(&module_names, name);
}

/* `wanted`, or it with a number behind, and taken from now on. */
static const char *unique_name(struct printing *p, const char *wanted)
{
	struct arena *arena = p->out->arena;
	char *stem = arena_copy(arena, wanted, strlen(wanted)), *name = stem;

	for (char *dot = strchr(stem, '.'); dot; dot = strchr(dot, '.'))
		*dot = '$';
	if (!map_get(&names, stem) && is_taken(stem))
		take(p, &names, stem);
	struct taken *taken = map_get(&names, stem);
	while (is_taken(name))
		name = arena_printf(arena, "%s$%u", stem, taken->next++);
	take(p, &names, name);
	return name;
}

/* ---- formals ---- */

static void print_formal(const struct printing *p, const struct ptx_variable *v, const char *name)
{
	uint64_t element = variable_element_bytes(v);

	text_print(p->out, ".%s ", v->space == space_PARAM ? "param" : "reg");
	if (v->is_pointer)
		text_print(p->out, ".align %u .%s .ptr ", v->align, ptx_types[v->type].text);
	else if (v->space == space_PARAM && v->align != element)
		text_print(p->out, ".align %u .%s ", v->align, ptx_types[v->type].text);
	else
		text_print(p->out, ".%s ", ptx_types[v->type].text);
	if (v->vector > 1)
		text_print(p->out, ".v%u ", v->vector);
	text_print(p->out, "%s", name);
	if (v->space == space_PARAM && v->size != element)
		text_print(p->out, "[%" PRIu64 "]", v->size / element);
}

/* Those that are registers have their names, where there are any. */
static void print_formals(
	const struct printing *p, struct ptx_variable **formals, uint32_t count, struct ptx_register **registers)
{
	text_print(p->out, "(");
	for (uint32_t i = 0; i < count; i++) {
		bool is_register = registers && formals[i]->space != space_PARAM;
		text_print(p->out, i ? ", " : "");
		print_formal(p, formals[i], is_register ? registers[i]->name : formals[i]->name);
	}
	text_print(p->out, ")");
}

/* ---- instructions ---- */

/* A branch table or call prototype stands before its instruction, in a block of its own. */
static void print_companion(const struct printing *p, const struct ptx_operand *o)
{
	const struct ptx_prototype *prototype = o->prototype;

	if (o->kind == OPERAND_TABLE) {
		text_print(p->out, "table: .branchtargets ");
		print_list(p, o->element, o->count);
	} else if (prototype->targets) {
		text_print(p->out, "prototype: .calltargets ");
		for (uint32_t i = 0; i < prototype->target_count; i++)
			text_print(p->out, "%s%s", i ? ", " : "", prototype->targets[i]->name);
	} else {
		text_print(p->out, "prototype: .callprototype ");
		if (prototype->return_count)
			print_formals(p, prototype->returns, prototype->return_count, NULL);
		text_print(p->out, " _ ");
		print_formals(p, prototype->parameters, prototype->parameter_count, NULL);
		text_print(p->out, prototype->noreturn ? " .noreturn" : "");
	}
	text_print(p->out, ";\n\t");
}

/* ---- function bodies ---- */

/* Gives the registers, variables and labels names that mean one thing each in this function. */
static void choose_names(struct printing *p)
{
	struct ptx_function *f = (struct ptx_function *)(uintptr_t)p->function;
	struct arena *arena = p->out->arena;
	bool *is_target = arena_new_array(arena, bool, f->code.count + 1);

	names = (struct map){0};
	for (uint32_t i = 0; i < f->registers.count; i++)
		f->registers.at[i]->name = unique_name(p, f->registers.at[i]->name);
	for (uint32_t i = 0; i < f->variables.count; i++)
		f->variables.at[i]->name = unique_name(p, f->variables.at[i]->name);
	for (uint32_t i = 0; i < f->code.count; i++)
		for (uint32_t k = 0; k < f->code.at[i].operand_count; k++) {
			const struct ptx_operand *o = &f->code.at[i].operand[k];
			if (o->kind == OPERAND_LABEL)
				is_target[o->target] = true;
			for (uint32_t t = 0; o->kind == OPERAND_TABLE && t < o->count; t++)
				is_target[o->element[t].target] = true;
		}
	f->labels.count = 0;
	for (uint32_t i = 0; i <= f->code.count; i++)
		if (is_target[i])
			*vector_push(arena, &f->labels) =
				(struct ptx_label){.name = unique_name(p, arena_printf(arena, "L%u", i)), .target = i};
}

static bool is_formal_register(const struct ptx_function *f, const struct ptx_register *reg)
{
	for (uint32_t i = 0; i < f->signature.parameter_count + f->signature.return_count; i++)
		if (f->formal_registers[i] == reg)
			return true;
	return false;
}

static void print_registers(const struct printing *p)
{
	const struct ptx_function *f = p->function;

	for (uint32_t i = 0, run = 0; i < f->registers.count; i++) {
		const struct ptx_register *reg = f->registers.at[i];
		bool last = i + 1 == f->registers.count || f->registers.at[i + 1]->type != reg->type || run == 7;
		if (is_formal_register(f, reg))
			continue;
		if (!run)
			text_print(p->out, "\t.reg .%s %s", ptx_types[reg->type].text, reg->name);
		else
			text_print(p->out, ", %s", reg->name);
		run = last ? 0 : run + 1;
		text_print(p->out, last ? ";\n" : "");
	}
}

/* The calls around an inlined one first, since inlined_at names the nearest alone. */
static void print_loc(struct printing *p, const struct ptx_loc *loc, uint32_t column)
{
	const struct ptx_site *site = loc->site ? &printed_module->sites.at[loc->site] : NULL;

	if (site && site->loc.site)
		print_loc(p, &site->loc, site->column);
	text_print(p->out, "\t.loc %u %u %u", loc->file, loc->line, column);
	if (site)
		text_print(p->out, ", inlined_at %u %u %u", site->loc.file, site->loc.line, site->column);
	text_print(p->out, "\n");
}

static void print_line(struct printing *p, const struct ptx_instruction *insn)
{
	const struct ptx_operand *companion = insn->operand_count > 1 ? &insn->operand[1] : NULL;
	bool is_paired = companion && (companion->kind == OPERAND_TABLE || companion->kind == OPERAND_PROTOTYPE);

	if (insn->loc.file != loc_before.file || insn->loc.line != loc_before.line || insn->loc.site != loc_before.site)
		print_loc(p, &insn->loc, 0);
	loc_before = insn->loc;
	if (insn->spins)
		text_print(p->out, "\t.pragma \"" PTX_SPIN_PRAGMA "\";\n");
	if (insn->trap_reason)
		text_print(p->out, "\t.pragma \"" PTX_TRAP_PRAGMA "%s\";\n", insn->trap_reason);
	text_print(p->out, is_paired ? "\t{ " : "\t");
	if (is_paired)
		print_companion(p, companion);
	print_instruction(p, insn);
	text_print(p->out, is_paired ? "; }\n" : ";\n");
}

static void print_variable(const struct printing *p, const struct ptx_variable *v);

static void print_body(struct printing *p)
{
	const struct ptx_function *f = p->function;

	text_print(p->out, "{\n");
	print_registers(p);
	for (uint32_t i = 0; i < f->variables.count; i++)
		if (!f->variables.at[i]->is_formal) {
			text_print(p->out, "\t");
			print_variable(p, f->variables.at[i]);
		}
	for (uint32_t i = 0, label = 0; i <= f->code.count; i++) {
		if (label < f->labels.count && f->labels.at[label].target == i)
			text_print(p->out, "%s:\n", f->labels.at[label++].name);
		if (i < f->code.count)
			print_line(p, &f->code.at[i]);
	}
	text_print(p->out, "}\n\n");
}

/* ---- functions ---- */

static void print_three(const struct printing *p, const char *directive, const uint32_t *three)
{
	if (three[0])
		text_print(p->out, "\n.%s %u, %u, %u", directive, three[0], three[1], three[2]);
}

static void print_one(const struct printing *p, const char *directive, uint32_t value)
{
	if (value)
		text_print(p->out, "\n.%s %u", directive, value);
}

static void print_header(const struct printing *p, const struct ptx_function *f)
{
	const struct ptx_prototype *s = &f->signature;

	text_print(p->out, "%s%s%s.%s ", f->is_extern ? ".extern " : "", f->is_visible ? ".visible " : "",
		f->is_weak ? ".weak " : "", f->is_entry ? "entry" : "func");
	if (s->return_count) {
		print_formals(p, s->returns, s->return_count,
			f->is_defined ? f->formal_registers + s->parameter_count : NULL);
		text_print(p->out, " ");
	}
	text_print(p->out, "%s", f->name);
	print_formals(p, s->parameters, s->parameter_count, f->formal_registers);
	text_print(p->out, f->noreturn ? " .noreturn" : "");
}

static void print_definition(const struct printing *module, const struct ptx_function *f)
{
	struct printing p = {module->out, f};

	loc_before = (struct ptx_loc){0};
	choose_names(&p);
	print_header(&p, f);
	print_three(&p, "maxntid", f->max_threads);
	print_three(&p, "reqntid", f->required_threads);
	print_three(&p, "reqnctapercluster", f->required_cluster);
	print_one(&p, "maxclusterrank", f->max_cluster);
	if (f->explicit_cluster)
		text_print(p.out, "\n.explicitcluster");
	print_one(&p, "minnctapersm", f->min_groups_per_core);
	print_one(&p, "maxnreg", f->max_registers);
	text_print(p.out, "\n");
	print_body(&p);
}

/* ---- variables ---- */

static void print_relocation(const struct printing *p, const struct ptx_relocation *r)
{
	const char *name = r->variable ? r->variable->name : r->function->name;
	bool masked = r->mask != UINT64_MAX;

	if (masked)
		text_print(p->out, "0x%" PRIx64 "(", r->mask);
	text_print(p->out, r->generic ? "generic(%s)" : "%s", name);
	print_offset(p, r->addend);
	text_print(p->out, masked ? ")" : "");
}

/* Elements up to the last that the initialiser wrote, as unsigned integers or exact floats. */
static void print_data(const struct printing *p, const struct ptx_variable *v)
{
	uint32_t bytes = ptx_types[v->type].bits / 8u, relocation = 0;
	bool is_float = ptx_types[v->type].kind == KIND_FLOAT;

	for (uint64_t at = 0; at < v->data_bytes; at += bytes) {
		uint64_t value = 0;
		memcpy(&value, v->data + at, bytes < 8 ? bytes : 8);
		text_print(p->out, at ? ", " : "");
		if (relocation < v->relocation_count && v->relocations[relocation].offset == at)
			print_relocation(p, &v->relocations[relocation++]);
		else if (is_float && bytes == 4)
			text_print(p->out, "0f%08" PRIX64, value);
		else if (is_float && bytes == 8)
			text_print(p->out, "0d%016" PRIX64, value);
		else
			text_print(p->out, "%" PRIu64, value);
	}
}

static void print_variable(const struct printing *p, const struct ptx_variable *v)
{
	static const char *const spaces[] = {[space_CONST] = "const",
		[space_GLOBAL] = "global",
		[space_LOCAL] = "local",
		[space_PARAM] = "param",
		[space_SHARED] = "shared"};
	static const char *const opaque[] = {
		[OPAQUE_TEXTURE] = "texref", [OPAQUE_SURFACE] = "surfref", [OPAQUE_SAMPLER] = "samplerref"};
	uint64_t element = variable_element_bytes(v);
	bool is_array = v->size != element;

	text_print(p->out, "%s%s%s%s.%s .align %u ", v->is_extern ? ".extern " : "", v->is_visible ? ".visible " : "",
		v->is_weak ? ".weak " : "", v->is_common ? ".common " : "", spaces[v->space], v->align);
	if (v->vector > 1)
		text_print(p->out, ".v%u ", v->vector);
	text_print(p->out, ".%s %s", v->opaque ? opaque[v->opaque] : ptx_types[v->type].text, v->name);
	if (is_array && v->is_extern && !v->size)
		text_print(p->out, "[]");
	else if (is_array)
		text_print(p->out, "[%" PRIu64 "]", v->size / element);
	if (v->data && v->data_bytes) {
		bool braces = is_array || v->vector > 1;
		text_print(p->out, braces ? " = {" : " = ");
		print_data(p, v);
		text_print(p->out, braces ? "}" : "");
	}
	text_print(p->out, ";\n");
}

/* ---- the module ---- */

static void print_bodies(const struct printing *p, bool entries)
{
	for (uint32_t i = 0; i < printed_module->functions.count; i++) {
		const struct ptx_function *f = printed_module->functions.at[i];
		if (f->is_entry == entries && f->is_defined)
			print_definition(p, f);
	}
}

/* The formals of one that is defined too have the names of the definition, which are those that the parser keeps. */
static void print_declaration(const struct printing *module, const struct ptx_function *f)
{
	struct printing p = {module->out, f};

	if (f->is_defined)
		choose_names(&p);
	print_header(&p, f);
	text_print(p.out, ";\n");
}

/* Device functions, and kernels that are only declared. */
static void print_declarations(const struct printing *p)
{
	for (uint32_t i = 0; i < printed_module->functions.count; i++) {
		const struct ptx_function *f = printed_module->functions.at[i];
		if (!f->is_entry || !f->is_defined)
			print_declaration(p, f);
	}
}

static void take_module_names(struct printing *p)
{
	module_names = (struct map){0};
	take(p, &module_names, "table");
	take(p, &module_names, "prototype");
	take(p, &module_names, "WARP_SZ");
	for (uint32_t i = 0; i < printed_module->functions.count; i++)
		take(p, &module_names, printed_module->functions.at[i]->name);
	for (uint32_t i = 0; i < printed_module->variables.count; i++)
		take(p, &module_names, printed_module->variables.at[i]->name);
}

static void ptx_print(struct text *out, const struct ptx_module *module)
{
	struct printing p = {.out = out};

	printed_module = module;
	take_module_names(&p);
	text_print(out, ".version %u.%u\n.target %s%s\n.address_size %u\n\n", module->version_major,
		module->version_minor, module->target, module->has_samplers ? ", texmode_independent" : "",
		module->address_bits);
	if (module->shared_null)
		text_print(out, ".pragma \"" PTX_SHARED_NULL_PRAGMA "\";\n");
	for (uint32_t i = 0; i < module->files.count; i++)
		if (module->files.at[i])
			text_print(out, ".file %u \"%s\"\n", i, module->files.at[i]);
	print_declarations(&p);
	for (uint32_t i = 0; i < module->variables.count; i++)
		print_variable(&p, module->variables.at[i]);
	text_print(out, "\n");
	print_bodies(&p, false);
	print_bodies(&p, true);
}
