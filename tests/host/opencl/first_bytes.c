/* What memory holds before a program writes it, where another had the place before: docs/undefined.md.  The kernels are
 * PTX, since clang would make what it likes of a variable that was never written. */
#include "check.h"

#include <stdint.h>

#define LARGE ((size_t)3 << 20)

static const char ptx[] = ".version 7.0\n"
			  ".target sm_70\n"
			  ".address_size 64\n"
			  ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
			  ".extern .func free(.param .b64 p);\n"
			  ".func (.reg .b32 r) left() {\n"
			  "	.reg .b32 u;\n"
			  "	mov.b32 r, u;\n"
			  "	mov.b32 u, 7;\n"
			  "	ret;\n"
			  "}\n"
			  /* out[4 * thread ...]: a word of shared memory, of local memory, a register, what lies
			     between two parameters */
			  ".visible .entry places(.param .u8 narrow, .param .u64 out) {\n"
			  "	.reg .b32 t, g, n, i, s, l, never, p;\n"
			  "	.reg .b64 to, at;\n"
			  "	.shared .b32 common[64];\n"
			  "	.local .b32 own[4];\n"
			  "	mov.b32 t, %tid.x;\n"
			  "	mov.b32 g, %ctaid.x;\n"
			  "	mov.b32 n, %ntid.x;\n"
			  "	mad.lo.u32 i, g, n, t;\n"
			  "	ld.param.u64 to, [out];\n"
			  "	mad.wide.u32 to, i, 16, to;\n"
			  "	mov.u64 at, common;\n"
			  "	mad.wide.u32 at, t, 4, at;\n"
			  "	ld.shared.u32 s, [at];\n"
			  "	ld.local.u32 l, [own];\n"
			  "	ld.param.u32 p, [narrow+4];\n"
			  "	st.global.v4.b32 [to], {s, l, never, p};\n"
			  "	mov.b32 t, 5;\n"
			  "	st.shared.u32 [at], t;\n"
			  "	st.local.u32 [own], t;\n"
			  "	ret;\n"
			  "}\n"
			  ".visible .entry calls(.param .u64 out) {\n"
			  "	.reg .b32 a, b;\n"
			  "	.reg .b64 to;\n"
			  "	ld.param.u64 to, [out];\n"
			  "	call (a), left;\n"
			  "	call (b), left;\n"
			  "	st.global.v2.b32 [to], {a, b};\n"
			  "	ret;\n"
			  "}\n"
			  ".visible .entry heap(.param .u64 out) {\n"
			  "	.reg .b32 v, w;\n"
			  "	.reg .b64 to, block, again;\n"
			  "	.param .b64 n, r;\n"
			  "	ld.param.u64 to, [out];\n"
			  "	st.param.b64 [n], 64;\n"
			  "	call (r), malloc, (n);\n"
			  "	ld.param.b64 block, [r];\n"
			  "	ld.u32 v, [block];\n"
			  "	st.u32 [block], 5;\n"
			  "	st.param.b64 [n], block;\n"
			  "	call free, (n);\n"
			  "	st.param.b64 [n], 64;\n"
			  "	call (r), malloc, (n);\n"
			  "	ld.param.b64 again, [r];\n"
			  "	ld.u32 w, [again];\n"
			  "	st.param.b64 [n], again;\n"
			  "	call free, (n);\n"
			  "	st.global.v2.b32 [to], {v, w};\n"
			  "	ret;\n"
			  "}\n"
			  /* *out |= everything in `words` words from `in` on */
			  ".visible .entry look(.param .u64 in, .param .u32 words, .param .u64 out) {\n"
			  "	.reg .b32 i, n, v, all, old;\n"
			  "	.reg .b64 from, at, to;\n"
			  "	.reg .pred p;\n"
			  "	ld.param.u64 from, [in];\n"
			  "	ld.param.u32 n, [words];\n"
			  "	ld.param.u64 to, [out];\n"
			  "	mov.b32 i, %tid.x;\n"
			  "	mov.b32 all, 0;\n"
			  "again:	mad.wide.u32 at, i, 4, from;\n"
			  "	ld.global.u32 v, [at];\n"
			  "	or.b32 all, all, v;\n"
			  "	add.u32 i, i, 64;\n"
			  "	setp.lt.u32 p, i, n;\n"
			  "@p	bra again;\n"
			  "	atom.global.or.b32 old, [to], all;\n"
			  "	ret;\n"
			  "}\n";

static cl_program load(const struct test *t)
{
	const unsigned char *binary = (const unsigned char *)ptx;
	size_t length = sizeof ptx - 1;
	cl_int why, status;
	cl_program program = clCreateProgramWithBinary(t->context, 1, &t->device, &length, &binary, &status, &why);
	OK(why);
	OK(clBuildProgram(program, 1, &t->device, NULL, NULL, NULL));
	return program;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
	cl_int why;
	cl_kernel kernel = clCreateKernel(program, name, &why);
	OK(why);
	return kernel;
}

