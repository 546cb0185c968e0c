/* Copies of the boxes of tensors (PTX ISA, "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor"): what distinguishes
 * them from bulk copies, for copy.c.
 *
 * A copy goes through its box byte by byte, and asks for a line for all bytes that follow one another and lie in it.
 * The tensor map is read when the instruction issues; the checks tell of fences that are missing before it. */
#include "machine/lsu/tensor_copy.h"

#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/port.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/multicast.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"

#include <string.h>

/* Of a box: bytes that one request asked for. */
struct asked {
	uint64_t line;
	uint32_t offset, bytes; /* of the box */
	uint32_t next;
};

#define NONE UINT32_MAX

/* A box of the pool. */
struct boxed {
	struct tensor_box box;
	uint32_t first; /* of its requests that are under way, or of the list of free boxes the next */
};

struct tensor_copies {
	struct arena *arena;
	struct boxed *boxes;
	struct asked *asked;
	uint32_t box_room, free_box, asked_room, free_asked;
};

struct tensor_copies *tensor_copies_create(struct arena *arena)
{
	struct tensor_copies *t = arena_new(arena, struct tensor_copies);

	assert(arena);
	*t = (struct tensor_copies){.arena = arena, .free_box = NONE, .free_asked = NONE};
	return t;
}

/* ---- Boxes ---- */

/* More boxes than there have been at once: seldom. */
static void more_boxes(struct tensor_copies *t)
{
	uint32_t room = t->box_room ? 2 * t->box_room : 16;
	struct boxed *boxes = arena_array(t->arena, room, sizeof *boxes);

	assert(t->free_box == NONE);
	if (t->box_room)
		memcpy(boxes, t->boxes, t->box_room * sizeof *boxes);
	for (uint32_t k = room; k-- > t->box_room; t->free_box = k)
		boxes[k].first = t->free_box;
	t->boxes = boxes;
	t->box_room = room;
}

static uint32_t take_box(struct tensor_copies *t)
{
	uint32_t number;

	if (t->free_box == NONE)
		more_boxes(t);
	number = t->free_box;
	assert(number < t->box_room);
	t->free_box = t->boxes[number].first;
	t->boxes[number].first = NONE;
	return number;
}

static struct boxed *boxed(const struct tensor_copies *t, uint32_t number)
{
	assert(number < t->box_room);
	return &t->boxes[number];
}

const struct tensor_box *tensor_copy_box(const struct tensor_copies *t, const struct operation *op, uint32_t lane)
{
	assert(copy_is_tensor(op->insn));
	return &boxed(t, lane_copy_of(op, lane)->box)->box;
}

void tensor_copy_end(struct tensor_copies *t, const struct operation *op)
{
	assert(copy_is_tensor(op->insn));
	EACH_LANE(l, op->lanes) {
		uint32_t number = lane_copy_of(op, (uint32_t)l)->box;

		assert(boxed(t, number)->first == NONE);
		boxed(t, number)->first = t->free_box;
		t->free_box = number;
	}
}

/* ---- The map ---- */

/* The 128 bytes of the map; null: there are none. */
static const void *map_at(const struct core *core, const struct operation *op, uint64_t address)
{
	const struct warp *w = &op->slot->warp;
	bool is_parameter = w->kernel->extras[op->insn->extra].is_parameter;

	assert(address % TENSOR_MAP_ALIGNMENT == 0);
	if (is_parameter || address - PARAMETER_BASE < SHARED_BASE - PARAMETER_BASE) {
		uint64_t offset = is_parameter ? address : address - PARAMETER_BASE;

		return offset + TENSOR_MAP_BYTES <= w->kernel->parameter_bytes ? w->launch->parameters + offset : NULL;
	}
	if (address < GLOBAL_BASE || !space_find(core->machine->space, address, TENSOR_MAP_BYTES))
		return NULL;
	return space_host(core->machine->space, address);
}

