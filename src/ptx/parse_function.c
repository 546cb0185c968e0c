/* Functions: headers, parameters, tuning directives, forward declarations, aliases. */
#include "ptx/parser.h"

#include <string.h>

/* formals = "(" (formal ("," formal)*)? ")" */
void parse_signature(struct parser *p, struct ptx_variable ***formals, uint32_t *count)
{
	VECTOR(struct ptx_variable *) list = {0};

	parse_expect(p, '(', "before the parameters");
	if (!token_is(&p->token, ')'))
		do
			*vector_push(p->arena, &list) = parse_formal(p);
		while (parse_accept(p, ','));
	parse_expect(p, ')', "after the parameters");
	*formals = list.at;
	*count = list.count;
}

/* ---- directives between the parameters and the body ---- */

/* At least one: the PTX ISA asks for it, and with no thread no launch could be made. */
static uint32_t parse_some(struct parser *p, const char *what)
{
	struct token token = p->token;
	uint64_t value = parse_integer(p, what, UINT32_MAX);
	if (!value)
		parse_error(p, &token, "0, expected %s", what);
	return (uint32_t)value;
}

/* dimensions = number ("," number ("," number)?)? */
static void parse_three(struct parser *p, uint32_t *three, const char *what)
{
	three[0] = parse_some(p, what);
	three[1] = parse_accept(p, ',') ? parse_some(p, what) : 1;
	three[2] = parse_accept(p, ',') ? parse_some(p, what) : 1;
}

/* tuning = ".maxntid" three | ".reqntid" three | ".minnctapersm" n | ".maxnreg" n | ".noreturn" | ".pragma" string ";"
 * | ... What only advises the hardware is read and dropped. */
static bool parse_tuning(struct parser *p, struct ptx_function *f)
{
	if (parse_accept_word(p, "maxntid"))
		parse_three(p, f->max_threads, "a number of threads");
	else if (parse_accept_word(p, "reqntid"))
		parse_three(p, f->required_threads, "a number of threads");
	else if (parse_accept_word(p, "minnctapersm"))
		f->min_groups_per_core = parse_some(p, "a number of work-groups");
	else if (parse_accept_word(p, "maxnreg"))
		f->max_registers = parse_some(p, "a number of registers");
	else if (parse_accept_word(p, "maxnctapersm") || parse_accept_word(p, "minnreg") ||
		 parse_accept_word(p, "abi_preserve") || parse_accept_word(p, "abi_preserve_control"))
		parse_integer(p, "a number", UINT32_MAX);
	else if (parse_accept_word(p, "noreturn"))
		f->noreturn = f->signature.noreturn = true;
	else if (parse_accept_word(p, "pragma"))
		parse_pragma(p);
	else if (parse_accept_word(p, "reqnctapercluster"))
		parse_three(p, f->required_cluster, "a number of work-groups");
	else if (parse_accept_word(p, "maxclusterrank"))
		f->max_cluster = parse_some(p, "a number of work-groups");
	else if (parse_accept_word(p, "explicitcluster"))
		f->explicit_cluster = true;
	else if (parse_accept_word(p, "attribute"))
		parse_skip_parentheses(p);
	else
		return parse_accept_word(p, "blocksareclusters");
	return true;
}

/* ---- names and declarations ---- */

static bool same_formals(
	struct ptx_variable *const *a, uint32_t a_count, struct ptx_variable *const *b, uint32_t b_count)
{
	if (a_count != b_count)
		return false;
	for (uint32_t i = 0; i < a_count; i++)
		if (a[i]->size != b[i]->size && a[i]->size && b[i]->size)
			return false;
	return true;
}

/* The function of this name, new or declared before; its signature becomes `made`'s. */
static struct ptx_function *find_or_make(struct parser *p, const struct token *name, const struct ptx_function *made)
{
	struct symbol *symbol = map_get_length(&p->module->symbols, name->text, name->length);
	struct ptx_function *f;

