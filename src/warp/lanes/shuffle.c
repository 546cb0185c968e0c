/* shfl: each lane reads another lane's register.
 *
 * A source lane that is out of the segment gives the lane's own value and p = false.  One that is not active is undefined in
 * PTX; here, too, it gives the lane's own value. */
#include "warp/lanes/lanes.h"

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };

struct source {
	int32_t lane; /* within the half warp */
	bool valid;
};

/* The ISA's pseudo-code: c holds the clamp in bits 0 to 4 and the segment mask in bits 8 to 12. */
static ALWAYS_INLINE struct source source_of(enum shuffle kind, int32_t lane, uint32_t b, uint32_t c)
{
	int32_t offset = (int32_t)(b & 31), clamp = (int32_t)(c & 31), segment = (int32_t)(c >> 8 & 31);
	int32_t last = (lane & segment) | (clamp & ~segment);
	int32_t from;
	switch (kind) {
	case SHUFFLE_UP: from = lane - offset; return (struct source){from, from >= last};
	case SHUFFLE_DOWN: from = lane + offset; break;
	case SHUFFLE_BUTTERFLY: from = lane ^ offset; break;
	default: from = (lane & segment) | (offset & ~segment); break;
	}
	return (struct source){from, from <= last};
}

static ALWAYS_INLINE void shuffle(struct warp *w, const struct insn *i, lane_mask active, enum shuffle kind)
{
	const uint32_t *b = warp_slot(w, i->s[1]), *c = warp_slot(w, i->s[2]);
	uint32_t a[LANES], result[LANES];
	lane_mask valid = 0;
	memcpy(a, warp_slot(w, i->s[0]), sizeof a);
	for (unsigned half = 0; half < LANES; half += 32)
		for (unsigned lane = 0; lane < 32; lane++) {
			unsigned x = half + lane;
			struct source source = source_of(kind, (int32_t)lane, b[x], c[x]);
			unsigned from = half + ((unsigned)source.lane & 31);
			valid |= (lane_mask)source.valid << x;
			result[x] = source.valid && (active >> from & 1) ? a[from] : a[x];
		}
	if (i->d != SLOT_NONE) {
		uint32_t *d = warp_slot(w, i->d);
		FOR_ACTIVE_LANES(uint32_t, d, result[x])
	}
	write_predicate(w, i->pd, active, valid);
}

static void shuffle_up(struct warp *w, const struct insn *i, lane_mask active)
{
	shuffle(w, i, active, SHUFFLE_UP);
}

static void shuffle_down(struct warp *w, const struct insn *i, lane_mask active)
{
	shuffle(w, i, active, SHUFFLE_DOWN);
}

static void shuffle_butterfly(struct warp *w, const struct insn *i, lane_mask active)
{
	shuffle(w, i, active, SHUFFLE_BUTTERFLY);
}

static void shuffle_index(struct warp *w, const struct insn *i, lane_mask active)
{
	shuffle(w, i, active, SHUFFLE_INDEX);
}

CHOOSER(shfl)
{
	(void)extra;
	switch (i->op) {
	case OP_shfl_up: case OP_shfl_sync_up: return shuffle_up;
	case OP_shfl_down: case OP_shfl_sync_down: return shuffle_down;
	case OP_shfl_bfly: case OP_shfl_sync_bfly: return shuffle_butterfly;
	default: return shuffle_index;
	}
}