bool tensor_copy_map_may_change(const struct core *core, const struct operation *op, uint32_t lane)
{
	const struct allocation *a;

	assert(copy_is_tensor(op->insn));
	assert(op->lanes >> lane & 1);
	if (op->slot->warp.kernel->extras[op->insn->extra].is_parameter || op->address[lane] < GLOBAL_BASE)
		return false;
	a = space_find(core->machine->space, op->address[lane], TENSOR_MAP_BYTES);
	return a && !a->constant;
}

static bool fault(struct core *core, const struct operation *op, uint32_t lane, const char *what)
{
	return copy_fault(core, op, lane, FAULT_tensor, op->address[lane], what);
}

/* What the instruction says of the map, and what there is no model of. */
static bool check_map(struct core *core, const struct operation *op, uint32_t lane, const struct tensor_map *map)
{
	bool pixels = op->insn->modifiers.box > box_TILE;
	char why[300] = "is the address of a tensor map that breaks a rule: ";
	size_t length = strlen(why);

	assert(op->lanes >> lane & 1);
	if (map->magic != TENSOR_MAP_MAGIC)
		return fault(core, op, lane, "is not the address of a tensor map that the driver has made");
	if (!tensor_map_check(map, why + length, sizeof why - length)) /* since tensormap.replace */
		return fault(core, op, lane, why);
	if (map->rank != op->slot->warp.kernel->extras[op->insn->extra].coordinate_count)
		return fault(core, op, lane, "is the address of a tensor map of another number of dimensions");
	if (pixels != (map->mode != TENSOR_TILED))
		return fault(core, op, lane,
			pixels ? "is the address of a tiled tensor map, and .im2col is written"
			       : "is the address of an im2col tensor map, and .im2col is not written");
	if (map->mode == TENSOR_IM2COL_WIDE || map->interleave != TENSOR_INTERLEAVE_NONE ||
		map->type == TENSOR_U4_ALIGN16 || map->type == TENSOR_U6_ALIGN16)
		return fault(core, op, lane,
			"is the address of a tensor map that is im2col wide, interleaved or of padded elements, which "
			"is not supported");
	return true;
}

