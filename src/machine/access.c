/* The values of memory accesses: addresses, checks, and moving bytes between registers and memory. */
#include "machine/access.h"

#include "machine/drop.h"
#include "machine/launch.h"
#include "machine/lock_bits.h"
#include "machine/observe/locks.h"
#include "machine/watch.h"
#include "memory/snapshot.h"
#include "warp/atomic.h"
#include "warp/memory.h"

#include <string.h>

static uint32_t access_bytes(const struct insn *i)
{
	return (uint32_t)i->access.bytes * i->access.elements;
}

/* --- Addresses --- */

/* With few lanes, as in the critical sections of a divergent warp, the others' words of `address` are better left alone. */
#define FEW_LANES 8

static void raw_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes)
{
	const void *base = warp_slot(w, i->s[0]);
	uint64_t offset = (uint64_t)i->offset;

	if (i->s_bytes[0] == 8 && __builtin_popcountll(lanes) <= FEW_LANES)
		EACH_LANE(l, lanes)
			address[l] = ((const uint64_t *)base)[l] + offset;
	else if (i->s_bytes[0] == 8)
		w->memory->addresses(address, base, offset);
	else
		for (uint32_t l = 0; l < w->lanes; l++)
			address[l] = (uint32_t)(((const uint32_t *)base)[l] + (uint32_t)offset);
}

static uint8_t space_of(uint64_t address)
{
	if (address >= GLOBAL_BASE)
		return space_GLOBAL;
	if (address - SHARED_BASE < WINDOW_BYTES)
		return space_SHARED;
	if (address - LOCAL_BASE < WINDOW_BYTES)
		return space_LOCAL;
	if (address - PARAMETER_BASE < SHARED_BASE - PARAMETER_BASE)
		return space_PARAM;
	return space_GLOBAL; /* faults there */
}

void access_resolve(lane_mask of[space_SHARED + 1], const struct warp *w, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	memset(of, 0, (space_SHARED + 1) * sizeof of[0]);
	raw_addresses(address, w, i, lanes);
	EACH_LANE(l, lanes)
		of[space_of(address[l])] |= 1ull << l;
}

void access_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes, uint8_t space)
{
	uint64_t window = space == space_SHARED ? SHARED_BASE : space == space_LOCAL ? LOCAL_BASE : PARAMETER_BASE;

	raw_addresses(address, w, i, lanes);
	if (space == space_LOCAL && i->access.in_frame) {
		for (uint32_t l = 0; l < w->lanes; l++)
			address[l] += w->stack_base;
		return;
	}
	if (space == space_GLOBAL || space == space_CONST)
		return;
	for (uint32_t l = 0; l < w->lanes; l++) /* a generic address given to a space's own instruction is taken as one */
		address[l] -= address[l] - window < WINDOW_BYTES ? window : 0;
}

uint8_t access_addresses_of(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask *lanes)
{
	lane_mask of[space_SHARED + 1];
	uint8_t space = i->access.space;

	if (space == space_NONE) {
		access_resolve(of, w, i, *lanes);
		space = of[space_GLOBAL] ? space_GLOBAL : space_SHARED;
		*lanes = of[space];
	}
	if (*lanes)
		access_addresses(address, w, i, *lanes, space);
	return space;
}

#define LINE_TABLE 128 /* more than lanes, so a free place is always near */

uint32_t access_lines(const uint64_t *address, lane_mask lanes, uint64_t *line, lane_mask *of_line)
{
	uint8_t place[LINE_TABLE] = { 0 }; /* index into line, plus one */
	uint32_t count = 0;

	EACH_LANE(l, lanes) {
		uint64_t here = address[l] / LINE_BYTES;
		uint32_t at = (uint32_t)(here * 0x9e3779b97f4a7c15ull >> 57);

		while (place[at] && line[place[at] - 1] != here * LINE_BYTES)
			at = (at + 1) % LINE_TABLE;
		if (!place[at]) {
			place[at] = (uint8_t)(count + 1);
			line[count] = here * LINE_BYTES;
			of_line[count++] = 0;
		}
		of_line[place[at] - 1] |= 1ull << l;
	}
	return count;
}

/* --- Checks --- */

