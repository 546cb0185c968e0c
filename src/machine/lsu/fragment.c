/* Loads and stores of matrices: a warp's instruction is one operation, whose pieces (see warp/matrix.h) go by lines as
 * those of other loads and stores do.  Pieces are found again when a line comes, and kept nowhere. */
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
#include <string.h>

/* Calls `visit` for every piece of every lane. */
typedef void piece_visit(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece);

/* Bytes from one row to the next, as an operation's state. */
static uint64_t *stride_of(const struct operation *op)
{
	assert(op->insn->kind == INSN_FRAGMENT);
	return op->state;
}

static size_t state_bytes(uint32_t lanes)
{
	(void)lanes;
	return sizeof(uint64_t);
}

#define FRAGMENT_LINES MOST_TRANSACTIONS(CORE_WARPS) /* that it touches at most */

static const struct insn_matrix *matrix_of(const struct operation *op)
{
	assert(op->slot->group == op->group);
	return op->slot->warp.kernel->extras[op->insn->extra].matrix;
}

/* A warp of 64 lanes is two of 32. */
static void each_piece(const struct operation *op, piece_visit *visit, void *context)
{
	const struct matrix *x = &matrix_of(op)->shape;
	uint32_t pieces = matrix_pieces(x);

	assert(pieces && op->lanes);
	for (lane_mask m = op->lanes; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctzll(m);

		for (uint32_t k = 0; k < pieces; k++)
			visit(context, op, lane,
				matrix_piece(x, op->address + (lane & 32), *stride_of(op), lane & 31, k));
	}
}

static bool is_store(const struct operation *op)
{
	uint8_t kind = matrix_of(op)->shape.kind;

	return kind == MATRIX_STORE || kind == MATRIX_ROWS_STORE;
}

/* --- Issue --- */

struct checking {
	struct core *core;
	const struct allocation *allocation; /* the last one, into which the next piece mostly goes too */
	bool failed;
};

static void fault(struct checking *c, const struct operation *op, uint32_t lane, uint64_t address,
	enum fault_cause cause, const char *what)
{
	c->failed = true;
	if (c->core->stopped)
		return;
	c->core->finding.has_address = true;
	c->core->finding.address = address;
	core_fault(c->core, op->slot, op->insn, lane, cause, "%s of 0x%llx %s", ptx_ops[op->insn->op].spelling,
		(unsigned long long)address, what);
}

static void check_piece(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	struct checking *c = context;
	const struct allocation *a = c->allocation;

	assert(piece.bytes && !(piece.bytes & (piece.bytes - 1u)));
	if (piece.address & (piece.bytes - 1u)) {
		fault(c, op, lane, piece.address, FAULT_misaligned, "is misaligned");
	} else if (op->space == space_SHARED) {
		if (piece.address + piece.bytes > op->slot->warp.shared_bytes ||
			piece.address + piece.bytes < piece.address)
			fault(c, op, lane, piece.address, FAULT_address, "is outside of shared memory");
	} else {
		if (!a || piece.address - a->address > a->bytes - piece.bytes) /* all pieces are of one size */
			a = c->allocation = space_find(c->core->machine->space, piece.address, piece.bytes);
		if (!a)
			fault(c, op, lane, piece.address, FAULT_address, "is outside of all allocations");
		else if (a->constant && is_store(op))
			fault(c, op, lane, piece.address, FAULT_constant, "is in constant memory");
	}
}

static void capture_registers(const struct operation *op)
{
	const struct insn_matrix *matrix = matrix_of(op);
	const struct warp *w = &op->slot->warp;

	assert(matrix->count[MATRIX_D] * matrix->bytes[MATRIX_D] <= ACCESS_DATA_BYTES);
	for (lane_mask m = op->lanes; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctzll(m);

		for (uint32_t k = 0; k < matrix->count[MATRIX_D]; k++) {
			const void *at = slot_at(w, matrix->slot[MATRIX_D][k]);
			uint32_t bytes = matrix->bytes[MATRIX_D];

			memcpy(op->data + lane * ACCESS_DATA_BYTES + k * bytes, (const uint8_t *)at + lane * bytes,
				bytes);
		}
	}
}

