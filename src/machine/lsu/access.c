/* The values of memory accesses: addresses, checks, and moving bytes between registers and memory. */
#include "machine/lsu/access.h"

#include "machine/core/drop.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/element.h"
#include "machine/lsu/memory_kind.h"
#include "machine/state/machine.h"

#include "memory/snapshot.h"
#include "warp/memory.h"

#include "util/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- Addresses --- */

/* With few lanes, as in the critical sections of a divergent warp, the others' words of `address` are better left
 * alone. */
#define FEW_LANES 8

static void raw_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes)
{
	const void *base = slot_at(w, i->s[0]);
	uint64_t offset = (uint64_t)i->offset;

	assert(i->s_bytes[0] == 4 || i->s_bytes[0] == 8);
	if (i->s_bytes[0] == 8 && __builtin_popcountll(lanes) <= FEW_LANES)
		EACH_LANE(l, lanes)
			address[l] = ((const uint64_t *)base)[l] + offset;
	else if (i->s_bytes[0] == 8)
		w->memory->addresses(address, base, offset);
	else
		w->memory->addresses_narrow(address, base, (uint32_t)offset);
}

/* Of an address in the window of shared memory. */
static uint8_t space_in_window(const struct warp *w, uint64_t offset)
{
	if (offset < SHARED_PART_BYTES || launch_cluster_size(w->launch) == 1)
		return space_SHARED;
	return remote_rank(offset) == launch_cluster_rank(w->launch, w->group) ? space_SHARED : space_CLUSTER;
}

static uint8_t space_of(const struct warp *w, const struct insn *i, uint64_t address)
{
	if (i->access.cluster)
		return space_in_window(w, address - (address - SHARED_BASE < WINDOW_BYTES ? SHARED_BASE : 0));
	if (address >= GLOBAL_BASE)
		return space_GLOBAL;
	if (address - SHARED_BASE < WINDOW_BYTES)
		return space_in_window(w, address - SHARED_BASE);
	if (address - LOCAL_BASE < WINDOW_BYTES)
		return space_LOCAL;
	if (address - PARAMETER_BASE < SHARED_BASE - PARAMETER_BASE)
		return space_PARAM;
	return space_GLOBAL; /* faults there */
}

void access_resolve(lane_mask of[SPACES], const struct warp *w, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	assert(lanes);
	memset(of, 0, SPACES * sizeof of[0]);
	raw_addresses(address, w, i, lanes);
	EACH_LANE(l, lanes)
		of[space_of(w, i, address[l])] |= 1ull << l;
}

uint64_t access_own_part(const struct warp *w, uint64_t offset)
{
	uint64_t first;

	assert(launch_cluster_rank(w->launch, w->group) < launch_cluster_size(w->launch));
	if (offset < SHARED_PART_BYTES || launch_cluster_size(w->launch) == 1)
		return offset;
	first = SHARED_PART_BYTES * (launch_cluster_rank(w->launch, w->group) + 1);
	return offset - first < SHARED_PART_BYTES ? offset - first : offset;
}

void access_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes, uint8_t space)
{
	bool shared = space == space_SHARED || space == space_CLUSTER;
	uint64_t window = shared ? SHARED_BASE : space == space_LOCAL ? LOCAL_BASE : PARAMETER_BASE;

	assert(space != space_NONE && space < SPACES);
	raw_addresses(address, w, i, lanes);
	if (space == space_LOCAL && i->access.in_frame) {
		for (uint32_t l = 0; l < w->lanes; l++)
			address[l] += w->stack_base;
		return;
	}
	if (space == space_GLOBAL || space == space_CONST)
		return;
	/* a generic address given to a space's own instruction is taken as one */
	w->memory->leave_window(address, window, WINDOW_BYTES);
	if (space == space_SHARED && launch_cluster_size(w->launch) > 1)
		for (uint32_t l = 0; l < w->lanes; l++)
			address[l] = access_own_part(w, address[l]);
}

uint8_t access_addresses_of(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask *lanes)
{
	lane_mask of[SPACES];
	uint8_t space = i->access.space;

	if (space == space_NONE || i->access.cluster) {
		access_resolve(of, w, i, *lanes);
		space = of[space_GLOBAL] ? space_GLOBAL : space_SHARED;
		*lanes = of[space];
	}
	if (*lanes)
		access_addresses(address, w, i, *lanes, space);
	return space;
}