static const char *space_name(uint8_t space)
{
	switch (space) {
	case space_SHARED: return "shared";
	case space_LOCAL: return "local";
	case space_PARAM: return "parameter";
	case space_CONST: return "constant";
	default: return "global";
	}
}

static const char *access_name(const struct insn *i)
{
	return i->kind == INSN_LOAD ? "load" : i->kind == INSN_STORE ? "store" : i->kind == INSN_MBARRIER ? "mbarrier" : "atomic";
}

/* The first address of a space that is not global memory. */
static uint64_t space_first(const struct resident *r, uint8_t space)
{
	return space == space_SHARED ? r->warp.kernel->shared_first : 0;
}

/* The address behind its last byte. */
static uint64_t space_limit(const struct resident *r, uint8_t space)
{
	switch (space) {
	case space_SHARED: return r->warp.shared_bytes;
	case space_LOCAL: return r->warp.local_bytes;
	default: return r->warp.launch->parameter_bytes;
	}
}

static void fault_global(struct core *core, struct resident *r, const struct insn *i, uint32_t lane, uint64_t address)
{
	const struct allocation *near = space_nearest(core->machine->space, address);
	uint32_t bytes = access_bytes(i);

	if (!near)
		core_fault(core, r, i, lane, "address", "%s of %u bytes at 0x%llx: nothing is allocated", access_name(i), bytes,
			   (unsigned long long)address);
	else if (address >= near->address + near->bytes)
		core_fault(core, r, i, lane, "address", "%s of %u bytes at 0x%llx: begins %llu bytes behind the last byte of %s (0x%llx, %llu bytes)",
			   access_name(i), bytes, (unsigned long long)address, (unsigned long long)(address - near->address - near->bytes + 1),
			   near->name ? near->name : "an allocation", (unsigned long long)near->address, (unsigned long long)near->bytes);
	else if (address < near->address)
		core_fault(core, r, i, lane, "address", "%s of %u bytes at 0x%llx: %llu bytes before %s (0x%llx, %llu bytes)",
			   access_name(i), bytes, (unsigned long long)address, (unsigned long long)(near->address - address),
			   near->name ? near->name : "an allocation", (unsigned long long)near->address, (unsigned long long)near->bytes);
	else
		core_fault(core, r, i, lane, "address", "%s of %u bytes at 0x%llx runs past the end of %s (0x%llx, %llu bytes)",
			   access_name(i), bytes, (unsigned long long)address, near->name ? near->name : "an allocation",
			   (unsigned long long)near->address, (unsigned long long)near->bytes);
}

/* The allocation of the first lane, into which the others' nearly always go too; null: none, or it has too few bytes. */
static const struct allocation *first_allocation(struct core *core, uint32_t pc, uint64_t address, uint32_t bytes)
{
	const struct address_space *space = core->machine->space;
	uint32_t *recent = &core->allocations[pc % RECENT_ALLOCATIONS];
	const struct allocation *a = *recent < space->count ? &space->allocations[*recent] : NULL;

	if (!a || !a->live || address - a->address >= a->bytes)
		a = space_find(space, address, bytes);
	if (a)
		*recent = (uint32_t)(a - space->allocations);
	return a && a->bytes >= bytes ? a : NULL;
}

/* What nearly all accesses are: aligned, and within one allocation or the memory of the space.  Others are looked at lane by lane. */
static bool is_plain_access(struct core *core, const struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space,
			    const uint64_t *address)
{
	const struct allocation *a;
	uint32_t bytes = access_bytes(i);
	uint64_t first, limit;

	if (space == space_GLOBAL || space == space_CONST) {
		a = first_allocation(core, r->warp.path->pc, address[__builtin_ctzll(lanes)], bytes);
		return a && (i->kind == INSN_LOAD || !a->constant) &&
		       r->warp.memory->fit(address, lanes, a->address, a->bytes - bytes, bytes - 1);
	}
	limit = space_limit(r, space);
	first = space_first(r, space);
	return limit >= first + bytes && r->warp.memory->fit(address, lanes, first, limit - first - bytes, bytes - 1);
}