/* Reads addresses and, of stores, registers.  False: a finding. */
static bool capture(struct core *core, struct warp_slot *r, struct operation *op)
{
	const struct insn *i = op->insn;
	struct checking c = {.core = core};

	assert(op->slot == r && (op->space == space_SHARED || op->space == space_GLOBAL));
	access_addresses(op->address, &r->warp, i, op->lanes, op->space);
	*stride_of(op) = i->s[1] == SLOT_NONE ? matrix_stride(&matrix_of(op)->shape)
					      : ((const uint32_t *)slot_at(&r->warp, i->s[1]))[0];
	each_piece(op, check_piece, &c);
	if (!c.failed && is_store(op))
		capture_registers(op);
	return !c.failed;
}

/* --- Lines --- */

struct line_list {
	uint64_t *line;
	uint32_t count;
};

static void note_line(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	struct line_list *list = context;
	uint64_t line = piece.address / LINE_BYTES * LINE_BYTES;
	uint32_t k = list->count;

	(void)op;
	(void)lane;
	while (k && list->line[k - 1] != line)
		k--;
	if (!k && list->count < FRAGMENT_LINES) /* more: lanes have several matrices, which the ISA leaves undefined */
		list->line[list->count++] = line;
}

/* The lines of global memory that it touches; returns how many. */
static uint32_t lines_of(const struct operation *op, uint64_t line[FRAGMENT_LINES])
{
	struct line_list list = {line, 0};

	each_piece(op, note_line, &list);
	return list.count;
}

/* One line on its way, or all of memory where line is 0 and the mask is not wanted. */
struct transfer {
	uint64_t line;
	uint8_t *data;
	uint64_t *mask;
};

static bool in_line(const struct transfer *t, struct matrix_piece piece)
{
	return piece.address - t->line < LINE_BYTES;
}

static void mark(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	struct transfer *t = context;
	uint32_t offset = (uint32_t)(piece.address - t->line);

	assert(piece.bytes && piece.bytes < 64);
	(void)op;
	(void)lane;
	if (in_line(t, piece))
		t->mask[offset / 64] |= ((UINT64_C(1) << piece.bytes) - 1) << offset % 64;
}

/* Which bytes of a line it touches: a bit each. */
static void mask_of(const struct operation *op, uint64_t line, uint64_t mask[2])
{
	struct transfer t = {.line = line, .mask = mask};

	mask[0] = mask[1] = 0;
	each_piece(op, mark, &t);
}

static void note_reader(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	struct transfer *t = context;

	(void)op;
	for (uint32_t k = 0; in_line(t, piece) && k < piece.bytes; k++)
		if (lane < t->data[piece.address - t->line + k])
			t->data[piece.address - t->line + k] = (uint8_t)lane;
}

static void readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES])
{
	struct transfer t = {.line = line, .data = reader};

	(void)lanes; /* the whole warp's */
	each_piece(op, note_reader, &t);
}

static void load_piece(const struct operation *op, uint32_t lane, struct matrix_piece piece, const uint8_t *from)
{
	const struct insn_matrix *matrix = matrix_of(op);
	slot_ref slot = matrix->slot[MATRIX_D][piece.index];
	uint8_t *to;

	assert(piece.shift / 8u + piece.bytes <= matrix->bytes[MATRIX_D]);
	assert(piece.index < matrix->count[MATRIX_D] && op->lanes >> lane & 1);
	if (slot == SLOT_NONE)
		return;
	to = (uint8_t *)(op->bank[slot >> 30] + (slot & SLOT_OFFSET)) + lane * matrix->bytes[MATRIX_D] +
	     piece.shift / 8;
	memcpy(to, from, piece.bytes);
}

static const uint8_t *stored(const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	assert(is_store(op) && piece.index < matrix_of(op)->count[MATRIX_D]);
	return op->data + lane * ACCESS_DATA_BYTES + piece.index * matrix_of(op)->bytes[MATRIX_D] + piece.shift / 8;
}

static void load_from_line(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	const struct transfer *t = context;

	if (in_line(t, piece))
		load_piece(op, lane, piece, t->data + (piece.address - t->line));
}

static void deliver(const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	struct transfer t = {.line = line, .data = (uint8_t *)(uintptr_t)data};

	(void)lanes; /* the whole warp's */
	each_piece(op, load_from_line, &t);
}

static void store_to_line(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	const struct transfer *t = context;

	if (in_line(t, piece))
		memcpy(t->data + (piece.address - t->line), stored(op, lane, piece), piece.bytes);
}