#define LINE_TABLE 128                  /* more than lanes, so a free place is always near */
#define LINE_HASH 0x9e3779b97f4a7c15ull /* 2^64 / the golden ratio; the 7 bits above 57 index the table */

static uint64_t line_of(uint64_t address, uint64_t bytes)
{
	return address & ~(bytes - 1);
}

/* Of few lanes. */
static uint32_t few_lines(const uint64_t *address, uint64_t bytes, lane_mask lanes, uint64_t *line, lane_mask *of_line)
{
	uint32_t count = 0;

	assert(__builtin_popcountll(lanes) < FEW_LANES);
	EACH_LANE(l, lanes) {
		uint64_t here = line_of(address[l], bytes);
		uint32_t k = 0;

		while (k < count && line[k] != here)
			k++;
		if (k == count) {
			line[count] = here;
			of_line[count++] = 0;
		}
		of_line[k] |= 1ull << l;
	}
	return count;
}

/* Of many lanes, most in lines of their own. */
static uint32_t scattered_lines(
	const uint64_t *address, uint64_t bytes, lane_mask lanes, uint64_t *line, lane_mask *of_line)
{
	uint8_t place[LINE_TABLE] = {0}; /* index into line, plus one */
	uint64_t last = UINT64_MAX;      /* neighbouring lanes mostly share a line */
	lane_mask *of_last = of_line;
	uint32_t count = 0;

	EACH_LANE(l, lanes) {
		uint64_t here = line_of(address[l], bytes);
		uint32_t at;

		if (here == last) {
			*of_last |= 1ull << l;
			continue;
		}
		at = (uint32_t)(here * LINE_HASH >> 57);
		while (place[at] && line[place[at] - 1] != here)
			at = (at + 1) % LINE_TABLE;
		if (!place[at]) {
			assert(count < CORE_WARPS);
			line[count] = here;
			of_line[count] = 0;
			place[at] = (uint8_t)++count;
		}
		last = here;
		of_last = &of_line[place[at] - 1];
		*of_last |= 1ull << l;
	}
	return count;
}

/* Line by line, while many lanes are left and share lines. */
uint32_t access_lines(const uint64_t *address, uint64_t bytes, const struct lane_memory *memory, lane_mask lanes,
	uint64_t *line, lane_mask *of_line)
{
	uint32_t count = 0, shared = FEW_LANES;

	assert(bytes == LINE_BYTES || bytes == LEAST_LINE);
	while (shared >= FEW_LANES && __builtin_popcountll(lanes) >= FEW_LANES) {
		line[count] = line_of(address[__builtin_ctzll(lanes)], bytes);
		of_line[count] = memory->in_block(address, line[count], bytes) & lanes;
		shared = (uint32_t)__builtin_popcountll(of_line[count]);
		assert(shared && count < CORE_WARPS);
		lanes &= ~of_line[count++];
	}
	if (__builtin_popcountll(lanes) >= FEW_LANES)
		return count + scattered_lines(address, bytes, lanes, line + count, of_line + count);
	return count + few_lines(address, bytes, lanes, line + count, of_line + count);
}

/* --- Checks --- */

const char *access_space_name(uint8_t space)
{
	switch (space) {
	case space_SHARED:
	case space_CLUSTER: return "shared";
	case space_LOCAL: return "local";
	case space_PARAM: return "parameter";
	case space_CONST: return "constant";
	default: return "global";
	}
}

/* The first address of a space that is not global memory. */
static uint64_t space_first(const struct warp_slot *r, uint8_t space)
{
	return space == space_SHARED ? r->warp.kernel->shared.first : 0;
}

/* The address after its last byte. */
static uint64_t space_limit(const struct warp_slot *r, uint8_t space)
{
	switch (space) {
	case space_SHARED: return r->warp.shared_bytes;
	case space_LOCAL: return r->warp.local_bytes;
	default: return r->warp.launch->parameter_bytes;
	}
}

/* Where systems of 64 bits put programs, their heaps and their stacks, and where no GPU's memory is. */
#define HOST_FIRST (UINT64_C(1) << 46)
#define HOST_END (UINT64_C(1) << 48)

#define FORMER_WORDS 320

