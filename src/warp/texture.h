/* What a texture fetch does with the lanes of a warp: compiled once per warp size and processor, in lanes/texture.c.
 * The rules are in machine/lsu/texture_find.c and texture_filter.c. */
#ifndef LOCKSTEP_WARP_TEXTURE_H
#define LOCKSTEP_WARP_TEXTURE_H

#include "kernel/insn.h"
#include "lockstep/image.h"

#define TEXTURE_LANES 64 /* of a warp, at most */
#define TEXTURE_LINE 128 /* bytes of a line of memory, at most */

struct texture_block {
	uint64_t address, bytes; /* of a line */
};
#define TEXTURE_BORDER (-1)
#define TEXTURE_FAR 1e9 /* beyond every image, and within 32 bits */

/* How all lanes read one direction of an image. */
struct texture_axis {
	const void *coordinate;        /* of 32 bits, lane 0's; null: there is no such direction */
	bool whole;                    /* they are integers, else floating point */
	bool is_layer;                 /* they are numbers of layers: unsigned, clamped */
	bool linear;                   /* two texels, around the coordinate */
	bool normalized;               /* from 0 to 1 */
	enum lockstep_addressing mode; /* WRAP: only of what is normalized */
	uint32_t size;                 /* texels, at most 2^28 */
};

/* Where the lanes read in one direction. */
struct texture_steps {
	uint32_t count;
	_Alignas(64) int32_t at[2][TEXTURE_LANES]; /* TEXTURE_BORDER: outside */
	double weight[2][TEXTURE_LANES];           /* multiples of 1/256 that add up to 1 */
};

/* One level of an image, as addresses need it. */
struct texture_level {
	uint64_t address;
	uint32_t bytes[3]; /* of a texel, a row, a slice */
};

/* A texel of each lane. */
struct texture_texels {
	uint64_t *address;
	double *weight;
	lane_mask present; /* lanes that have it */
	lane_mask inside;  /* lanes whose texel is in the image, not its border */
};

/* What a channel's bits mean: TEXTURE_UNSIGNED and SIGNED are 0 to 1 and -1 to 1, of at most 16 bits. */
enum texture_value { TEXTURE_FLOAT, TEXTURE_HALF, TEXTURE_UNSIGNED, TEXTURE_SIGNED };

struct texture_channel {
	enum texture_value value;
	uint32_t shift, bits; /* in its word */
	double border;
};

struct lane_texture {
	/* The bits of lanes whose element is `value`, of all. */
	lane_mask (*same)(const uint64_t *element, uint64_t value);
	void (*steps)(struct texture_steps *to, const struct texture_axis *axis);
	/* The texels at all combinations of the steps, of columns, rows, slices, columns fastest; weight 0 is not
	 * present. Of all lanes.  Returns how many. */
	uint32_t (*texels)(
		struct texture_texels *to, const struct texture_steps step[3], const struct texture_level *level);
	/* Which of the lanes `among` have an address in the line; the words of it that they begin in are added, a bit
	 * each. */
	lane_mask (*in_line)(
		const uint64_t *address, lane_mask among, const struct texture_block *line, uint32_t *words);
	/* Of lanes with an address in the line, whose bytes `data` are: so many words behind it.  What begins within a
	 * word is shifted down. */
	void (*pick)(uint32_t *to, const uint64_t *address, lane_mask lanes, const uint8_t *data, uint32_t word);
	/* The sum of a lane's texels, each times its weight, in their order, rounded once; of one alone, its value.
	 * word[k]: of texel k, the word that has the channel. */
	void (*filter)(uint32_t *to, lane_mask lanes, const struct texture_texels *texel, uint32_t count,
		const uint32_t *const *word, const struct texture_channel *channel);
	/* Channels that are integers, as they are. */
	void (*integers)(uint32_t *to, lane_mask lanes, lane_mask inside, const uint32_t *word, uint32_t shift,
		uint32_t bits, bool is_signed, uint32_t border);
};

#endif
