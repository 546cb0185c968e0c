/* Kernels that wait for what the program does later, or never: `stalled FORM ACT WAIT`.  FORM says which thread does it
 * and when, ACT by what, WAIT how the main thread waits for the kernel.  It prints the error that it gets: OK, or that
 * the launch timed out.  tests/host/stalled.py has the cases, with what is expected of each: on a card, what another
 * stream has would begin beside the kernel, and so the kernel would end. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

EMBED(code, "stalled.fatbin");

enum kernel { WAITS, SETS, RELAYS, WAITS_BY_CLOCK, SETS_MAYBE, WORKS_AND_WAITS, KERNELS };

static const char *const names[KERNELS] = {
	"waits", "sets", "relays", "waits_by_clock", "sets_maybe", "works_and_waits"};
static char handles[KERNELS];
static struct {
	uint32_t magic, version;
	const void *data, *modules;
} wrapper = {0x466243b1, 1, code, NULL};

static int *word, *second;               /* on the GPU: 0 */
static int *one, *flag;                  /* pinned: 1; 0 */
static int *waited_for;                  /* by launch_waiter: the word, unless the form has another */
static cudaStream_t a, b, c;             /* the kernel that waits is in a */
static void (*act)(cudaStream_t stream); /* what lets it go on */
static cudaError_t (*wait_for_it)(void);

static const unsigned int tenth = 100000; /* microseconds */

static void start(enum kernel kernel, cudaStream_t stream, int **first, void *second_argument)
{
	OK(cudaLaunchKernel(
		&handles[kernel], (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){first, second_argument}, 0, stream));
}

static void start_waiter(void)
{
	start(WAITS, a, &waited_for, NULL);
}

/* Ends the program with what a call gave. */
static void finish(cudaError_t error)
{
	printf("%s\n", error ? cudaGetErrorString(error) : "OK");
	fflush(stdout);
}

static void finish_waiting(void)
{
	finish(wait_for_it());
}

/* ---- How it waits ---- */

static cudaEvent_t end_of_waiter;

static cudaError_t wait_for_device(void)
{
	return cudaDeviceSynchronize();
}

static cudaError_t wait_for_stream(void)
{
	return cudaStreamSynchronize(a);
}

static cudaError_t wait_for_event(void)
{
	OK(cudaEventCreate(&end_of_waiter));
	OK(cudaEventRecord(end_of_waiter, a));
	return cudaEventSynchronize(end_of_waiter);
}

static cudaError_t wait_by_query(void)
{
	cudaError_t error;
	while ((error = cudaStreamQuery(a)) == cudaErrorNotReady)
		usleep(1000);
	return error;
}

/* ---- What is done ---- */

static void copy(cudaStream_t stream)
{
	OK(cudaMemcpyAsync(word, one, sizeof *one, cudaMemcpyHostToDevice, stream));
}

static void launch(cudaStream_t stream)
{
	start(SETS, stream, &word, NULL);
}

static void launch_maybe(cudaStream_t stream)
{
	int really = 0;
	start(SETS_MAYBE, stream, &word, &really);
}

static void fill_word(cudaStream_t stream)
{
	OK(cudaMemsetAsync(word, 1, sizeof *word, stream));
}

/* Of four bytes, of which the first alone would let nothing go on. */
static void fill_words(cudaStream_t stream)
{
	CUcontext context;
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemsetD32Async((CUdeviceptr)(uintptr_t)word, 0x100, 1, (CUstream)stream));
}

static void copy_and_query(cudaStream_t stream)
{
	copy(stream);
	(void)cudaStreamQuery(stream);
}

static void copy_and_wait(cudaStream_t stream)
{
	copy(stream);
	OK(cudaStreamSynchronize(stream));
}

static void copy_blocking(cudaStream_t stream)
{
	int value = 1;
	(void)stream;
	(void)cudaMemcpy(word, &value, sizeof value, cudaMemcpyHostToDevice); /* in the legacy stream; it may fail */
}

static void launch_graph(cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t runnable;
	OK(cudaStreamBeginCapture(c, cudaStreamCaptureModeRelaxed));
	launch(c);
	OK(cudaStreamEndCapture(c, &graph));
	OK(cudaGraphInstantiate(&runnable, graph, 0));
	OK(cudaGraphLaunch(runnable, stream));
}

