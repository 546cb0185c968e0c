/* Bulk copies from global memory to other groups of the cluster.
 *
 * Lines of a copy come to a group in any order, as their slices send them.  Its core counts the bytes: the last ones
 * tell the mbarrier of all, and the core that has begun the copy that it is over there. */
#include "machine/lsu/multicast.h"

#include "machine/core/cluster.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/remote.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

struct multicast_member {
	uint32_t number; /* of the group */
	uint8_t place;
	uint8_t rank;
	uint16_t unused;
};

struct multicast_piece {
	uint32_t to;
	uint16_t from, bytes;
};

/* Behind struct multicast.  Its `members`, as many as there are cores, follow, and then its `pieces`. */
struct multicast_copy {
	const struct insn *insn;
	uint64_t launch;
	uint32_t first_thread, sends; /* of the warp that has begun the copy; its group */
	uint32_t object, completes;   /* the mbarrier's offset; bytes of the copy */
	uint32_t number, operation;   /* of the core that has begun it: of the copy, and the operation there */
	uint32_t member_count, piece_count;
	uint16_t core;
	uint8_t slot, lane;
	uint32_t unused;
};
_Static_assert(sizeof(struct multicast_copy) % 8 == 0, "a message's payload");
_Static_assert(sizeof(struct multicast_member) == 8 && sizeof(struct multicast_piece) == 8, "likewise");
_Static_assert(sizeof(struct multicast_copy) + 8 * (CLUSTER_GROUPS + MULTICAST_PIECES) <=
		       sizeof((struct multicast_line *)0)->rest,
	"no room for a request");
_Static_assert((int)MULTICAST_CORES >= (int)CLUSTER_GROUPS, "no room for a cluster");

static struct multicast_copy *copy_of(struct multicast_line *l)
{
	return (struct multicast_copy *)(void *)l->rest;
}

static struct multicast_member *members_of(const struct multicast_copy *copy)
{
	assert(copy->member_count <= CLUSTER_GROUPS);
	return (struct multicast_member *)(uintptr_t)(copy + 1);
}

static struct multicast_piece *pieces_of(const struct multicast_copy *copy)
{
	assert(copy->piece_count <= MULTICAST_PIECES);
	return (struct multicast_piece *)(void *)(members_of(copy) + copy->member_count);
}

static uint32_t own_rank(const struct operation *op)
{
	assert(op->group->cluster);
	return op->group->cluster->rank;
}

static void add_member(struct multicast_line *l, const struct operation *op, uint32_t rank)
{
	const struct cluster_member *member = &op->group->cluster->members[rank];
	struct multicast_copy *copy = copy_of(l);

	assert(rank < op->group->cluster->size);
	assert(l->more.count == copy->member_count);
	members_of(copy)[copy->member_count++] =
		(struct multicast_member){.number = member->number, .place = member->place, .rank = (uint8_t)rank};
	l->more.core[l->more.count++] = member->core;
}

static void set_size(struct multicast_line *l)
{
	const struct multicast_copy *copy = copy_of(l);

	assert(copy->piece_count <= MULTICAST_PIECES);
	l->more.bytes = (uint32_t)((const char *)(pieces_of(copy) + copy->piece_count) - (const char *)copy);
}

void multicast_begin(struct multicast_line *l, struct core *core, const struct operation *op, uint32_t lane)
{
	const struct lane_copy *of = lane_copy_of(op, lane);

	assert(copying(op)->spreads);
	l->more = (struct multicast){0};
	*copy_of(l) = (struct multicast_copy){.insn = op->insn,
		.launch = op->group->launch,
		.first_thread = op->slot->warp.first_thread,
		.sends = op->group->number,
		.object = of->object,
		.completes = of->bytes,
		.number = copying(op)->number,
		.operation = load_store_index(core, op),
		.core = (uint16_t)core->index,
		.slot = (uint8_t)core_slot(core, op->slot),
		.lane = (uint8_t)lane};
	EACH_LANE(rank, of->ranks)
		if (rank != own_rank(op))
			add_member(l, op, (uint32_t)rank);
	set_size(l);
}

void multicast_add(struct multicast_line *l, uint32_t from, uint32_t to, uint32_t bytes)
{
	struct multicast_copy *copy = copy_of(l);

	assert(bytes && from + bytes <= LINE_BYTES);
	assert(copy->piece_count < MULTICAST_PIECES);
	pieces_of(copy)[copy->piece_count++] =
		(struct multicast_piece){.to = to, .from = (uint16_t)from, .bytes = (uint16_t)bytes};
	set_size(l);
}

