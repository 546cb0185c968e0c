/* Instructions in which the lanes of a warp answer together: vote, match, redux, activemask, elect; and those that do
 * nothing to lanes.
 *
 * `active` is the lanes that take part: for .sync forms the machine has gathered the members before.  A warp of 64
 * lanes is two halves that do not see each other, since PTX masks have 32 bits; but to wave instructions, which are not
 * of PTX. */
#include "warp/choose.h"
#include "warp/lanes/half.h"

static inline uint32_t half_of(lane_mask mask, lane_mask base)
{
	return (uint32_t)(mask >> base);
}

/* The same value in all lanes of `members`, which are of the half warp at `base`. */
static void broadcast(struct warp *w, slot_ref slot, unsigned base, uint32_t members, uint32_t value)
{
	if (slot == SLOT_NONE)
		return;
	uint32_t *d = (uint32_t *)slot_at(w, slot) + base;
	for (; members; members &= members - 1)
		d[__builtin_ctz(members)] = value;
}

/* ---- vote ---- */

static void vote_ballot(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask votes = predicate_source(w, i) & active;
	for (unsigned base = 0; base < w->lanes; base += 32)
		broadcast(w, i->d, base, half_of(active, base), half_of(votes, base));
}

/* A lane sees no more than the lanes it names, which may be fewer than there are: see sync_together. */
static void vote_sync_ballot(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *masks = slot_at(w, i->s[0]);
	lane_mask votes = predicate_source(w, i) & active;
	if (i->d == SLOT_NONE)
		return;
	uint32_t *d = slot_at(w, i->d);
	EACH_LANE(x, active)
		d[x] = half_of(votes, x & 32) & masks[x];
}

static bool agreed(uint16_t op, uint32_t votes, uint32_t members)
{
	switch (op) {
	case OP_vote_all:
	case OP_vote_sync_all: return votes == members;
	case OP_vote_any:
	case OP_vote_sync_any: return votes != 0;
	default: return votes == members || votes == 0;
	}
}

static void vote_predicate(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask votes = predicate_source(w, i) & active, value = 0;
	for (unsigned base = 0; base < w->lanes; base += 32)
		if (agreed(i->op, half_of(votes, base), half_of(active, base)))
			value |= (lane_mask)UINT32_MAX << base;
	write_predicate(w, i->pd, active, value);
}

CHOOSER(vote)
{
	return i->op == OP_vote_sync_ballot ? vote_sync_ballot : i->op == OP_vote_ballot ? vote_ballot : vote_predicate;
}

/* ---- wave: of all lanes, where PTX has halves ---- */

static void wave_mask(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask value = i->op == OP_wave_active ? active : predicate_source(w, i) & active;
	uint64_t *d;

	if (i->d == SLOT_NONE)
		return;
	d = slot_at(w, i->d);
	EACH_LANE(x, active)
		d[x] = value;
}

/* d may be a or b. */
static void wave_read(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);
	uint32_t result[64], *d;

	if (i->d == SLOT_NONE)
		return;
	EACH_LANE(x, active)
		result[x] = b[x] < w->lanes && active >> b[x] & 1 ? a[b[x]] : 0;
	d = slot_at(w, i->d);
	EACH_LANE(x, active)
		d[x] = result[x];
}

CHOOSER(wave)
{
	return i->op == OP_wave_read ? wave_read : wave_mask;
}

/* ---- match ---- */

/* Of `members` those whose value is that of the first. */
static lane_mask equal_to_first(const struct warp *w, const struct insn *i, lane_mask members)
{
	uint32_t bytes = ptx_types[i->type].bits / 8u;
	uint64_t value = slot_value(w, i->s[0], bytes, (uint32_t)__builtin_ctzll(members));
	lane_mask equal = 0;
	EACH_LANE(x, members)
		equal |= (lane_mask)(slot_value(w, i->s[0], bytes, (uint32_t)x) == value) << x;
	return equal;
}

uint32_t warp_different_values(const struct warp *w, const struct insn *i, lane_mask active)
{
	uint32_t most = 0;
	for (lane_mask half = UINT32_MAX; half; half <<= 32) {
		uint32_t count = 0;
		for (lane_mask rest = active & half; rest; count++)
			rest &= ~equal_to_first(w, i, rest);
		most = count > most ? count : most;
	}
	return most;
}

/* d may overlap a: every half's answers are found before any is written. */
static void match_any(struct warp *w, const struct insn *i, lane_mask active)
{
	uint32_t *d = slot_at(w, i->d), answer[64];
	for (unsigned base = 0; base < w->lanes; base += 32)
		for (lane_mask rest = active & (lane_mask)UINT32_MAX << base, equal; rest; rest &= ~equal) {
			equal = equal_to_first(w, i, rest);
			EACH_LANE(x, equal)
				answer[x] = half_of(equal, base);
		}
	EACH_LANE(x, active)
		d[x] = answer[x];
}

