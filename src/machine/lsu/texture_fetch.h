/* What a warp fetches from textures: its texels, and the lines of memory that hold them.
 *
 * Texels come in rows with one texel of each lane; a lane's texels are in successive rows, and a lane may lack some.
 * Rows are only as long as the warp and the image's texels need, so most fetches fit into one page, the front; the rest
 * goes into the back, whose memory is never touched otherwise. */
#ifndef LOCKSTEP_MACHINE_LSU_TEXTURE_FETCH_H
#define LOCKSTEP_MACHINE_LSU_TEXTURE_FETCH_H

#include "machine/lsu/texel.h"
#include "machine/state/core.h"
#include "warp/memory.h"
#include "warp/texture.h"

#define TEXELS 16 /* of one lane: eight of each of two levels */
#define TEXEL_WORDS (TEXEL_BYTES / 4)

/* A line of memory that holds texels of a fetch. */
struct texture_line {
	uint64_t address;
	lane_mask lanes; /* with a texel in it */
	uint8_t sectors; /* of the L1, with a texel in them */
};

/* Which lanes have a texel in a row. */
struct texel_row {
	lane_mask present;
	lane_mask inside; /* in the image; the others of them are at its border */
};

#define FETCH_FRONT 4096 /* bytes */
#define FETCH_FEW_LINES 16

struct texture_fetch {
	const struct lane_memory *functions; /* for the warp's lanes */
	const struct lockstep_image *image;  /* of all lanes; null: see fetch_images */
	uint32_t lanes;                      /* of the warp */
	uint32_t words;                      /* room for a texel */
	uint32_t line_bytes;                 /* of memory */
	uint32_t row_count, line_count;
	uint32_t line_room;
	uint32_t row_bytes;
	uint32_t found; /* texels of the lane that is looked at */
	struct texture_line *line;
	uint8_t *rows, *back;
	struct texel_row row[TEXELS];
	_Alignas(64) uint8_t memory[];
};

/* By lane: where texels are, what part of the result each is, and words of their bytes. */
static inline uint64_t *fetch_address(const struct texture_fetch *fetch, uint32_t row)
{
	return (uint64_t *)(void *)(fetch->rows + row * fetch->row_bytes);
}
static inline double *fetch_weight(const struct texture_fetch *fetch, uint32_t row)
{
	return (double *)(void *)(fetch_address(fetch, row) + fetch->lanes);
}
static inline uint32_t *fetch_word(const struct texture_fetch *fetch, uint32_t row, uint32_t word)
{
	return (uint32_t *)(void *)(fetch_weight(fetch, row) + fetch->lanes) + word * fetch->lanes;
}

/* A back: rows, lines, and images. */
static inline size_t fetch_back_rows(uint32_t lanes)
{
	return TEXELS * lanes * (sizeof(uint64_t) + sizeof(double) + TEXEL_BYTES);
}
static inline size_t fetch_back_lines(uint32_t lanes)
{
	return TEXELS * lanes * sizeof(struct texture_line);
}
static inline size_t fetch_back_bytes(uint32_t lanes)
{
	return fetch_back_rows(lanes) + fetch_back_lines(lanes) + lanes * sizeof(void *);
}

/* The image of each lane, if they differ. */
static inline const struct lockstep_image **fetch_images(const struct texture_fetch *fetch)
{
	return (const struct lockstep_image **)(void *)(fetch->back + fetch_back_rows(fetch->lanes) +
							fetch_back_lines(fetch->lanes));
}

static inline const struct lockstep_image *fetch_image(const struct texture_fetch *fetch, uint32_t lane)
{
	return fetch->image ? fetch->image : fetch_images(fetch)[lane];
}

/* The component that tld4 gathers, or 4: none, it is a fetch. */
uint32_t texture_gathered(enum op op);

/* Finds the texels of `lanes`.  False, and a finding: a handle is no texture's, or no sampler's. */
bool texture_find(
	struct texture_fetch *fetch, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);

/* Writes the results: texels filtered, converted, or gathered. */
void texture_filter(struct texture_fetch *fetch, uint32_t *const bank[2], const struct kernel *kernel,
	const struct insn *i, lane_mask lanes);

#endif
