/* Images.
 *
 * An image is the handle of a texture and surface (lockstep/image.h), a sampler the 64-bit number of enum lockstep_sampler there; both
 * are kernel parameters of 8 bytes.  Reading is `tex`, with the sampler apart or, without one, by whole coordinates; writing is the
 * formatted store `sust.p`, whose .trap makes a write outside of the image a fault.  Conversions are the machine's (machine/lsu/texel.c). */

/* What clang makes of a sampler constant. */
ulong lockstep_sampler_constant(uint value) __asm__("__translate_sampler_initializer");
__attribute__((always_inline)) ulong lockstep_sampler_constant(uint value)
{
	return value;
}

/* OpenCL rounds the number of a layer to the nearest and brings it inside; beyond the last one, PTX does. */
INLINE int layer_of_float(float layer)
{
	int whole;
	__asm__("cvt.rni.s32.f32 %0, %1;" : "=r"(whole) : "f"(layer));
	return whole < 0 ? 0 : whole;
}

INLINE int layer_of_int(int layer)
{
	return layer < 0 ? 0 : layer;
}

/* ---- Reading ----
 *
 * By geometry: PTX's name of it, the brackets of the coordinates from operand %5 (the sampler) or %4 on, and the operands; F is the
 * constraint of a coordinate, and LAYER makes a layer of one. */
#define AT_1D(F, LAYER) F(c)
#define AT_A1D(F, LAYER) "r"(LAYER(c.y)), F(c.x)
#define AT_2D(F, LAYER) F(c.x), F(c.y)
#define AT_A2D(F, LAYER) "r"(LAYER(c.z)), F(c.x), F(c.y)
#define AT_3D(F, LAYER) F(c.x), F(c.y), F(c.z)

#define SAMPLED_1D "{%6}"
#define SAMPLED_A1D "{%6,%7}"
#define SAMPLED_2D "{%6,%7}"
#define SAMPLED_A2D "{%6,%7,%8,%8}"
#define SAMPLED_3D "{%6,%7,%8,%8}"
#define WHOLE_1D "{%5}"
#define WHOLE_A1D "{%5,%6}"
#define WHOLE_2D "{%5,%6}"
#define WHOLE_A2D "{%5,%6,%7,%7}"
#define WHOLE_3D "{%5,%6,%7,%7}"

