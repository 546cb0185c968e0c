/* Where variables live: shared memory of the kernel, stack frames of its functions, and how deep frames can pile up. */
#include "kernel/decode.h"

#include <assert.h>
#include <string.h>

static uint64_t align_to(uint64_t offset, uint64_t align)
{
	return align ? (offset + align - 1) / align * align : offset;
}

/* ---- Shared memory: what reachable code mentions, in order of mention; extern arrays of no size begin after it
 * ---- */

static bool is_dynamic(const struct ptx_variable *variable)
{
	return variable->is_extern && variable->size == 0;
}

static void place_shared(struct decoder *d, const struct ptx_variable *variable, uint32_t *dynamic_align)
{
	if (!variable || variable->space != space_SHARED)
		return;
	if (is_dynamic(variable)) {
		*dynamic_align = variable->align > *dynamic_align ? variable->align : *dynamic_align;
		return;
	}
	for (uint32_t k = 0; k < d->shared.count; k++)
		if (d->shared.at[k].variable == variable)
			return;
	struct kernel *kernel = d->kernel;
	uint32_t offset =
		(uint32_t)align_to((uint64_t)kernel->shared.first + kernel->shared.static_bytes, variable->align);
	*vector_push(d->arena, &d->shared) = (struct shared_place){variable, offset};
	kernel->shared.static_bytes = offset + (uint32_t)variable->size - kernel->shared.first;
}

/* A row of 32 banks of 4 bytes, so that a variable lies in the same banks as without; also the alignment of OpenCL's
 * largest type. */
#define SHARED_NULL_BYTES 128u

/* What the maker's drivers reserve of a work-group's shared memory from sm_80 on; cooperative groups keep the barriers
 * of tiles of several warps there.  A kernel that does not ask where it is has none. */
#define RESERVED_BYTES 1024u

static void reserve_shared(struct kernel *kernel)
{
	kernel->shared.reserved =
		(uint32_t)align_to((uint64_t)kernel->shared.first + kernel->shared.static_bytes, SHARED_NULL_BYTES);
	kernel->shared.reserved_bytes = RESERVED_BYTES;
	kernel->shared.static_bytes = kernel->shared.reserved + RESERVED_BYTES - kernel->shared.first;
}

static bool asks_for_reserved(const struct ptx_function *function)
{
	for (uint32_t k = 0; k < function->code.count; k++)
		for (uint32_t o = 0; o < function->code.at[k].operand_count; o++)
			if (function->code.at[k].operand[o].kind == OPERAND_SPECIAL &&
				function->code.at[k].operand[o].special == SPECIAL_RESERVED_SMEM)
				return true;
	return false;
}

void layout_shared(struct decoder *d)
{
	struct kernel *kernel = d->kernel;
	uint32_t dynamic_align = 16;
	bool reserves = false;
	kernel->shared.first = d->module->shared_null ? SHARED_NULL_BYTES : 0;
	for (uint32_t f = 0; f < d->functions.count; f++) {
		const struct ptx_function *function = d->functions.at[f].ptx;
		reserves |= asks_for_reserved(function);
		for (uint32_t k = 0; k < function->code.count; k++)
			for (uint32_t o = 0; o < function->code.at[k].operand_count; o++)
				place_shared(d, function->code.at[k].operand[o].variable, &dynamic_align);
	}
	for (uint32_t v = 0; v < d->module->variables.count; v++) /* global pointers to shared variables */
		for (uint32_t r = 0; r < d->module->variables.at[v]->relocation_count; r++)
			place_shared(d, d->module->variables.at[v]->relocations[r].variable, &dynamic_align);
	if (reserves)
		reserve_shared(kernel);
	kernel->shared.dynamic =
		(uint32_t)align_to((uint64_t)kernel->shared.first + kernel->shared.static_bytes, dynamic_align);
}

uint64_t layout_shared_offset(const struct decoder *d, const struct ptx_variable *variable)
{
	for (uint32_t k = 0; k < d->shared.count; k++)
		if (d->shared.at[k].variable == variable)
			return d->shared.at[k].offset;
	return d->kernel->shared.dynamic;
}

/* ---- Stack frames: formals first, then .local variables, then the blocks that calls pass ---- */

