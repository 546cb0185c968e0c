/* Fine-grained shared virtual memory with atomics: host threads and work-items use the same words while the kernel
 * runs.  OpenCL 3.0, 3.3.4 (memory consistency with SVM) and 5.6.1 (clSVMAlloc). */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define ITEMS 128
#define ROUNDS 64

static const char source[] =
	"#define ALL memory_scope_all_svm_devices\n"
	"kernel void count(global atomic_int *go, global atomic_int *sum, global atomic_long *wide, global atomic_uint "
	"*swapped,\n"
	"                  global atomic_float *f)\n"
	"{\n"
	"  if (!get_global_id(0)) atomic_store_explicit(go, 1, memory_order_release, ALL);\n"
	"  for (int k = 0; k < 1024; k++) atomic_fetch_add_explicit(sum, 1, memory_order_relaxed, ALL);\n"
	"  for (int k = 0; k < 16; k++) {\n"
	"    atomic_fetch_add_explicit(wide, 0x100000001L, memory_order_acq_rel, ALL);\n"
	"    uint old = atomic_load_explicit(swapped, memory_order_relaxed, ALL);\n"
	"    while (!atomic_compare_exchange_weak_explicit(swapped, &old, old + 3, memory_order_acq_rel, "
	"memory_order_relaxed, ALL)) ;\n"
	"    atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed, ALL);\n"
	"  }\n"
	"}\n"
	/* As many rounds of question and answer as there are. */
	"kernel void answer(global atomic_int *question, global atomic_int *reply, global int *data, int rounds)\n"
	"{\n"
	"  for (int k = 1; k <= rounds; k++) {\n"
	"    while (atomic_load_explicit(question, memory_order_acquire, ALL) != k) ;\n"
	"    data[1] = data[0] * 2;\n"
	"    atomic_store_explicit(reply, k, memory_order_release, ALL);\n"
	"  }\n"
	"}\n"
	"kernel void wait(global atomic_int *flag, global int *out)\n"
	"{\n"
	"  while (!atomic_load_explicit(flag, memory_order_acquire, ALL)) ;\n"
	"  out[get_global_id(0)] = 7;\n"
	"}\n"
	/* A value of four bytes and one of eight, all of whose bytes change at once. */
	"kernel void flicker(global atomic_int *word, global atomic_ulong *wide, global atomic_int *stop)\n"
	"{\n"
	"  for (int k = 0; !atomic_load_explicit(stop, memory_order_relaxed, ALL); k ^= -1) {\n"
	"    atomic_store_explicit(word, k, memory_order_relaxed, ALL);\n"
	"    atomic_store_explicit(wide, (ulong)(long)k, memory_order_relaxed, ALL);\n"
	"  }\n"
	"}\n"
	"kernel void bytes(global uchar *b) { b[2 * get_global_id(0)] = 1; }\n"
	/* Dekker's exclusion of two: each stores, then looks; not both may miss the other. */
	"kernel void dekker(global atomic_int *mine, global atomic_int *theirs, global atomic_int *turn, global int "
	"*saw, int rounds)\n"
	"{\n"
	"  for (int k = 1; k <= rounds; k++) {\n"
	"    while (atomic_load_explicit(turn, memory_order_acquire, ALL) < k) ;\n"
	"    atomic_store_explicit(mine, k, memory_order_seq_cst, ALL);\n"
	"    saw[k] = atomic_load_explicit(theirs, memory_order_seq_cst, ALL) >= k;\n"
	"  }\n"
	"}\n";

struct shared {
	atomic_int go, sum, stop, question, reply, flag, word, mine, theirs, turn;
	atomic_uint swapped;
	_Alignas(8) atomic_long wide;
	atomic_ulong wide_word;
	_Atomic float f;
	int data[2], out[ITEMS], saw[ROUNDS + 1];
	unsigned char bytes[2 * ITEMS];
};

static struct shared *make(const struct test *t)
{
	const cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
	struct shared *s = clSVMAlloc(t->context, flags, sizeof *s, 0);
	CHECK(s);
	memset(s, 0, sizeof *s);
	return s;
}

static void set(cl_kernel kernel, cl_uint index, void *pointer)
{
	OK(clSetKernelArgSVMPointer(kernel, index, pointer));
}

static void spin_until(atomic_int *word, int value)
{
	while (atomic_load(word) < value)
		;
}

/* ---- Both count ---- */

static void add_one(_Atomic float *f)
{
	float old = atomic_load(f);
	while (!atomic_compare_exchange_weak(f, &old, old + 1))
		;
}

struct counter {
	struct shared *shared;
	atomic_bool over;
	int count;
};

/* Adds to one word as fast as it can. */
static void *keep_counting(void *argument)
{
	struct counter *c = argument;
	for (; !atomic_load(&c->over); c->count++)
		atomic_fetch_add(&c->shared->sum, 1);
	return NULL;
}

