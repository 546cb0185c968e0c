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
	clSVMFree(t->context, memory);
	OK(clReleaseKernel(fill));
}

int main(void)
{
	struct test t = test_open();
	cl_device_svm_capabilities able = 0;
	OK(clGetDeviceInfo(t.device, CL_DEVICE_SVM_CAPABILITIES, sizeof able, &able, NULL));
	if (able & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) {
		list(&t, 0);
		copies(&t);
	}
	if (able & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)
		list(&t, CL_MEM_SVM_FINE_GRAIN_BUFFER);
	CHECK(!clSVMAlloc(t.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 16, 0));
	CHECK(!clSVMAlloc(t.context, CL_MEM_READ_WRITE, 0, 0));
	CHECK(!clSVMAlloc(t.context, CL_MEM_READ_WRITE, 16, 3));
	test_close(&t);
	return 0;
}