static uint32_t formal_count(const struct ptx_prototype *signature)
{
	return signature->parameter_count + signature->return_count;
}

/* Offset of the formal, or past the last one. */
uint64_t formal_offset(const struct ptx_prototype *signature, uint32_t formal)
{
	uint64_t offset = 0;
	for (uint32_t k = 0; k < formal_count(signature); k++) {
		const struct ptx_variable *variable = formal_of(signature, k);
		if (formal_is_register(variable))
			continue;
		uint64_t start = align_to(offset, variable->align);
		if (k == formal)
			return start;
		offset = start + variable->size;
	}
	return offset;
}

/* A call's argument block lives only from its first store to the last load after the call.  Front ends write one set
 * of blocks per call, so a function with a hundred calls would have a hundred of them; those whose mentions lie in one
 * basic block share their place with others that are over before. */
struct mention {
	uint32_t first, last;
	bool address_taken, seen;
};

static void see(
	struct mention *mentions, const struct ptx_function *function, const struct ptx_operand *operand, uint32_t at)
{
	const struct ptx_variable *variable = operand->variable;
	if (!variable || variable->owner != function ||
		(operand->kind != OPERAND_ADDRESS && operand->kind != OPERAND_VARIABLE))
		return;
	struct mention *m = &mentions[variable->index];
	if (!m->seen)
		m->first = at;
	m->seen = true;
	m->last = at;
}

static struct mention *find_mentions(struct decoder *d, const struct function_state *function)
{
	const struct ptx_function *ptx = function->ptx;
	struct mention *mentions = arena_new_array(d->arena, struct mention, ptx->variables.count);
	for (uint32_t k = 0; k < ptx->code.count; k++) {
		const struct ptx_instruction *i = &ptx->code.at[k];
		for (uint32_t o = 0; o < i->operand_count; o++) {
			see(mentions, ptx, &i->operand[o], k);
			if (i->operand[o].kind == OPERAND_VARIABLE && i->operand[o].variable->owner == ptx)
				mentions[i->operand[o].variable->index].address_taken = true;
		}
		for (uint32_t a = 0; a < i->argument_count; a++)
			see(mentions, ptx, &i->arguments[a], k);
		for (uint32_t r = 0; r < i->return_count; r++)
			see(mentions, ptx, &i->returns[r], k);
	}
	return mentions;
}

static bool is_call_block(
	const struct function_state *function, const struct mention *m, const struct ptx_variable *variable)
{
	return variable->space == space_PARAM && !variable->is_formal && m->seen && !m->address_taken &&
	       function->flow->block_of[m->first] == function->flow->block_of[m->last];
}

/* Lays the call blocks out from `base` on; whenever all placed ones are over, the next begins at `base` again.
 * Variables come in order of declaration, which front ends keep the same as that of the calls.  Returns the end. */
static uint64_t place_call_blocks(struct function_state *function, const struct mention *mentions, uint64_t base)
{
	uint64_t offset = base, end = base;
	uint32_t busy_until = 0;
	bool busy = false;
	for (uint32_t v = 0; v < function->ptx->variables.count; v++) {
		const struct ptx_variable *variable = function->ptx->variables.at[v];
		if (!is_call_block(function, &mentions[v], variable))
			continue;
		if (busy && mentions[v].first > busy_until)
			offset = base;
		busy_until = busy && mentions[v].last < busy_until ? busy_until : mentions[v].last;
		busy = true;
		function->stack_offset[v] = align_to(offset, variable->align);
		offset = function->stack_offset[v] + variable->size;
		end = offset > end ? offset : end;
	}
	return end;
}