static void counting(const struct test *t, struct shared *s)
{
	cl_kernel count = test_kernel(t, source, "count");
	struct counter counter = {.shared = s};
	const int by_device = ITEMS * 16;
	const size_t items = ITEMS, group = 64;
	int by_host = 0;
	cl_int status;
	cl_event event;
	pthread_t thread;
	set(count, 0, &s->go), set(count, 1, &s->sum), set(count, 2, &s->wide), set(count, 3, &s->swapped),
		set(count, 4, &s->f);
	OK(pthread_create(&thread, NULL, keep_counting, &counter));
	spin_until(&s->sum, 1000);
	OK(clEnqueueNDRangeKernel(t->queue, count, 1, NULL, &items, &group, 0, NULL, &event));
	OK(clFlush(t->queue));
	spin_until(&s->go, 1);
	do { /* as long as the kernel counts, and a while longer */
		for (int k = 0; k < 256; k++, by_host++) {
			atomic_fetch_add(&s->wide, 0x100000001);
			atomic_fetch_add(&s->swapped, 3);
			add_one(&s->f);
		}
		OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	} while (status > CL_COMPLETE);
	OK(clReleaseEvent(event));
	atomic_store(&counter.over, true);
	OK(pthread_join(thread, NULL));
	CHECK(s->sum == ITEMS * 1024 + counter.count);
	CHECK(s->wide == 0x100000001L * (by_device + by_host));
	CHECK(s->swapped == 3u * (unsigned)(by_device + by_host));
	CHECK(by_device + by_host >= 1 << 24 ||
		s->f == (float)(by_device + by_host)); /* beyond, a float does not count on */
	OK(clReleaseKernel(count));
}

/* ---- They wait for each other ---- */

static void conversation(const struct test *t, struct shared *s)
{
	cl_kernel answer = test_kernel(t, source, "answer");
	cl_int rounds = ROUNDS;
	set(answer, 0, &s->question), set(answer, 1, &s->reply), set(answer, 2, s->data);
	OK(clSetKernelArg(answer, 3, sizeof rounds, &rounds));
	test_launch(t, answer, 1, 1);
	OK(clFlush(t->queue));
	for (int k = 1; k <= ROUNDS; k++) {
		s->data[0] = 10 * k;
		atomic_store(&s->question, k);
		spin_until(&s->reply, k);
		CHECK(s->data[1] == 20 * k);
	}
	OK(clFinish(t->queue));
	OK(clReleaseKernel(answer));
}

static void exclusion(const struct test *t, struct shared *s)
{
	cl_kernel dekker = test_kernel(t, source, "dekker");
	cl_int rounds = ROUNDS;
	bool seen[ROUNDS + 1];
	set(dekker, 0, &s->mine), set(dekker, 1, &s->theirs), set(dekker, 2, &s->turn), set(dekker, 3, s->saw);
	OK(clSetKernelArg(dekker, 4, sizeof rounds, &rounds));
	test_launch(t, dekker, 1, 1);
	OK(clFlush(t->queue));
	for (int k = 1; k <= ROUNDS; k++) {
		atomic_store(&s->turn, k);
		for (int pause = k * 37 % 500; pause; pause--)
			atomic_signal_fence(memory_order_seq_cst);
		atomic_store(&s->theirs, k);
		seen[k] = atomic_load(&s->mine) >= k;
		spin_until(&s->mine, k);
	}
	OK(clFinish(t->queue));
	for (int k = 1; k <= ROUNDS; k++)
		CHECK(seen[k] || s->saw[k]);
	OK(clReleaseKernel(dekker));
}

/* A thread that does not call us sets the flag long after the kernel would be suspected to hang (--hang-after), while
 * the main thread waits. */
static void *set_flag(void *flag)
{
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	atomic_store((atomic_int *)flag, 1);
	return NULL;
}

static void late_flag(const struct test *t, struct shared *s)
{
	cl_kernel wait = test_kernel(t, source, "wait");
	pthread_t thread;
	set(wait, 0, &s->flag), set(wait, 1, s->out);
	OK(pthread_create(&thread, NULL, set_flag, &s->flag));
	test_launch(t, wait, ITEMS, 64);
	OK(clFinish(t->queue));
	OK(pthread_join(thread, NULL));
	for (int k = 0; k < ITEMS; k++)
		CHECK(s->out[k] == 7);
	OK(clReleaseKernel(wait));
}

/* ---- Words are written whole, bytes alone ---- */