void multicast_expect(const struct operation *op)
{
	assert(copying(op)->spreads);
	EACH_LANE(l, op->lanes) {
		const struct lane_copy *copy = lane_copy_of(op, (uint32_t)l);

		EACH_LANE(rank, copy->bytes ? copy->ranks : 0)
			if (rank != own_rank(op))
				load_store_begin((struct operation *)(uintptr_t)op);
	}
}

static void send(struct core *core, const struct multicast_line *l, uint32_t place, const uint8_t *data, uint32_t bytes)
{
	uint32_t size = l->more.bytes + LINE_BYTES;
	struct message *m = outbox_write(core->outbox, size);

	assert(place < l->more.count);
	memset((uint8_t *)message_payload(m) + l->more.bytes, 0, LINE_BYTES);
	memcpy(message_payload(m), l->rest, l->more.bytes);
	memcpy((uint8_t *)message_payload(m) + l->more.bytes, data, bytes);
	m->payload_bytes = (uint16_t)size;
	m->lanes = (lane_mask)1 << place;
	m->token = 0;
	remote_post(core, m, l->more.core[place], MESSAGE_MULTICAST, 0, bytes);
}

void multicast_send(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data,
	uint32_t bytes)
{
	struct multicast_line l;

	assert(bytes && bytes <= LINE_BYTES);
	multicast_begin(&l, core, op, lane);
	multicast_add(&l, 0, lane_copy_of(op, lane)->shared + offset, bytes);
	for (uint32_t k = 0; k < l.more.count; k++)
		send(core, &l, k, data, bytes);
}

/* ---- At the other groups ---- */

static bool is_of(const struct copy_arrival *a, const struct multicast_copy *copy, uint32_t place)
{
	assert(place <= UINT8_MAX);
	return a->core == copy->core && a->number == copy->number && a->lane == copy->lane && a->place == place;
}

/* Counts the bytes of a copy that have come.  True: all have. */
static bool count(struct core *core, const struct multicast_copy *copy, uint32_t place, uint32_t bytes)
{
	struct copy_arrivals *a = copy_arrivals(core);
	uint32_t k = 0;

	assert(bytes && bytes <= copy->completes);
	while (k < a->list.count && !is_of(&a->list.at[k], copy, place))
		k++;
	if (k == a->list.count)
		*vector_push(&core->machine->cores.arenas[core->index], &a->list) = (struct copy_arrival){
			.core = copy->core, .number = copy->number, .lane = copy->lane, .place = (uint8_t)place};
	a->list.at[k].bytes += bytes;
	assert(a->list.at[k].bytes <= copy->completes);
	if (a->list.at[k].bytes < copy->completes)
		return false;
	a->list.at[k] = a->list.at[--a->list.count];
	return true;
}

static void take_pieces(struct core *core, struct group *group, const struct multicast_copy *copy,
	const struct multicast_member *member, const uint8_t *line, bool is_last)
{
	struct remote_access access = {.insn = copy->insn,
		.core = copy->core,
		.slot = copy->slot,
		.number = copy->sends,
		.first_thread = copy->first_thread,
		.token = copy->operation};

	assert(copy->piece_count);
	for (uint32_t k = 0; k < copy->piece_count; k++) {
		const struct multicast_piece *piece = &pieces_of(copy)[k];
		struct remote_block block = {.data = line + piece->from,
			.lane = copy->lane,
			.rank = member->rank,
			.offset = piece->to,
			.bytes = piece->bytes,
			.object = copy->object,
			.completes = copy->completes,
			.is_last = is_last && k + 1 == copy->piece_count};

		remote_carry_out_block(core, group, access, &block);
	}
}

void multicast_receive(struct core *core, const struct message *m)
{
	const struct multicast_copy *copy = message_payload(m);
	uint32_t place = (uint32_t)__builtin_ctzll(m->lanes), bytes = 0;
	const struct multicast_member *member = &members_of(copy)[place];
	const uint8_t *line = (const uint8_t *)(pieces_of(copy) + copy->piece_count);
	struct group *group = remote_group(core, member->place, copy->launch, member->number);
	struct message from = {.source = copy->core, .destination = (uint16_t)core->index, .token = copy->operation};
	bool is_last;

	assert(m->kind == MESSAGE_MULTICAST);
	assert(place < copy->member_count);
	for (uint32_t k = 0; k < copy->piece_count; k++)
		bytes += pieces_of(copy)[k].bytes;
	is_last = count(core, copy, member->place, bytes);
	if (group)
		take_pieces(core, group, copy, member, line, is_last);
	if (is_last)
		remote_answer(core, &from, (lane_mask)1 << copy->lane, member->rank, !group, 0);
}
