/* Texture fetches: which texels a warp's lanes need, and what their registers get.  Knows no time.
 *
 * A fetch is a load of the texels' lines: load_store.c sends for each line once, gives its bytes to texture_collect, and calls
 * texture_filter when all have come. */
#ifndef LOCKSTEP_MACHINE_LSU_TEXTURE_H
#define LOCKSTEP_MACHINE_LSU_TEXTURE_H

#include "machine/core.h"
#include "memory/image.h"

#define TEXELS 16 /* of one lane: eight of each of two levels */

/* How a fetch samples: a sampler, or what the texture says. */
struct sampling {
	enum lockstep_addressing addressing[3];
	bool linear, normalized;
};

/* What one lane fetches. */
struct texture_lane {
	const struct lockstep_image *image;
	struct sampling sampling;
	uint32_t texels;
	uint64_t address[TEXELS]; /* 0: the border */
	double weight[TEXELS];    /* they add up to 1 */
	uint8_t data[TEXELS][16];
};

/* What a warp fetches. */
struct texture_fetch {
	uint32_t line_count;
	uint64_t line[CORE_WARPS * TEXELS];
	lane_mask lanes_of[CORE_WARPS * TEXELS]; /* lanes with a texel in it */
	struct texture_lane lane[];              /* as many as a warp has */
};

size_t texture_fetch_bytes(uint32_t lanes);
/* Finds the texels and lines of a fetch by `lanes`.  False, and a finding: a handle is no texture's. */
bool texture_begin(struct texture_fetch *fetch, struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);
/* Sectors of the k-th line with a texel in them, as l1_sector_mask. */
uint8_t texture_sectors(const struct texture_fetch *fetch, const struct core *core, uint32_t k);
/* Keeps the texels of a line, whose bytes `data` are. */
void texture_collect(struct texture_fetch *fetch, lane_mask lanes, const uint8_t *data, uint64_t line);
/* Which bytes of a line the lanes' texels have: see fragment_readers. */
void texture_readers(const struct texture_fetch *fetch, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES]);
/* Writes the results: texels filtered, converted, or gathered. */
void texture_filter(const struct texture_fetch *fetch, uint32_t *const bank[2], const struct kernel *kernel, const struct insn *i, lane_mask lanes);
/* All of it at once, from memory that nobody else changes meanwhile: the functional mode. */
void texture_direct(struct texture_fetch *fetch, struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);

/* One lane's handle, in s[0]. */
static inline uint64_t texture_handle(const struct warp *w, const struct insn *i, uint32_t lane)
{
	const void *handles = warp_slot(w, i->s[0]);

	return i->s_bytes[0] == 8 ? ((const uint64_t *)handles)[lane] : ((const uint32_t *)handles)[lane];
}
/* The image of one lane's handle; null, and a finding: it is none of this use. */
const struct lockstep_image *texture_image(struct core *core, struct resident *r, const struct insn *i, uint32_t lane,
	enum lockstep_image_use use);
/* txq, suq, istypep. */
void texture_query(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);

/* surface.c: global addresses of the lanes' coordinates.  Returns the lanes that are inside, or brought inside by .clamp; the
 * others are left alone under .zero, and a finding under .trap, after which core->stopped is set unless they are dropped (drop.h). */
lane_mask surface_addresses(uint64_t *address, struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);

/* sust.p, whose lanes write a texel each: as many bytes as its image says. */
static inline bool surface_is_formatted(const struct insn *i)
{
	return i->op == OP_sust_formatted;
}
/* Keeps the texels of lanes that have addresses in op->data, where the other two find them. */
void surface_capture(const struct core *core, const struct resident *r, const struct insn *i, lane_mask lanes, uint8_t *data);
/* As access_gather. */
uint32_t surface_gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload);
/* All of it at once: the functional mode. */
void surface_store_at_once(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, const uint64_t *address);

#endif