/* Why a lane's access cannot be carried out; null: it can. */
static const char *cause_against(const struct core *core, const struct resident *r, const struct insn *i, uint8_t space, uint64_t address)
{
	uint32_t bytes = access_bytes(i);
	const struct allocation *a;
	uint64_t limit;

	if (address & (bytes - 1))
		return "misaligned";
	if (space != space_GLOBAL && space != space_CONST) {
		limit = space_limit(r, space);
		return address < space_first(r, space) || address + bytes > limit || address + bytes < address ? "address" : NULL;
	}
	a = space_find(core->machine->space, address, bytes);
	if (!a)
		return "address";
	return a->constant && i->kind != INSN_LOAD ? "constant" : NULL;
}

/* Outside of a space that is not global memory. */
static void fault_space(struct core *core, struct resident *r, const struct insn *i, uint32_t lane, uint8_t space, uint64_t address)
{
	uint64_t first = space_first(r, space), limit = space_limit(r, space);

	if (address < first)
		core_fault(core, r, i, lane, "address", "%s %s of %u bytes at 0x%llx, where no variable is: NULL?", space_name(space),
			   access_name(i), access_bytes(i), (unsigned long long)address);
	else
		core_fault(core, r, i, lane, "address", "%s %s of %u bytes at offset 0x%llx: there are %llu bytes", space_name(space),
			   access_name(i), access_bytes(i), (unsigned long long)(address - first), (unsigned long long)(limit - first));
}

static void fault_of(struct core *core, struct resident *r, const struct insn *i, uint32_t lane, uint8_t space, uint64_t address, const char *cause)
{
	const struct allocation *a = space_find(core->machine->space, address, 1);
	uint32_t bytes = access_bytes(i);

	core->finding.has_address = true;
	core->finding.address = address;
	if (!strcmp(cause, "misaligned"))
		core_fault(core, r, i, lane, cause, "%s %s of %u bytes at 0x%llx is not aligned to %u bytes", space_name(space), access_name(i),
			   bytes, (unsigned long long)address, bytes);
	else if (!strcmp(cause, "constant"))
		core_fault(core, r, i, lane, cause, "%s to the constant variable %s", access_name(i),
			   a->name ? a->name : "");
	else if (space == space_GLOBAL || space == space_CONST)
		fault_global(core, r, i, lane, address);
	else
		fault_space(core, r, i, lane, space, address);
}

/* Not all are plain: without those that are dropped, which load zeros, or a finding and none. */
static __attribute__((noinline)) lane_mask allowed_one_by_one(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes,
							      uint8_t space, const uint64_t *address)
{
	lane_mask dropped = 0;

	if (core->stopped) /* by an earlier finding, or it only thinks: check/ahead.c */
		return 0;
	EACH_LANE(l, lanes) {
		const char *cause = cause_against(core, r, i, space, address[l]);

		if (!cause)
			continue;
		dropped |= 1ull << l;
		if (drop_again(r, i, cause))
			continue;
		fault_of(core, r, i, (uint32_t)l, space, address[l], cause);
		if (!drop_take(core, r, i))
			return 0;
	}
	if (dropped && i->kind != INSN_STORE && !(i->flags & INSN_NO_RESULT))
		access_zero(r, i, dropped);
	return lanes & ~dropped;
}

lane_mask access_allowed(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space, const uint64_t *address)
{
	return is_plain_access(core, r, i, lanes, space, address) ? lanes : allowed_one_by_one(core, r, i, lanes, space, address);
}

/* --- Registers and plain bytes --- */

static uint64_t low_bits(const void *from, uint32_t bytes)
{
	uint64_t value = 0;
	uint32_t word;

	if (bytes == 4) { /* these two nearly always, and a copy of a known length is one instruction */
		memcpy(&word, from, 4);
		return word;
	}
	if (bytes >= 8) {
		memcpy(&value, from, 8);
		return value;
	}
	memcpy(&value, from, bytes);
	return value;
}

