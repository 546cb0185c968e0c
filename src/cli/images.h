/* The textures and surfaces that --arg makes of buffers.
 *
 *     image  = ("tex" | "surf") ":" BUFFER ":" shape ":" format [ ":" option ("," option)* ]
 *     shape  = "1d=" W | "2d=" WxH | "3d=" WxHxD | "a1d=" WxL | "a2d=" WxHxL | "cube=" W | "acube=" WxC | "buffer=" W
 *     format = ("u8" | "s8" | "u16" | "s16" | "f16" | "u32" | "s32" | "f32") [ "x2" | "x4" ]
 *     option = "wrap" | "clamp" | "mirror" | "border=" V | "linear" | "normalized" | "float" | "srgb" | "levels=" N |
 * "trilinear"
 *
 * Rows, slices and levels lie one behind another; a level is half as large as the one before. */
#ifndef LOCKSTEP_CLI_IMAGES_H
#define LOCKSTEP_CLI_IMAGES_H

#include "lockstep/image.h"
#include "util/arena.h"

/* Reads what stands behind BUFFER; addresses count from 0.  Null, or what is wrong. */
const char *image_read(struct arena *arena, bool is_surface, const char *shape, const char *format, const char *options,
	struct lockstep_image *image);
/* Puts the image at the buffer's address. */
void image_place(struct lockstep_image *image, uint64_t address);

#endif