/* ---- Buffers ---- */

static void fill(const struct test *t, cl_mem buffer, size_t bytes)
{
	cl_uint pattern = 0xeeeeeeee;
	OK(clEnqueueFillBuffer(t->queue, buffer, &pattern, sizeof pattern, 0, bytes, 0, NULL, NULL));
	OK(clFinish(t->queue));
}

/* Whether a kernel finds nothing but zeroes there. */
static bool is_zero(const struct test *t, cl_kernel look, cl_mem buffer, size_t bytes, cl_mem out)
{
	cl_uint words = (cl_uint)(bytes / 4), seen = 0;
	OK(clEnqueueWriteBuffer(t->queue, out, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL));
	test_set(look, 0, buffer);
	OK(clSetKernelArg(look, 1, sizeof words, &words));
	test_set(look, 2, out);
	test_launch(t, look, 64, 64);
	test_read(t, out, sizeof seen, &seen);
	return !seen;
}

static void buffers(const struct test *t, cl_kernel look)
{
	static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
		CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS};
	static const size_t sizes[] = {256, 8192, LARGE};
	cl_mem out = test_buffer(t, 4, NULL);
	cl_int why;
	for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			cl_mem first = test_buffer(t, sizes[s], NULL);
			fill(t, first, sizes[s]);
			CHECK(!is_zero(t, look, first, sizes[s], out)); /* its lines are in the caches now */
			OK(clReleaseMemObject(first));
			cl_mem second = clCreateBuffer(t->context, flags[k], sizes[s], NULL, &why);
			OK(why);
			CHECK(is_zero(t, look, second, sizes[s], out));
			OK(clReleaseMemObject(second));
		}
	OK(clReleaseMemObject(out));
}

static void shared_virtual_memory(const struct test *t)
{
	cl_device_svm_capabilities able = 0;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_SVM_CAPABILITIES, sizeof able, &able, NULL));
	for (int fine = 0; fine < 2 && able & CL_DEVICE_SVM_FINE_GRAIN_BUFFER; fine++) {
		cl_svm_mem_flags flags = CL_MEM_READ_WRITE | (fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
		for (int k = 0; k < 2; k++) {
			char *memory = clSVMAlloc(t->context, flags, LARGE, 0);
			CHECK(memory);
			for (size_t b = 0; b < LARGE; b++)
				CHECK(!memory[b]);
			memset(memory, 0xee, LARGE);
			clSVMFree(t->context, memory);
		}
	}
}

/* ---- Inside of a launch ---- */

#define GROUPS 512 /* more than there are places for */

static void places(const struct test *t, cl_kernel kernel)
{
	static uint32_t found[GROUPS * 64][4];
	cl_mem out = test_buffer(t, sizeof found, NULL);
	cl_uchar narrow = 0xff;
	uint32_t fresh[2] = {0};
	OK(clSetKernelArg(kernel, 0, sizeof narrow, &narrow));
	test_set(kernel, 1, out);
	for (int launch = 0; launch < 2; launch++) {
		test_launch(t, kernel, (size_t)GROUPS * 64, 64);
		test_read(t, out, sizeof found, found);
		for (size_t k = 0; k < (size_t)GROUPS * 64; k++) {
			CHECK(found[k][0] == 0 && found[k][2] == 0 && found[k][3] == 0);
			CHECK(found[k][1] == 0 || found[k][1] == 5);
			fresh[launch] += !found[k][1];
		}
	}
	/* Local memory: what the warp before left, but in the first of each place; a launch has places of its own. */
	CHECK(fresh[0] && fresh[0] < GROUPS * 64 && fresh[1] == fresh[0]);
	OK(clReleaseMemObject(out));
}

/* Launches it with one work-item, and returns the two words that it writes. */
static void ask(const struct test *t, cl_kernel kernel, uint32_t found[2])
{
	cl_mem out = test_buffer(t, 8, NULL);
	test_set(kernel, 0, out);
	test_launch(t, kernel, 1, 1);
	test_read(t, out, 8, found);
	OK(clReleaseMemObject(out));
}

int main(void)
{
	struct test t = test_open();
	cl_program program = load(&t);
	cl_kernel look = kernel_of(program, "look"), of_places = kernel_of(program, "places"),
		  calls = kernel_of(program, "calls"), heap = kernel_of(program, "heap");
	uint32_t found[2];
	buffers(&t, look);
	shared_virtual_memory(&t);
	places(&t, of_places);
	ask(&t, calls, found);
	CHECK(found[0] == 0 && found[1] == 7);
	ask(&t, heap, found);
	CHECK(found[0] == 0 && found[1] == 5);
	ask(&t, heap, found);
	CHECK(found[0] == 5 && found[1] == 5);
	OK(clReleaseKernel(look));
	OK(clReleaseKernel(of_places));
	OK(clReleaseKernel(calls));
	OK(clReleaseKernel(heap));
	OK(clReleaseProgram(program));
	test_close(&t);
	return 0;
}
