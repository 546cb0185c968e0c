/* Memory of every kind, copies to and from variables, a launch, a printing kernel, the device's properties. */
#include "kernels.h"

enum { N = 1000 };

static void check_device(void)
{
	struct cudaDeviceProp p;
	int count = 0, value = 0;
	size_t left, total_bytes;
	OK(cudaGetDeviceCount(&count));
	CHECK(count == 1);
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(strstr(p.name, "Lockstep") && p.warpSize == 32 && p.multiProcessorCount > 0);
	OK(cudaDeviceGetAttribute(&value, 16, 0));
	CHECK(value == p.multiProcessorCount);
	OK(cudaMemGetInfo(&left, &total_bytes));
	CHECK(left <= total_bytes && total_bytes == p.totalGlobalMem);
}

static void check_add(void)
{
	float host[N], factors[4] = {0, 2, 0, 0}, *a, *b, *c;
	int n = N, sums = 0, zero = 0;
	size_t bytes = 0;
	OK(cudaMallocManaged((void **)&a, sizeof host, cudaMemAttachGlobal));
	OK(cudaMallocHost((void **)&b, sizeof host));
	OK(cudaMalloc((void **)&c, sizeof host));
	for (int i = 0; i < N; i++)
		a[i] = b[i] = (float)i;
	OK(cudaMemcpyToSymbol(&scale, factors, sizeof factors, 0, cudaMemcpyHostToDevice));
	OK(cudaMemcpyToSymbol(&counter, &zero, sizeof zero, 0, cudaMemcpyHostToDevice));
	load_total();
	*total = 5;
	OK(LAUNCH(add, 4, 256, NULL, &a, &b, &c, &n));
	OK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == (float)(3 * i));
	OK(cudaMemcpyFromSymbol(&sums, &counter, sizeof sums, 0, cudaMemcpyDeviceToHost));
	CHECK(sums == N && *total == 2 * N + 5);
	OK(cudaGetSymbolSize(&bytes, &scale));
	CHECK(bytes == sizeof factors);
	OK(cudaFree(a));
	OK(cudaFreeHost(b));
	OK(cudaFree(c));
}

/* Rows with a pitch, there and back; a fill of some of them. */
static void check_rectangle(void)
{
	char host[3][10], back[3][10], *rows;
	size_t pitch;
	memset(host, 7, sizeof host);
	OK(cudaMallocPitch((void **)&rows, &pitch, sizeof *host, 3));
	OK(cudaMemcpy2D(rows, pitch, host, sizeof *host, sizeof *host, 3, cudaMemcpyHostToDevice));
	OK(cudaMemset2D(rows + pitch, pitch, 9, 4, 2));
	OK(cudaMemcpy2D(back, sizeof *back, rows, pitch, sizeof *back, 3, cudaMemcpyDefault));
	CHECK(back[0][0] == 7 && back[0][9] == 7 && back[1][0] == 9 && back[2][3] == 9 && back[2][4] == 7);
	OK(cudaFree(rows));
}

static void check_print(void)
{
	int n = 100;
	OK(cudaLaunchKernel(&say, (dim3){1, 1, 1}, (dim3){64, 1, 1}, (void *[]){&n}, 64 * sizeof(int), NULL));
	OK(cudaDeviceSynchronize());
}

int main(void)
{
	check_device();
	check_add();
	check_rectangle();
	check_print();
	return 0;
}