	if (!symbol) {
		if (!(symbol = scope_declare(p, name, SYMBOL_FUNCTION)))
			return NULL;
		f = symbol->function = arena_new(p->arena, struct ptx_function);
		*f = *made;
		f->index = p->module->functions.count;
		*vector_push(p->arena, &p->module->functions) = f;
		return f;
	}
	f = symbol->function;
	const struct ptx_prototype *a = f ? &f->signature : NULL, *b = &made->signature;
	if (!f || f->is_entry != made->is_entry)
		parse_error(p, name, "'%s' is already declared as something else on line %u", made->name, symbol->line);
	else if (!same_formals(a->returns, a->return_count, b->returns, b->return_count) ||
		 !same_formals(a->parameters, a->parameter_count, b->parameters, b->parameter_count))
		parse_error(p, name, "'%s' is declared with other parameters on line %u", made->name, symbol->line);
	if (parse_failed(p))
		return NULL;
	f->is_visible |= made->is_visible;
	f->is_weak |= made->is_weak;
	f->noreturn |= made->noreturn;
	return f;
}

/* Offsets in a kernel's parameter block: each at its own alignment. */
static void lay_out_parameters(struct parser *p, struct ptx_function *f)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < f->signature.parameter_count; i++) {
		struct ptx_variable *v = f->signature.parameters[i];
		at = (at + v->align - 1) & ~(uint64_t)(v->align - 1);
		v->offset = at;
		at += v->size;
	}
	if (at > MAX_PARAMETER_BYTES) {
		struct token place = {.line = f->place.line, .column = f->place.column};
		parse_error(p, &place, "the parameters of '%s' take %llu bytes: at most %d are supported", f->name,
			(unsigned long long)at, MAX_PARAMETER_BYTES);
	}
	f->parameter_bytes = (uint32_t)at;
}

static void check_entry(struct parser *p, const struct token *name, const struct ptx_function *f)
{
	if (!f->is_entry)
		return;
	if (f->signature.return_count)
		parse_error(p, name, "an .entry returns nothing");
	for (uint32_t i = 0; i < f->signature.parameter_count; i++)
		if (f->signature.parameters[i]->space != space_PARAM)
			parse_error(p, name, "the parameters of an .entry must be .param");
		else if (!f->signature.parameters[i]->size)
			parse_error(p, name, "the parameters of an .entry must have a size");
}

/* ---- bodies ---- */

/* Enters formals as names of the function's outermost scope. */
static void declare_formals(
	struct parser *p, struct ptx_variable **formals, uint32_t count, struct ptx_register **registers)
{
	struct ptx_function *f = p->function;

	for (uint32_t i = 0; i < count && !parse_failed(p); i++) {
		struct ptx_variable *v = formals[i];
		struct token name = {.kind = TOKEN_NAME,
			.text = v->name,
			.length = (uint32_t)strlen(v->name),
			.line = v->place.line,
			.column = v->place.column};
		v->owner = f;
		if (v->space == space_NONE) {
			registers[i] = scope_declare_register(p, &name, v->type, 1);
			continue;
		}
		struct symbol *symbol = scope_declare(p, &name, SYMBOL_VARIABLE);
		if (symbol)
			symbol->variable = v;
		v->index = f->variables.count;
		*vector_push(p->arena, &f->variables) = v;
	}
}

/* body = "{" statement* "}" */
static void parse_definition(
	struct parser *p, const struct token *name, struct ptx_function *f, const struct ptx_function *made)
{
	struct ptx_prototype *s = &f->signature;

	if (f->is_defined) {
		parse_error(p, name, "'%s' is already defined on line %u", f->name, f->place.line);
		return;
	}
	*s = made->signature;
	f->is_defined = true;
	f->is_extern = false;
	f->place = made->place;
	memcpy(f->required_threads, made->required_threads, sizeof f->required_threads);
	memcpy(f->required_cluster, made->required_cluster, sizeof f->required_cluster);
	f->max_cluster = made->max_cluster;
	f->explicit_cluster = made->explicit_cluster;
	memcpy(f->max_threads, made->max_threads, sizeof f->max_threads);
	f->min_groups_per_core = made->min_groups_per_core;
	f->max_registers = made->max_registers;
	f->formal_registers =
		arena_new_array(p->arena, struct ptx_register *, s->parameter_count + s->return_count + 1);
	p->function = f;
	p->loc = (struct ptx_loc){0};
	p->spins = false;
	p->trap_reason = NULL;
	p->locs.count = 0;
	scope_open(p);
	declare_formals(p, s->parameters, s->parameter_count, f->formal_registers);
	declare_formals(p, s->returns, s->return_count, f->formal_registers + s->parameter_count);
	parse_body(p);
	scope_close(p);
	p->function = NULL;
}