static uint64_t extend(uint64_t value, uint32_t bytes, bool is_signed)
{
	uint32_t shift = 64 - 8 * bytes;

	return is_signed && bytes < 8 ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

/* Writes one lane of a register from memory bytes. */
static void put(uint32_t *const *bank, slot_ref slot, uint32_t lane, uint32_t width, const struct insn *i, const void *from)
{
	uint32_t *at;
	uint64_t value;

	if (slot == SLOT_NONE)
		return;
	at = bank[slot >> 30] + (slot & SLOT_OFFSET);
	if (i->access.bytes == 16) {
		memcpy((uint64_t *)at + lane, from, 8);
		memcpy((uint64_t *)at + width + lane, (const char *)from + 8, 8);
		return;
	}
	value = extend(low_bits(from, i->access.bytes), i->access.bytes, i->flags & INSN_SIGNED);
	if (i->access.register_bytes >= 8)
		((uint64_t *)at)[lane] = value;
	else
		at[lane] = (uint32_t)value;
	if (i->access.register_bytes == 16)
		((uint64_t *)at)[width + lane] = i->flags & INSN_SIGNED ? (uint64_t)((int64_t)value >> 63) : 0;
}

/* Reads one lane of a register as memory bytes. */
static void get(const struct warp *w, slot_ref slot, uint32_t lane, uint32_t source_bytes, uint32_t bytes, void *to)
{
	const uint32_t *at;

	if (slot == SLOT_NONE) {
		memset(to, 0, bytes);
		return;
	}
	at = warp_slot(w, slot);
	if (bytes == 16) {
		memcpy(to, (const uint64_t *)at + lane, 8);
		memcpy((char *)to + 8, (const uint64_t *)at + w->lanes + lane, 8);
	} else if (source_bytes >= 8) {
		memcpy(to, (const uint64_t *)at + lane, bytes);
	} else if (bytes == 4) {
		memcpy(to, at + lane, 4);
	} else if (bytes < 4) {
		memcpy(to, at + lane, bytes);
	} else {
		uint64_t wide = at[lane];

		memcpy(to, &wide, bytes);
	}
}

/* One 32-bit word per lane between memory and a register of that width: nearly every access, and worth a loop of its own. */
static bool moves_words(const struct insn *i)
{
	return i->access.bytes == 4 && i->access.elements == 1 && i->access.register_bytes == 4;
}

static slot_ref element_slot(const struct insn *i, const struct kernel *kernel, uint32_t element, slot_ref single)
{
	return i->access.elements == 1 ? single : kernel->extras[i->extra].vector[element];
}

/* The operands of a lane's atomic on one element: a, then b, which operations on vectors have not. */
static uint8_t *atomic_data(uint8_t *data, const struct insn *i, uint32_t lane, uint32_t element)
{
	return data + (lane * i->access.elements + element) * 2 * i->access.bytes;
}

/* The operands of an atomic on words. */
static void capture_words(uint32_t *data, const uint32_t *a, const uint32_t *b, lane_mask lanes)
{
	EACH_LANE(l, lanes) {
		data[2 * l] = a[l];
		data[2 * l + 1] = b[l];
	}
}

void access_capture(uint8_t *data, const struct warp *w, const struct kernel *kernel, const struct insn *i, lane_mask lanes)
{
	uint32_t bytes = i->access.bytes, stride = access_bytes(i);

	if (i->kind == INSN_ATOMIC && i->access.elements > 1) {
		for (uint32_t e = 0; e < i->access.elements; e++)
			EACH_LANE(l, lanes)
				get(w, kernel->extras[i->extra].values[e], (uint32_t)l, i->access.register_bytes, bytes, atomic_data(data, i, (uint32_t)l, e));
		return;
	}
	if (i->kind == INSN_ATOMIC && moves_words(i) && i->s_bytes[1] == 4 && i->s_bytes[2] == 4) {
		capture_words((uint32_t *)(void *)data, warp_slot(w, i->s[1]), warp_slot(w, i->s[2]), lanes);
		return;
	}
	if (i->kind == INSN_ATOMIC || i->kind == INSN_MBARRIER) {
		EACH_LANE(l, lanes) {
			get(w, i->s[1], (uint32_t)l, i->s_bytes[1], bytes, data + l * 2 * bytes);
			get(w, i->s[2], (uint32_t)l, i->s_bytes[2], bytes, data + l * 2 * bytes + bytes);
		}
		return;
	}
	if (moves_words(i)) {
		memcpy(data, warp_slot(w, i->s[1]), (size_t)w->lanes * 4);
		return;
	}
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes)
			get(w, element_slot(i, kernel, e, i->s[1]), (uint32_t)l, i->access.register_bytes, bytes,
			    data + l * stride + e * bytes);
}

