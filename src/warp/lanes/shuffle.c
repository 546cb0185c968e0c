/* shfl: each lane reads another lane's register.
 *
 * A source lane that is out of the segment gives the lane's own value and p = false.  One that is not active is
 * undefined in PTX; here it gives 0, so that sums are right whose last step reads more lanes than there are. */
#include "warp/lanes/lanes.h"

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };

/* The ISA's pseudo-code: c holds the clamp in bits 0 to 4 and the segment mask in bits 8 to 12. */
static ALWAYS_INLINE int32_t last_lane(int32_t lane, uint32_t c)
{
	int32_t clamp = (int32_t)(c & 31), segment = (int32_t)(c >> 8 & 31);
	return (lane & segment) | (clamp & ~segment);
}

static ALWAYS_INLINE int32_t source_lane(enum shuffle kind, int32_t lane, uint32_t b, uint32_t c)
{
	int32_t offset = (int32_t)(b & 31), segment = (int32_t)(c >> 8 & 31);
	switch (kind) {
	case SHUFFLE_UP: return lane - offset;
	case SHUFFLE_DOWN: return lane + offset;
	case SHUFFLE_BUTTERFLY: return lane ^ offset;
	default: return (lane & segment) | (offset & ~segment);
	}
}

/* Two passes, so that both are vector code: which lane each reads, then the reading. */
static ALWAYS_INLINE void shuffle(struct warp *w, const struct insn *i, lane_mask active, enum shuffle kind)
{
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);
	uint32_t result[LANES], valid[LANES], kept[LANES];
	lane_mask in_segment = 0;
	for (unsigned base = 0; base < LANES; base += 32) {
		const uint32_t present = (uint32_t)(active >> base);
		int32_t from[32];
		SIMD for (int32_t lane = 0; lane < 32; lane++)
		{
			int32_t source = source_lane(kind, lane, b[base + (unsigned)lane], c[base + (unsigned)lane]);
			int32_t last = last_lane(lane, c[base + (unsigned)lane]);
			uint32_t good = kind == SHUFFLE_UP ? source >= last : source <= last;
			valid[base + (unsigned)lane] = good;
			kept[base + (unsigned)lane] = 0 - ((good ^ 1) | (present >> (source & 31) & 1));
			from[lane] = good ? source & 31 : lane;
		}
		SIMD for (unsigned lane = 0; lane < 32; lane++) result[base + lane] =
			a[base + (unsigned)from[lane]] & kept[base + lane];
	}
	if (i->pd != NO_PREDICATE) {
		MASK_OF(uint32_t, valid[x] != 0, in_segment)
		write_predicate(w, i->pd, active, in_segment);
	}
	if (i->d != SLOT_NONE) {
		uint32_t *d = slot_at(w, i->d);
		FOR_ACTIVE_LANES(uint32_t, d, result[x])
	}
}

#define DEFINE_SHUFFLE(name, kind)                                                                                     \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		shuffle(w, i, active, kind);                                                                           \
	}
DEFINE_SHUFFLE(shuffle_up, SHUFFLE_UP)
DEFINE_SHUFFLE(shuffle_down, SHUFFLE_DOWN)
DEFINE_SHUFFLE(shuffle_butterfly, SHUFFLE_BUTTERFLY)
DEFINE_SHUFFLE(shuffle_index, SHUFFLE_INDEX)

CHOOSER(shfl)
{
	switch (i->op) {
	case OP_shfl_up:
	case OP_shfl_sync_up: return shuffle_up;
	case OP_shfl_down:
	case OP_shfl_sync_down: return shuffle_down;
	case OP_shfl_bfly:
	case OP_shfl_sync_bfly: return shuffle_butterfly;
	default: return shuffle_index;
	}
}
