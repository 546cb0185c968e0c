/* Samplers: every addressing mode, filter and kind of coordinate, for images of every type, made by the host and in the
 * program.  What is expected comes from the formulas of the OpenCL C specification 3.0, "Addressing and Filter Modes",
 * computed here in double precision. The specification leaves the precision of filtering open; ours is 8 bits for each
 * direction's weight, as GPUs have it. PoCL 3.1: not run. */
#include "check.h"

#include <math.h>
#include <stdint.h>

enum { X = 7, Y = 5, Z = 4, COORDINATES = 256 };

static const char source[] =
	"#define AT(name, image, coordinate) kernel void name(read_only image i, sampler_t s, global const float4 *c, "
	"global float4 *out) {"
	" int k = get_global_id(0); float4 at = c[k]; out[k] = read_imagef(i, s, coordinate); }\n"
	"AT(f_1d, image1d_t, at.x)\n"
	"AT(f_1d_array, image1d_array_t, at.xy)\n"
	"AT(f_2d, image2d_t, at.xy)\n"
	"AT(f_2d_array, image2d_array_t, at)\n"
	"AT(f_3d, image3d_t, at)\n"
	"AT(i_1d, image1d_t, convert_int_rtn(at.x))\n"
	"AT(i_1d_array, image1d_array_t, convert_int2_rtn(at.xy))\n"
	"AT(i_2d, image2d_t, convert_int2_rtn(at.xy))\n"
	"AT(i_2d_array, image2d_array_t, convert_int4_rtn(at))\n"
	"AT(i_3d, image3d_t, convert_int4_rtn(at))\n"
	"constant sampler_t outside = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;\n"
	"float4 by(read_only image2d_t i, sampler_t s, float2 at) { return read_imagef(i, s, at); }\n"
	"kernel void constants(read_only image2d_t i, global const float4 *c, global float4 *out) {"
	"	const sampler_t inside = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
	"	int k = get_global_id(0);\n"
	"	out[2 * k] = by(i, outside, c[k].xy);\n"
	"	out[2 * k + 1] = by(i, inside, c[k].xy * (float2)(7, 5));\n"
	"}\n";

static const struct shape {
	cl_mem_object_type type;
	const char *name;
	int size[3];  /* by direction; of arrays the layers behind the others */
	int filtered; /* directions that are sampled; a further one is the layer */
} shapes[] = {
	{CL_MEM_OBJECT_IMAGE1D, "1d", {X, 1, 1}, 1},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, "1d_array", {X, Y, 1}, 1},
	{CL_MEM_OBJECT_IMAGE2D, "2d", {X, Y, 1}, 2},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, "2d_array", {X, Y, Z}, 2},
	{CL_MEM_OBJECT_IMAGE3D, "3d", {X, Y, Z}, 3},
};

struct mode {
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	bool is_normalized;
};

static float texels[X * Y * Z];

static bool is_layer(const struct shape *s, int k)
{
	return k >= s->filtered && s->size[k] > 1;
}

/* The specification's i0 and i1 of one direction, and the weight of the second; -1: the border. */
static void texels_of(const struct mode *m, double s, int size, int at[2], double *weight)
{
	bool linear = m->filter == CL_FILTER_LINEAR;
	double u = s;
	if (m->is_normalized && m->addressing == CL_ADDRESS_REPEAT)
		u = (s - floor(s)) * size;
	else if (m->is_normalized && m->addressing == CL_ADDRESS_MIRRORED_REPEAT)
		u = fabs(s - 2 * rint(0.5 * s)) * size;
	else if (m->is_normalized)
		u = s * size;
	at[0] = at[1] = (int)floor(linear ? u - 0.5 : u);
	*weight = 0;
	if (linear) {
		at[1]++;
		*weight = u - 0.5 - floor(u - 0.5);
	}
	for (int k = 0; k < 2; k++)
		if (m->addressing == CL_ADDRESS_REPEAT)
			at[k] = at[k] < 0 ? at[k] + size : at[k] > size - 1 ? at[k] - size : at[k];
		else if (m->addressing == CL_ADDRESS_CLAMP)
			at[k] = at[k] < 0 || at[k] > size - 1 ? -1 : at[k];
		else
			at[k] = at[k] < 0 ? 0 : at[k] > size - 1 ? size - 1 : at[k];
}

static double texel(const struct shape *s, int x, int y, int z)
{
	return x < 0 || y < 0 || z < 0 ? 0 : (double)texels[(z * s->size[1] + y) * s->size[0] + x];
}

static double expected(const struct shape *s, const struct mode *m, const float coordinate[4])
{
	int at[3][2] = {{0}};
	double weight[3] = {0}, sum = 0;
	for (int k = 0; k < 3; k++)
		if (is_layer(s, k)) /* clamp(rint(w), 0, layers - 1) */
			at[k][0] = (int)fmin(fmax(rint(coordinate[k]), 0), s->size[k] - 1);
		else if (k < s->filtered)
			texels_of(m, coordinate[k], s->size[k], at[k], &weight[k]);
	for (int corner = 0; corner < 8; corner++) {
		int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
		double share = (x ? weight[0] : 1 - weight[0]) * (y ? weight[1] : 1 - weight[1]) *
			       (z ? weight[2] : 1 - weight[2]);
		if (share > 0)
			sum += share * texel(s, at[0][x], at[1][y], at[2][z]);
	}
	return sum;
}