/* function = (".entry" | ".func") attribute? formals? name formals? tuning* (";" | body) */
void parse_function(struct parser *p, uint32_t linking)
{
	struct ptx_function made = {.is_entry = token_is_word(&p->token, "entry")}, *f;
	struct token name;

	made.is_extern = linking & LINK_EXTERN;
	made.is_visible = linking & LINK_VISIBLE;
	made.is_weak = linking & LINK_WEAK;
	parse_next(p);
	while (parse_tuning(p, &made))
		continue;
	if (token_is(&p->token, '('))
		parse_signature(p, &made.signature.returns, &made.signature.return_count);
	if (!parse_expect_name(p, "the function's name", &name))
		return;
	made.name = made.signature.name = parse_copy(p, &name);
	made.place = (struct place){p->module->file, name.line, name.column};
	while (parse_tuning(p, &made))
		continue;
	if (token_is(&p->token, '('))
		parse_signature(p, &made.signature.parameters, &made.signature.parameter_count);
	while (parse_tuning(p, &made))
		continue;
	check_entry(p, &name, &made);
	if (made.is_entry)
		lay_out_parameters(p, &made);
	if (parse_failed(p) || !(f = find_or_make(p, &name, &made)))
		return;
	f->parameter_bytes = made.parameter_bytes;
	if (parse_accept(p, '{'))
		parse_definition(p, &name, f, &made);
	else
		parse_expect(p, ';', "or '{' after the function's header");
}

/* ---- aliases ---- */

struct ptx_function *parse_function_named(struct parser *p, const struct token *name)
{
	struct symbol *symbol = scope_find(p, name->text, name->length);

	if (symbol && symbol->kind == SYMBOL_FUNCTION)
		return symbol->function;
	parse_error(p, name, "'%.*s' is not a declared function", TOKEN_TEXT(name));
	return NULL;
}

/* alias = ".alias" name "," name ";"      the first stands for the second everywhere in the module */
void parse_alias(struct parser *p)
{
	struct token name, target;

	if (!parse_expect_name(p, "the alias", &name))
		return;
	parse_expect(p, ',', "between the alias and its function");
	if (!parse_expect_name(p, "the aliased function's name", &target))
		return;
	struct ptx_function *from = parse_function_named(p, &name),
			    *to = from ? parse_function_named(p, &target) : NULL;
	parse_expect(p, ';', "after the alias");
	if (parse_failed(p))
		return;
	if (from->is_defined || from->is_entry || to->is_entry || from == to || to->alias)
		parse_error(p, &name, "'%s' cannot be an alias of '%s': expected a declared and a defined function",
			from->name, to->name);
	from->alias = to;
	p->has_aliases = true;
}

static void resolve(struct ptx_function **function)
{
	while (*function && (*function)->alias) {
		(*function)->alias->address_taken |= (*function)->address_taken;
		*function = (*function)->alias;
	}
}

static void resolve_operand(struct ptx_operand *operand)
{
	resolve(&operand->function);
	for (uint32_t i = 0; operand->prototype && i < operand->prototype->target_count; i++)
		resolve(&operand->prototype->targets[i]);
}

/* Puts the functions in place of their aliases, in calls, addresses and initialisers. */
void resolve_aliases(struct parser *p)
{
	for (uint32_t f = 0; f < p->module->functions.count; f++) {
		struct ptx_function *function = p->module->functions.at[f];
		for (uint32_t i = 0; i < function->code.count; i++)
			for (uint32_t k = 0; k < function->code.at[i].operand_count; k++)
				resolve_operand(&function->code.at[i].operand[k]);
	}
	for (uint32_t v = 0; v < p->module->variables.count; v++) {
		struct ptx_variable *variable = p->module->variables.at[v];
		for (uint32_t i = 0; i < variable->relocation_count; i++)
			resolve(&variable->relocations[i].function);
	}
}
