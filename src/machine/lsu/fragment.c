/* Loads and stores of matrices: an instruction of a warp is one operation, whose pieces (warp/matrix.h) travel by lines
 * like those of other loads and stores.  Pieces are not stored: they are computed again when a line comes. */
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/lsu/access.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"
#include "warp/matrix.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define FRAGMENT_LINES MOST_TRANSACTIONS(CORE_WARPS) /* that it touches at most */

/* Bytes from one row to the next, as an operation's state. */
static uint64_t *stride_of(const struct operation *op)
{
	assert(op->insn->kind == INSN_FRAGMENT);
	return op->state;
}

static const struct insn_matrix *matrix_of(const struct operation *op)
{
	assert(op->slot->group == op->group);
	return op->slot->warp.kernel->extras[op->insn->extra].matrix;
}

static bool is_store(const struct operation *op)
{
	uint8_t kind = matrix_of(op)->shape.kind;

	return kind == MATRIX_STORE || kind == MATRIX_ROWS_STORE;
}

/* Goes through the pieces of all lanes. */
struct cursor {
	const struct operation *op;
	const struct matrix *shape;
	uint64_t stride;
	lane_mask left;       /* lanes; the lowest is the one whose pieces come now */
	uint32_t next, count; /* pieces of a lane */
	uint32_t lane;
	uint32_t line_bytes;
	struct matrix_piece piece;
};

static struct cursor pieces_of(const struct operation *op)
{
	const struct matrix *shape = &matrix_of(op)->shape;

	assert(op->lanes && matrix_pieces(shape));
	return (struct cursor){.op = op,
		.shape = shape,
		.stride = *stride_of(op),
		.left = op->lanes,
		.count = matrix_pieces(shape),
		.line_bytes = access_line_bytes(op)};
}

/* Moves to the next piece, at first to the first one.  False: there is none.  A warp of 64 lanes is two of 32. */
static bool next_piece(struct cursor *c)
{
	assert(c->next <= c->count);
	if (c->next == c->count) {
		c->left &= c->left - 1;
		c->next = 0;
	}
	if (!c->left)
		return false;
	c->lane = (uint32_t)__builtin_ctzll(c->left);
	c->piece = matrix_piece(c->shape, c->op->address + (c->lane & 32), c->stride, c->lane & 31, c->next++);
	return true;
}

/* --- Issue --- */

/* False, and a finding. */
static bool fault(struct core *core, const struct cursor *c, enum fault_cause cause, const char *what)
{
	assert(c->op->lanes >> c->lane & 1);
	if (core->stopped)
		return false;
	core->finding.has_address = true;
	core->finding.address = c->piece.address;
	core_fault(core, c->op->slot, c->op->insn, c->lane, cause, "%s of 0x%" PRIx64 " %s",
		ptx_ops[c->op->insn->op].spelling, c->piece.address, what);
	return false;
}

static bool check_shared(struct core *core, const struct cursor *c)
{
	uint64_t end = c->piece.address + c->piece.bytes;

	assert(c->op->space == space_SHARED);
	if (end > c->op->slot->warp.shared_bytes || end < c->piece.address)
		return fault(core, c, FAULT_address, "is outside of shared memory");
	return true;
}

/* *last: the allocation of the piece before, into which the next mostly goes too. */
static bool check_global(struct core *core, const struct cursor *c, const struct allocation **last)
{
	const struct allocation *a = *last;

	assert(c->op->space == space_GLOBAL);
	if (!a || c->piece.address - a->address > a->bytes - c->piece.bytes) /* all pieces are of one size */
		a = *last = space_find(core->machine->space, c->piece.address, c->piece.bytes);
	if (!a)
		return fault(core, c, FAULT_address, "is outside of all allocations");
	if (a->constant && is_store(c->op))
		return fault(core, c, FAULT_constant, "is in constant memory");
	return true;
}

