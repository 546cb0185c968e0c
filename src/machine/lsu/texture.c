/* Texture fetches: which lines of memory a fetch loads, and how it goes through the load-store unit.  Which texels it
 * needs is in texture_find.c, what they become in texture_filter.c. */
#include "machine/lsu/texture.h"

#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/texture_fetch.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

_Static_assert(TEXTURE_LINE == LINE_BYTES, "lanes know lines of another size");

#define FEW_FETCHES 8 /* get memory together */

/* Of a core: a fetch for each operation. */
struct texture_unit {
	uint8_t *fronts; /* null until a kernel comes that reads textures */
	uint8_t *backs;
	uint32_t given; /* of the fronts, which have memory */
};

const struct lockstep_image *texture_image(
	struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, enum lockstep_image_use use)
{
	uint64_t handle = texture_handle(&r->warp, i, lane);
	const struct lockstep_image *image = image_find(core->machine->images, handle);
	const char *what = use == LOCKSTEP_TEXTURE ? "texture" : "surface";

	assert(use == LOCKSTEP_TEXTURE || use == LOCKSTEP_SURFACE);
	if (!image)
		core_fault(core, r, i, lane, FAULT_image, "0x%" PRIx64 " is not the handle of any %s", handle, what);
	else if (image->use != use && image->use != LOCKSTEP_TEXTURE_AND_SURFACE)
		core_fault(core, r, i, lane, FAULT_image, "0x%" PRIx64 " is not the handle of a %s", handle, what);
	else if (!image_is_allocated(core->machine->space, image))
		core_fault(core, r, i, lane, FAULT_image, "the memory of the %s 0x%" PRIx64 " has been freed", what,
			handle);
	else
		return image;
	return NULL;
}

/* --- Lines --- */

#define FEW_LANES 4 /* up to this number lanes are looked at one by one */

/* The sectors of the L1 that have these words of a line. */
static uint8_t sectors_of(const struct l1 *l1, uint32_t words)
{
	uint32_t of_sector = 1u << (l1->sector_shift - 2), sectors = 0; /* words */

	assert(words);
	for (uint32_t k = 0; words; k++) {
		sectors |= (uint32_t)((words & (uint32_t)((1ull << of_sector) - 1)) != 0) << k;
		words = of_sector < 32 ? words >> of_sector : 0;
	}
	return (uint8_t)sectors;
}

/* The line of the first texel left: that of the lowest lane, of its texels the first. */
static uint64_t next_line(
	struct texture_fetch *fetch, const struct l1 *l1, const lane_mask left[TEXELS], lane_mask lanes)
{
	uint32_t lane = (uint32_t)__builtin_ctzll(lanes), k = 0;

	while (!(left[k] >> lane & 1))
		k++;
	assert(k < fetch->row_count);
	return l1_line_of(l1, fetch_address(fetch, k)[lane]);
}

/* Takes the texels in a line from those that are left. */
static struct texture_line take_line(
	struct texture_fetch *fetch, const struct l1 *l1, lane_mask left[TEXELS], uint64_t line)
{
	const struct texture_block block = {line, fetch->line_bytes};
	lane_mask lanes = 0;
	uint32_t words = 0;

	assert(line && line % LEAST_LINE == 0);
	for (uint32_t k = 0; k < fetch->row_count; k++) {
		lane_mask in =
			left[k] ? fetch->functions->texture->in_line(fetch_address(fetch, k), left[k], &block, &words)
				: 0;

		left[k] &= ~in;
		lanes |= in;
	}
	return (struct texture_line){
		.address = line, .lanes = lanes, .sectors = sectors_of(l1, words >> line % LINE_BYTES / 4)};
}

/* One line more; the first ones move where there is room for all. */
static struct texture_line *add_line(struct texture_fetch *fetch)
{
	assert(fetch->line_count <= fetch->line_room);
	if (fetch->line_count == fetch->line_room) {
		void *all = fetch->back + fetch_back_rows(fetch->lanes);

		memcpy(all, fetch->line, fetch->line_count * sizeof *fetch->line);
		fetch->line = all;
		fetch->line_room = TEXELS * fetch->lanes;
	}
	assert(fetch->line_count < fetch->line_room);
	return &fetch->line[fetch->line_count++];
}