void access_scatter(const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line, const struct kernel *kernel)
{
	const struct insn *i = op->insn;
	uint32_t width = op->resident->warp.lanes, bytes = i->access.bytes;

	if (moves_words(i) && i->d != SLOT_NONE) {
		uint32_t *to = op->bank[0] + i->d;

		EACH_LANE(l, lanes)
			memcpy(&to[l], data + (op->address[l] - line), 4);
		return;
	}
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes)
			put(op->bank, element_slot(i, kernel, e, i->d), (uint32_t)l, width, i, data + (op->address[l] - line) + e * bytes);
}

void access_zero(const struct resident *r, const struct insn *i, lane_mask lanes)
{
	static const uint8_t zero[16];

	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes)
			put(r->warp.bank, element_slot(i, r->warp.kernel, e, i->d), (uint32_t)l, r->warp.lanes, i, zero);
}

uint32_t access_gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	uint32_t stride = access_bytes(op->insn), sectors = 0;

	payload->mask[0] = payload->mask[1] = 0;
	EACH_LANE(l, lanes) {
		uint32_t offset = (uint32_t)(op->address[l] - line);

		memcpy(payload->data + offset, op->data + l * stride, stride);
		payload->mask[offset / 64] |= ((1ull << stride) - 1) << offset % 64;
		sectors |= 1u << offset / 32;
	}
	return (uint32_t)__builtin_popcount(sectors) * 32;
}

/* --- Atomics --- */

static bool combinable(const struct insn *i)
{
	enum ptx_type_kind kind = ptx_types[i->access.type].kind;

	return i->access.atomic == ATOMIC_ADD && (kind == KIND_UNSIGNED || kind == KIND_SIGNED || kind == KIND_BITS);
}

uint32_t access_atomic_entries(const struct operation *op, lane_mask lanes, uint32_t element, bool combine, struct atomic_entry *entries, uint64_t *high)
{
	uint32_t count = 0;
	uint32_t bytes = op->insn->access.bytes;

	combine = combine && combinable(op->insn);
	EACH_LANE(l, lanes) {
		const uint8_t *data = atomic_data(op->data, op->insn, (uint32_t)l, element);
		uint64_t address = op->address[l] + element * bytes;
		uint32_t k = 0;

		while (combine && k < count && entries[k].address != address)
			k++;
		if (combine && k < count) {
			entries[k].a += low_bits(data, bytes);
			continue;
		}
		entries[count] = (struct atomic_entry){ .a = low_bits(data, bytes), .b = low_bits(data + bytes, bytes),
							.address = address };
		if (bytes == 16) {
			memcpy(&high[2 * count], data + 8, 8);
			memcpy(&high[2 * count + 1], data + bytes + 8, 8);
		}
		count++;
	}
	return count;
}

void access_old_values(const struct operation *op, lane_mask lanes, uint32_t element, const uint64_t *old, const struct kernel *kernel)
{
	const struct insn *i = op->insn;
	uint32_t words = i->access.bytes == 16 ? 2 : 1;

	if (moves_words(i) && i->d != SLOT_NONE) {
		uint32_t *to = op->bank[0] + i->d;

		EACH_LANE(l, lanes)
			to[l] = (uint32_t)*old++;
		return;
	}
	EACH_LANE(l, lanes) {
		put(op->bank, element_slot(i, kernel, element, i->d), (uint32_t)l, op->resident->warp.lanes, i, old);
		old += words;
	}
}

static uint64_t apply_one(const struct insn *i, void *where, const uint8_t *data, bool is_shared_with_host)
{
	uint64_t a = low_bits(data, i->access.bytes), b = low_bits(data + i->access.bytes, i->access.bytes);

	return is_shared_with_host ? atomic_apply_shared((enum atomic_op)i->access.atomic, (enum ptx_type)i->access.type, where, a, b)
				   : atomic_apply((enum atomic_op)i->access.atomic, (enum ptx_type)i->access.type, where, a, b);
}

/* 16-byte exchange and compare-and-swap, the only ones of that width. */
static void apply_wide(const struct insn *i, void *where, const uint8_t *data, uint64_t old[2])
{
	memcpy(old, where, 16);
	if (i->access.atomic == ATOMIC_EXCH)
		memcpy(where, data, 16);
	else if (memcmp(where, data, 16) == 0)
		memcpy(where, data + 16, 16);
}