/* False: a finding. */
static bool check(struct core *core, const struct operation *op)
{
	const struct allocation *last = NULL;
	bool good = true;

	for (struct cursor c = pieces_of(op); good && next_piece(&c);) {
		assert(c.piece.bytes && !(c.piece.bytes & (c.piece.bytes - 1u)));
		if (c.piece.address & (c.piece.bytes - 1u))
			good = fault(core, &c, FAULT_misaligned, "is misaligned");
		else
			good = op->space == space_SHARED ? check_shared(core, &c) : check_global(core, &c, &last);
	}
	return good;
}

static void capture_registers(const struct operation *op)
{
	const struct insn_matrix *matrix = matrix_of(op);
	uint32_t bytes = matrix->bytes[MATRIX_D];

	assert(matrix->count[MATRIX_D] * bytes <= ACCESS_DATA_BYTES);
	EACH_LANE(l, op->lanes)
		for (uint32_t k = 0; k < matrix->count[MATRIX_D]; k++)
			memcpy(op->data + l * ACCESS_DATA_BYTES + k * bytes,
				(const uint8_t *)slot_at(&op->slot->warp, matrix->slot[MATRIX_D][k]) + l * bytes,
				bytes);
}

/* Reads addresses and, of stores, registers.  False: a finding. */
static bool capture(struct core *core, struct operation *op)
{
	const struct insn *i = op->insn;
	const struct warp *w = &op->slot->warp;

	assert(op->space == space_SHARED || op->space == space_GLOBAL);
	access_addresses(op->address, w, i, op->lanes, op->space);
	*stride_of(op) = i->s[1] == SLOT_NONE ? matrix_stride(&matrix_of(op)->shape)
					      : ((const uint32_t *)slot_at(w, i->s[1]))[0];
	if (!check(core, op))
		return false;
	if (is_store(op))
		capture_registers(op);
	return true;
}

/* --- Lines --- */

/* The lines of global memory that it touches; returns how many. */
static uint32_t lines_of(const struct operation *op, uint64_t line[FRAGMENT_LINES])
{
	uint32_t count = 0;

	for (struct cursor c = pieces_of(op); next_piece(&c);) {
		uint64_t of_piece = c.piece.address & ~(uint64_t)(c.line_bytes - 1);
		uint32_t k = count;

		while (k && line[k - 1] != of_piece)
			k--;
		if (!k &&
			count < FRAGMENT_LINES) /* more: lanes have several matrices, which the ISA leaves undefined */
			line[count++] = of_piece;
	}
	assert(count && count <= FRAGMENT_LINES);
	return count;
}

/* Moves to the next piece in a line. */
static bool next_in_line(struct cursor *c, uint64_t line)
{
	assert(line % LEAST_LINE == 0);
	while (next_piece(c))
		if (c->piece.address - line < c->line_bytes)
			return true;
	return false;
}

/* `lanes` are the whole warp's here, and in all that follows. */
static void readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES])
{
	assert(lanes == op->lanes);
	(void)lanes;
	for (struct cursor c = pieces_of(op); next_in_line(&c, line);)
		for (uint32_t k = 0; k < c.piece.bytes; k++)
			if (c.lane < reader[c.piece.address - line + k])
				reader[c.piece.address - line + k] = (uint8_t)c.lane;
}

static void load_piece(const struct cursor *c, const uint8_t *from)
{
	const struct insn_matrix *matrix = matrix_of(c->op);
	slot_ref slot = matrix->slot[MATRIX_D][c->piece.index];
	uint32_t bytes = matrix->bytes[MATRIX_D];

	assert(c->piece.shift / 8u + c->piece.bytes <= bytes);
	assert(c->piece.index < matrix->count[MATRIX_D]);
	assert(c->op->lanes >> c->lane & 1);
	if (slot != SLOT_NONE)
		memcpy((uint8_t *)(c->op->bank[slot >> 30] + (slot & SLOT_OFFSET)) + c->lane * bytes +
				c->piece.shift / 8,
			from, c->piece.bytes);
}