static void set_flag(void *nothing)
{
	(void)nothing;
	*(volatile int *)flag = 1;
}

static void call_and_copy(cudaStream_t stream)
{
	OK(cudaLaunchHostFunc(stream, set_flag, NULL));
	OK(cudaMemcpyAsync(word, flag, sizeof *flag, cudaMemcpyHostToDevice, stream));
}

static void call(cudaStream_t stream)
{
	OK(cudaLaunchHostFunc(stream, set_flag, NULL));
}

static void copy_behind_event(cudaStream_t stream)
{
	cudaEvent_t event;
	OK(cudaMemsetAsync(second, 1, sizeof *second, stream));
	OK(cudaEventCreate(&event));
	OK(cudaEventRecord(event, stream));
	OK(cudaStreamWaitEvent(c, event, 0));
	copy(c);
}

static void copy_in_two_steps(cudaStream_t stream)
{
	OK(cudaMemsetAsync(second, 0, sizeof *second, stream));
	usleep(3 * tenth);
	copy(stream);
}

static void write_word(cudaStream_t stream)
{
	CUcontext context;
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuStreamWriteValue32_v2((CUstream)stream, (CUdeviceptr)(uintptr_t)word, 1, 0));
}

/* Two kernels that wait one for the other's word, of which a copy sets the first. */
static void copy_through_kernel(cudaStream_t stream)
{
	start(RELAYS, stream, &second, &word);
	OK(cudaMemcpyAsync(second, one, sizeof *one, cudaMemcpyHostToDevice, c));
}

static void write_flag(cudaStream_t stream)
{
	(void)stream;
	*(volatile int *)flag = 1;
}

static void set_another(cudaStream_t stream)
{
	start(SETS, stream, &second, NULL);
}

static void do_nothing(cudaStream_t stream)
{
	(void)stream;
}

/* ---- Which thread, and when ---- */

static void begin(pthread_t *thread, void *(*function)(void *))
{
	CHECK(!pthread_create(thread, NULL, function, NULL));
}

static void *act_later(void *nothing)
{
	usleep(2 * tenth);
	act(b);
	return nothing;
}