/* Atomics on memory that this core may touch at once: its shared memory, or any in functional mode. */
static void element_at_once(struct core *core, struct operation *op, uint32_t element, uint8_t *memory)
{
	uint64_t old[CORE_WARPS * 2];
	uint32_t words = op->insn->access.bytes == 16 ? 2 : 1, k = 0;
	bool is_shared_with_host = core->machine->space->host_writes && memory != op->group->shared;

	EACH_LANE(l, op->lanes) {
		void *where = memory + op->address[l] + element * op->insn->access.bytes;
		const uint8_t *data = atomic_data(op->data, op->insn, (uint32_t)l, element);
		uint8_t before[16];

		if (core->watch)
			memcpy(before, where, op->insn->access.bytes);
		if (words == 2)
			apply_wide(op->insn, where, data, &old[k]);
		else
			old[k] = apply_one(op->insn, where, data, is_shared_with_host);
		if (core->watch)
			journal_wrote(&core->watch->journal, where, before, op->insn->access.bytes);
		k += words;
	}
	if (!(op->insn->flags & INSN_LOCK_TRY))
		lock_ledger_written(core, op->resident, op->address, op->lanes);
	if (op->insn->flags & INSN_NO_RESULT)
		return;
	lock_ledger_answered(core, op, op->lanes, old);
	access_old_values(op, op->lanes, element, old, op->resident->warp.kernel);
}

static void atomics_at_once(struct core *core, struct operation *op, uint8_t *memory)
{
	for (uint32_t e = 0; e < op->insn->access.elements; e++)
		element_at_once(core, op, e, memory);
}

/* --- At once --- */

static void load_at_once(struct operation *op, const uint8_t *memory)
{
	access_scatter(op, op->lanes, memory, 0, op->resident->warp.kernel);
}

static void store_at_once(struct core *core, struct operation *op, uint8_t *memory)
{
	uint32_t stride = access_bytes(op->insn);

	EACH_LANE(l, op->lanes) {
		uint8_t *where = memory + op->address[l], before[JOURNAL_BYTES];

		if (core->watch)
			memcpy(before, where, stride);
		memcpy(where, op->data + l * stride, stride);
		if (core->watch)
			journal_wrote(&core->watch->journal, where, before, stride);
	}
	lock_ledger_written(core, op->resident, op->address, op->lanes);
}

void access_shared(struct core *core, struct operation *op)
{
	uint8_t *memory = op->group->shared;

	switch (op->insn->kind) {
	case INSN_LOAD: load_at_once(op, memory); break;
	case INSN_STORE: store_at_once(core, op, memory); break;
	default: atomics_at_once(core, op, memory); break;
	}
}

void access_direct(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	uint64_t address[CORE_WARPS];

	access_addresses(address, &r->warp, i, lanes, space);
	access_direct_at(core, r, i, lanes, space, address);
}

void access_will_write(struct core *core, uint64_t address, uint64_t bytes)
{
	if (core->machine->snapshot)
		snapshot_save_range(&core->machine->snapshot->logs[0], address, bytes);
}

/* The same of lanes, so many bytes each. */
static __attribute__((noinline)) void save_lines(struct core *core, const struct resident *r, const uint64_t *address, lane_mask lanes, uint32_t bytes)
{
	struct snapshot_log *log = &core->machine->snapshot->logs[0];
	uint64_t line = address[__builtin_ctzll(lanes)] / LINE_BYTES * LINE_BYTES;

	if (r->warp.memory->fit(address, lanes, line, LINE_BYTES - bytes, 0)) { /* mostly */
		if (!(*space_mark(core->machine->space, line) & LINE_SAVED) && !log->snapshot->lost)
			snapshot_save(log, line);
		return;
	}
	EACH_LANE(l, lanes)
		snapshot_save_range(log, address[l], bytes);
}

