/* The small languages of `lockstep kernel`: --arg, --dump, --grid.  Reading them touches nothing but the text.
 *
 *     argument = TYPE ":" NUMBER | "buf:" NAME ":" TYPE ":" COUNT [ ":" fill ] | "ref:" NAME | image | tensor
 *     fill     = "zero" | "fill=" NUMBER | "iota" | "random=" SEED [ "," LOW "," HIGH ] | "file=" PATH
 *     image    = ("tex" | "surf") ":" BUFFER ":" shape ":" format [ ":" option ("," option)* ]
 *     shape    = "1d=" W | "2d=" WxH | "3d=" WxHxD | "a1d=" WxL | "a2d=" WxHxL | "cube=" W | "acube=" WxC | "buffer=" W
 *     format   = ("u8" | "s8" | "u16" | "s16" | "f16" | "u32" | "s32" | "f32") [ "x2" | "x4" ]
 *     option   = "wrap" | "clamp" | "mirror" | "border=" V | "linear" | "normalized" | "float" | "srgb" | "levels=" N |
 * "trilinear"
 *     tensor   = "tensor:" BUFFER ":" TYPE ":" SIZES ":" STRIDES ":" BOX [ ":" SWIZZLE [ ":" FILL ] ] ( ":" part )*
 *                [ ":new" [ "=" fill ] ]
 *     part     = "steps=" NxN.. | "interleave=" ("16" | "32") | ("im2col=" | "wide=" | "wide128=") LOWER "," UPPER
 *     dump     = NAME [ ":" FIRST ":" COUNT ]
 *     grid     = X [ "," Y [ "," Z ] ]
 *
 * SIZES, STRIDES, BOX, LOWER and UPPER are numbers with an x between them, those of dimension 0 or W first; STRIDES are
 * bytes, of all dimensions but 0, or "dense"; BOX of im2col is CHANNELSxPIXELS.  SWIZZLE is "none" | "32" | "64" |
 * "128" | "128-atom32" | "128-atom32-flip8" | "128-atom64", FILL "zero" | "nan".  With "new" BUFFER is made, as large
 * as the tensor.
 *
 * Rows, slices and levels of an image lie one after another; a level is half as large as the one before. */
#ifndef LOCKSTEP_CLI_ARGUMENTS_H
#define LOCKSTEP_CLI_ARGUMENTS_H

#include "lockstep/image.h"
#include "report/values.h"
#include "util/arena.h"
#include "util/diagnostic.h"
#include "util/tensor_map.h"

/* NONE: no contents are given; they read as 0. */
enum fill_kind { FILL_NONE, FILL_ZERO, FILL_VALUE, FILL_IOTA, FILL_RANDOM, FILL_FILE };

struct fill {
	enum fill_kind kind;
	uint64_t bits;       /* FILL_VALUE */
	uint64_t seed;       /* FILL_RANDOM */
	bool bounded;        /* LOW and HIGH were given */
	uint64_t low, width; /* integers: low + draw mod width, in 64-bit arithmetic */
	double from, to;     /* floats */
	const char *path;    /* FILL_FILE */
};

enum argument_kind { ARGUMENT_VALUE, ARGUMENT_BUFFER, ARGUMENT_REFERENCE, ARGUMENT_IMAGE, ARGUMENT_TENSOR };

struct argument {
	enum argument_kind kind;
	const char *text;              /* as written */
	const struct value_type *type; /* null for a reference, an image, a tensor of a buffer that is there */
	uint64_t bits;                 /* ARGUMENT_VALUE */
	const char *name;              /* buffer, reference; of an image or a tensor, the buffer that it is made of */
	uint64_t count;                /* of a buffer that it makes: elements; count * type->bytes does not overflow */
	struct fill fill;
	const struct lockstep_image *image;  /* ARGUMENT_IMAGE; its addresses count from the buffer's */
	const struct tensor_request *tensor; /* ARGUMENT_TENSOR; its address is 0 */
};

struct dump {
	const char *name;
	bool whole;
	uint64_t first, count; /* elements, unless whole */
};

/* Each: false and one line in `diagnostic` when `text` is not of the language. */
bool argument_read(struct arena *arena, const char *text, struct argument *argument, struct diagnostic *diagnostic);
bool dump_read(struct arena *arena, const char *text, struct dump *dump, struct diagnostic *diagnostic);
/* images.c. Reads what follows BUFFER; addresses count from 0.  Null, or what is wrong. */
const char *image_read(struct arena *arena, bool is_surface, const char *shape, const char *format, const char *options,
	struct lockstep_image *image);
/* tensors.c. Reads what follows BUFFER; `contents`: what follows "new", null without it.  Null, or what is wrong. */
const char *tensor_read(struct arena *arena, const char *text, struct tensor_request *tensor, const char **contents);
/* What a buffer for such a tensor is made of: elements of its type, or of their bits. */
const struct value_type *tensor_value_type(uint32_t type);
/* From its first to its last byte; UINT64_MAX: more than that. */
uint64_t tensor_bytes(const struct tensor_request *tensor);
/* Puts the image at the buffer's address. */
void image_place(struct lockstep_image *image, uint64_t address);

/* `option` is "--grid" or "--block", for the message. */
bool grid_read(const char *option, const char *text, uint32_t size[3], struct diagnostic *diagnostic);

#endif
