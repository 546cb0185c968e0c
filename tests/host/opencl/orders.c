/* Carries out scripts of calls, of which tests/host/orders_opencl.py knows which accesses nothing orders.  A line is a
 * call and numbers: the queue, the slot for its event or -1, how many events it waits for and their slots, and then
 *
 *     kernels COUNT                            makes k0, k1, ...: the first line, which has only this number
 *     kernel NUMBER MEMORY AT COUNT STEP MEMORY AT COUNT STEP     words that it loads, and that it stores
 *     read | write BLOCKING MEMORY AT HOST BYTES
 *     readrect | writerect BLOCKING MEMORY AT ROW SLICE HOST ROW SLICE WIDTH HEIGHT DEPTH
 *     copy MEMORY AT MEMORY AT BYTES           from, to
 *     copyrect MEMORY AT ROW SLICE MEMORY AT ROW SLICE WIDTH HEIGHT DEPTH
 *     fill MEMORY AT BYTES
 *     svmcopy BLOCKING AT AT BYTES             from, to
 *     svmfill AT BYTES
 *     marker | barrier
 *
 * and, with a queue or an event alone: finish QUEUE, flush QUEUE; wait EVENT, ask EVENT until it is complete, call
 * EVENT, which gives it a callback; user EVENT makes one, and set EVENT completes it.  z lets time go by in which most
 * is carried out, which the host does not know; . is the end of a script, # ... nothing.
 *
 * Queues: 0 and 1 in order, 2 and 3 not.  Memories: 0 a buffer, 1 the part of it from byte 128 on, 2 shared memory. */
#include "check.h"

#define BYTES 4096
#define PART 128 /* where the part begins */
#define QUEUES 4
#define EVENTS 6

static struct test t;
static cl_command_queue queues[QUEUES], idle;
static cl_event events[EVENTS];
static cl_mem memories[2];
static char *shared, host[BYTES];
static cl_program program;
static cl_kernel *kernels;
static int kernel_count;

/* ---- Kernels ---- */

#define KERNEL_BYTES 1024 /* of text, or fewer */

/* Each thread loads a word and stores one, as far as there are so many; no two store the same.  As PTX, since there may
 * be thousands. */
static void make_kernels(int count)
{
	cl_int why;
	size_t bytes = (size_t)(count + 1) * KERNEL_BYTES, at;
	char *ptx = malloc(bytes);
	kernels = malloc((size_t)count * sizeof *kernels);
	kernel_count = count;
	CHECK(ptx && kernels);
	at = (size_t)snprintf(ptx, bytes, ".version 6.0\n.target sm_35\n.address_size 64\n");
	for (int k = 0; k < count; k++)
		at += (size_t)snprintf(ptx + at, bytes - at,
			".visible .entry k%d(.param .u64 .ptr .global from, .param .u32 from_at, .param .u32 reads,\n"
			"\t.param .u32 read_step, .param .u64 .ptr .global to, .param .u32 to_at, .param .u32 writes,\n"
			"\t.param .u32 write_step)\n{\n\t.reg .pred %%p;\n"
			"\t.reg .b32 %%r<5>;\n\t.reg .b64 %%d<3>;\n\tmov.u32 %%r0, %%tid.x;\n"
			"\tld.param.u32 %%r1, [reads];\n\tsetp.lt.u32 %%p, %%r0, %%r1;\n"
			"\tld.param.u32 %%r2, [read_step];\n\tld.param.u32 %%r4, [from_at];\n"
			"\tmad.lo.u32 %%r2, %%r0, %%r2, %%r4;\n\tcvt.u64.u32 %%d0, %%r2;\n"
			"\tld.param.u64 %%d1, [from];\n\tadd.u64 %%d1, %%d1, %%d0;\n"
			"\t@%%p ld.global.u32 %%r3, [%%d1];\n"
			"\tld.param.u32 %%r1, [writes];\n\tsetp.lt.u32 %%p, %%r0, %%r1;\n"
			"\tld.param.u32 %%r2, [write_step];\n\tld.param.u32 %%r4, [to_at];\n"
			"\tmad.lo.u32 %%r2, %%r0, %%r2, %%r4;\n\tcvt.u64.u32 %%d0, %%r2;\n"
			"\tld.param.u64 %%d1, [to];\n\tadd.u64 %%d1, %%d1, %%d0;\n"
			"\tadd.u32 %%r3, %%r0, %d;\n\t@%%p st.global.u32 [%%d1], %%r3;\n\tret;\n}\n",
			k, 100 * k);
	const unsigned char *binary = (unsigned char *)ptx;
	program = clCreateProgramWithBinary(t.context, 1, &t.device, &at, &binary, NULL, &why);
	OK(why);
	OK(clBuildProgram(program, 1, &t.device, "", NULL, NULL));
	for (int k = 0; k < count; k++) {
		char name[32];
		snprintf(name, sizeof name, "k%d", k);
		kernels[k] = clCreateKernel(program, name, &why);
		OK(why);
	}
	free(ptx);
}

