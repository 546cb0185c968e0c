/* Drawings of a core's lock bits. */
#include "machine/observe/show.h"

#include "machine/lsu/lock_bits.h"
#include "machine/state/launch_state.h"

#include <assert.h>

struct show_bits {
	struct drawings drawings;
	bool begun;
};

/* ---- Drawing ---- */

static const char *place_of(struct arena *arena, const struct kernel *kernel, uint32_t pc)
{
	struct place place = kernel_place(kernel, pc);

	assert(pc < kernel->code_count);
	return arena_printf(arena, "%s:%u", place.file, place.line);
}

/* The next bit was taken by the next thread for the next word, by the same instruction. */
static bool continues(const struct lock_bit_taker *a, const struct lock_bit_taker *b)
{
	return b->launch == a->launch && b->group == a->group && b->pc == a->pc && b->thread == a->thread + 1 &&
	       b->word == a->word + 4;
}

/* "3" or "3..7" */
static const char *range(struct arena *arena, const char *format, uint32_t first, uint32_t last)
{
	const char *begin = arena_printf(arena, format, first);

	assert(first <= last);
	return first == last ? begin : arena_printf(arena, "%s..%s", begin, arena_printf(arena, format, last));
}

static void draw_run(struct text *out, const struct lock_bits *bits, uint32_t first, uint32_t last)
{
	const struct lock_bit_taker *a = &bits->taker[first], *z = &bits->taker[last];

	assert(first <= last);
	assert(last < bits->count);
	text_print(out, "  %-12s shared memory + %-16s work-group %u, thread%s %s, at %s\n",
		range(out->arena, "%u", first, last), range(out->arena, "0x%x", a->word, z->word), a->group,
		first == last ? "" : "s", range(out->arena, "%u", a->thread, z->thread),
		place_of(out->arena, a->launch->kernel, a->pc));
}

static void draw_bits(struct text *out, const struct lock_bits *bits)
{
	uint32_t b = 0;

	assert(bits->taken_count <= bits->count);
	if (!bits->taken_count)
		text_print(out, "  all are free\n");
	while (bits->taken_count && b < bits->count) {
		uint32_t first = b++;

		if (!bits->taken[first])
			continue;
		while (b < bits->count && bits->taken[b] && continues(&bits->taker[b - 1], &bits->taker[b]))
			b++;
		draw_run(out, bits, first, b - 1);
	}
}

/* Lane 0 leftmost: 1, got its bit or freed it; 0, did not get it; ., did neither. */
static const char *lanes_of(struct arena *arena, const struct operation *op, lane_mask got)
{
	uint32_t lanes = (uint32_t)__builtin_popcountll(op->slot->warp.full);
	char *text = arena_alloc(arena, lanes + 1u);

	assert(!(got & ~op->lanes));
	assert(!(op->lanes & ~op->slot->warp.full));
	for (uint32_t l = 0; l < lanes; l++)
		text[l] = !(op->lanes >> l & 1) ? '.' : got >> l & 1 ? '1' : '0';
	text[lanes] = '\0';
	return text;
}

static void draw(struct drawings *drawings, const struct lock_bits *bits, const struct operation *op, lane_mask got)
{
	const struct launch *launch = op->group->core_launch->launch;
	struct arena arena = {0};
	struct text text = {.arena = &arena};

	assert(op->slot->group == op->group);
	text_print(&text, "work-group %u, warp %u, %s  %s  %s\n", op->group->number,
		op->slot->warp.first_thread / op->slot->warp.lanes,
		place_of(&arena, launch->kernel, launch_pc(launch, op->insn)),
		op->insn->kind == INSN_LOAD_LOCK ? "takes" : "frees", lanes_of(&arena, op, got));
	draw_bits(&text, bits);
	drawings_add(drawings, &text);
	arena_free(&arena);
}

/* ---- Hooks ---- */

static void lock_bits(struct core *core, void *state, const struct operation *op, lane_mask got)
{
	struct show_bits *s = state;
	const struct lock_bits *bits = lock_bits_of(core);
	const struct show_bits_target *target = core->machine->gpu->observe[OBSERVER_show_bits];

	assert(op->insn->kind == INSN_LOAD_LOCK || op->insn->kind == INSN_STORE_UNLOCK);
	assert(bits);
	assert(target);
	if (core->index != target->core)
		return;
	if (!s->begun)
		text_print(&s->drawings.out, "lock bits of core %u, %u of them; lanes: the first is the leftmost\n\n",
			core->index, bits->count);
	s->begun = true;
	draw(&s->drawings, bits, op, got);
}

static void flush(struct machine *machine, bool at_end)
{
	drawings_flush(machine, OBSERVER_show_bits, at_end);
}

const struct observer observer_show_bits = {
	.state_size = sizeof(struct show_bits),
	.has_arena = true,
	.on.lock_bits = lock_bits,
	.flush = flush,
};