/* Lines come in the order of the lanes that need them, and of a lane's texels. */
static void find_lines(struct texture_fetch *fetch, const struct l1 *l1)
{
	lane_mask left[TEXELS], lanes = 0;

	for (uint32_t k = 0; k < fetch->row_count; k++)
		lanes |= left[k] = fetch->row[k].inside;
	fetch->line_count = 0;
	assert(fetch->row_count <= TEXELS);
	while (lanes) {
		*add_line(fetch) = take_line(fetch, l1, left, next_line(fetch, l1, left, lanes));
		lanes = 0;
		for (uint32_t k = 0; k < fetch->row_count; k++)
			lanes |= left[k];
	}
}

/* Tells observers which texels are read. */
static void tell(struct texture_fetch *fetch, struct core *core, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes)
{
	if (!observer_hears(core, OBSERVE_moves, r->bit))
		return;
	EACH_LANE(l, lanes)
		for (uint32_t k = 0; k < fetch->row_count; k++)
			if (fetch->row[k].inside >> l & 1)
				observe_moves(core, r, i, (uint32_t)l, space_GLOBAL, fetch_address(fetch, k)[l],
					image_texel_bytes(fetch_image(fetch, (uint32_t)l)), false);
}

static uint8_t sectors(const struct core *core, const struct operation *op, const struct transaction *t)
{
	const struct texture_fetch *fetch = op->state;

	assert(t->element < fetch->line_count);
	(void)core;
	return fetch->line[t->element].sectors;
}

/* Those of `lanes` whose texel of a row is in the line. */
static lane_mask lanes_in(struct texture_fetch *fetch, uint32_t row, lane_mask lanes, uint64_t line)
{
	const uint64_t *address = fetch_address(fetch, row);
	lane_mask in = 0;

	assert(row < fetch->row_count);
	lanes &= fetch->row[row].inside;
	if (__builtin_popcountll(lanes) > FEW_LANES)
		return lanes & fetch->functions->in_block(address, line, fetch->line_bytes);
	EACH_LANE(l, lanes)
		in |= (lane_mask)((address[l] & ~(uint64_t)(fetch->line_bytes - 1)) == line) << l;
	return in;
}

/* Keeps the texels of a line, whose bytes `data` are; `lanes`: all with a texel in it. */
static void collect(struct texture_fetch *fetch, lane_mask lanes, uint64_t line, const uint8_t *data)
{
	uint8_t block[LINE_BYTES];

	assert(!(lanes & ~(~0ull >> (64 - fetch->lanes))));
	assert(line % LEAST_LINE == 0);
	if (fetch->line_bytes < LINE_BYTES) { /* lanes know where a texel is in a block of that size */
		memcpy(block + line % LINE_BYTES, data, fetch->line_bytes);
		data = block;
	}
	for (uint32_t k = 0; k < fetch->row_count; k++) {
		lane_mask in = lanes_in(fetch, k, lanes, line);

		for (uint32_t word = 0; in && word < fetch->words; word++)
			fetch->functions->texture->pick(
				fetch_word(fetch, k, word), fetch_address(fetch, k), in, data, word);
	}
}

static void readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES])
{
	struct texture_fetch *fetch = op->state;

	assert(lanes && !(lanes & ~op->lanes));
	for (uint32_t k = 0; k < fetch->row_count; k++)
		EACH_LANE(l, lanes_in(fetch, k, lanes, line)) {
			uint32_t bytes = image_texel_bytes(fetch_image(fetch, (uint32_t)l));
			uint8_t *first = reader + (fetch_address(fetch, k)[l] - line);

			for (uint32_t b = 0; b < bytes; b++)
				first[b] = l < first[b] ? (uint8_t)l : first[b];
		}
}

/* --- The kind --- */

static struct texture_unit *unit_of(const struct core *core)
{
	return memory_kind_state(core, INSN_TEXTURE);
}

static void *create(struct core *core, struct arena *arena)
{
	(void)core;
	return arena_new(arena, struct texture_unit);
}

void texture_prepare(struct core *core, struct arena *arena)
{
	struct texture_unit *unit = unit_of(core);

	uint32_t lanes = core->machine->model->warp_size;

	if (unit->fronts)
		return;
	unit->fronts = arena_reserve(arena, core->lsu.operation_count * (size_t)FETCH_FRONT);
	unit->backs = arena_reserve(arena, core->lsu.operation_count * fetch_back_bytes(lanes));
}