/* What was at the address before what is there now, which the program may have meant; nothing. */
static void tell_former(char *words, size_t size, const struct address_space *space, uint64_t address)
{
	const struct allocation *freed = space_find_freed(space, address);
	int length;

	assert(size == FORMER_WORDS);
	assert(!*words);
	if (!freed)
		return;
	length = snprintf(words, size, "; before, there was ");
	freed_words(freed, words + length, size - (size_t)length);
}

static void fault_global(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, uint64_t address)
{
	const struct allocation *near = space_nearest(core->machine->space, address),
				*freed = space_find_freed(core->machine->space, address);
	const char *noun = memory_kinds[i->kind]->noun, *name = near ? allocation_name(near) : NULL;
	uint64_t end = near ? near->address + near->bytes : 0;
	char where[64] = " runs past the end of", former[FORMER_WORDS] = "";

	assert(access_bytes(i) && lane < r->warp.lanes);
	if (freed && !(near && allocation_guards(near, address))) {
		freed_words(freed, former, sizeof former);
		core_fault(core, r, i, lane, FAULT_address, "%s of %u byte%s at 0x%" PRIx64 ": freed memory: %s", noun,
			access_bytes(i), text_plural(access_bytes(i)), address, former);
		return;
	}
	bool is_hosts = address >= HOST_FIRST && address < HOST_END;
	if (!near || is_hosts) {
		core_fault(core, r, i, lane, FAULT_address, "%s of %u byte%s at 0x%" PRIx64 ": %s", noun,
			access_bytes(i), text_plural(access_bytes(i)), address,
			is_hosts ? "outside the GPU's memory, where pointers of the host are" : "nothing is allocated");
		return;
	}
	if (address >= end)
		snprintf(where, sizeof where, ": begins %" PRIu64 " byte%s past the end of", address - end + 1,
			text_plural(address - end + 1));
	else if (address < near->address)
		snprintf(where, sizeof where, ": %" PRIu64 " byte%s before", near->address - address,
			text_plural(near->address - address));
	tell_former(former, sizeof former, core->machine->space, address);
	core_fault(core, r, i, lane, FAULT_address,
		"%s of %u byte%s at 0x%" PRIx64 "%s %s (0x%" PRIx64 ", %" PRIu64 " bytes)%s", noun, access_bytes(i),
		text_plural(access_bytes(i)), address, where, name ? name : "an allocation", near->address, near->bytes,
		former);
}

/* The allocation of the first lane, into which the others' nearly always go too; null: none, or it has too few
 * bytes. */
static const struct allocation *first_allocation(struct core *core, uint32_t pc, uint64_t address, uint32_t bytes)
{
	const struct address_space *space = core->machine->space;
	uint32_t *recent = &core->lsu.allocations[pc % RECENT_ALLOCATIONS];
	const struct allocation *a = *recent < space->count ? &space->allocations[*recent] : NULL;

	assert(bytes);
	if (!a || !a->live || address - a->address >= a->bytes)
		a = space_find(space, address, bytes);
	if (a)
		*recent = (uint32_t)(a - space->allocations);
	assert(!a || (a->live && address - a->address < a->bytes));
	return a && a->bytes >= bytes ? a : NULL;
}

/* What nearly all accesses are: aligned, and within one allocation or the memory of the space.  Others are checked lane
 * by lane. */
static bool is_plain_access(struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	const struct allocation *a;
	uint32_t bytes = access_bytes(i);
	uint64_t first, limit;

	if (space == space_CLUSTER)
		return false;
	if (space == space_GLOBAL || space == space_CONST) {
		assert(lanes);
		a = first_allocation(core, r->warp.path->pc, address[__builtin_ctzll(lanes)], bytes);
		return a && (!a->constant || memory_kinds[i->kind]->only_loads) &&
		       r->warp.memory->fit(address, lanes, a->address, a->bytes - bytes, bytes - 1);
	}
	limit = space_limit(r, space);
	first = space_first(r, space);
	return limit >= first + bytes && r->warp.memory->fit(address, lanes, first, limit - first - bytes, bytes - 1);
}

