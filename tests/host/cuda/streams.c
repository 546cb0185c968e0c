/* The order of streams and events: within a stream, across streams, with the legacy default stream, and kernels that
 * run together. */
#include "kernels.h"

enum { N = 64 };

static int *numbers;

/* A fill in one stream, another in a second that waits for an event of the first. */
static void check_events(void)
{
	cudaStream_t first, second;
	cudaEvent_t begun, filled, end;
	int n = N, one = 1, two = 2, host[N];
	float milliseconds = -1;
	OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	OK(cudaEventCreate(&begun));
	OK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	OK(cudaEventCreate(&end));
	OK(cudaEventRecord(begun, first));
	OK(LAUNCH(fill, 1, 32, first, &numbers, &one, &n));
	OK(cudaEventRecord(filled, first));
	OK(cudaStreamWaitEvent(second, filled, 0));
	OK(LAUNCH(fill, 1, 32, second, &numbers, &two, &n));
	OK(cudaEventRecord(end, second));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, begun, filled));
	OK(cudaMemcpyAsync(host, numbers, sizeof host, cudaMemcpyDeviceToHost, second));
	OK(cudaStreamSynchronize(second));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == 2);
	OK(cudaEventElapsedTime(&milliseconds, begun, end));
	CHECK(milliseconds > 0 && milliseconds < 10);
	OK(cudaEventDestroy(begun));
	OK(cudaEventDestroy(filled));
	OK(cudaEventDestroy(end));
	OK(cudaStreamDestroy(first));
	OK(cudaStreamDestroy(second));
}

static void double_all(void *data)
{
	for (int i = 0; i < N; i++)
		((int *)data)[i] *= 2;
}

/* Work of the default stream comes after a blocking stream's, and before what that does next. */
static void check_legacy(void)
{
	cudaStream_t stream;
	int n = N, three = 3, *managed;
	OK(cudaMallocManaged((void **)&managed, N * sizeof *managed, cudaMemAttachGlobal));
	OK(cudaStreamCreate(&stream));
	OK(LAUNCH(fill, 1, 32, stream, &managed, &three, &n));
	OK(cudaLaunchHostFunc(NULL, double_all, managed));
	OK(cudaMemcpyAsync(numbers, managed, N * sizeof *managed, cudaMemcpyDefault, stream));
	OK(cudaDeviceSynchronize());
	OK(cudaStreamQuery(stream));
	OK(cudaMemcpy(managed, numbers, N * sizeof *managed, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(managed[i] == 6);
	OK(cudaStreamDestroy(stream));
	OK(cudaFree(managed));
}

/* An application's bytes are taken when it asks for an asynchronous copy of them. */
static void check_staging(void)
{
	cudaStream_t stream;
	int host[N], back[N];
	OK(cudaStreamCreate(&stream));
	for (int i = 0; i < N; i++)
		host[i] = i;
	OK(cudaMemcpyAsync(numbers, host, sizeof host, cudaMemcpyHostToDevice, stream));
	memset(host, 0, sizeof host);
	OK(cudaMemcpyAsync(back, numbers, sizeof back, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamSynchronize(stream));
	for (int i = 0; i < N; i++)
		CHECK(back[i] == i);
	OK(cudaStreamDestroy(stream));
}

/* Two kernels that wait for each other. */
static void check_together(void)
{
	cudaStream_t streams[2];
	int *flags, *a, *b;
	OK(cudaMalloc((void **)&flags, 1024));
	OK(cudaMemset(flags, 0, 1024));
	a = flags, b = flags + 128;
	for (int k = 0; k < 2; k++)
		OK(cudaStreamCreate(&streams[k]));
	OK(LAUNCH(meet, 1, 1, streams[0], &a, &b));
	OK(LAUNCH(meet, 1, 1, streams[1], &b, &a));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < 2; k++)
		OK(cudaStreamDestroy(streams[k]));
	OK(cudaFree(flags));
}

/* The host waits for a kernel's flag in memory, without a call. */
static void check_polling(void)
{
	volatile int *flag;
	int one = 1, n = 1;
	OK(cudaMallocHost((void **)&flag, sizeof *flag));
	*flag = 0;
	OK(LAUNCH(fill, 1, 1, NULL, &flag, &one, &n));
	while (!*flag)
		;
	OK(cudaDeviceSynchronize());
	OK(cudaFreeHost((void *)(uintptr_t)flag));
}

/* What is in a blocking stream that is destroyed comes before what the legacy stream does then; twice, since the second
 * time such streams are known already. */
static void check_destroyed(void)
{
	static int got[N];
	for (int value = 1; value <= 2; value++) {
		cudaStream_t streams[2];
		int count = N / 2, *half = numbers + count;
		OK(cudaStreamCreate(&streams[0]));
		OK(cudaStreamCreate(&streams[1]));
		OK(LAUNCH(fill, 1, 1, streams[0], &numbers, &value, &count));
		OK(LAUNCH(fill, 1, 1, streams[1], &half, &value, &count));
		OK(cudaStreamDestroy(streams[1]));
		OK(cudaStreamDestroy(streams[0]));
		OK(cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost));
		CHECK(got[count - 1] == value && got[2 * count - 1] == value);
	}
}

int main(void)
{
	OK(cudaMalloc((void **)&numbers, N * sizeof *numbers));
	check_events();
	check_legacy();
	check_staging();
	check_together();
	check_polling();
	check_destroyed();
	OK(cudaFree(numbers));
	return 0;
}