static bool check_place(struct core *core, const struct operation *op, uint32_t lane, const struct tensor_box *box)
{
	uint64_t first, end, bytes = tensor_box_bytes(box);
	const struct allocation *a;

	assert(!(box->shared % TENSOR_ALIGNMENT));
	if (box->map.swizzle != TENSOR_SWIZZLE_NONE) /* chunks change places within 128 bytes */
		bytes = (bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
	if (box->shared + bytes > op->slot->warp.shared_bytes)
		return copy_fault(core, op, lane, FAULT_address, box->shared,
			"is an offset with which the copy leaves shared memory");
	tensor_extent(box, &first, &end);
	a = end ? space_find(core->machine->space, first, end - first) : NULL;
	if (end && !a)
		return copy_leaves(core, op, lane, first);
	return !a || !a->constant || !copy_goes_out(op->insn) ||
	       copy_fault(core, op, lane, FAULT_constant, first, "is in constant memory");
}

enum ptx_type tensor_copy_type(const struct tensor_box *box)
{
	static const uint8_t types[TENSOR_TYPES] = {[TENSOR_U32] = TYPE_U32,
		[TENSOR_S32] = TYPE_S32,
		[TENSOR_U64] = TYPE_U64,
		[TENSOR_S64] = TYPE_S64,
		[TENSOR_F16] = TYPE_F16,
		[TENSOR_F32] = TYPE_F32,
		[TENSOR_F64] = TYPE_F64,
		[TENSOR_BF16] = TYPE_BF16,
		[TENSOR_F32_FTZ] = TYPE_F32};

	assert(box->map.type < TENSOR_TYPES);
	return (enum ptx_type)types[box->map.type];
}

/* PTX ISA, "cp.reduce.async.bulk.tensor" takes what "cp.reduce.async.bulk" does. */
static bool may_reduce(const struct insn *i, const struct tensor_box *box)
{
	enum ptx_type type = tensor_copy_type(box);
	enum ptx_type_kind kind = ptx_types[type].kind;

	assert(i->access.atomic);
	switch ((enum atomic_op)i->access.atomic) {
	case ATOMIC_ADD: return type != TYPE_NONE && type != TYPE_S64;
	case ATOMIC_MIN:
	case ATOMIC_MAX: return type != TYPE_NONE && type != TYPE_F32 && type != TYPE_F64;
	case ATOMIC_INC:
	case ATOMIC_DEC: return type == TYPE_U32;
	default: return kind == KIND_UNSIGNED || kind == KIND_SIGNED;
	}
}

static bool same_place(const struct operation *op, uint32_t lane, uint32_t other)
{
	const struct warp *w = &op->slot->warp;
	const struct insn_extra *extra = &w->kernel->extras[op->insn->extra];

	assert(extra->coordinate_count <= TENSOR_RANK);
	for (uint32_t k = 0; k < extra->coordinate_count; k++)
		if (slot_value(w, extra->coordinates[k], 4, lane) != slot_value(w, extra->coordinates[k], 4, other))
			return false;
	return op->address[lane] == op->address[other] &&
	       lane_copy_of(op, lane)->shared == lane_copy_of(op, other)->shared;
}

lane_mask tensor_copy_once(const struct operation *op)
{
	uint32_t first = (uint32_t)__builtin_ctzll(op->lanes);
	lane_mask lanes = op->lanes;

	assert(copy_is_tensor(op->insn) && copy_goes_out(op->insn));
	EACH_LANE(l, op->lanes & (op->lanes - 1))
		if (same_place(op, (uint32_t)l, first))
			lanes &= ~((lane_mask)1 << l);
	return lanes;
}

bool tensor_copy_check(struct core *core, struct tensor_copies *t, const struct operation *op, uint32_t lane)
{
	const struct insn *i = op->insn;
	const struct warp *w = &op->slot->warp;
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	struct lane_copy *copy = lane_copy_of(op, lane);
	uint64_t address = op->address[lane];
	const void *bytes;
	int32_t at[TENSOR_RANK] = {0};
	uint16_t moved[TENSOR_RANK - 2] = {0};
	struct tensor_box box;
	struct tensor_map map;

	assert(copy_is_tensor(i));
	if (address % TENSOR_MAP_ALIGNMENT)
		return copy_fault(core, op, lane, FAULT_misaligned, address, "is a misaligned address of a tensor map");
	bytes = map_at(core, op, address);
	if (!bytes)
		return copy_fault(core, op, lane, FAULT_address, address,
			"is not an address of 128 bytes of global or constant memory or of parameters");
	memcpy(&map, bytes, sizeof map);
	if (!check_map(core, op, lane, &map))
		return false;
	if (copy->shared % TENSOR_ALIGNMENT)
		return copy_fault(core, op, lane, FAULT_misaligned, copy->shared,
			"is an offset in shared memory that is not a multiple of 128");
	for (uint32_t k = 0; k < extra->coordinate_count; k++)
		at[k] = (int32_t)slot_value(w, extra->coordinates[k], 4, lane);
	for (uint32_t k = 0; k < extra->moved_count; k++)
		moved[k] = (uint16_t)slot_value(w, extra->moved[k], 4, lane);
	tensor_box_make(&box, &map, at, moved, copy->shared);
	if (i->access.atomic && !may_reduce(i, &box))
		return fault(core, op, lane, "is the address of a tensor map whose elements it does not reduce");
	if (!check_place(core, op, lane, &box))
		return false;
	copy->bytes = tensor_box_bytes(&box);
	copy->box = take_box(t);
	boxed(t, copy->box)->box = box;
	return true;
}

/* ---- Lines ---- */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Bytes of a box that follow one another and are in one line, between its bytes `from` and `to`; or outside of the
 * tensor. */
struct tensor_part {
	uint64_t line;
	uint32_t bytes, from, to;
	bool is_fill;
};

/* The bytes from `offset` on that lie in one line, or are all outside of the tensor. */
static struct tensor_part part_at(const struct tensor_box *box, uint32_t offset, uint32_t line_bytes, bool is_single)
{
	struct tensor_run run = tensor_run(box, offset);
	uint64_t line = run.address & ~(uint64_t)(line_bytes - 1);
	struct tensor_part part = {.line = line, .from = LINE_BYTES, .is_fill = !run.address};
	uint32_t most = least(tensor_box_bytes(box) - offset, LINE_BYTES);

	assert(most);
	while ((run.address & ~(uint64_t)(line_bytes - 1)) == line && !run.address == part.is_fill) {
		uint32_t at = (uint32_t)(run.address - line), bytes = least(run.bytes, most - part.bytes);

		bytes = part.is_fill ? bytes : least(bytes, line_bytes - at);
		part.from = least(part.from, at);
		part.to = at + bytes > part.to ? at + bytes : part.to;
		part.bytes += bytes;
		if (part.bytes == most || is_single)
			break;
		run = tensor_run(box, offset + part.bytes);
	}
	return part;
}

static void more_asked(struct tensor_copies *t)
{
	uint32_t room = t->asked_room ? 2 * t->asked_room : 64;
	struct asked *asked = arena_array(t->arena, room, sizeof *asked);

	assert(t->free_asked == NONE);
	if (t->asked_room)
		memcpy(asked, t->asked, t->asked_room * sizeof *asked);
	for (uint32_t k = room; k-- > t->asked_room; t->free_asked = k)
		asked[k].next = t->free_asked;
	t->asked = asked;
	t->asked_room = room;
}

static void ask(struct tensor_copies *t, const struct operation *op, uint32_t lane, uint32_t offset,
	const struct tensor_part *part)
{
	struct boxed *of = boxed(t, lane_copy_of(op, lane)->box);
	uint32_t number;

	assert(!part->is_fill);
	assert(part->bytes && offset + part->bytes <= tensor_box_bytes(&of->box));
	if (t->free_asked == NONE)
		more_asked(t);
	number = t->free_asked;
	t->free_asked = t->asked[number].next;
	t->asked[number] =
		(struct asked){.line = part->line, .offset = offset, .bytes = part->bytes, .next = of->first};
	of->first = number;
}

static uint32_t *find_asked(struct tensor_copies *t, struct boxed *of, uint64_t line)
{
	uint32_t *link = &of->first;

	assert(line % LEAST_LINE == 0);
	while (*link != NONE && t->asked[*link].line != line)
		link = &t->asked[*link].next;
	return link;
}

static bool has_asked(struct tensor_copies *t, const struct operation *op, uint32_t lane, uint64_t line)
{
	assert(line % LEAST_LINE == 0);
	return *find_asked(t, boxed(t, lane_copy_of(op, lane)->box), line) != NONE;
}

/* ---- Bytes ---- */

/* Who gets bytes of the box, of the groups that get the copy. */
enum receivers {
	RECEIVERS_ALL,
	RECEIVERS_OWN, /* timing mode: the others get them of the L2 */
};

/* Bytes that are neighbours in shared memory. */
static void hand_out(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data,
	uint32_t bytes, enum receivers to)
{
	struct operation *own = &core->lsu.operations[load_store_index(core, op)];

	assert(copying(op)->spreads);
	assert(bytes && bytes <= LINE_BYTES);
	if (core->machine->mode->at_once)
		spread_at_once(core, own, lane, offset, data, bytes);
	else if (to == RECEIVERS_OWN)
		spread_own(core, own, lane, offset, data, bytes);
	else
		spread_fill(core, own, lane, offset, data, bytes);
}

/* 128 bytes of a box as they lie in shared memory. */
static void arrange(const struct tensor_box *box, uint32_t offset, const uint8_t *data, uint8_t line[LINE_BYTES])
{
	uint32_t part;

	assert(offset % LINE_BYTES == 0);
	for (uint32_t done = 0; done < LINE_BYTES; done += part) {
		uint32_t place = tensor_place(box, offset + done, &part);

		part = least(part, LINE_BYTES - done);
		memcpy(line + place % LINE_BYTES, data + done, part);
	}
}

/* The swizzle changes places within 128 bytes only: where these are whole they travel as one. */
static void spread(struct core *core, const struct operation *op, uint32_t lane, const struct tensor_box *box,
	uint32_t offset, const uint8_t *data, uint32_t bytes, enum receivers to)
{
	uint8_t line[LINE_BYTES];
	uint32_t part;

	assert(LINE_BYTES == TENSOR_ALIGNMENT);
	for (uint32_t done = 0; done < bytes; done += part) {
		uint32_t at = offset + done, place = tensor_place(box, at, &part);

		part = least(least(part, bytes - done), LINE_BYTES - at % LINE_BYTES);
		if (at % LINE_BYTES || bytes - done < LINE_BYTES) {
			hand_out(core, op, lane, place - box->shared, data + done, part, to);
			continue;
		}
		arrange(box, at, data + done, line);
		hand_out(core, op, lane, at, line, LINE_BYTES, to);
		part = LINE_BYTES;
	}
}

static void put(struct core *core, const struct tensor_copies *t, const struct operation *op, uint32_t lane,
	uint32_t offset, const uint8_t *data, uint32_t bytes, enum receivers to)
{
	const struct tensor_box *box = tensor_copy_box(t, op, lane);

	assert(bytes);
	assert(!copy_goes_out(op->insn));
	if (copying(op)->spreads)
		spread(core, op, lane, box, offset, data, bytes, to);
	else
		tensor_scatter(box, offset, data, bytes, op->group->shared);
}

void tensor_copy_deliver(struct tensor_copies *t, struct core *core, const struct operation *op, uint32_t lane,
	const uint8_t *data, uint64_t line)
{
	struct boxed *of = boxed(t, lane_copy_of(op, lane)->box);
	uint32_t *link = find_asked(t, of, line), number = *link, part;
	struct asked asked;

	assert(copy_is_tensor(op->insn));
	assert(number != NONE);
	asked = t->asked[number];
	*link = asked.next;
	t->asked[number].next = t->free_asked;
	t->free_asked = number;
	for (uint32_t done = 0; done < asked.bytes; done += part) {
		struct tensor_run run = tensor_run(&of->box, asked.offset + done);

		assert(run.address >= line && run.address < line + LINE_BYTES);
		part = run.bytes < asked.bytes - done ? run.bytes : asked.bytes - done;
		put(core, t, op, lane, asked.offset + done, data + (run.address - line), part, RECEIVERS_OWN);
	}
}

/* Outside of the tensor: filled without a request. */
static void fill_part(struct core *core, const struct tensor_copies *t, const struct operation *op, uint32_t lane,
	uint32_t offset, uint32_t bytes)
{
	uint8_t data[LINE_BYTES];

	assert(bytes <= LINE_BYTES);
	if (copy_goes_out(op->insn))
		return;
	tensor_fill(tensor_copy_box(t, op, lane), offset, data, bytes);
	put(core, t, op, lane, offset, data, bytes, RECEIVERS_ALL);
}

/* Where the bytes of a part go. */
static void name_places(
	struct multicast_line *l, const struct tensor_box *box, uint32_t offset, const struct tensor_part *part)
{
	uint32_t bytes;

	assert(part->bytes && part->bytes <= LINE_BYTES);
	for (uint32_t done = 0; done < part->bytes; done += bytes) {
		struct tensor_run run = tensor_run(box, offset + done);
		uint32_t to = tensor_place(box, offset + done, &bytes);

		bytes = least(least(bytes, run.bytes), part->bytes - done);
		multicast_add(l, (uint32_t)(run.address - part->line), to, bytes);
	}
}

/* Asks for a line of a box.  False: no room for the request, or an earlier one for the line has not been answered: the
 * answers would be mistaken for one another. */
static bool load_part(struct core *core, struct tensor_copies *t, struct operation *op, uint32_t lane, uint32_t offset,
	const struct tensor_part *part)
{
	uint8_t sectors = l1_sector_mask(&core->l1, part->from, part->to - part->from);
	struct l1_waiter waiter = {.lanes = 1ull << lane, .user = load_store_index(core, op)};
	struct multicast_line l;
	uint32_t token;

	assert(part->from < part->to && part->to <= LINE_BYTES);
	if (has_asked(t, op, lane, part->line) ||
		l1_join(&core->l1, part->line, sectors, true, waiter, &token) == L1_FULL)
		return false;
	core->counters.l1_bypassed++;
	if (copying(op)->spreads) {
		multicast_begin(&l, core, op, lane);
		name_places(&l, tensor_copy_box(t, op, lane), offset, part);
	}
	port_send_bulk(core, part->line, sectors, copying(op)->spreads ? &l.more : NULL, token);
	ask(t, op, lane, offset, part);
	return true;
}

/* Stores the bytes of a box that are in a line: always possible. */
static bool store_part(struct core *core, struct operation *op, const struct tensor_box *box, uint32_t offset,
	const struct tensor_part *p)
{
	struct store_payload payload = {0};
	uint32_t bytes;

	assert(p->from < p->to && p->to <= LINE_BYTES);
	for (uint32_t done = 0; done < p->bytes; done += bytes) {
		struct tensor_run run = tensor_run(box, offset + done);
		uint32_t at = (uint32_t)(run.address - p->line);

		bytes = least(run.bytes, p->bytes - done);
		tensor_gather(box, offset + done, payload.data + at, bytes, op->group->shared);
		for (uint32_t k = at; k < at + bytes; k++)
			payload.mask[k / 64] |= 1ull << k % 64;
	}
	l1_write(&core->l1, p->line, NULL, false);
	port_send_store(
		core, op, p->line, &payload, (p->bytes + 31) / 32 * 32, OPERATION_TOKEN | load_store_index(core, op));
	return true;
}

static bool reduce_part(struct core *core, struct operation *op, uint32_t lane, const struct tensor_box *box,
	uint32_t offset, const struct tensor_part *part)
{
	uint8_t data[LINE_BYTES];

	assert(part->bytes <= LINE_BYTES);
	tensor_gather(box, offset, data, part->bytes, op->group->shared);
	return atomic_send_elements(core, op, lane, tensor_copy_type(box), part->line + part->from, data, part->bytes);
}

/* A request for the part, or a message with it.  False: try again after a reply. */
static bool send_part(struct core *core, struct tensor_copies *t, struct operation *op, uint32_t lane, uint32_t offset,
	const struct tensor_part *part)
{
	const struct tensor_box *box = tensor_copy_box(t, op, lane);

	assert(!part->is_fill);
	if (!copy_goes_out(op->insn))
		return load_part(core, t, op, lane, offset, part);
	return op->insn->access.atomic ? reduce_part(core, op, lane, box, offset, part)
				       : store_part(core, op, box, offset, part);
}

bool tensor_copy_step(struct core *core, struct tensor_copies *t, struct operation *op, uint32_t lane)
{
	uint32_t offset = copying(op)->copied;
	bool reduces = op->insn->access.atomic;
	struct tensor_part part = part_at(tensor_copy_box(t, op, lane), offset, l1_line_bytes(&core->l1), reduces);

	assert(copying(op)->left >> lane & 1);
	observe_works(core, op);
	if (part.is_fill) {
		fill_part(core, t, op, lane, offset, part.bytes);
	} else {
		if (!send_part(core, t, op, lane, offset, &part))
			return false;
		core->counters.bulk_lines += !reduces;
		load_store_begin(op);
	}
	copying(op)->copied += part.bytes;
	return true;
}

/* ---- Functional mode, observers ---- */

/* Bytes of a box that are neighbours in global memory, or outside of the tensor. */
static void run_at_once(struct core *core, const struct tensor_copies *t, const struct operation *op, uint32_t lane,
	uint32_t offset, const struct tensor_run *run)
{
	const struct tensor_box *box = tensor_copy_box(t, op, lane);
	uint8_t data[LINE_BYTES];
	uint32_t part;

	assert(run->bytes && run->bytes <= box->row_bytes);
	for (uint32_t done = 0; done < run->bytes; done += part) {
		uint64_t address = run->address + done;

		part = least(run->bytes - done, LINE_BYTES);
		if (!run->address) {
			fill_part(core, t, op, lane, offset + done, part);
		} else if (!copy_goes_out(op->insn)) {
			put(core, t, op, lane, offset + done, space_host(core->machine->space, address), part,
				RECEIVERS_ALL);
		} else {
			tensor_gather(box, offset + done, data, part, op->group->shared);
			if (op->insn->access.atomic) {
				atomic_reduce_at_once(core, op->insn, tensor_copy_type(box), address, data, part);
				continue;
			}
			access_will_write(core, address, part);
			memcpy(space_host(core->machine->space, address), data, part);
		}
	}
}

void tensor_copy_at_once(struct core *core, const struct tensor_copies *t, const struct operation *op, uint32_t lane)
{
	const struct tensor_box *box = tensor_copy_box(t, op, lane);
	struct tensor_run run;

	assert(core->machine->mode->at_once);
	for (uint32_t done = 0; done < tensor_box_bytes(box) && !core->stopped; done += run.bytes) {
		run = tensor_run(box, done);
		run_at_once(core, t, op, lane, done, &run);
	}
	if (!copy_goes_out(op->insn) && !copying(op)->spreads && !core->stopped)
		copy_complete_bytes(core, op, lane);
}

/* The piece of a lane's box from `offset` on whose bytes are neighbours in global and in shared memory. */
static struct observed_copy observed_piece(const struct tensor_copies *t, const struct operation *op, uint32_t lane,
	uint32_t offset, struct observed_copy told)
{
	const struct tensor_box *box = tensor_copy_box(t, op, lane);
	struct tensor_run run = tensor_run(box, offset);
	uint32_t bytes, place = tensor_place(box, offset, &bytes);
	bool out = copy_goes_out(op->insn);

	assert(bytes);
	bytes = least(bytes, run.bytes);
	told.from = out ? place : run.address;
	told.to = out ? run.address : place;
	told.read = run.address ? bytes : 0;
	told.written = out && !run.address ? 0 : bytes;
	return told;
}

bool tensor_copy_observed(const struct tensor_copies *t, const struct operation *op, uint32_t lane, uint32_t *offset,
	struct observed_copy *told)
{
	uint32_t all = lane_copy_of(op, lane)->bytes, bytes;

	assert(copy_is_tensor(op->insn));
	if (*offset >= all)
		return false;
	*told = observed_piece(t, op, lane, *offset, *told);
	for (bytes = 0; *offset < all;) {
		struct observed_copy next = observed_piece(t, op, lane, *offset, *told);
		struct tensor_run run = tensor_run(tensor_copy_box(t, op, lane), *offset);
		bool is_same = !next.read == !told->read && !next.written == !told->written;

		if (bytes && (!is_same || (next.read && next.from != told->from + bytes) ||
				     (next.written && next.to != told->to + bytes)))
			break;
		*offset += next.written ? next.written : run.bytes;
		bytes += next.written ? next.written : run.bytes;
	}
	told->read = told->read ? bytes : 0;
	told->written = told->written ? bytes : 0;
	return true;
}