void access_direct_at(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	uint8_t data[CORE_WARPS * ACCESS_DATA_BYTES];
	struct operation op;
	uint8_t *memory = space == space_SHARED ? r->group->shared : core->machine->space->bytes - GLOBAL_BASE;

	lanes = access_allowed(core, r, i, lanes, space, address);
	if (!lanes)
		return;
	if (i->kind == INSN_LOAD && moves_words(i) && i->d != SLOT_NONE) {
		r->warp.memory->load_words(warp_slot(&r->warp, i->d), memory, address, lanes);
		return;
	}
	if (core->machine->snapshot && i->kind != INSN_LOAD && space == space_GLOBAL)
		save_lines(core, r, address, lanes, access_bytes(i));
	op.insn = i;
	op.resident = r;
	op.group = r->group;
	op.bank[0] = r->warp.bank[0];
	op.bank[1] = r->warp.bank[1];
	op.lanes = lanes;
	op.data = data;
	op.address = address;
	if (i->kind == INSN_LOAD) {
		load_at_once(&op, memory);
		return;
	}
	if (i->kind == INSN_STORE && moves_words(i) && i->s[1] != SLOT_NONE && !core->watch) {
		r->warp.memory->store_words(memory, address, warp_slot(&r->warp, i->s[1]), lanes);
		lock_ledger_written(core, r, address, lanes);
		return;
	}
	access_capture(data, &r->warp, r->warp.kernel, i, lanes);
	if (i->kind == INSN_STORE)
		store_at_once(core, &op, memory);
	else
		atomics_at_once(core, &op, memory);
}

/* --- Shared-memory banks --- */

/* How many cycles the banks need: the most different words that one bank is asked for; lanes asking for the same word share.
 * A wide access takes one pass per 4 bytes of an element (the hardware splits it by quarter and half warps likewise). */
static uint32_t bank_cycles(const struct gpu_model *model, const struct insn *i, const uint64_t *address, lane_mask lanes)
{
	uint32_t words_each = access_bytes(i) > 4 ? access_bytes(i) / 4 : 1, count = 0, worst = 1;
	uint64_t words[CORE_WARPS];
	uint8_t load[64] = { 0 };

	EACH_LANE(l, lanes) {
		uint64_t word = address[l] / 4;
		uint32_t k = 0;

		while (k < count && words[k] != word)
			k++;
		if (k < count)
			continue;
		words[count++] = word;
	}
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t e = 0; e < words_each; e++) {
			uint32_t bank = (uint32_t)(words[k] + e) % model->shared_banks;

			if (++load[bank] > worst)
				worst = load[bank];
		}
	return worst;
}

/* Most lanes on one word. */
static uint32_t same_word_lanes(const uint64_t *address, lane_mask lanes)
{
	uint32_t worst = 0;

	EACH_LANE(l, lanes) {
		uint32_t same = 0;

		EACH_LANE(m, lanes)
			same += address[m] == address[l];
		worst = same > worst ? same : worst;
	}
	return worst;
}

/* mbarrier objects are younger than lock bits: where a model has those, its objects take an arrival a cycle. */
static uint32_t object_cycles(const struct gpu_model *model, const struct insn *i, const uint64_t *address, lane_mask lanes)
{
	bool only_looks = ptx_ops[i->op].effects == EFFECT_READS;
	uint32_t interval = only_looks ? 0 : model->shared_atomic_locks ? 1 : model->shared_atomic_interval;

	return bank_cycles(model, i, address, lanes) + (same_word_lanes(address, lanes) - 1) * interval;
}

uint32_t access_shared_cycles(const struct gpu_model *model, const struct insn *i, const uint64_t *address, lane_mask lanes)
{
	uint32_t banks;

	if (i->kind == INSN_MBARRIER)
		return object_cycles(model, i, address, lanes);
	banks = bank_cycles(model, i, address, lanes);
	if (i->kind != INSN_ATOMIC)
		return banks;
	if (model->shared_atomic_locks)
		return lock_bits_cycles(address, lanes, banks);
	return banks + (same_word_lanes(address, lanes) - 1) * model->shared_atomic_interval;
}

/* --- Parameter, constant and local memory --- */

static uint8_t *local_byte(const struct warp *w, uint32_t lane, uint32_t offset)
{
	return w->local + ((size_t)(offset / 4) * w->lanes + lane) * 4 + offset % 4;
}

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

static void local_access(struct resident *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	const struct kernel *kernel = r->warp.kernel;
	uint32_t bytes = i->access.bytes;
	uint8_t value[16];

	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes) {
			uint32_t offset = (uint32_t)address[l] + e * bytes;

			if (i->kind == INSN_LOAD) {
				access_local_read(&r->warp, (uint32_t)l, offset, value, bytes);
				put(r->warp.bank, element_slot(i, kernel, e, i->d), (uint32_t)l, r->warp.lanes, i, value);
			} else {
				get(&r->warp, element_slot(i, kernel, e, i->s[1]), (uint32_t)l, i->access.register_bytes, bytes, value);
				access_local_write(&r->warp, (uint32_t)l, offset, value, bytes);
			}
		}
}