/* Why a lane's access cannot be carried out; FAULT_NONE: it can. */
static enum fault_cause cause_against(
	const struct core *core, const struct warp_slot *r, const struct insn *i, uint8_t space, uint64_t address)
{
	uint32_t bytes = access_bytes(i);
	const struct allocation *a;
	uint64_t limit;

	assert(bytes && !(bytes & (bytes - 1)));
	if (address & (bytes - 1))
		return FAULT_misaligned;
	if (space == space_CLUSTER) {
		if (remote_rank(address) >= launch_cluster_size(r->warp.launch))
			return FAULT_address;
		space = space_SHARED;
		address = remote_offset(address);
	}
	if (space != space_GLOBAL && space != space_CONST) {
		limit = space_limit(r, space);
		return address < space_first(r, space) || address + bytes > limit || address + bytes < address
			       ? FAULT_address
			       : FAULT_NONE;
	}
	a = space_find(core->machine->space, address, bytes);
	if (!a)
		return FAULT_address;
	return a->constant && !memory_kinds[i->kind]->only_loads ? FAULT_constant : FAULT_NONE;
}

/* Outside of a space that is not global memory. */
static void fault_space(
	struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, uint8_t space, uint64_t address)
{
	const char *noun = memory_kinds[i->kind]->noun;
	uint64_t first = space_first(r, space), limit = space_limit(r, space);
	const char *s = text_plural(access_bytes(i));

	assert(space != space_GLOBAL && space != space_CONST);
	if (space == space_CLUSTER)
		core_fault(core, r, i, lane, FAULT_address,
			"shared %s of %u byte%s at offset 0x%" PRIx64
			" in the work-group of rank %u: the cluster has %u work-groups of %" PRIu64 " bytes",
			noun, access_bytes(i), s, remote_offset(address), remote_rank(address),
			launch_cluster_size(r->warp.launch), space_limit(r, space_SHARED));
	else if (address < first)
		core_fault(core, r, i, lane, FAULT_address,
			"%s %s of %u byte%s at 0x%" PRIx64 ", where there is no variable: a null pointer?",
			access_space_name(space), noun, access_bytes(i), s, address);
	else
		core_fault(core, r, i, lane, FAULT_address,
			"%s %s of %u byte%s at offset 0x%" PRIx64 ": there are %" PRIu64 " bytes",
			access_space_name(space), noun, access_bytes(i), s, address - first, limit - first);
}

static void fault_constant(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint64_t address, const struct allocation *a)
{
	char former[FORMER_WORDS] = "";

	assert(a->constant);
	tell_former(former, sizeof former, core->machine->space, address);
	core_fault(core, r, i, lane, FAULT_constant, "%s to the constant variable %s, which kernels only read%s",
		memory_kinds[i->kind]->noun, a->name ? a->name : "", former);
}

static void fault_of(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, uint8_t space,
	uint64_t address, enum fault_cause cause)
{
	const struct allocation *a = space_find(core->machine->space, address, 1);
	const char *noun = memory_kinds[i->kind]->noun;
	uint32_t bytes = access_bytes(i);

	assert(cause != FAULT_NONE && (cause != FAULT_constant || a));
	core->finding.has_address = true;
	core->finding.address = address;
	if (cause == FAULT_misaligned)
		core_fault(core, r, i, lane, cause, "%s %s of %u bytes at 0x%" PRIx64 " is not aligned to %u bytes",
			access_space_name(space), noun, bytes, address, bytes);
	else if (cause == FAULT_constant)
		fault_constant(core, r, i, lane, address, a);
	else if (space == space_GLOBAL || space == space_CONST)
		fault_global(core, r, i, lane, address);
	else
		fault_space(core, r, i, lane, space, address);
}

/* Not all are plain: without those that are dropped, which load zeros, or a finding and none. */
static __attribute__((noinline)) lane_mask allowed_one_by_one(struct core *core, struct warp_slot *r,
	const struct insn *i, lane_mask lanes, uint8_t space, const uint64_t *address)
{
	lane_mask dropped = 0;

	if (core->stopped) /* by an earlier finding, or it only thinks: check/ahead.c */
		return 0;
	EACH_LANE(l, lanes) {
		enum fault_cause cause = cause_against(core, r, i, space, address[l]);

		if (cause == FAULT_NONE)
			continue;
		dropped |= 1ull << l;
		if (drop_again(r, i, cause))
			continue;
		fault_of(core, r, i, (uint32_t)l, space, address[l], cause);
		if (!drop_take(core, r, i))
			return 0;
	}
	if (dropped && memory_kind_has_result(i))
		access_zero(r, i, dropped);
	return lanes & ~dropped;
}

lane_mask access_allowed(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
	const uint64_t *address)
{
	assert(lanes && !(lanes & ~r->warp.live));
	return is_plain_access(core, r, i, lanes, space, address)
		       ? lanes
		       : allowed_one_by_one(core, r, i, lanes, space, address);
}

