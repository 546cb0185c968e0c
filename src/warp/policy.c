/* createpolicy: PTX leaves open what a cache policy looks like.  Here it is as CUTLASS has the constants of whole
 * fractions (0x12f0... for .evict_first, 0x14f0... for .evict_last): a byte with the priorities, then 4 bits with the
 * sixteenths.  Nothing reads it, so the window of a range is left out. */
#include "warp/choose.h"

#include <math.h>
#include <string.h>

#define POLICY 0x10u /* of every policy */
#define POLICY_RANGE 0x08u

static uint64_t priorities(const struct insn *i)
{
	static const uint8_t primary[] = {
		[primary_EVICT_FIRST] = 2, [primary_EVICT_LAST] = 4, [primary_EVICT_NORMAL] = 6};
	bool is_range = i->op == OP_createpolicy_range, others_first = i->modifiers.others == others_EVICT_FIRST;

	return POLICY | (i->modifiers.primary < sizeof primary ? primary[i->modifiers.primary] : 0u) |
	       (others_first ? 1u : 0) | (is_range ? POLICY_RANGE : 0);
}

/* Sixteenths less one. */
static uint64_t share(const struct warp *w, const struct insn *i, uint32_t lane)
{
	uint32_t bits;
	float fraction = 1;

	if (i->op == OP_createpolicy_range)
		return 0;
	if (i->s[0] != SLOT_NONE) {
		bits = (uint32_t)slot_value(w, i->s[0], i->s_bytes[0], lane);
		memcpy(&fraction, &bits, sizeof fraction);
	}
	if (!(fraction > 1.0f / 16)) /* nor is it, if it is no number */
		return 0;
	return fraction >= 1 ? 15 : (uint64_t)ceilf(fraction * 16) - 1;
}

static void exec_policy(struct warp *w, const struct insn *i, lane_mask active)
{
	EACH_LANE(l, active)
		slot_set_value(w, i->d, 8, (uint32_t)l, priorities(i) << 56 | share(w, i, (uint32_t)l) << 52);
}

CHOOSE_ALWAYS(policy)