void layout_stack(struct decoder *d, struct function_state *function)
{
	const struct ptx_function *ptx = function->ptx;
	uint64_t offset = ptx->is_entry ? 0 : formal_offset(&ptx->signature, formal_count(&ptx->signature));
	const struct mention *mentions = find_mentions(d, function);
	function->stack_offset = arena_new_array(d->arena, uint64_t, ptx->variables.count);
	for (uint32_t k = 0; !ptx->is_entry && k < formal_count(&ptx->signature); k++)
		if (!formal_is_register(formal_of(&ptx->signature, k)))
			function->stack_offset[formal_of(&ptx->signature, k)->index] =
				formal_offset(&ptx->signature, k);
	for (uint32_t v = 0; v < ptx->variables.count; v++) {
		const struct ptx_variable *variable = ptx->variables.at[v];
		if (variable->space == space_SHARED || variable->is_formal ||
			is_call_block(function, &mentions[v], variable))
			continue;
		function->stack_offset[v] = align_to(offset, variable->align);
		offset = function->stack_offset[v] + variable->size;
	}
	offset = place_call_blocks(function, mentions, align_to(offset, 16));
	d->kernel->functions[d->index_of[ptx->index]].stack_bytes = (uint32_t)align_to(offset, 16);
}

/* ---- Frames ---- */

bool layout_calls(const struct decoder *d, const struct ptx_instruction *instruction, uint32_t callee)
{
	const struct ptx_function *function = d->functions.at[callee].ptx;
	const struct ptx_prototype *prototype = instruction->operand[1].prototype;
	if (!prototype || !prototype->targets)
		return function->address_taken;
	for (uint32_t t = 0; t < prototype->target_count; t++)
		if (prototype->targets[t] == function)
			return true;
	return false;
}

/* Which function calls which, and Tarjan's strongly connected components of it: functions that reach each other. */
struct calls {
	struct decoder *d;
	VECTOR(uint32_t) * to;  /* per function: those it calls, each once */
	uint32_t *caller;       /* per function: the last that was found to call it, plus one */
	uint32_t *number;       /* per function: in order of the walk, from 1 on */
	uint32_t *low;          /* the least number that it reaches */
	uint32_t *part;         /* its component, in order of completion: callees before callers; counts from 1 */
	uint32_t *stack, *open; /* the walk's functions, and those without a component */
	uint32_t *next;         /* per function: of `to`, what the walk takes next */
	uint32_t *order;        /* the functions by component */
	uint32_t open_count, numbers, parts, ordered;
};

static void add_call(struct calls *c, uint32_t from, const struct ptx_function *to)
{
	uint32_t callee = to ? c->d->index_of[to->index] : NO_FUNCTION;
	if (callee == NO_FUNCTION || c->caller[callee] == from + 1)
		return;
	c->caller[callee] = from + 1;
	*vector_push(c->d->arena, &c->to[from]) = callee;
}

/* As layout_calls has it; `through_any`: a call through any pointer has been found in the function. */
static void add_calls(struct calls *c, uint32_t from, const struct ptx_instruction *i, bool *through_any)
{
	if (instruction_kind(i) != INSN_CALL)
		return;
	if (i->operand[0].kind == OPERAND_FUNCTION) {
		add_call(c, from, i->operand[0].function);
		return;
	}
	const struct ptx_prototype *prototype = i->operand[1].prototype;
	bool any = !prototype || !prototype->targets;
	for (uint32_t t = 0; !any && t < prototype->target_count; t++)
		add_call(c, from, prototype->targets[t]);
	for (uint32_t f = 0; any && !*through_any && f < c->d->functions.count; f++)
		if (c->d->functions.at[f].ptx->address_taken)
			add_call(c, from, c->d->functions.at[f].ptx);
	*through_any |= any;
}

static void find_calls(struct calls *c)
{
	for (uint32_t f = 0; f < c->d->functions.count; f++) {
		const struct ptx_function *ptx = c->d->functions.at[f].ptx;
		bool through_any = false;
		for (uint32_t k = 0; k < ptx->code.count; k++)
			add_calls(c, f, &ptx->code.at[k], &through_any);
	}
}

/* All that the function reaches has been walked: if it is the first of its component, that is complete. */
static void leave(struct calls *c, uint32_t f)
{
	uint32_t member;
	for (uint32_t k = 0; k < c->to[f].count; k++)
		if (!c->part[c->to[f].at[k]] /* else it was complete before */ && c->low[c->to[f].at[k]] < c->low[f])
			c->low[f] = c->low[c->to[f].at[k]];
	if (c->low[f] != c->number[f])
		return;
	c->parts++;
	do {
		member = c->open[--c->open_count];
		c->part[member] = c->parts;
		c->order[c->ordered++] = member;
	} while (member != f);
}

