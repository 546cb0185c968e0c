/* Code for one architecture alone, on another: told once, as soon as the program asks what the GPU is, or loads it. */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <sys/wait.h>
#include <unistd.h>

#define TOLD                                                                                                           \
	"lockstep: the program's PTX is for sm_90a, and the GPU has compute capability 7.5: values are the same, but " \
	"a launch may need more than it has; use --gpu h200\n"

EMBED(code, "targets.fatbin");

static struct {
	uint32_t magic, version;
	const void *data, *modules;
} wrapper = {0x466243b1, 1, code, NULL};

static void **module; /* stays until the process ends, as in programs */

static void registers(void)
{
	module = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFatBinaryEnd(module);
}

/* As programs do that then end. */
static void asks_for_properties(void)
{
	struct cudaDeviceProp properties;
	int major;
	registers();
	OK(cudaGetDeviceProperties(&properties, 0));
	OK(cudaDeviceGetAttribute(&major, 75, 0));
	CHECK(major == 7);
	__cudaUnregisterFatBinary(module);
}

static void asks_for_attribute(void)
{
	int major;
	registers();
	OK(cudaDeviceGetAttribute(&major, 75, 0));
	__cudaUnregisterFatBinary(module);
}

static void loads(void)
{
	CUmodule loaded;
	void *memory;
	OK(cudaMalloc(&memory, 4)); /* for the context */
	for (int k = 0; k < 2; k++) {
		OK(cuModuleLoadData(&loaded, ".version 8.0\n.target sm_90a\n.address_size 64\n"));
		OK(cuModuleUnload(loaded));
	}
}

/* Of what runs on every GPU nothing is told. */
static void loads_other(void)
{
	CUmodule loaded;
	void *memory;
	int major;
	OK(cudaMalloc(&memory, 4));
	OK(cuModuleLoadData(&loaded, ".version 8.0\n.target sm_90\n.address_size 64\n"));
	OK(cudaDeviceGetAttribute(&major, 75, 0));
	OK(cuModuleUnload(loaded));
}

static void check(void (*program)(void), const char *expected)
{
	char told[1024];
	FILE *file = tmpfile();
	CHECK(file);
	pid_t child = fork();
	if (!child) {
		dup2(fileno(file), 2);
		program();
		exit(0);
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child);
	rewind(file);
	told[fread(told, 1, sizeof told - 1, file)] = '\0';
	fclose(file);
	if (status || strcmp(told, expected)) {
		fprintf(stderr, "status %d, told: %s", status, told);
		exit(1);
	}
}

int main(void)
{
	check(asks_for_properties, TOLD);
	check(asks_for_attribute, TOLD);
	check(loads, TOLD);
	check(loads_other, "");
	return 0;
}