/* A thread's own local memory through a generic atomic: nobody else can be there, so plain steps do. */
static void local_atomic(struct resident *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	uint8_t data[CORE_WARPS * ACCESS_DATA_BYTES], value[16];

	access_capture(data, &r->warp, r->warp.kernel, i, lanes);
	EACH_LANE(l, lanes) {
		uint64_t old[2];

		access_local_read(&r->warp, (uint32_t)l, (uint32_t)address[l], value, i->access.bytes);
		if (i->access.bytes == 16)
			apply_wide(i, value, data + l * 2 * i->access.bytes, old);
		else
			old[0] = apply_one(i, value, data + l * 2 * i->access.bytes, false);
		access_local_write(&r->warp, (uint32_t)l, (uint32_t)address[l], value, i->access.bytes);
		if (!(i->flags & INSN_NO_RESULT))
			put(r->warp.bank, i->d, (uint32_t)l, r->warp.lanes, i, old);
	}
}

static void read_only(struct resident *r, const struct insn *i, lane_mask lanes, const uint64_t *address, const uint8_t *memory)
{
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes)
			put(r->warp.bank, element_slot(i, r->warp.kernel, e, i->d), (uint32_t)l, r->warp.lanes, i,
			    memory + address[l] + e * i->access.bytes);
}

/* Gives all `lanes` of a register of 4 or 8 bytes one value. */
static void broadcast(const struct warp *w, slot_ref slot, lane_mask lanes, uint32_t register_bytes, uint64_t value)
{
	if (slot == SLOT_NONE)
		return;
	if (register_bytes == 8)
		w->memory->broadcast_wide(warp_slot(w, slot), lanes, value);
	else
		w->memory->broadcast(warp_slot(w, slot), lanes, (uint32_t)value);
}

/* A load of a parameter by its name, as nearly all are: one address and one value for all lanes.  False: it is not one, or at fault. */
static bool load_parameter(struct resident *r, const struct insn *i, lane_mask lanes)
{
	const struct launch_values *launch = r->warp.launch;
	uint32_t bytes = i->access.bytes, all = access_bytes(i);
	const void *base;
	uint64_t offset;

	if (i->kind != INSN_LOAD || !(i->s[0] & SLOT_CONSTANT) || bytes > 8 || i->access.register_bytes > 8)
		return false;
	base = warp_slot(&r->warp, i->s[0]);
	offset = i->s_bytes[0] == 8 ? *(const uint64_t *)base + (uint64_t)i->offset : *(const uint32_t *)base + (uint32_t)i->offset;
	offset -= offset - PARAMETER_BASE < WINDOW_BYTES ? PARAMETER_BASE : 0;
	if (offset & (all - 1) || offset + all > launch->parameter_bytes || offset + all < offset)
		return false;
	for (uint32_t e = 0; e < i->access.elements; e++)
		broadcast(&r->warp, element_slot(i, r->warp.kernel, e, i->d), lanes, i->access.register_bytes < 8 ? 4 : 8,
			  extend(low_bits(launch->parameters + offset + e * bytes, bytes), bytes, i->flags & INSN_SIGNED));
	return true;
}

bool access_in_core(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	uint64_t address[CORE_WARPS];

	if (space == space_PARAM && load_parameter(r, i, lanes))
		return true;
	access_addresses(address, &r->warp, i, lanes, space);
	if (space != space_LOCAL && i->kind != INSN_LOAD) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), "space", "%s to %s memory, which is read-only", access_name(i),
			   space_name(space));
		return false;
	}
	lanes = access_allowed(core, r, i, lanes, space, address);
	if (!lanes)
		return !core->stopped;
	if (space == space_PARAM)
		read_only(r, i, lanes, address, r->warp.launch->parameters);
	else if (space == space_CONST)
		read_only(r, i, lanes, address, core->machine->space->bytes - GLOBAL_BASE);
	else if (i->kind == INSN_ATOMIC)
		local_atomic(r, i, lanes, address);
	else
		local_access(r, i, lanes, address);
	return true;
}