static void whole_words(const struct test *t, struct shared *s)
{
	cl_kernel flicker = test_kernel(t, source, "flicker");
	set(flicker, 0, &s->word), set(flicker, 1, &s->wide_word), set(flicker, 2, &s->stop);
	atomic_store(&s->word, 1);
	test_launch(t, flicker, 1, 1);
	OK(clFlush(t->queue));
	for (int changes = 0, last = 1; changes < 200;) {
		int now = atomic_load(&s->word);
		unsigned long wide = atomic_load(&s->wide_word);
		CHECK(now == 0 || now == -1 || now == 1);
		CHECK(wide == 0 || wide == ~0ul);
		changes += now != last;
		last = now;
	}
	atomic_store(&s->stop, 1);
	OK(clFinish(t->queue));
	OK(clReleaseKernel(flicker));
}

static void neighbouring_bytes(const struct test *t, struct shared *s)
{
	cl_kernel bytes = test_kernel(t, source, "bytes");
	set(bytes, 0, s->bytes);
	test_launch(t, bytes, ITEMS, 64);
	OK(clFlush(t->queue));
	for (int k = 0; k < ITEMS; k++)
		((volatile unsigned char *)s->bytes)[2 * k + 1] = 2;
	OK(clFinish(t->queue));
	for (int k = 0; k < 2 * ITEMS; k++)
		CHECK(s->bytes[k] == (k & 1) + 1);
	OK(clReleaseKernel(bytes));
}

/* ---- */

static void errors(const struct test *t)
{
	const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
	CHECK(!clSVMAlloc(t->context, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 64, 0)); /* only with fine grain */
	CHECK(!clSVMAlloc(t->context, fine | CL_MEM_COPY_HOST_PTR, 64, 0));
	CHECK(!clSVMAlloc(t->context, fine, 64, 256)); /* more than the largest type has */
	for (cl_uint alignment = 1; alignment <= 128; alignment *= 2) {
		char *memory = clSVMAlloc(t->context, fine, 3, alignment);
		CHECK(memory && (size_t)memory % alignment == 0);
		clSVMFree(t->context, memory);
	}
}

/* A kernel that is launched while another runs begins at the moment that the GPU's clock has reached, though the host's
 * stands; in functional mode, which has no clock, both begin when they were submitted. */
static void late_launch(const struct test *t, struct shared *s)
{
	const size_t one = 1;
	const char *mode = getenv("LOCKSTEP_MODE");
	bool is_functional = mode && !strcmp(mode, "functional");
	int rounds = 2;
	cl_event first, late;
	cl_command_queue other = test_queue(t, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel answer = test_kernel(t, source, "answer"), bytes = test_kernel(t, source, "bytes");
	atomic_store(&s->question, 0);
	atomic_store(&s->reply, 0);
	set(answer, 0, &s->question), set(answer, 1, &s->reply), set(answer, 2, s->data);
	OK(clSetKernelArg(answer, 3, sizeof rounds, &rounds));
	set(bytes, 0, s->bytes);
	OK(clEnqueueNDRangeKernel(t->queue, answer, 1, NULL, &one, &one, 0, NULL, &first));
	OK(clFlush(t->queue));
	atomic_store(&s->question, 1);
	spin_until(&s->reply, 1); /* so it runs */
	OK(clEnqueueNDRangeKernel(other, bytes, 1, NULL, &one, &one, 0, NULL, &late));
	OK(clWaitForEvents(1, &late));
	atomic_store(&s->question, 2);
	OK(clWaitForEvents(1, &first));
	const cl_ulong submit = test_time(late, CL_PROFILING_COMMAND_SUBMIT),
		       start = test_time(late, CL_PROFILING_COMMAND_START);
	CHECK(submit == test_time(first, CL_PROFILING_COMMAND_SUBMIT));
	CHECK(is_functional ? start == submit : start > submit);
	CHECK(test_time(first, CL_PROFILING_COMMAND_START) == submit); /* though it ends last */
	CHECK(is_functional || test_time(first, CL_PROFILING_COMMAND_END) > test_time(late, CL_PROFILING_COMMAND_END));
	OK(clReleaseEvent(first));
	OK(clReleaseEvent(late));
	OK(clReleaseKernel(answer));
	OK(clReleaseKernel(bytes));
	OK(clReleaseCommandQueue(other));
}

int main(void)
{
	struct test t = test_open();
	cl_device_svm_capabilities able = 0;
	OK(clGetDeviceInfo(t.device, CL_DEVICE_SVM_CAPABILITIES, sizeof able, &able, NULL));
	CHECK(able & CL_DEVICE_SVM_ATOMICS && able & CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
	struct shared *s = make(&t);
	counting(&t, s);
	conversation(&t, s);
	exclusion(&t, s);
	whole_words(&t, s);
	neighbouring_bytes(&t, s);
	late_flag(&t, s);
	late_launch(&t, s);
	errors(&t);
	clSVMFree(t.context, s);
	test_close(&t);
	return 0;
}