static void in_thread(void)
{
	pthread_t thread;
	start_waiter();
	begin(&thread, act_later);
	finish_waiting();
	pthread_join(thread, NULL);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One thread, which polls memory: no call flushes what it has enqueued. */
static void poll_with(void (*pause_a_while)(void))
{
	start(RELAYS, a, &word, &flag);
	(void)cudaStreamQuery(a);
	usleep(tenth / 2);
	act(b);
	for (double end = seconds() + 20; seconds() < end && !*(volatile int *)flag;)
		pause_a_while();
	finish_waiting();
}

static void sleep_shortly(void)
{
	usleep(1000);
}

static void read_clock(void)
{
	struct timeval now;
	gettimeofday(&now, NULL);
}

static void polling(void)
{
	poll_with(sleep_shortly);
}

static void spinning(void)
{
	poll_with(read_clock);
}

/* The program does something else before. */
static void after(unsigned int tenths, bool computes)
{
	double end = seconds() + tenths / 10.0;
	start_waiter();
	(void)cudaStreamQuery(a);
	while (seconds() < end)
		if (!computes)
			usleep(tenth);
	act(b);
	finish_waiting();
}

static void after_sleep(void)
{
	after(12, false);
}

static void after_work(void)
{
	after(12, true);
}

static void after_long_sleep(void)
{
	after(65, false);
}

static void after_long_work(void)
{
	after(65, true);
}

/* A thread that waits until some time, by each of these. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int pipe_ends[2];
static unsigned int timed_tenths = 12;

static struct timespec until(void)
{
	struct timespec end;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += timed_tenths / 10;
	return end;
}

static void wait_timed_condition(void)
{
	struct timespec end = until();
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&condition, &mutex, &end);
	pthread_mutex_unlock(&mutex);
}

static void wait_timed_semaphore(void)
{
	struct timespec end = until();
	sem_timedwait(&semaphore, &end);
}

static void wait_timed_poll(void)
{
	struct pollfd input = {.fd = pipe_ends[0], .events = POLLIN};
	poll(&input, 1, (int)timed_tenths * 100);
}

static void wait_timed_select(void)
{
	struct timeval time = {.tv_sec = timed_tenths / 10};
	select(0, NULL, NULL, NULL, &time);
}

static void (*wait_timed)(void);

static void *act_after_time(void *nothing)
{
	wait_timed();
	act(b);
	return nothing;
}

static void with_timed(void (*how)(void))
{
	pthread_t thread;
	wait_timed = how;
	start_waiter();
	begin(&thread, act_after_time);
	finish_waiting();
	pthread_join(thread, NULL);
}

static void timed_condition(void)
{
	with_timed(wait_timed_condition);
}

static void timed_semaphore(void)
{
	with_timed(wait_timed_semaphore);
}

static void timed_poll(void)
{
	with_timed(wait_timed_poll);
}

static void timed_select(void)
{
	with_timed(wait_timed_select);
}

static void long_timed_poll(void)
{
	timed_tenths = 65;
	with_timed(wait_timed_poll);
}

/* ---- Threads that wait without a time limit ---- */

static void *be_idle(void *nothing)
{
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	return nothing;
}

static void *read_input(void *nothing)
{
	char byte;
	return read(pipe_ends[0], &byte, 1) < 0 ? &pipe_ends : nothing;
}

static void *poll_input(void *nothing)
{
	struct pollfd input = {.fd = pipe_ends[0], .events = POLLIN};
	poll(&input, 1, -1);
	return nothing;
}

static void *lock_mutex(void *nothing)
{
	pthread_mutex_lock(&mutex);
	return nothing;
}

static void *wait_in_thread(void *nothing)
{
	finish_waiting();
	return nothing;
}

static pthread_t joined;

static void *join_other(void *nothing)
{
	pthread_join(joined, NULL);
	return nothing;
}

/* Beside a thread that does this. */
static void beside(void *(*function)(void *))
{
	pthread_t thread;
	start_waiter();
	begin(&thread, function);
	usleep(tenth);
	act(b);
	finish_waiting();
	_exit(0);
}

static void beside_idle(void)
{
	beside(be_idle);
}

static void beside_reader(void)
{
	beside(read_input);
}

static void beside_poller(void)
{
	beside(poll_input);
}

static void beside_locked(void)
{
	pthread_mutex_lock(&mutex);
	beside(lock_mutex);
}

static void joins(void)
{
	start_waiter();
	begin(&joined, wait_in_thread);
	act(b);
	pthread_join(joined, NULL);
}

/* It joins for a while only, and acts then. */
static void timed_join(void)
{
	start_waiter();
	begin(&joined, wait_in_thread);
	struct timespec end = until();
	CHECK(pthread_timedjoin_np(joined, NULL, &end) == ETIMEDOUT);
	act(b);
	pthread_join(joined, NULL);
}

static void joins_joining(void)
{
	pthread_t thread;
	start_waiter();
	begin(&joined, wait_in_thread);
	begin(&thread, join_other);
	act(b);
	pthread_join(thread, NULL);
}

/* It joins a thread that reads, while another waits. */
static void joins_reader(void)
{
	pthread_t thread;
	start_waiter();
	begin(&thread, wait_in_thread);
	begin(&joined, read_input);
	pthread_join(thread, NULL);
	_exit(0);
}

static void *wait_and_post(void *nothing)
{
	finish_waiting();
	sem_post(&semaphore);
	return nothing;
}

/* As pools and futures have it: not joined, but told. */
static void is_told(void)
{
	pthread_t thread;
	start_waiter();
	begin(&thread, wait_and_post);
	act(b);
	sem_wait(&semaphore);
	pthread_join(thread, NULL);
}

static void *wait_for_other_stream(void *nothing)
{
	(void)cudaStreamSynchronize(b);
	return nothing;
}

static void in_two_threads(void)
{
	pthread_t thread;
	start_waiter();
	start(WAITS, b, &second, NULL);
	begin(&thread, wait_for_other_stream);
	finish(cudaStreamSynchronize(a));
	pthread_join(thread, NULL);
}

static void *set_second_later(void *nothing)
{
	usleep(tenth);
	start(SETS, c, &second, NULL);
	return nothing;
}

/* Each of two kernels is helped by another thread. */
static void two_helpers(void)
{
	pthread_t threads[2];
	start_waiter();
	start(WAITS, b, &second, NULL);
	begin(&threads[0], act_later);
	begin(&threads[1], set_second_later);
	finish_waiting();
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
}

static void *act_when_told(void *nothing)
{
	sem_wait(&semaphore);
	act(b);
	return nothing;
}

static void tell(void *nothing)
{
	(void)nothing;
	sem_post(&semaphore);
}

/* A callback of the GPU's tells a thread that was blocked. */
static void told_by_callback(void)
{
	pthread_t thread;
	begin(&thread, act_when_told);
	start_waiter();
	OK(cudaLaunchHostFunc(c, tell, NULL));
	finish_waiting();
	pthread_join(thread, NULL);
}

static void pool(void)
{
	pthread_t thread;
	for (int k = 0; k < 3; k++)
		begin(&thread, be_idle);
	after_sleep();
	_exit(0);
}

/* A thread that is cancelled while it waits. */
static void cancels(void)
{
	pthread_t thread;
	void *result = NULL;
	start_waiter();
	begin(&thread, wait_in_thread);
	usleep(tenth);
	CHECK(!pthread_cancel(thread));
	usleep(tenth);
	act(b);
	CHECK(!pthread_join(thread, &result));
	CHECK(result == PTHREAD_CANCELED || !result);
}

/* An idle server: its next job comes from another process. */
static void serves(void)
{
	pthread_t thread;
	char byte;
	start_waiter();
	(void)cudaStreamQuery(a);
	begin(&thread, be_idle);
	if (!fork()) {
		usleep(65 * tenth);
		_exit(write(pipe_ends[1], "", 1) != 1);
	}
	CHECK(read(pipe_ends[0], &byte, 1) == 1);
	act(b);
	finish_waiting();
	_exit(0);
}

static void pings_back(void)
{
	int seen = 0;
	for (int round = 0; round < 3; round++) {
		OK(cudaMemset(word, 0, sizeof *word));
		OK(cudaMemset(second, 0, sizeof *second));
		start(RELAYS, a, &word, &second);
		(void)cudaStreamQuery(a);
		act(b);
		for (seen = 0; !seen;) {
			OK(cudaMemcpyAsync(&seen, second, sizeof seen, cudaMemcpyDeviceToHost, c));
			OK(cudaStreamSynchronize(c));
		}
	}
	finish_waiting();
}

/* ---- How the program ends ---- */

static void returns(void)
{
	start_waiter();
	act(b);
	puts("OK");
}

static void detached(void)
{
	pthread_t thread;
	start_waiter();
	begin(&thread, act_later);
	pthread_detach(thread);
	puts("OK");
}

static void main_is_gone(void)
{
	pthread_t thread;
	start_waiter();
	begin(&thread, wait_in_thread);
	act(b);
	pthread_exit(NULL);
}

/* ---- Words that the host writes ---- */

static void pinned(void)
{
	waited_for = flag;
	in_thread();
}

static void pinned_alone(void)
{
	waited_for = flag;
	after(3, false);
}

static void managed(void)
{
	OK(cudaMallocManaged((void **)&flag, sizeof *flag, cudaMemAttachGlobal));
	*flag = 0;
	pinned();
}

static void pinned_and_idle(void)
{
	waited_for = flag;
	beside_idle();
}

static void by_clock(void)
{
	pthread_t thread;
	start(WAITS_BY_CLOCK, a, &word, NULL);
	begin(&thread, act_later);
	finish_waiting();
	pthread_join(thread, NULL);
}

/* ---- What is enqueued behind the kernel that waits for it ---- */

static void behind(void)
{
	start_waiter();
	act(a);
	finish_waiting();
}

static void behind_event(void)
{
	cudaEvent_t event;
	start_waiter();
	OK(cudaEventCreate(&event));
	OK(cudaEventRecord(event, a));
	OK(cudaStreamWaitEvent(b, event, 0));
	act(b);
	finish_waiting();
}

static void behind_in_graph(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t runnable;
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	start_waiter();
	act(a);
	OK(cudaStreamEndCapture(a, &graph));
	OK(cudaGraphInstantiate(&runnable, graph, 0));
	OK(cudaGraphLaunch(runnable, a));
	finish_waiting();
}

static void pinned_behind(void)
{
	waited_for = flag;
	behind();
}

/* The legacy stream comes after what is in blocking streams. */
static void behind_legacy(void)
{
	OK(cudaStreamCreate(&a));
	start_waiter();
	act(NULL);
	finish_waiting();
}

/* A stream that waits for no other by itself, behind an event of the legacy stream. */
static void behind_event_of_legacy(void)
{
	a = NULL;
	behind_event();
}

/* A second kernel that hangs comes behind the first: one verdict, and the program's end. */
static void hangs_twice(void)
{
	cudaError_t error;
	start_waiter();
	start(WAITS, a, &second, NULL);
	error = wait_for_it();
	CHECK(cudaLaunchKernel(&handles[WAITS], (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&second}, 0, b) == error);
	finish(error);
}

/* ---- While it is explained ---- */

static void end_in_handler(int number)
{
	(void)number;
	exit(21);
}

static void end_at_once(int number)
{
	(void)number;
	_exit(22);
}

static void start_worker(int **waits_for, int turns)
{
	OK(cudaLaunchKernel(&handles[WORKS_AND_WAITS], (dim3){1, 1, 1}, (dim3){1, 1, 1},
		(void *[]){waits_for, &second, &turns}, 0, a));
}

/* A run, to the hang or of an experiment, takes as long as one that completes: half as long later it is being
 * explained. */
static void end_meanwhile(void (*handler)(int number))
{
	int turns = 300000;
	double begun = seconds();
	start_worker(&one, turns);
	OK(cudaStreamSynchronize(a));
	double each = seconds() - begun;
	signal(SIGUSR1, handler);
	if (!fork()) {
		usleep((unsigned int)(1.5e6 * each));
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	start_worker(&word, turns);
	finish_waiting();
}

/* A handler helps, in the thread that waits. */
static void write_in_handler(int number)
{
	(void)number;
	*(volatile int *)flag = 1;
}

static void timer(void)
{
	struct itimerval when = {.it_value = {.tv_sec = 0, .tv_usec = 5 * tenth}};
	signal(SIGALRM, write_in_handler);
	waited_for = flag;
	start_waiter();
	setitimer(ITIMER_REAL, &when, NULL);
	finish_waiting();
}

static void write_when_called(union sigval value)
{
	write_in_handler(value.sival_int);
}

static void begin_timer(struct sigevent *event, struct timespec when)
{
	timer_t timer;
	signal(SIGUSR1, write_in_handler);
	waited_for = flag;
	start_waiter();
	timer_create(CLOCK_MONOTONIC, event, &timer);
	timer_settime(timer, 0, &(struct itimerspec){.it_value = when}, NULL);
	finish_waiting();
}

static void signalling_timer(void)
{
	begin_timer(&(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1},
		(struct timespec){.tv_nsec = 5000l * tenth});
}

/* Later than a thread that is only blocked is waited for. */
static void calling_timer(void)
{
	begin_timer(&(struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = write_when_called},
		(struct timespec){.tv_sec = 7});
}

static void exits_meanwhile(void)
{
	end_meanwhile(end_in_handler);
}

static void ends_meanwhile(void)
{
	end_meanwhile(end_at_once);
}

static const struct {
	const char *name;
	void (*form)(void);
} forms[] = {
	{"thread", in_thread},
	{"lazily", in_thread},
	{"polling", polling},
	{"spinning", spinning},
	{"sleep", after_sleep},
	{"work", after_work},
	{"long_sleep", after_long_sleep},
	{"long_work", after_long_work},
	{"timed_condition", timed_condition},
	{"timed_semaphore", timed_semaphore},
	{"timed_poll", timed_poll},
	{"timed_select", timed_select},
	{"long_timed_poll", long_timed_poll},
	{"idle", beside_idle},
	{"reader", beside_reader},
	{"poller", beside_poller},
	{"locked", beside_locked},
	{"joins", joins},
	{"joins_joining", joins_joining},
	{"timed_join", timed_join},
	{"joins_reader", joins_reader},
	{"told", is_told},
	{"two_threads", in_two_threads},
	{"two_helpers", two_helpers},
	{"callback", told_by_callback},
	{"pool", pool},
	{"cancels", cancels},
	{"serves", serves},
	{"pings_back", pings_back},
	{"returns", returns},
	{"detached", detached},
	{"main_is_gone", main_is_gone},
	{"pinned", pinned},
	{"pinned_alone", pinned_alone},
	{"managed", managed},
	{"pinned_and_idle", pinned_and_idle},
	{"clock", by_clock},
	{"behind", behind},
	{"event", behind_event},
	{"graph", behind_in_graph},
	{"pinned_behind", pinned_behind},
	{"legacy", behind_legacy},
	{"event_of_legacy", behind_event_of_legacy},
	{"hangs_twice", hangs_twice},
	{"timer", timer},
	{"signalling_timer", signalling_timer},
	{"calling_timer", calling_timer},
	{"exits_meanwhile", exits_meanwhile},
	{"ends_meanwhile", ends_meanwhile},
};
static const struct {
	const char *name;
	void (*act)(cudaStream_t stream);
} acts[] = {
	{"copy", copy},
	{"launch", launch},
	{"launch_maybe", launch_maybe},
	{"memset", fill_word},
	{"memset_words", fill_words},
	{"copy+query", copy_and_query},
	{"copy+sync", copy_and_wait},
	{"blocking", copy_blocking},
	{"graph", launch_graph},
	{"function+copy", call_and_copy},
	{"function", call},
	{"event", copy_behind_event},
	{"two_steps", copy_in_two_steps},
	{"write", write_word},
	{"kernel", copy_through_kernel},
	{"flag", write_flag},
	{"another", set_another},
	{"nothing", do_nothing},
};
static const struct {
	const char *name;
	cudaError_t (*wait)(void);
} waits[] = {
	{"device", wait_for_device},
	{"stream", wait_for_stream},
	{"event", wait_for_event},
	{"query", wait_by_query},
};

static void set_up(bool loads_all)
{
	void **module = __cudaRegisterFatBinary(&wrapper);
	struct cudaFuncAttributes attributes;
	for (int k = 0; k < KERNELS; k++)
		__cudaRegisterFunction(module, &handles[k], NULL, names[k], -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	for (int k = 0; loads_all && k < KERNELS; k++) /* loaded now: a first launch may wait for kernels that run */
		OK(cudaFuncGetAttributes(&attributes, &handles[k]));
	OK(cuInit(0));
	OK(cudaMalloc((void **)&word, 64));
	OK(cudaMalloc((void **)&second, 64));
	OK(cudaMemset(word, 0, 64));
	OK(cudaMemset(second, 0, 64));
	OK(cudaMallocHost((void **)&one, sizeof *one));
	OK(cudaMallocHost((void **)&flag, sizeof *flag));
	*one = 1;
	*flag = 0;
	waited_for = word;
	cudaStream_t *streams[] = {&a, &b, &c};
	for (int k = 0; k < 3; k++)
		OK(cudaStreamCreateWithFlags(streams[k], cudaStreamNonBlocking));
	CHECK(!sem_init(&semaphore, 0, 0) && !pipe(pipe_ends));
	OK(cudaDeviceSynchronize());
}

int main(int count, char **words)
{
	const char *form = count > 1 ? words[1] : "thread", *what = count > 2 ? words[2] : "copy",
		   *how = count > 3 ? words[3] : "device";
	for (size_t k = 0; k < sizeof acts / sizeof *acts; k++)
		if (!strcmp(what, acts[k].name))
			act = acts[k].act;
	for (size_t k = 0; k < sizeof waits / sizeof *waits; k++)
		if (!strcmp(how, waits[k].name))
			wait_for_it = waits[k].wait;
	CHECK(act && wait_for_it);
	set_up(strcmp(form, "lazily") != 0);
	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
		if (!strcmp(form, forms[k].name)) {
			forms[k].form();
			return 0;
		}
	return 2;
}