/* name: of the function; T, word, R: a texel's vector type, PTX's word for its components, and their constraint. */
#define READ_SAMPLED(name, T, word, R, image, G, ptx, C, kind, F, LAYER, result, part)                                                  \
	OVERLOAD result name(read_only image i, sampler_t s, C c)                                            \
	{                                                                                                                         \
		T v;                                                                                                              \
		__asm__("tex." ptx ".v4." word "." kind " {%0,%1,%2,%3}, [%4, %5, " SAMPLED_##G "];"                              \
			: "=" R(v.x), "=" R(v.y), "=" R(v.z), "=" R(v.w)                                                          \
			: "l"(i), "l"(s), AT_##G(F, LAYER));                                                                      \
		return v part;                                                                                                  \
	}
#define READ_WHOLE(name, T, word, R, access, image, G, ptx, C, qualifier, clobber, result, part)                                        \
	OVERLOAD result name(access image i, C c)                                                            \
	{                                                                                                                         \
		T v;                                                                                                              \
		__asm__ qualifier("tex." ptx ".v4." word ".s32 {%0,%1,%2,%3}, [%4, " WHOLE_##G "];"                               \
				  : "=" R(v.x), "=" R(v.y), "=" R(v.z), "=" R(v.w)                                                \
				  : "l"(i), AT_##G("r", layer_of_int)                                                             \
				  clobber);                                                                                       \
		return v part;                                                                                                  \
	}
#define NOTHING
#define MEMORY : "memory"
/* A read-only image does not change while the kernel runs; one that is also written does. */
#define READ(name, T, word, R, image, G, ptx, I, FC, result, part)                                                                      \
	READ_SAMPLED(name, T, word, R, image, G, ptx, I, "s32", "r", layer_of_int, result, part)                                        \
	READ_SAMPLED(name, T, word, R, image, G, ptx, FC, "f32", "f", layer_of_float, result, part)                                     \
	READ_UNSAMPLED(name, T, word, R, image, G, ptx, I, result, part)
#define READ_UNSAMPLED(name, T, word, R, image, G, ptx, I, result, part)                                                                \
	READ_WHOLE(name, T, word, R, read_only, image, G, ptx, I, NOTHING, NOTHING, result, part)                                       \
	READ_WHOLE(name, T, word, R, read_write, image, G, ptx, I, volatile, MEMORY, result, part)
#define READ_ALL(image, G, ptx, I, FC)                                                                                            \
	READ(read_imagef, float4, "f32", "f", image, G, ptx, I, FC, float4, NOTHING)                                                      \
	READ(read_imagei, int4, "s32", "r", image, G, ptx, I, FC, int4, NOTHING)                                                        \
	READ(read_imageui, uint4, "u32", "r", image, G, ptx, I, FC, uint4, NOTHING)

READ_ALL(image1d_t, 1D, "1d", int, float)
READ_ALL(image1d_array_t, A1D, "a1d", int2, float2)
READ_ALL(image2d_t, 2D, "2d", int2, float2)
READ_ALL(image2d_array_t, A2D, "a2d", int4, float4)
READ_ALL(image3d_t, 3D, "3d", int4, float4)
READ(read_imagef, float4, "f32", "f", image2d_depth_t, 2D, "2d", int2, float2, float, .x)
READ(read_imagef, float4, "f32", "f", image2d_array_depth_t, A2D, "a2d", int4, float4, float, .x)
READ_UNSAMPLED(read_imagef, float4, "f32", "f", image1d_buffer_t, 1D, "1d", int, float4, NOTHING)
READ_UNSAMPLED(read_imagei, int4, "s32", "r", image1d_buffer_t, 1D, "1d", int, int4, NOTHING)
READ_UNSAMPLED(read_imageui, uint4, "u32", "r", image1d_buffer_t, 1D, "1d", int, uint4, NOTHING)

/* ---- Writing ---- */

/* A layer outside is outside. */
#define SAME_LAYER(layer) (layer)
#define WRITE_ONE(name, T, R, access, image, G, ptx, I)                                                                           \
	OVERLOAD void name(access image i, I c, T v)                                                                              \
	{                                                                                                                         \
		__asm__ volatile("sust.p." ptx ".v4.b32.trap [%4, " WHOLE_##G "], {%0,%1,%2,%3};"                                 \
				 :                                                                                                \
				 : R(v.x), R(v.y), R(v.z), R(v.w), "l"(i), AT_##G("r", SAME_LAYER)                                \
				 : "memory");                                                                                     \
	}
#define WRITE(name, T, R, image, G, ptx, I)                                                                                       \
	WRITE_ONE(name, T, R, write_only, image, G, ptx, I)                                                                       \
	WRITE_ONE(name, T, R, read_write, image, G, ptx, I)
#define WRITE_ALL(image, G, ptx, I)                                                                                               \
	WRITE(write_imagef, float4, "f", image, G, ptx, I)                                                                        \
	WRITE(write_imagei, int4, "r", image, G, ptx, I)                                                                          \
	WRITE(write_imageui, uint4, "r", image, G, ptx, I)
#define WRITE_DEPTH(access, image, G, ptx, I)                                                                                     \
	OVERLOAD void write_imagef(access image i, I c, float v)                                                                  \
	{                                                                                                                         \
		__asm__ volatile("sust.p." ptx ".b32.trap [%0, " DEPTH_##G "], {%1};"                                             \
				 :                                                                                                \
				 : "l"(i), "f"(v), AT_##G("r", SAME_LAYER)                                                        \
				 : "memory");                                                                                     \
	}
#define DEPTH_2D "{%2,%3}"
#define DEPTH_A2D "{%2,%3,%4,%4}"

WRITE_ALL(image1d_t, 1D, "1d", int)
WRITE_ALL(image1d_buffer_t, 1D, "1d", int)
WRITE_ALL(image1d_array_t, A1D, "a1d", int2)
WRITE_ALL(image2d_t, 2D, "2d", int2)
WRITE_ALL(image2d_array_t, A2D, "a2d", int4)
WRITE_ALL(image3d_t, 3D, "3d", int4)
WRITE_DEPTH(write_only, image2d_depth_t, 2D, "2d", int2)
WRITE_DEPTH(read_write, image2d_depth_t, 2D, "2d", int2)
WRITE_DEPTH(write_only, image2d_array_depth_t, A2D, "a2d", int4)
WRITE_DEPTH(read_write, image2d_array_depth_t, A2D, "a2d", int4)

/* ---- Queries ---- */

#define QUERY_ONE(name, T, what, access, image)                                                                                   \
	OVERLOAD T name(access image i)                                                                                           \
	{                                                                                                                         \
		int v;                                                                                                            \
		__asm__("txq." what ".b32 %0, [%1];" : "=r"(v) : "l"(i));                                                         \
		return (T)v;                                                                                                      \
	}
#define QUERY(name, T, what, image)                                                                                               \
	QUERY_ONE(name, T, what, read_only, image)                                                                                \
	QUERY_ONE(name, T, what, write_only, image)                                                                               \
	QUERY_ONE(name, T, what, read_write, image)
#define QUERY_ALL(image)                                                                                                          \
	QUERY(get_image_width, int, "width", image)                                                                               \
	QUERY(get_image_channel_data_type, int, "channel_data_type", image)                                                       \
	QUERY(get_image_channel_order, int, "channel_order", image)
#define DIMENSIONS_2D(image)                                                                                                      \
	QUERY(get_image_height, int, "height", image)                                                                             \
	SIZE_2D(read_only, image)                                                                                                 \
	SIZE_2D(write_only, image)                                                                                                \
	SIZE_2D(read_write, image)
#define SIZE_2D(access, image)                                                                                                    \
	OVERLOAD int2 get_image_dim(access image i)                                                                               \
	{                                                                                                                         \
		return (int2)(get_image_width(i), get_image_height(i));                                                           \
	}
#define SIZE_3D(access)                                                                                                           \
	OVERLOAD int4 get_image_dim(access image3d_t i)                                                                           \
	{                                                                                                                         \
		return (int4)(get_image_width(i), get_image_height(i), get_image_depth(i), 0);                                    \
	}

QUERY_ALL(image1d_t)
QUERY_ALL(image1d_buffer_t)
QUERY_ALL(image1d_array_t)
QUERY_ALL(image2d_t)
QUERY_ALL(image2d_array_t)
QUERY_ALL(image3d_t)
QUERY_ALL(image2d_depth_t)
QUERY_ALL(image2d_array_depth_t)
DIMENSIONS_2D(image2d_t)
DIMENSIONS_2D(image2d_array_t)
DIMENSIONS_2D(image2d_depth_t)
DIMENSIONS_2D(image2d_array_depth_t)
QUERY(get_image_height, int, "height", image3d_t)
QUERY(get_image_depth, int, "depth", image3d_t)
SIZE_3D(read_only)
SIZE_3D(write_only)
SIZE_3D(read_write)
QUERY(get_image_array_size, size_t, "array_size", image1d_array_t)
QUERY(get_image_array_size, size_t, "array_size", image2d_array_t)
QUERY(get_image_array_size, size_t, "array_size", image2d_array_depth_t)
