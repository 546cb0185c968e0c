/* Shared virtual memory: a list with pointers that host and kernel both follow, coarse- and fine-grained; a buffer on
 * it. PoCL 3.1: passes. */
#include "check.h"

struct node {
	struct node *next;
	cl_long value;
};

static const char source[] = "struct node { global struct node *next; long value; };\n"
			     "kernel void sum(global struct node *first, global long *out)\n"
			     "{\n"
			     "  long s = 0;\n"
			     "  for (global struct node *n = first; n; n = n->next) { s += n->value; n->value *= 2; }\n"
			     "  *out = s;\n"
			     "}\n"
			     "kernel void fill(global int *out) { out[get_global_id(0)] = 3 * get_global_id(0); }\n";

#define NODES 20

static void list(const struct test *t, cl_svm_mem_flags flags)
{
	bool fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER;
	cl_kernel sum = test_kernel(t, source, "sum");
	struct node *nodes = clSVMAlloc(t->context, CL_MEM_READ_WRITE | flags, NODES * sizeof *nodes, 0);
	cl_long *out = clSVMAlloc(t->context, CL_MEM_READ_WRITE | flags, sizeof *out, 0), wanted = 0;
	CHECK(nodes && out);
	if (!fine)
		OK(clEnqueueSVMMap(t->queue, CL_TRUE, CL_MAP_WRITE, nodes, NODES * sizeof *nodes, 0, NULL, NULL));
	for (int k = 0; k < NODES; k++) {
		int at = k * 7 % NODES, next = (k + 1) * 7 % NODES;
		nodes[at] = (struct node){k + 1 < NODES ? &nodes[next] : NULL, k * k};
		wanted += k * k;
	}
	if (!fine)
		OK(clEnqueueSVMUnmap(t->queue, nodes, 0, NULL, NULL));
	OK(clSetKernelArgSVMPointer(sum, 0, nodes));
	OK(clSetKernelArgSVMPointer(sum, 1, out));
	OK(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, &nodes));
	OK(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL)); /* takes it back */
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, NULL));
	test_launch(t, sum, 1, 1);
	if (!fine)
		OK(clEnqueueSVMMap(t->queue, CL_TRUE, CL_MAP_READ, out, sizeof *out, 0, NULL, NULL));
	OK(clFinish(t->queue));
	CHECK(*out == wanted);
	if (!fine)
		OK(clEnqueueSVMUnmap(t->queue, out, 0, NULL, NULL));
	OK(clFinish(t->queue));
	CHECK(nodes[7].value == 2); /* k = 1 */
	void *pointers[] = {nodes, out};
	OK(clEnqueueSVMFree(t->queue, 2, pointers, NULL, NULL, 0, NULL, NULL));
	OK(clReleaseKernel(sum));
}

