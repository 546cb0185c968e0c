/* Kernels that are launched and never waited for, in a program that ends in the way that its argument names; without
 * one it returns from main.  A function for exit that is older than the first use of the GPU looks at what the kernel
 * wrote, and frees it; a destructor launches once more.  tests/host/test_run.py compares the reports. CUDA says that a
 * program must synchronise before it looks at managed memory; that everything launched runs before a context is gone is
 * what drivers do, and what ScoR's micro-benchmarks rely on. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { N = 256, VALUE = 7 };

static int *filled;
static int must_be_filled, late;

static void look(void)
{
	if (!must_be_filled)
		return;
	for (int k = 0; k < N; k++)
		if (filled[k] != VALUE)
			_exit(99);
	if (cudaFree(filled))
		_exit(98);
	puts("looked");
}

/* Later than all functions for exit. */
__attribute__((destructor)) static void launch_late(void)
{
	int n = 5;
	if (late && cudaLaunchKernel(&say, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&n}, 32 * sizeof(int), NULL))
		_exit(97);
}

static void launch(void)
{
	int value = VALUE, n = N;
	OK(cudaMallocManaged((void **)&filled, N * sizeof *filled, cudaMemAttachGlobal));
	OK(LAUNCH(fill, 1, 32, NULL, &filled, &value, &n));
	OK(cudaLaunchKernel(&say, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&n}, 32 * sizeof(int), NULL));
}

static void end_by_return(void)
{
	must_be_filled = late = 1;
}

static void end_by_exit(void)
{
	must_be_filled = 1;
	exit(3);
}

static void *exit_in_thread(void *nothing)
{
	exit(4);
	return nothing;
}

static void end_by_thread(void)
{
	pthread_t thread;
	must_be_filled = 1;
	CHECK(!pthread_create(&thread, NULL, exit_in_thread, NULL));
	pthread_join(thread, NULL);
}

static void end_by_pthread_exit(void)
{
	must_be_filled = 1;
	pthread_exit(NULL);
}

static void end_by__exit(void)
{
	_exit(5);
}

static void end_by_quick_exit(void)
{
	quick_exit(6);
}

static void end_by_kill(void)
{
	raise(SIGKILL);
}

static void end_by_exec(void)
{
	execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
}

/* A kernel that waits for what is never written: it hangs, which the exit waits for and no longer. */
static void end_by_hang(void)
{
	int *words, *other;
	OK(cudaMallocManaged((void **)&words, 2 * sizeof *words, cudaMemAttachGlobal));
	other = words + 1;
	OK(LAUNCH(meet, 1, 1, NULL, &words, &other));
	exit(9);
}

/* A stream that waits for a value that is never written. */
static void end_by_stuck(void)
{
	int n = 1, *word;
	CUcontext context;
	OK(cudaMallocManaged((void **)&word, sizeof *word, cudaMemAttachGlobal));
	*word = 0;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuStreamWaitValue32_v2(NULL, (CUdeviceptr)(uintptr_t)word, 1, 0));
	OK(cudaLaunchKernel(&say, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&n}, 32 * sizeof(int), NULL));
	exit(10);
}

static void exit_in_callback(void *nothing)
{
	(void)nothing;
	exit(11);
}

static void end_by_callback(void)
{
	int n = 1;
	OK(cudaLaunchHostFunc(NULL, exit_in_callback, NULL));
	OK(cudaLaunchKernel(&say, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&n}, 32 * sizeof(int), NULL));
	OK(cudaDeviceSynchronize());
}

static void exit_in_handler(int number)
{
	(void)number;
	must_be_filled = 1;
	exit(12);
}

static void signal_program(void *nothing)
{
	(void)nothing;
	kill(getpid(), SIGUSR1);
}

static void end_by_handler(void)
{
	signal(SIGUSR1, exit_in_handler);
	OK(cudaLaunchHostFunc(NULL, signal_program, NULL));
	cudaStreamQuery(NULL);
	for (;;)
		pause();
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*end)(void);
	} ways[] = {
		{"return", end_by_return},
		{"exit", end_by_exit},
		{"thread", end_by_thread},
		{"pthread_exit", end_by_pthread_exit},
		{"_exit", end_by__exit},
		{"quick_exit", end_by_quick_exit},
		{"kill", end_by_kill},
		{"exec", end_by_exec},
		{"abort", abort},
		{"hang", end_by_hang},
		{"stuck", end_by_stuck},
		{"callback", end_by_callback},
		{"handler", end_by_handler},
	};
	atexit(look);
	launch();
	for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
		if (!strcmp(count > 1 ? words[1] : "return", ways[k].name))
			ways[k].end();
	return 0;
}