static cl_mem make_image(const struct test *t, const struct shape *s)
{
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc shape = {.image_type = s->type,
		.image_width = X,
		.image_height = Y,
		.image_depth = Z,
		.image_array_size = (size_t)(s->filtered == 1 ? Y : Z)};
	cl_int why;
	cl_mem image =
		clCreateImage(t->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape, texels, &why);
	OK(why);
	return image;
}

/* From two sizes below the image to two above, at odd 32nds of a texel, so that no rounding can change the texel. */
static void make_coordinates(const struct shape *s, const struct mode *m, bool is_whole, float c[COORDINATES][4])
{
	static uint32_t state = 1;
	for (int n = 0; n < COORDINATES; n++)
		for (int k = 0; k < 4; k++) {
			int size = k < 3 ? s->size[k] : 1;
			state = state * 1664525 + 1013904223;
			int place = (int)(state >> 8) % (size * 5 * 16) - size * 2 * 16;
			double texel_place = is_whole ? floor(place / 16.0) : (2 * place + 1) / 32.0;
			bool scale = m->is_normalized && k < 3 && !is_layer(s, k);
			c[n][k] = (float)(scale ? texel_place / size : texel_place);
		}
}

static void check(const struct shape *s, const struct mode *m, const float c[4], float got, const char *what)
{
	double want = expected(s, m, c),
	       slack = m->filter == CL_FILTER_LINEAR ? s->filtered / 512.0 * 100 : 0; /* texels are up to 100 */
	if (fabs(got - want) <= slack)
		return;
	fprintf(stderr, "%s, %s, addressing 0x%x, filter 0x%x, %snormalized, at %g %g %g: %.9g, not %.9g\n", what,
		s->name, m->addressing, m->filter, m->is_normalized ? "" : "not ", c[0], c[1], c[2], got, want);
	exit(1);
}

static void sample(const struct test *t, cl_program program, const struct shape *s, const struct mode *m, bool is_whole)
{
	static float c[COORDINATES][4], got[COORDINATES][4];
	char name[32];
	cl_int why;
	snprintf(name, sizeof name, "%s_%s", is_whole ? "i" : "f", s->name);
	make_coordinates(s, m, is_whole, c);
	cl_mem image = make_image(t, s), in = test_buffer(t, sizeof c, c), out = test_buffer(t, sizeof got, NULL);
	cl_sampler sampler = clCreateSampler(t->context, m->is_normalized, m->addressing, m->filter, &why);
	OK(why);
	cl_kernel kernel = clCreateKernel(program, name, &why);
	OK(why);
	test_set(kernel, 0, image);
	OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
	test_set(kernel, 2, in);
	test_set(kernel, 3, out);
	OK(clReleaseSampler(sampler));
	test_launch(t, kernel, COORDINATES, 0);
	test_read(t, out, sizeof got, got);
	for (int k = 0; k < COORDINATES; k++) {
		check(s, m, c[k], got[k][0], name);
		CHECK(got[k][1] == 0 && got[k][2] == 0 && got[k][3] == 1);
	}
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(image));
	OK(clReleaseMemObject(in));
	OK(clReleaseMemObject(out));
}

static void constants(const struct test *t, cl_program program)
{
	static const struct mode modes[2] = {
		{CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, true}, {CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, false}};
	static float c[COORDINATES][4], got[COORDINATES][2][4];
	const struct shape *s = &shapes[2];
	cl_int why;
	make_coordinates(s, &modes[0], false, c);
	cl_mem image = make_image(t, s), in = test_buffer(t, sizeof c, c), out = test_buffer(t, sizeof got, NULL);
	cl_kernel kernel = clCreateKernel(program, "constants", &why);
	OK(why);
	test_set(kernel, 0, image);
	test_set(kernel, 1, in);
	test_set(kernel, 2, out);
	test_launch(t, kernel, COORDINATES, 0);
	test_read(t, out, sizeof got, got);
	for (int k = 0; k < COORDINATES; k++) {
		const float scaled[4] = {c[k][0] * X, c[k][1] * Y};
		check(s, &modes[0], c[k], got[k][0][0], "a constant of the program");
		check(s, &modes[1], scaled, got[k][1][0], "a constant of the kernel");
	}
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(image));
	OK(clReleaseMemObject(in));
	OK(clReleaseMemObject(out));
}

/* Integers outside are the border's, too: of R its alpha is 1. */
static const struct mode modes[] = {
	{CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, false},
	{CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, false},
	{CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, false},
	{CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, false},
	{CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, true},
	{CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, true},
	{CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, true},
	{CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, true},
	{CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, true},
	{CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, true},
	{CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, true},
	{CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, true},
};
enum { MODES = sizeof modes / sizeof *modes, WHOLE_MODES = 2 };

int main(void)
{
	struct test t = test_open();
	cl_program program = test_build(&t, source, "-cl-std=CL3.0");
	for (int k = 0; k < X * Y * Z; k++)
		texels[k] = (float)(k * 37 % 100 + 1);
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		for (int m = 0; m < MODES; m++)
			sample(&t, program, &shapes[s], &modes[m], false);
		for (int m = 0; m < WHOLE_MODES; m++)
			sample(&t, program, &shapes[s], &modes[m], true);
	}
	constants(&t, program);
	OK(clReleaseProgram(program));
	test_close(&t);
}
