/* Memory of the program's own that kernels reach.  Expectations: CUDA Runtime API 13.0, cudaHostRegister. */
#include "kernels.h"

#include <stdint.h>
#include <sys/mman.h>

enum { N = 3000 };

static void check_sharing(int *memory, int before)
{
	int n = N, value = 31, *device, back[N];
	struct cudaPointerAttributes attributes;
	for (int i = -1; i <= N; i++)
		memory[i] = before + i;
	OK(cudaHostRegister(memory, N * sizeof *memory, cudaHostRegisterMapped));
	GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(memory + 5, 4, 0));
	for (int i = -1; i <= N; i++)
		CHECK(memory[i] == before + i);
	OK(cudaHostGetDevicePointer((void **)&device, memory + 8, 0));
	OK(cudaPointerGetAttributes(&attributes, memory + 8));
	CHECK(attributes.type == cudaMemoryTypeHost && attributes.devicePointer == device &&
		attributes.hostPointer == memory + 8);
	OK(cudaPointerGetAttributes(&attributes, device));
	CHECK(attributes.hostPointer == memory + 8);
	n -= 8;
	OK(LAUNCH(fill, 1, 64, NULL, &device, &value, &n));
	OK(cudaDeviceSynchronize());
	CHECK(memory[-1] == before - 1 && memory[7] == before + 7 && memory[8] == 31 && memory[N - 1] == 31 &&
		memory[N] == before + N);
	memory[9] = 77; /* the GPU sees what the host writes */
	OK(cudaMemcpy(back, device, 8, cudaMemcpyDeviceToHost));
	CHECK(back[1] == 77);
	OK(cudaMemcpyAsync(back, memory, sizeof back, cudaMemcpyHostToHost, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(back[8] == 31 && back[9] == 77);
	GIVES(cudaErrorInvalidValue, cudaFreeHost(memory));
	GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(memory + 1));
	OK(cudaHostUnregister(memory));
	GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(memory));
	CHECK(memory[-1] == before - 1 && memory[9] == 77 && memory[N - 1] == 31 && memory[N] == before + N);
	memory[0] = 5;
	GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer((void **)&device, memory, 0));
}

/* What is enqueued still writes to the memory: cudaHostUnregister returns when it has. */
static void check_enqueued(int *memory)
{
	int n = N, value = 47, *device;
	OK(cudaHostRegister(memory, N * sizeof *memory, cudaHostRegisterMapped));
	OK(cudaHostGetDevicePointer((void **)&device, memory, 0));
	OK(LAUNCH(fill, 1, 64, NULL, &device, &value, &n));
	OK(cudaHostUnregister(memory));
	CHECK(memory[0] == 47 && memory[N - 1] == 47);
	OK(cudaDeviceSynchronize());
}

int main(void)
{
	int *heap = malloc((N + 16) * sizeof *heap), on_stack[16];
	int *pages = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(heap && pages != MAP_FAILED);
	check_sharing(heap + 3, 1000); /* neither end at a page's */
	check_sharing(pages + 1024, 9000);
	check_sharing(heap + 3, 2000);
	check_enqueued(pages);
	GIVES(cudaErrorInvalidValue, cudaHostRegister(heap, 0, 0));
	GIVES(cudaErrorNotSupported, cudaHostRegister(on_stack, sizeof on_stack, 0));
	/* Pages that are missing, or may not be written, at either end and between: nothing is registered. */
	for (int page = 0; page < 3; page++)
		for (int gone = 0; gone < 2; gone++) {
			char *at = (char *)pages + 16384, *hole = at + 4096 * page;
			check_entry = 2 * page + gone;
			CHECK(gone ? !munmap(hole, 4096) : !mprotect(hole, 4096, PROT_READ));
			GIVES(cudaErrorNotSupported, cudaHostRegister(at, 3 * 4096, 0));
			GIVES(cudaErrorNotSupported, cudaHostRegister(at + 4095, 4098, 0)); /* a byte of each */
			CHECK(mmap(hole, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				      0) == hole);
		}
	check_entry = 0;
	OK(cudaHostRegister((char *)pages + 16384, 3 * 4096, 0));
	OK(cudaHostUnregister((char *)pages + 16384));
	free(heap);
	munmap(pages, 65536);
	return 0;
}