/* Gives memory to more of the fronts, up to number k at least: for the first operations together, then for as many as
 * there are. */
static __attribute__((noinline)) void give_fronts(const struct core *core, struct texture_unit *unit, uint32_t k)
{
	uint32_t from = unit->given, to = from ? 2 * from : FEW_FETCHES;

	assert(k >= unit->given && k < core->lsu.operation_count);
	to = to > k ? to : k + 1;
	to = to < core->lsu.operation_count ? to : core->lsu.operation_count;
	arena_give(unit->fronts + from * (size_t)FETCH_FRONT, (to - from) * (size_t)FETCH_FRONT);
	unit->given = to;
}

static struct texture_fetch *fetch_number(const struct core *core, uint32_t k)
{
	struct texture_unit *unit = unit_of(core);
	struct texture_fetch *fetch = (void *)(unit->fronts + k * (size_t)FETCH_FRONT);

	assert(unit->fronts && k < core->lsu.operation_count);
	if (k >= unit->given)
		give_fronts(core, unit, k);
	fetch->back = unit->backs + k * fetch_back_bytes(core->machine->model->warp_size);
	return fetch;
}

static void results(const struct operation *op)
{
	assert(op->insn->kind == INSN_TEXTURE);
	texture_filter(op->state, op->bank, op->group->core_launch->launch->kernel, op->insn, op->lanes);
}

/* A fetch is a load of the texels' lines: one transaction, which sends for one line after another. */
static void queue(struct core *core, struct operation *op)
{
	struct texture_fetch *fetch = op->state;

	if (!fetch->line_count) { /* all at the border */
		results(op);
		core_set_results_ready(op->slot, op->insn, core->now + core->machine->model->l1_latency);
		load_store_free(core, op);
		return;
	}
	op->messages = (uint16_t)fetch->line_count;
	assert(!op->pending && fetch->line_count <= fetch->line_room && fetch->line_count <= UINT16_MAX);
	load_store_queue(core, op, fetch->line->address, op->lanes, 1);
	core->counters.global_load_instructions++;
	core->counters.global_load_transactions += op->pending;
	load_store_await_result(core, op);
}

/* All of it at once, from memory that nothing else changes meanwhile. */
static void execute(struct core *core, struct operation *op)
{
	struct texture_fetch *fetch = op->state;

	assert(core->machine->mode->at_once);
	for (uint32_t k = 0; k < fetch->line_count; k++)
		collect(fetch, fetch->line[k].lanes, fetch->line[k].address,
			space_host(core->machine->space, fetch->line[k].address));
	results(op);
	load_store_free(core, op);
}

void texture_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct operation *op = load_store_take(core, r, i, lanes, space_GLOBAL);
	struct texture_fetch *fetch = op->state = fetch_number(core, load_store_index(core, op));

	assert(!(lanes & ~r->warp.path->active));
	if (texture_find(fetch, core, r, i, lanes)) {
		assert(fetch->lanes == r->warp.lanes);
		find_lines(fetch, &core->l1);
		tell(fetch, core, r, i, lanes);
		load_store_start(core, op);
	} else {
		load_store_free(core, op);
	}
	control_advance(core, r);
}

static bool send(struct core *core, struct operation *op, const struct transaction *t)
{
	const struct texture_fetch *fetch = op->state;
	const struct texture_line *wanted = &fetch->line[t->element];
	struct transaction line = *t;

	assert(t->element < fetch->line_count);
	assert(wanted->lanes && !(wanted->lanes & ~op->lanes));
	line.line = wanted->address;
	line.lanes = wanted->lanes;
	return through_l1_load(core, op, &line);
}

static void deliver(struct core *core, const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	(void)core;
	assert(lanes && !(lanes & ~op->lanes));
	collect(op->state, lanes, line, data);
}

const struct memory_kind memory_texture = {
	.noun = "fetch",
	.only_loads = true,
	.acquires = true,
	.is_fetch = true,
	.create = create,
	.queue = queue,
	.execute = execute,
	.send = send,
	.sectors = sectors,
	.deliver = deliver,
	.readers = readers,
	.results = results,
};