static void set_memory(cl_kernel kernel, cl_uint first, const int *a)
{
	if (a[0] == 2)
		OK(clSetKernelArgSVMPointer(kernel, first, shared));
	else
		OK(clSetKernelArg(kernel, first, sizeof *memories, &memories[a[0]]));
	for (cl_uint k = 1; k < 4; k++)
		OK(clSetKernelArg(kernel, first + k, sizeof *a, &a[k]));
}

/* ---- Calls ---- */

/* What a command waits for, and its event. */
struct around {
	cl_uint count;
	const cl_event *list;
	cl_event *event;
};

static void launch(cl_command_queue queue, const int *a, const struct around *x)
{
	size_t global = 8;
	set_memory(kernels[a[0]], 0, a + 1);
	set_memory(kernels[a[0]], 4, a + 5);
	OK(clEnqueueNDRangeKernel(queue, kernels[a[0]], 1, NULL, &global, &global, x->count, x->list, x->event));
}

static void enqueue_rectangle(const char *call, cl_command_queue queue, const int *a, const struct around *x)
{
	size_t n[11], zero[3] = {0};
	for (int k = 0; k < 11; k++)
		n[k] = (size_t)a[k];
	if (!strcmp(call, "readrect"))
		OK(clEnqueueReadBufferRect(queue, memories[a[1]], n[0] != 0, (size_t[3]){n[2], 0, 0}, zero, n + 8, n[3],
			n[4], n[6], n[7], host + n[5], x->count, x->list, x->event));
	else if (!strcmp(call, "writerect"))
		OK(clEnqueueWriteBufferRect(queue, memories[a[1]], n[0] != 0, (size_t[3]){n[2], 0, 0}, zero, n + 8,
			n[3], n[4], n[6], n[7], host + n[5], x->count, x->list, x->event));
	else
		OK(clEnqueueCopyBufferRect(queue, memories[a[0]], memories[a[4]], (size_t[3]){n[1], 0, 0},
			(size_t[3]){n[5], 0, 0}, n + 8, n[2], n[3], n[6], n[7], x->count, x->list, x->event));
}

static void enqueue_svm(const char *call, cl_command_queue queue, const int *a, const struct around *x)
{
	if (!strcmp(call, "svmcopy"))
		OK(clEnqueueSVMMemcpy(
			queue, a[0] != 0, shared + a[2], shared + a[1], (size_t)a[3], x->count, x->list, x->event));
	else
		OK(clEnqueueSVMMemFill(queue, shared + a[0], "x", 1, (size_t)a[1], x->count, x->list, x->event));
}

static void enqueue(const char *call, cl_command_queue queue, const int *a, const struct around *x)
{
	if (!strcmp(call, "kernel"))
		launch(queue, a, x);
	else if (!strcmp(call, "read"))
		OK(clEnqueueReadBuffer(queue, memories[a[1]], a[0] != 0, (size_t)a[2], (size_t)a[4], host + a[3],
			x->count, x->list, x->event));
	else if (!strcmp(call, "write"))
		OK(clEnqueueWriteBuffer(queue, memories[a[1]], a[0] != 0, (size_t)a[2], (size_t)a[4], host + a[3],
			x->count, x->list, x->event));
	else if (!strcmp(call, "copy"))
		OK(clEnqueueCopyBuffer(queue, memories[a[0]], memories[a[2]], (size_t)a[1], (size_t)a[3], (size_t)a[4],
			x->count, x->list, x->event));
	else if (!strcmp(call, "fill"))
		OK(clEnqueueFillBuffer(
			queue, memories[a[0]], "x", 1, (size_t)a[1], (size_t)a[2], x->count, x->list, x->event));
	else if (!strcmp(call, "marker"))
		OK(clEnqueueMarkerWithWaitList(queue, x->count, x->list, x->event));
	else if (!strcmp(call, "barrier"))
		OK(clEnqueueBarrierWithWaitList(queue, x->count, x->list, x->event));
	else if (!strncmp(call, "svm", 3))
		enqueue_svm(call, queue, a, x);
	else
		enqueue_rectangle(call, queue, a, x);
}