static void find_parts_from(struct calls *c, uint32_t start)
{
	uint32_t depth = 0;
	c->stack[depth++] = start;
	while (depth) {
		uint32_t f = c->stack[depth - 1];
		if (!c->number[f]) {
			c->number[f] = c->low[f] = ++c->numbers;
			c->open[c->open_count++] = f;
		}
		while (c->next[f] < c->to[f].count && c->number[c->to[f].at[c->next[f]]])
			c->next[f]++;
		if (c->next[f] < c->to[f].count) {
			c->stack[depth++] = c->to[f].at[c->next[f]];
			continue;
		}
		leave(c, f);
		depth--;
	}
}

static struct calls *call_graph(struct decoder *d)
{
	struct calls *c = arena_new(d->arena, struct calls);
	uint32_t **parts[] = {&c->caller, &c->number, &c->low, &c->part, &c->stack, &c->open, &c->next, &c->order},
		 count = d->functions.count;
	c->d = d;
	c->to = arena_alloc(d->arena, count * sizeof *c->to);
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		*parts[k] = arena_new_array(d->arena, uint32_t, count + 1);
	find_calls(c);
	for (uint32_t f = 0; f < count; f++) /* a function whose address is taken need not be called */
		if (!c->number[f])
			find_parts_from(c, f);
	return c;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

struct depth {
	uint32_t own[3],
		/* slots, predicates, bytes of stack: of the component's functions; of the deepest that they call */
		below[3];
};

/* Frames above and including the entry's.  Functions that call each other, or themselves, count once each, since the
 * machine gives recursion room by limit.call_depth anyway. */
static struct depth deepest(const struct calls *c, const struct kernel *kernel)
{
	struct depth *depths = arena_new_array(c->d->arena, struct depth, c->parts + 1);
	assert(c->ordered == kernel->function_count);
	for (uint32_t k = 0; k < c->ordered; k++) {
		const struct kernel_function *function = &kernel->functions[c->order[k]];
		struct depth *own = &depths[c->part[c->order[k]]];
		own->own[0] += function->slot_count;
		own->own[1] += function->predicate_count;
		own->own[2] += function->stack_bytes;
		for (uint32_t g = 0; g < c->to[c->order[k]].count; g++) {
			const struct depth *callee = &depths[c->part[c->to[c->order[k]].at[g]]];
			for (int n = 0; callee != own && n < 3; n++)
				own->below[n] = larger(own->below[n], callee->own[n] + callee->below[n]);
		}
	}
	return depths[c->part[0]];
}

static bool calls_itself(const struct calls *c, uint32_t f)
{
	for (uint32_t k = 0; k < c->to[f].count; k++)
		if (c->to[f].at[k] == f)
			return true;
	return false;
}

void layout_frames(struct decoder *d)
{
	struct kernel *kernel = d->kernel;
	const struct calls *calls = call_graph(d);
	uint32_t *members = arena_new_array(d->arena, uint32_t, calls->parts + 1);
	for (uint32_t f = 0; f < kernel->function_count; f++)
		members[calls->part[f]]++;
	for (uint32_t f = 0; f < kernel->function_count; f++) {
		struct kernel_function *function = &kernel->functions[f];
		function->recursive = members[calls->part[f]] > 1 || calls_itself(calls, f);
		kernel->recursive |= function->recursive;
		kernel->frame_slots_max = larger(kernel->frame_slots_max, function->slot_count);
		kernel->frame_predicates_max = larger(kernel->frame_predicates_max, function->predicate_count);
		kernel->frame_stack_max = larger(kernel->frame_stack_max, function->stack_bytes);
	}
	struct depth deep = deepest(calls, kernel);
	kernel->slot_count = deep.own[0] + deep.below[0];
	kernel->predicate_count = deep.own[1] + deep.below[1];
	kernel->stack_bytes = deep.own[2] + deep.below[2];
}

const struct shared_place *kernel_shared_at(const struct kernel *kernel, uint64_t address)
{
	for (uint32_t k = 0; k < kernel->shared.count; k++) {
		const struct shared_place *s = &kernel->shared.places[k];

		if (address >= s->offset && address - s->offset < s->variable->size)
			return s;
	}
	return NULL;
}
