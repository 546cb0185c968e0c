/* mov with its packing and unpacking of vectors, cvta and isspacep. */
#include "warp/lanes/lanes.h"
#include "warp/windows.h"

#define DEFINE_MOV(name, E, value)                                                                                     \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]);                                                                      \
		E *d = slot_at(w, i->d);                                                                               \
		FOR_ACTIVE_LANES(E, d, value)                                                                          \
	}
DEFINE_MOV(mov_16, uint32_t, a[x] & 0xffff)
DEFINE_MOV(mov_32, uint32_t, a[x])
DEFINE_MOV(mov_64, uint64_t, a[x])

static void mov_128(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint64_t *a = slot_at(w, i->s[0]);
	uint64_t *d = slot_at(w, i->d);
	FOR_ACTIVE_LANES(uint64_t, d, a[x])
		a += LANES;
	d += LANES;
	FOR_ACTIVE_LANES(uint64_t, d, a[x])
}

static void mov_predicate(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask value = w->predicates[i->s[0] & ~PREDICATE_INVERT];
	write_predicate(w, i->pd, active, i->s[0] & PREDICATE_INVERT ? ~value : value);
}

/* ---- Vectors ---- */

/* A lane's value of up to 128 bits. */
static unsigned __int128 read_lane(const void *slot, unsigned bits, unsigned x)
{
	if (bits <= 32)
		return ((const uint32_t *)slot)[x] & (bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1);
	const uint64_t *wide = slot;
	return bits == 64 ? wide[x] : (unsigned __int128)wide[x + LANES] << 64 | wide[x];
}

static void write_lane(void *slot, unsigned bits, unsigned x, unsigned __int128 value)
{
	if (bits <= 32) {
		((uint32_t *)slot)[x] = (uint32_t)value & (bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1);
		return;
	}
	uint64_t *wide = slot;
	wide[x] = (uint64_t)value;
	if (bits == 128)
		wide[x + LANES] = (uint64_t)(value >> 64);
}

/* {a, b, ...} to d, the first in the low bits.  Through a copy, since d may overlap its parts. */
static void pack(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	unsigned bits = ptx_types[i->type].bits, part_bits = bits / extra->vector_count;
	unsigned __int128 value[LANES] = {0};
	for (unsigned k = 0; k < extra->vector_count; k++) {
		const void *part = slot_at(w, extra->vector[k]);
		for (unsigned x = 0; x < LANES; x++)
			value[x] |= read_lane(part, part_bits, x) << part_bits * k;
	}
	for (unsigned x = 0; x < LANES; x++)
		if (active >> x & 1)
			write_lane(slot_at(w, i->d), bits, x, value[x]);
}

static void unpack(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	unsigned bits = ptx_types[i->type].bits, part_bits = bits / extra->vector_count;
	unsigned __int128 value[LANES];
	for (unsigned x = 0; x < LANES; x++)
		value[x] = read_lane(slot_at(w, i->s[0]), bits, x);
	for (unsigned k = 0; k < extra->vector_count; k++) {
		if (extra->vector[k] == SLOT_NONE)
			continue;
		for (unsigned x = 0; x < LANES; x++)
			if (active >> x & 1)
				write_lane(slot_at(w, extra->vector[k]), part_bits, x, value[x] >> part_bits * k);
	}
}

/* Two words and a double, as shuffles of doubles need them.  Narrow and wide registers share no slot. */
static void pack_words(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	const uint32_t *low = slot_at(w, extra->vector[0]), *high = slot_at(w, extra->vector[1]);
	uint64_t *d = slot_at(w, i->d);
	FOR_ACTIVE_LANES(uint64_t, d, (uint64_t)high[x] << 32 | low[x])
}

static void unpack_words(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	const uint64_t *a = slot_at(w, i->s[0]);
	for (unsigned k = 0; k < 2; k++) {
		uint32_t *d;
		if (extra->vector[k] == SLOT_NONE)
			continue;
		d = slot_at(w, extra->vector[k]);
		FOR_ACTIVE_LANES(uint32_t, d, (uint32_t)(a[x] >> 32 * k))
	}
}