static void store_piece(const struct cursor *c, uint8_t *to)
{
	const struct insn_matrix *matrix = matrix_of(c->op);

	assert(is_store(c->op));
	assert(c->piece.index < matrix->count[MATRIX_D]);
	memcpy(to,
		c->op->data + c->lane * ACCESS_DATA_BYTES + c->piece.index * matrix->bytes[MATRIX_D] +
			c->piece.shift / 8,
		c->piece.bytes);
}

static void deliver(struct core *core, const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	(void)core;
	assert(lanes == op->lanes);
	(void)lanes;
	for (struct cursor c = pieces_of(op); next_in_line(&c, line);)
		load_piece(&c, data + (c.piece.address - line));
}

static uint32_t gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	uint32_t sectors = 0;

	assert(lanes == op->lanes);
	(void)lanes;
	payload->mask[0] = payload->mask[1] = 0;
	for (struct cursor c = pieces_of(op); next_in_line(&c, line);) {
		uint32_t offset = (uint32_t)(c.piece.address - line);

		assert(c.piece.bytes);
		assert(c.piece.bytes < 64);
		assert(offset + c.piece.bytes <= LINE_BYTES);
		payload->mask[offset / 64] |= ((UINT64_C(1) << c.piece.bytes) - 1) << offset % 64;
		store_piece(&c, payload->data + offset);
	}
	assert(payload->mask[0] | payload->mask[1]);
	for (uint32_t k = 0; k < 4; k++)
		sectors += (payload->mask[k / 2] >> k % 2 * 32 & UINT32_MAX) != 0;
	return sectors * 32;
}

/* --- At once --- */

/* Registers that hold nothing of the matrix are zero. */
static void clear_rest(const struct operation *op)
{
	const struct insn_matrix *matrix = matrix_of(op);
	const struct matrix *x = &matrix->shape;
	uint32_t used = x->kind == MATRIX_LOAD
				? matrix_elements(x, (enum matrix_part)x->part) *
					  matrix_bits((enum matrix_type)x->type[x->part]) / 8 / matrix->bytes[MATRIX_D]
				: matrix->count[MATRIX_D];

	assert(!is_store(op) && used <= matrix->count[MATRIX_D]);
	for (uint32_t k = used; k < matrix->count[MATRIX_D]; k++)
		EACH_LANE(l, matrix->slot[MATRIX_D][k] == SLOT_NONE ? 0 : op->lanes)
			(op->bank[0] + (matrix->slot[MATRIX_D][k] & SLOT_OFFSET))[l] = 0;
}

/* Global memory will be written at once. */
static void save_lines(struct core *core, const struct operation *op)
{
	uint64_t line[FRAGMENT_LINES];
	uint32_t count = lines_of(op, line);

	assert(core->machine->mode->at_once && op->space == space_GLOBAL);
	for (uint32_t k = 0; k < count; k++)
		access_will_write(core, line[k], access_line_bytes(op));
}

/* All of it, on memory that may be touched at once. */
static void execute_at_once(struct core *core, const struct operation *op, memory_base memory)
{
	bool stores = is_store(op);

	assert(op->lanes);
	assert(op->space == space_SHARED || op->space == space_GLOBAL);
	if (op->space == space_GLOBAL && core->machine->at_start.snapshot && stores)
		save_lines(core, op);
	for (struct cursor c = pieces_of(op); next_piece(&c);)
		if (stores)
			store_piece(&c, memory_byte(memory, c.piece.address));
		else
			load_piece(&c, memory_byte(memory, c.piece.address));
	if (!stores)
		clear_rest(op);
	else
		observe_effect(core, op->slot, EFFECT_MATRIX);
}

/* --- Banks --- */

#define FRAGMENT_WORDS 1024 /* that it touches at most */