void access_zero(const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	static const uint8_t zero[16];

	assert(lanes && !(lanes & ~r->warp.live));
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes)
			element_put(r->warp.bank, element_slot(i, r->warp.kernel, e, i->d), (uint32_t)l, r->warp.lanes,
				i, zero);
}

/* --- At once --- */

void access_will_write(struct core *core, uint64_t address, uint64_t bytes)
{
	assert(address >= GLOBAL_BASE);
	if (core->machine->at_start.snapshot)
		snapshot_save_range(&core->machine->at_start.snapshot->logs[0], address, bytes);
}

/* The same for lanes that write `bytes` each. */
static __attribute__((noinline)) void save_lanes(
	struct core *core, const struct warp_slot *r, const uint64_t *address, lane_mask lanes, uint32_t bytes)
{
	struct snapshot_log *log = &core->machine->at_start.snapshot->logs[0];
	const struct address_space *space = core->machine->space;
	uint64_t line = space_line_start(space, address[__builtin_ctzll(lanes)]);

	assert(lanes && bytes <= LEAST_LINE);
	if (r->warp.memory->fit(address, lanes, line, (1u << space->line_bits) - bytes, 0)) { /* mostly */
		if (!(*space_mark(space, line) & LINE_SAVED) && !log->snapshot->lost)
			snapshot_save(log, line);
		return;
	}
	EACH_LANE(l, lanes)
		snapshot_save_range(log, address[l], bytes);
}

void access_save_lanes(struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	if (core->machine->at_start.snapshot && space == space_GLOBAL)
		save_lanes(core, r, address, lanes, access_bytes(i));
}

memory_base access_memory(const struct core *core, const struct warp_slot *r, uint8_t space)
{
	assert(space == space_SHARED || space == space_CLUSTER || space == space_PARAM || space == space_GLOBAL ||
		space == space_CONST);
	return space == space_SHARED    ? (memory_base)r->group->shared
	       : space == space_CLUSTER ? core->remote_memory
	       : space == space_PARAM   ? (memory_base)r->warp.launch->parameters
					: (memory_base)core->machine->space->bytes - GLOBAL_BASE;
}

void access_direct_at(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	assert(core->machine->mode->at_once && lanes);
	lanes = access_allowed(core, r, i, lanes, space, address);
	if (!lanes)
		return;
	observe_access(core, r, i, lanes, space, address);
	if (space == space_CLUSTER)
		core->lsu.remote->at_once(core, r, i, lanes, address, 0);
	else
		memory_kinds[i->kind]->at_once(core, r, i, lanes, space, address);
}

/* Where the lanes of an access may go if the first goes to `address`, which is not yet taken out of a window.  False:
 * that needs a closer look. */
static bool span_of(struct core *core, const struct warp_slot *r, const struct insn *i, uint8_t space, uint64_t address,
	struct memory_span *span)
{
	const struct allocation *a;

	assert(space == space_SHARED || space == space_CLUSTER || space == space_GLOBAL || space == space_CONST);
	if (space == space_SHARED) {
		uint64_t first = space_first(r, space), limit = space_limit(r, space);

		*span = (struct memory_span){
			.window = SHARED_BASE, .window_bytes = WINDOW_BYTES, .first = first, .room = limit - first - 4};
		return limit >= first + 4;
	}
	a = space == space_GLOBAL ? first_allocation(core, r->warp.path->pc, address, 4) : NULL;
	if (!a || a->bytes > UINT32_MAX || (a->constant && !memory_kinds[i->kind]->only_loads))
		return false;
	*span = (struct memory_span){.first = a->address, .room = a->bytes - 4};
	return true;
}

/* Whether an observer hears the access, or something records what was there before. */
static bool is_watched(const struct core *core, const struct warp_slot *r, const struct insn *i, uint8_t space)
{
	if (observer_hears(core, OBSERVE_access, r->bit))
		return true;
	return i->kind == INSN_STORE &&
	       (observer_hears(core, OBSERVE_changed, r->bit) || observer_hears(core, OBSERVE_written, r->bit) ||
		       (core->machine->at_start.snapshot && space == space_GLOBAL));
}