static void copies(const struct test *t)
{
	int pattern = 0x01020304, back[64];
	int *memory = clSVMAlloc(t->context, CL_MEM_READ_WRITE, sizeof back, 64);
	CHECK(memory);
	OK(clEnqueueSVMMemFill(t->queue, memory, &pattern, sizeof pattern, sizeof back, 0, NULL, NULL));
	OK(clEnqueueSVMMemcpy(t->queue, CL_TRUE, back, memory, sizeof back, 0, NULL, NULL));
	for (int k = 0; k < 64; k++)
		CHECK(back[k] == pattern);
	cl_int why;
	cl_bool uses = CL_FALSE;
	cl_kernel fill = test_kernel(t, source, "fill");
	cl_mem buffer = clCreateBuffer(t->context, CL_MEM_USE_HOST_PTR, sizeof back + 1, memory, &why);
	CHECK(!buffer && why == CL_INVALID_BUFFER_SIZE); /* more than was allocated */
	buffer = clCreateBuffer(t->context, CL_MEM_USE_HOST_PTR, sizeof back, memory, &why);
	OK(why);
	OK(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
	CHECK(uses);
	test_set(fill, 0, buffer);
	test_launch(t, fill, 64, 0);
	test_read(t, buffer, sizeof back, back);
	for (int k = 0; k < 64; k++)
		CHECK(back[k] == 3 * k);
	OK(clReleaseMemObject(buffer));
	/* Migrating: pointers into allocations, sizes of 0 meaning all of one (OpenCL 3.0, clEnqueueSVMMigrateMem). */
	const void *inside[] = {memory, memory + 1}, *outside[] = {memory, back};
	const size_t sizes[] = {sizeof back, 0}, too_large[] = {sizeof back, sizeof back};
	OK(clEnqueueSVMMigrateMem(t->queue, 2, inside, sizes, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
	OK(clEnqueueSVMMigrateMem(t->queue, 2, inside, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 2, outside, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 2, inside, too_large, 0, 0, NULL, NULL));
	outside[1] = memory + 64; /* just behind */
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 2, outside, NULL, 0, 0, NULL, NULL));
	outside[1] = memory + 63; /* the last element: that, and not one byte more */
	OK(clEnqueueSVMMigrateMem(t->queue, 2, outside, (size_t[]){4, 4}, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 2, outside, (size_t[]){4, 5}, 0, 0, NULL, NULL));
	outside[1] = memory - 1;
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 2, outside, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 0, inside, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 2, NULL, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 2, inside, NULL, 8, 0, NULL, NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMigrateMem(NULL, 2, inside, NULL, 0, 0, NULL, NULL));
	cl_event event;
	cl_command_type type = 0;
	OK(clEnqueueSVMMap(t->queue, CL_FALSE, CL_MAP_READ, memory, sizeof back, 0, NULL, &event));
	OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	CHECK(type == CL_COMMAND_SVM_MAP);
	OK(clReleaseEvent(event));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, memory, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(t->queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(t->queue, CL_TRUE, CL_MAP_READ, memory, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(t->queue, CL_TRUE, 8, memory, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(t->queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, memory,
					4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMUnmap(t->queue, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(NULL, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(NULL, 1, (void *[]){memory}, NULL, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMFree(t->queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMFree(t->queue, 0, (void *[]){memory}, NULL, NULL, 0, NULL, NULL));
	/* Copies and fills (clEnqueueSVMMemcpy, clEnqueueSVMMemFill): what overlaps, what is missing, patterns that are
	 * no power of two or do not fit. */
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(t->queue, CL_TRUE, memory, memory + 1, 8, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(t->queue, CL_TRUE, memory + 1, memory, 5, 0, NULL, NULL));
	OK(clEnqueueSVMMemcpy(t->queue, CL_TRUE, memory + 1, memory, 4, 0, NULL, NULL));
	OK(clEnqueueSVMMemcpy(t->queue, CL_TRUE, memory, memory + 1, 4, 0, NULL, NULL));
	OK(clEnqueueSVMMemcpy(t->queue, CL_TRUE, memory, memory, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMemcpy(t->queue, CL_TRUE, NULL, memory, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMemcpy(t->queue, CL_TRUE, memory, NULL, 4, 0, NULL, NULL));
	memset(memory, 0, sizeof back);
	for (size_t bytes = 0; bytes <= 256; bytes++) {
		bool is_power = bytes && bytes <= 128 && !(bytes & (bytes - 1));
		check_entry = (int)bytes;
		GIVES(is_power ? CL_SUCCESS : CL_INVALID_VALUE,
			clEnqueueSVMMemFill(t->queue, memory, back, bytes, 0, 0, NULL, NULL));
	}
	check_entry = 0;
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(t->queue, (char *)memory + 1, back, 4, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(t->queue, memory, back, 4, 6, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(t->queue, memory, NULL, 4, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(t->queue, NULL, back, 4, 4, 0, NULL, NULL));
	OK(clEnqueueSVMMemFill(t->queue, memory + 2, &pattern, sizeof pattern, 12, 0, NULL, NULL));
	OK(clFinish(t->queue));
	for (int k = 0; k < 64; k++)
		CHECK(memory[k] == (k >= 2 && k < 5 ? pattern : 0));
	clSVMFree(t->context, memory);
	OK(clReleaseKernel(fill));
}

static int freed;

static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void *pointers[], void *context)
{
	(void)queue;
	for (cl_uint k = 0; k < count; k++)
		clSVMFree(context, pointers[k]);
	freed += (int)count;
}

/* The application's function frees them, where there is one; freed is freed; and flags and alignments that there are.
 */
static void allocating(const struct test *t)
{
	const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER, atomics = CL_MEM_SVM_ATOMICS;
	static const struct {
		cl_svm_mem_flags flags;
		bool good;
	} flags[] = {{0, true}, {CL_MEM_READ_WRITE, true}, {CL_MEM_READ_ONLY, true}, {CL_MEM_WRITE_ONLY, true},
		{CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, false}, {CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, false},
		{CL_MEM_HOST_READ_ONLY, false}, {CL_MEM_USE_HOST_PTR, false}};
	void *a = clSVMAlloc(t->context, 0, 64, 0), *b = clSVMAlloc(t->context, 0, 64, 0), *c;
	cl_ulong most;
	CHECK(a && b);
	OK(clEnqueueSVMFree(t->queue, 2, (void *[]){a, b}, free_them, t->context, 0, NULL, NULL));
	OK(clFinish(t->queue));
	CHECK(freed == 2);
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 1, (const void *[]){b}, NULL, 0, 0, NULL, NULL));
	OK(clEnqueueSVMFree(t->queue, 0, NULL, NULL, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMFree(t->queue, 1, (void *[]){NULL}, NULL, NULL, 0, NULL, NULL));
	/* From the middle of all. */
	a = clSVMAlloc(t->context, 0, 64, 0), b = clSVMAlloc(t->context, 0, 64, 0),
	c = clSVMAlloc(t->context, 0, 64, 0);
	clSVMFree(t->context, b);
	OK(clEnqueueSVMMigrateMem(t->queue, 2, (const void *[]){a, c}, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(t->queue, 1, (const void *[]){b}, NULL, 0, 0, NULL, NULL));
	OK(clFinish(t->queue));
	clSVMFree(t->context, NULL);
	clSVMFree((cl_context)t->queue, a); /* no context: nothing happens */
	OK(clEnqueueSVMMigrateMem(t->queue, 1, (const void *[]){a}, NULL, 0, 0, NULL, NULL));
	clSVMFree(t->context, a);
	clSVMFree(t->context, c);
	for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
		check_entry = (int)k;
		a = clSVMAlloc(t->context, flags[k].flags, 16, 0);
		CHECK(!a == !flags[k].good);
		clSVMFree(t->context, a);
		a = clSVMAlloc(t->context, flags[k].flags | fine | atomics, 16, 0);
		CHECK(!a == !flags[k].good);
		clSVMFree(t->context, a);
		CHECK(!clSVMAlloc(t->context, flags[k].flags | atomics, 16, 0)); /* only with the fine grain */
	}
	check_entry = 0;
	for (cl_uint alignment = 1; alignment <= 256; alignment++) { /* "a power of two ... that the device supports" */
		a = clSVMAlloc(t->context, 0, 16, alignment);
		CHECK(!a == (alignment > 128 || (alignment & (alignment - 1))));
		CHECK((size_t)a % alignment == 0);
		clSVMFree(t->context, a);
	}
	OK(clGetDeviceInfo(t->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
	CHECK(!clSVMAlloc(t->context, 0, most + 1, 0));
	CHECK(!clSVMAlloc((cl_context)t->queue, 0, 16, 0));
}

int main(void)
{
	struct test t = test_open();
	cl_device_svm_capabilities able = 0;
	OK(clGetDeviceInfo(t.device, CL_DEVICE_SVM_CAPABILITIES, sizeof able, &able, NULL));
	if (able & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) {
		list(&t, 0);
		copies(&t);
		if (!test_is_foreign(&t))
			allocating(&t);
	}
	if (able & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)
		list(&t, CL_MEM_SVM_FINE_GRAIN_BUFFER);
	CHECK(!clSVMAlloc(t.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 16, 0));
	CHECK(!clSVMAlloc(t.context, CL_MEM_READ_WRITE, 0, 0));
	CHECK(!clSVMAlloc(t.context, CL_MEM_READ_WRITE, 16, 3));
	test_close(&t);
	return 0;
}