static uint32_t shared_cycles(const struct core *core, const struct operation *op)
{
	uint64_t words[FRAGMENT_WORDS];
	uint32_t count = 0, banks = core->machine->model->shared_banks, worst = 1;
	uint8_t load[64] = {0};

	uint32_t width = core->machine->model->lsu_width;

	assert(banks && banks <= sizeof load);
	for (struct cursor c = pieces_of(op); next_piece(&c);)
		for (uint64_t word = c.piece.address / 4; word <= (c.piece.address + c.piece.bytes - 1) / 4; word++) {
			uint32_t k = count;

			while (k && words[k - 1] != word)
				k--;
			assert(k || count < FRAGMENT_WORDS);
			if (k || count == FRAGMENT_WORDS)
				continue;
			words[count++] = word;
			if (++load[word % banks] > worst)
				worst = load[word % banks];
		}
	return width && count * 4 > worst * width ? (count * 4 + width - 1) / width : worst;
}

/* --- The kind --- */

static void queue(struct core *core, struct operation *op)
{
	uint64_t line[FRAGMENT_LINES];
	uint32_t count = op->space == space_SHARED ? 0 : lines_of(op, line);
	bool stores = is_store(op);

	assert(op->space == space_SHARED || op->space == space_GLOBAL);
	assert(count || op->space == space_SHARED);
	if (op->space == space_SHARED) {
		core->counters.shared_accesses++;
		load_store_queue(core, op, NO_LINE, op->lanes, shared_cycles(core, op));
	}
	for (uint32_t k = 0; k < count; k++)
		load_store_queue(core, op, line[k], op->lanes, 1);
	*(stores ? &core->counters.global_store_instructions : &core->counters.global_load_instructions) += count != 0;
	*(stores ? &core->counters.global_store_transactions : &core->counters.global_load_transactions) += count;
	load_store_await_result(core, op);
}

/* Tells observers which pieces are moved. */
static void tell(struct core *core, const struct operation *op)
{
	if (!observer_hears(core, OBSERVE_moves, op->slot->bit))
		return;
	for (struct cursor c = pieces_of(op); next_piece(&c);)
		observe_moves(
			core, op->slot, op->insn, c.lane, op->space, c.piece.address, c.piece.bytes, is_store(op));
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	struct operation *op = load_store_take(core, r, i, lanes, space);

	assert(lanes && !(lanes & ~r->warp.live));
	if (space != space_SHARED && space != space_GLOBAL) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_space,
			"%s outside global and shared memory", ptx_ops[i->op].spelling);
	} else if (capture(core, op)) {
		tell(core, op);
		load_store_start(core, op);
		return;
	}
	load_store_free(core, op);
}

static void execute(struct core *core, struct operation *op)
{
	execute_at_once(core, op, access_memory(core, op->slot, op->space));
	load_store_free(core, op);
}

/* The whole warp carries it out together. */
void fragment_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(!(lanes & ~r->warp.live));
	if (!core->machine->divergence->sync(r->warp.divergence, r->warp.live)) {
		control_refresh(r);
		return;
	}
	control_refresh(r);
	lanes = r->warp.path->active & (r->warp.predicates[i->guard] ^ -(lane_mask)i->guard_invert);
	observe_meets(core, r, lanes, r->warp.live);
	load_store_issue(core, r, i, lanes);
}

static bool send(struct core *core, struct operation *op, const struct transaction *t)
{
	assert(t->lanes == op->lanes);
	if (is_store(op))
		return through_l1_store(core, op, t);
	clear_rest(op);
	return through_l1_load(core, op, t);
}

static uint64_t serve_shared(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->space == space_SHARED);
	execute_at_once(core, op, (memory_base)op->group->shared);
	return at;
}

static uint8_t sectors(const struct core *core, const struct operation *op, const struct transaction *t)
{
	uint8_t wanted = 0;

	for (struct cursor c = pieces_of(op); next_in_line(&c, t->line);)
		wanted |= l1_sector_mask(&core->l1, (uint32_t)(c.piece.address - t->line), c.piece.bytes);
	assert(wanted);
	return wanted;
}

const struct memory_kind memory_fragment = {
	.noun = "access of a matrix",
	.acquires = true,
	.state_bytes = sizeof(uint64_t),
	.issue = issue,
	.queue = queue,
	.execute = execute,
	.send = send,
	.serve_shared = serve_shared,
	.sectors = sectors,
	.gather = gather,
	.deliver = deliver,
	.readers = readers,
};