bool access_is_watched(const struct core *core, const struct warp_slot *r)
{
	const uint64_t *heard = core->attached.heard;

	assert(r->used && r->bit);
	return (heard[OBSERVE_access] | heard[OBSERVE_changed] | heard[OBSERVE_written] | heard[OBSERVE_completed] |
		       heard[OBSERVE_works]) &
	       r->bit;
}

/* The register that a load or store of a word moves. */
static slot_ref word_of(const struct insn *i)
{
	assert(i->kind == INSN_LOAD || i->kind == INSN_STORE);
	return i->kind == INSN_LOAD ? i->d : i->s[1];
}

static bool is_word_of_all(const struct warp *w, const struct insn *i, lane_mask lanes)
{
	assert(lanes && !(lanes & ~w->live));
	return lanes == ~0ull >> (64 - w->lanes) && (i->kind == INSN_LOAD || i->kind == INSN_STORE) &&
	       element_is_word(i) && word_of(i) != SLOT_NONE;
}

bool access_shared_rows(
	struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes, struct memory_rows *rows)
{
	const struct warp *w = &r->warp;
	struct memory_span span;

	assert(!core->machine->mode->at_once);
	assert(r->group && r->group->shared == w->shared);
	if (!is_word_of_all(w, i, lanes) || access_is_watched(core, r) || launch_cluster_size(w->launch) > 1 ||
		!span_of(core, r, i, space_SHARED, 0, &span) ||
		!(i->s_bytes[0] == 8
				? w->memory->find_rows(rows, slot_at(w, i->s[0]), (uint64_t)i->offset, &span)
				: w->memory->find_rows_narrow(rows, slot_at(w, i->s[0]), (uint32_t)i->offset, &span)))
		return false;
	for (uint32_t k = 0; k < w->lanes / WARP_ROW; k++)
		rows->at[k] += (uint32_t)span.first;
	return true;
}

void access_leave_rows(struct operation *op)
{
	assert(op->in_rows && op->space == space_SHARED);
	op->slot->warp.memory->rows_addresses(op->address, &op->rows);
	op->in_rows = false;
}

/* A load or store of a word by all lanes of a full warp, without faults or observers: most of what programs do.  False:
 * it is another access, and nothing was done. */
static bool access_all(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	const struct warp *w = &r->warp;
	const uint64_t *base = slot_at(w, i->s[0]);
	struct memory_span span;
	memory_base memory;

	if (!is_word_of_all(w, i, lanes) || i->s_bytes[0] != 8 || is_watched(core, r, i, space) ||
		!span_of(core, r, i, space, base[0] + (uint64_t)i->offset, &span))
		return false;
	memory = access_memory(core, r, space);
	return i->kind == INSN_LOAD
		       ? w->memory->load_all(slot_at(w, word_of(i)), memory, base, (uint64_t)i->offset, &span)
		       : w->memory->store_all(memory, base, (uint64_t)i->offset, slot_at(w, word_of(i)), &span);
}

void access_direct(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	uint64_t address[CORE_WARPS];

	assert(core->machine->mode->at_once && lanes);
	if (access_all(core, r, i, lanes, space))
		return;
	access_addresses(address, &r->warp, i, lanes, space);
	access_direct_at(core, r, i, lanes, space, address);
}

/* --- Local memory --- */

void access_local_read(const struct warp *w, uint32_t lane, uint32_t offset, void *to, uint32_t bytes)
{
	for (uint32_t k = 0; k < bytes; k++)
		((uint8_t *)to)[k] = *local_byte(w, lane, offset + k);
}

void access_local_write(const struct warp *w, uint32_t lane, uint32_t offset, const void *from, uint32_t bytes)
{
	for (uint32_t k = 0; k < bytes; k++)
		*local_byte(w, lane, offset + k) = ((const uint8_t *)from)[k];
}

/* --- Lines --- */

uint32_t access_line_bytes(const struct operation *op)
{
	assert(op->group->used);
	return op->group->core_launch->launch->machine->model->line_bytes;
}

/* --- Sectors --- */

uint8_t access_sectors(const struct core *core, const struct operation *op, const struct transaction *t)
{
	uint32_t bytes = access_bytes(op->insn);
	uint8_t sectors = 0;

	assert(t->lanes && !(t->lanes & ~op->lanes));
	EACH_LANE(l, t->lanes)
		sectors |= l1_sector_mask(&core->l1, (uint32_t)(op->address[l] - t->line), bytes);
	return sectors;
}