static uint32_t gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	struct transfer t = {.line = line, .data = payload->data};
	uint32_t sectors = 0;

	(void)lanes; /* the whole warp's */
	mask_of(op, line, payload->mask);
	assert(payload->mask[0] | payload->mask[1]);
	each_piece(op, store_to_line, &t);
	for (uint32_t k = 0; k < 4; k++)
		sectors += (payload->mask[k / 2] >> k % 2 * 32 & UINT32_MAX) != 0;
	return sectors * 32;
}

/* --- At once --- */

static void transfer_at_once(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	uint8_t *at = memory_byte(*(const memory_base *)context, piece.address);

	if (is_store(op))
		memcpy(at, stored(op, lane, piece), piece.bytes);
	else
		load_piece(op, lane, piece, at);
}

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
		for (lane_mask m = matrix->slot[MATRIX_D][k] == SLOT_NONE ? 0 : op->lanes; m; m &= m - 1)
			(op->bank[0] + (matrix->slot[MATRIX_D][k] & SLOT_OFFSET))[__builtin_ctzll(m)] = 0;
}

/* Global memory will be written at once. */
static void save_lines(struct core *core, const struct operation *op)
{
	uint64_t line[FRAGMENT_LINES];
	uint32_t count = lines_of(op, line);

	assert(core->machine->mode->at_once);
	for (uint32_t k = 0; k < count; k++)
		access_will_write(core, line[k], LINE_BYTES);
}

/* All of it, on memory that may be touched at once. */
static void execute_at_once(struct core *core, const struct operation *op, memory_base memory)
{
	assert(op->lanes && (op->space == space_SHARED || op->space == space_GLOBAL));
	if (op->space == space_GLOBAL && core->machine->at_start.snapshot && is_store(op))
		save_lines(core, op);
	each_piece(op, transfer_at_once, &memory);
	if (!is_store(op))
		clear_rest(op);
	else
		observe_effect(core, op->slot, EFFECT_MATRIX);
}

/* --- Banks --- */

struct bank_use {
	uint64_t words[1024];
	uint32_t count, banks;
	uint8_t load[64];
};

static void use_bank(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	struct bank_use *use = context;

	(void)op;
	(void)lane;
	for (uint64_t word = piece.address / 4; word <= (piece.address + piece.bytes - 1) / 4; word++) {
		uint32_t k = use->count;

		while (k && use->words[k - 1] != word)
			k--;
		assert(k || use->count < sizeof use->words / sizeof *use->words);
		if (k || use->count == sizeof use->words / sizeof *use->words)
			continue;
		use->words[use->count++] = word;
		use->load[word % use->banks]++;
	}
}

static uint32_t shared_cycles(const struct core *core, const struct operation *op)
{
	struct bank_use use = {.banks = core->machine->model->shared_banks};
	uint32_t worst = 1;

	assert(use.banks && use.banks <= sizeof use.load);
	each_piece(op, use_bank, &use);
	for (uint32_t k = 0; k < use.banks; k++)
		worst = use.load[k] > worst ? use.load[k] : worst;
	return worst;
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
	load_store_await_result(core, op->slot, op);
}

static void tell_piece(void *context, const struct operation *op, uint32_t lane, struct matrix_piece piece)
{
	observe_moves(context, op->slot, op->insn, lane, op->space, piece.address, piece.bytes, is_store(op));
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	struct operation *op = load_store_take(core, r, i, lanes);

	op->space = space;
	if (space != space_SHARED && space != space_GLOBAL) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_space,
			"%s outside global and shared memory", ptx_ops[i->op].spelling);
	} else if (capture(core, r, op)) {
		if (observer_hears(core, OBSERVE_moves, r->bit))
			each_piece(op, tell_piece, core);
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
	(void)lanes; /* those of the path that has come together */
	if (!core->machine->divergence->sync(r->warp.divergence, r->warp.live)) {
		control_refresh(r);
		return;
	}
	control_refresh(r);
	load_store_issue(
		core, r, i, r->warp.path->active & (r->warp.predicates[i->guard] ^ -(lane_mask)i->guard_invert));
}

static bool send(struct core *core, struct operation *op, const struct transaction *t)
{
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
	uint64_t mask[2];
	uint8_t wanted = 0;

	mask_of(op, t->line, mask);
	for (uint32_t byte = 0; byte < LINE_BYTES; byte++)
		if (mask[byte / 64] >> byte % 64 & 1)
			wanted |= l1_sector_mask(&core->l1, byte, 1);
	assert(wanted);
	return wanted;
}

const struct memory_kind memory_fragment = {
	.noun = "access of a matrix",
	.acquires = true,
	.state_bytes = state_bytes,
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