static void put_event(int slot, cl_event event)
{
	if (events[slot])
		OK(clReleaseEvent(events[slot]));
	events[slot] = event;
}

static void command(const char *call, const int *a)
{
	cl_event list[EVENTS], event;
	struct around x = {.count = (cl_uint)a[2], .list = a[2] ? list : NULL, .event = a[1] < 0 ? NULL : &event};
	for (int k = 0; k < a[2]; k++)
		list[k] = events[a[3 + k]];
	enqueue(call, queues[a[0]], a + 3 + a[2], &x);
	if (a[1] >= 0)
		put_event(a[1], event);
}

/* ---- What the host does ---- */

static void CL_CALLBACK nothing(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
}

static void let_time_go_by(void)
{
	launch(idle, (int[9]){0}, &(struct around){0});
	OK(clFinish(idle));
}

static void ask(cl_event event)
{
	cl_int status;
	do
		OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	while (status != CL_COMPLETE);
}

static void end(void)
{
	for (int k = 0; k < QUEUES; k++)
		OK(clFinish(queues[k]));
	for (int k = 0; k < EVENTS; k++)
		put_event(k, NULL);
}

/* False: it is a command. */
static bool is_of_host(const char *call, int a)
{
	cl_int why = CL_SUCCESS;
	if (!strcmp(call, "kernels"))
		make_kernels(a);
	else if (!strcmp(call, "finish"))
		OK(clFinish(queues[a]));
	else if (!strcmp(call, "flush"))
		OK(clFlush(queues[a]));
	else if (!strcmp(call, "wait"))
		OK(clWaitForEvents(1, &events[a]));
	else if (!strcmp(call, "ask"))
		ask(events[a]);
	else if (!strcmp(call, "call"))
		OK(clSetEventCallback(events[a], CL_COMPLETE, nothing, NULL));
	else if (!strcmp(call, "user"))
		put_event(a, clCreateUserEvent(t.context, &why));
	else if (!strcmp(call, "set"))
		OK(clSetUserEventStatus(events[a], CL_COMPLETE));
	else if (!strcmp(call, "z"))
		let_time_go_by();
	else if (!strcmp(call, "."))
		end();
	else
		return false;
	OK(why);
	return true;
}

#define MOST_NUMBERS 24

static void carry_out(char *line)
{
	char *rest = line, *call = strtok_r(rest, " \n", &rest), *word;
	int numbers[MOST_NUMBERS] = {0};
	for (int count = 0; call && count < MOST_NUMBERS && (word = strtok_r(rest, " \n", &rest)); count++)
		numbers[count] = (int)strtol(word, NULL, 10);
	if (call && *call != '#' && !is_of_host(call, numbers[0]))
		command(call, numbers);
}

int main(int argument_count, char **arguments)
{
	char line[256];
	cl_int why;
	FILE *script = argument_count > 1 ? fopen(arguments[1], "r") : NULL;
	t = test_open();
	for (int k = 0; k < QUEUES; k++)
		queues[k] = test_queue(&t, k < 2 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	idle = test_queue(&t, 0);
	memories[0] = clCreateBuffer(t.context, CL_MEM_READ_WRITE, BYTES, NULL, &why);
	OK(why);
	memories[1] = clCreateSubBuffer(
		memories[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){PART, BYTES - PART}, &why);
	OK(why);
	shared = clSVMAlloc(t.context, CL_MEM_READ_WRITE, BYTES, 0);
	CHECK(shared);
	while (script && fgets(line, sizeof line, script)) {
		check_entry++; /* the line, for messages */
		carry_out(line);
	}
	if (script)
		fclose(script);
	for (int k = 0; k < kernel_count; k++)
		OK(clReleaseKernel(kernels[k]));
	if (program)
		OK(clReleaseProgram(program));
	free(kernels);
	for (int k = 0; k < QUEUES; k++)
		OK(clReleaseCommandQueue(queues[k]));
	OK(clReleaseCommandQueue(idle));
	OK(clReleaseMemObject(memories[1]));
	OK(clReleaseMemObject(memories[0]));
	clSVMFree(t.context, shared);
	test_close(&t);
	return 0;
}
