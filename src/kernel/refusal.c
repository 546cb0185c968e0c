/* Why a kernel cannot be launched here: the instructions it may reach that are not supported, each once, as one line.
 */
#include "kernel/decode.h"
#include "util/demangle.h"
#include "util/text.h"

#include <stdio.h>
#include <string.h>

#define ITEMS_SAID 8 /* the message has an end */

/* One instruction, as often as it is there. */
struct item {
	const struct ptx_refusal *first;
	const char *meaning; /* of the refusal's reason, what follows the opcode */
	uint32_t count;
	bool said;
};

struct refusals {
	const struct ptx_module *module;
	struct arena *arena;
	VECTOR(struct item) items;
};

static const char *meaning_of(const struct ptx_refusal *r)
{
	size_t length = strlen(r->opcode);
	return !strncmp(r->reason, r->opcode, length) && r->reason[length] == ':' ? r->reason + length + 2 : r->reason;
}

static bool names_opcode(const struct item *item)
{
	return item->meaning != item->first->reason;
}

static void add(struct refusals *all, const struct ptx_refusal *r)
{
	const char *meaning = meaning_of(r);
	for (uint32_t k = 0; k < all->items.count; k++) {
		struct item *item = &all->items.at[k];
		if (!strcmp(item->first->opcode, r->opcode) && !strcmp(item->meaning, meaning)) {
			item->count++;
			return;
		}
	}
	*vector_push(all->arena, &all->items) = (struct item){.first = r, .meaning = meaning, .count = 1};
}

/* Of a GPU without lock bits. */
static void add_lock_bits(struct refusals *all, const struct ptx_function *f, const char *why)
{
	for (uint32_t k = 0; why && k < f->code.count; k++) {
		const struct ptx_instruction *i = &f->code.at[k];
		enum insn_kind kind = instruction_kind(i);
		if (kind != INSN_LOAD_LOCK && kind != INSN_STORE_UNLOCK)
			continue;
		struct ptx_refusal *r = arena_new(all->arena, struct ptx_refusal);
		*r = (struct ptx_refusal){.opcode = i->opcode,
			.reason = arena_printf(all->arena, "%s: %s", i->opcode, why),
			.line = i->line,
			.column = i->column,
			.loc = i->loc};
		add(all, r);
	}
}

/* ---- The line ---- */

/* Of the source; null: the module does not say. */
static const char *source_of(const struct refusals *all, const struct ptx_refusal *r)
{
	struct place place = instruction_place(
		all->module, &(struct ptx_instruction){.line = r->line, .column = r->column, .loc = r->loc});
	return place.column ? NULL : arena_printf(all->arena, "%s:%u", place.file, place.line);
}

/* " (3 times, app.cu:41)"; the first one's place is where the line begins. */
static void say_where(struct text *out, const struct refusals *all, const struct item *item)
{
	const char *source = source_of(all, item->first), *before = " (";
	if (item->count > 1) {
		text_print(out, "%s%u times", before, item->count);
		before = ", ";
	}
	if (item != all->items.at && source)
		text_print(out, "%s%s", before, source);
	else if (item != all->items.at)
		text_print(out, "%sline %u", before, item->first->line);
	if (item != all->items.at || item->count > 1)
		text_print(out, ")");
}

/* The item, and the others that are refused for the same reason. */
static void say_alike(struct text *out, struct refusals *all, uint32_t first, uint32_t end)
{
	const struct item *item = &all->items.at[first];
	const char *before = "";
	if (!names_opcode(item)) {
		text_print(out, "%s", item->meaning);
		say_where(out, all, item);
		return;
	}
	for (uint32_t k = first; k < end; k++) {
		struct item *other = &all->items.at[k];
		if (!names_opcode(other) || strcmp(other->meaning, item->meaning))
			continue;
		text_print(out, "%s%s", before, other->first->opcode);
		say_where(out, all, other);
		other->said = true;
		before = ", ";
	}
	text_print(out, ": %s", item->meaning);
}

/* What an older target has in place of it; compilers' code for one may do without. */
static void say_remedy(struct text *out, const struct refusals *all)
{
	static const uint32_t targets[] = {90, 80, 75, 70, 60, 50};
	uint32_t since = UINT32_MAX, target = 0, k = 0;
	for (uint32_t n = 0; n < all->items.count; n++)
		since = all->items.at[n].first->since < since ? all->items.at[n].first->since : since;
	if (sscanf(all->module->target, "sm_%u", &target) != 1 || target < since)
		return;
	while (k < sizeof targets / sizeof *targets && targets[k] >= since)
		k++;
	if (k < sizeof targets / sizeof *targets)
		text_print(out, "; expected code for a target before sm_%u (nvcc -arch=sm_%u)", since, targets[k]);
}

static const char *line_of(struct refusals *all, const struct ptx_function *entry)
{
	struct text out = {.arena = all->arena};
	const struct ptx_refusal *first = all->items.at[0].first;
	const char *source = source_of(all, first);
	uint32_t end = all->items.count < ITEMS_SAID ? all->items.count : ITEMS_SAID;
	text_print(&out, "%s:%u:%u: kernel %s%s%s: ", all->module->file, first->line, first->column,
		demangle_brief(all->arena, entry->name), source ? " at " : "", source ? source : "");
	for (uint32_t k = 0; k < end; k++) {
		if (all->items.at[k].said)
			continue;
		text_print(&out, "%s", k ? "; " : "");
		say_alike(&out, all, k, end);
	}
	if (end < all->items.count)
		text_print(&out, "; and %u more instructions", all->items.count - end);
	say_remedy(&out, all);
	return out.at;
}

const char *kernel_refusal(struct arena *arena, const struct ptx_module *module, const struct ptx_function *entry,
	const char *no_lock_bits)
{
	struct decoder d = {
		.arena = arena, .module = module, .kernel = &(struct kernel){.module = module, .entry = entry}};
	struct refusals all = {.module = module, .arena = arena};
	reach_functions(&d);
	for (uint32_t f = 0; f < d.functions.count; f++) {
		const struct ptx_function *function = d.functions.at[f].ptx;
		for (uint32_t k = 0; k < function->refusals.count; k++)
			add(&all, &function->refusals.at[k]);
		add_lock_bits(&all, function, no_lock_bits);
	}
	return all.items.count ? line_of(&all, entry) : NULL;
}