/* d is the members when all values are equal, else 0. */
static void match_all(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask value = 0;
	for (lane_mask half = UINT32_MAX; half; half <<= 32)
		if (active & half && equal_to_first(w, i, active & half) == (active & half))
			value |= half;
	for (unsigned base = 0; base < w->lanes; base += 32)
		broadcast(w, i->d, base, half_of(active, base), half_of(active & value, base));
	write_predicate(w, i->pd, active, value);
}

CHOOSER(match)
{
	return i->op == OP_match_all ? match_all : match_any;
}

/* ---- redux ---- */

static uint32_t reduce_integers(const struct insn *i, uint32_t x, uint32_t y)
{
	bool is_signed = i->type == TYPE_S32;
	bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
	switch (i->op) {
	case OP_redux_add: return x + y;
	case OP_redux_min: return less ? x : y;
	case OP_redux_max: return less ? y : x;
	case OP_redux_and: return x & y;
	case OP_redux_or: return x | y;
	default: return x ^ y;
	}
}

/* As min.f32 and max.f32: NaN is ignored unless .NaN, -0 is below +0. */
static uint32_t reduce_floats(const struct insn *i, uint32_t x, uint32_t y)
{
	bool x_nan = (x & 0x7fffffff) > 0x7f800000, y_nan = (y & 0x7fffffff) > 0x7f800000;
	if (x_nan && y_nan)
		return 0x7fffffff;
	if (x_nan || y_nan)
		return i->modifiers.flags & FLAG_NAN_PROPAGATES ? 0x7fffffff : x_nan ? y : x;
	float a = float_of(x), b = float_of(y);
	bool less = a < b || (a == b && (x >> 31) > (y >> 31));
	return less == (i->op == OP_redux_min) ? x : y;
}

static uint32_t canonical_bits(uint32_t x)
{
	return (x & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : x;
}

static void exec_redux(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *a = slot_at(w, i->s[0]);
	bool is_float = i->type == TYPE_F32;
	uint32_t keep = i->modifiers.flags & FLAG_ABS ? 0x7fffffff : UINT32_MAX;
	for (unsigned base = 0; base < w->lanes; base += 32) {
		uint32_t rest = half_of(active, base);
		if (!rest)
			continue;
		uint32_t result = a[base + (unsigned)__builtin_ctz(rest)] & keep;
		for (rest &= rest - 1; rest; rest &= rest - 1) {
			uint32_t value = a[base + (unsigned)__builtin_ctz(rest)] & keep;
			result = is_float ? reduce_floats(i, result, value) : reduce_integers(i, result, value);
		}
		broadcast(w, i->d, base, half_of(active, base), is_float ? canonical_bits(result) : result);
	}
}

CHOOSE_ALWAYS(redux)

/* ---- activemask, elect, nothing ---- */

static void exec_activemask(struct warp *w, const struct insn *i, lane_mask active)
{
	for (unsigned base = 0; base < w->lanes; base += 32)
		broadcast(w, i->d, base, half_of(active, base), half_of(active, base));
}

CHOOSE_ALWAYS(activemask)

/* The leader is the lowest member; d is its lane number, p tells who it is. */
static void exec_elect(struct warp *w, const struct insn *i, lane_mask active)
{
	lane_mask leaders = 0;
	for (unsigned base = 0; base < w->lanes; base += 32) {
		uint32_t members = half_of(active, base);
		if (!members)
			continue;
		unsigned leader = (unsigned)__builtin_ctz(members);
		leaders |= (lane_mask)1 << (base + leader);
		broadcast(w, i->d, base, members, leader);
	}
	write_predicate(w, i->pd, active, leaders);
}

CHOOSE_ALWAYS(elect)

/* bar.warp.sync waits, which is the machine's affair; pmevent has no one to tell, prefetch no one to hurry. */
static void exec_nothing(UNUSED struct warp *w, UNUSED const struct insn *i, UNUSED lane_mask active)
{
}

CHOOSE_ALWAYS(nothing)

/* ---- Logic on predicates: whole masks at once ---- */

static lane_mask numbered_predicate(const struct warp *w, slot_ref number)
{
	lane_mask value = w->predicates[number & ~PREDICATE_INVERT];
	return number & PREDICATE_INVERT ? ~value : value;
}

#define DEFINE_LOGIC(name, value)                                                                                      \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		write_predicate(w, i->pd, active, value);                                                              \
	}
DEFINE_LOGIC(predicate_and, numbered_predicate(w, i->s[0]) & numbered_predicate(w, i->s[1]))
DEFINE_LOGIC(predicate_or, numbered_predicate(w, i->s[0]) | numbered_predicate(w, i->s[1]))
DEFINE_LOGIC(predicate_xor, numbered_predicate(w, i->s[0]) ^ numbered_predicate(w, i->s[1]))
DEFINE_LOGIC(predicate_not, ~numbered_predicate(w, i->s[0]))

CHOOSER(predicate_logic)
{
	switch (i->op) {
	case OP_and_pred: return predicate_and;
	case OP_or_pred: return predicate_or;
	case OP_xor_pred: return predicate_xor;
	default: return predicate_not;
	}
}