CHOOSER(mov)
{
	bool is_words = extra && extra->vector_count == 2 && ptx_types[i->type].bits == 64;
	if (extra && extra->vector_count)
		return i->d == SLOT_NONE ? is_words ? unpack_words : unpack : is_words ? pack_words : pack;
	if (i->type == TYPE_PRED)
		return mov_predicate;
	switch (ptx_types[i->type].bits) {
	case 16: return mov_16;
	case 32: return mov_32;
	case 64: return mov_64;
	case 128: return mov_128;
	default: return NULL;
	}
}

/* ---- Addresses ---- */

static uint32_t window_base(unsigned space)
{
	switch (space) {
	case space_SHARED: return SHARED_WINDOW;
	case space_LOCAL: return LOCAL_WINDOW;
	case space_PARAM: return PARAMETER_WINDOW;
	default: return 0; /* global and constant addresses are generic ones */
	}
}

#define DEFINE_CVTA(name, E, sign)                                                                                     \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]);                                                                      \
		E *d = slot_at(w, i->d);                                                                               \
		const E base_address = window_base(i->modifiers.space);                                                \
		FOR_ACTIVE_LANES(E, d, a[x] sign base_address)                                                         \
	}
DEFINE_CVTA(cvta_plain_32, uint32_t, +)
DEFINE_CVTA(cvta_plain_64, uint64_t, +)
DEFINE_CVTA(cvta_to_32, uint32_t, -)
DEFINE_CVTA(cvta_to_64, uint64_t, -)

/* In a cluster a generic address of the group's own shared memory is the one that all its groups know that by. */
#define DEFINE_CVTA_SHARED(name, plain, E)                                                                             \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]);                                                                      \
		E *d = slot_at(w, i->d);                                                                               \
		if (i->modifiers.space != space_SHARED || launch_cluster_size(w->launch) <= 1) {                       \
			plain(w, i, active);                                                                           \
			return;                                                                                        \
		}                                                                                                      \
		const E own = SHARED_PART * (launch_cluster_rank(w->launch, w->group) + 1);                            \
		FOR_ACTIVE_LANES(E, d, a[x] + SHARED_WINDOW + (a[x] < SHARED_PART ? own : 0))                          \
	}
DEFINE_CVTA_SHARED(cvta_32, cvta_plain_32, uint32_t)
DEFINE_CVTA_SHARED(cvta_64, cvta_plain_64, uint64_t)

CHOOSER(cvta)
{
	if (i->op == OP_cvta_to)
		return ptx_types[i->type].bits == 64 ? cvta_to_64 : cvta_to_32;
	return ptx_types[i->type].bits == 64 ? cvta_64 : cvta_32;
}

/* Whether a generic address lies in a window.  Constants share the global window, so nothing is told apart as
 * .const. */
static ALWAYS_INLINE bool is_in_space(uint64_t address, unsigned space)
{
	switch (space) {
	case space_SHARED: return address >= SHARED_WINDOW && address - SHARED_WINDOW < WINDOW_SIZE;
	case space_LOCAL: return address >= LOCAL_WINDOW && address - LOCAL_WINDOW < WINDOW_SIZE;
	case space_PARAM: return address >= PARAMETER_WINDOW && address - PARAMETER_WINDOW < PARAMETER_WINDOW_SIZE;
	case space_GLOBAL: return address >= GLOBAL_WINDOW;
	default: return false;
	}
}

/* The group's own memory, which the others of its cluster know by other addresses. */
static ALWAYS_INLINE bool is_own(const struct warp *w, uint64_t address)
{
	uint64_t offset = address - SHARED_WINDOW;
	return offset < SHARED_PART || launch_cluster_size(w->launch) <= 1 ||
	       offset / SHARED_PART - 1 == launch_cluster_rank(w->launch, w->group);
}

static void exec_isspacep(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask truth = 0;
	for (unsigned x = 0; x < LANES; x++) {
		uint64_t address = slot_value(w, i->s[0], i->s_bytes[0], x);
		bool constant = address - w->launch->constant_first < w->launch->constant_bytes;
		truth |= (lane_mask)(i->modifiers.space == space_CONST
					     ? constant
					     : is_in_space(address, i->modifiers.space) && !constant &&
						       (i->modifiers.space != space_SHARED || i->modifiers.cluster ||
							       is_own(w, address)))
			 << x;
	}
	write_predicate(w, i->pd, active, truth);
}

CHOOSE_ALWAYS(isspacep)
