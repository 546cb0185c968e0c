/* A program for several architectures runs the version that a driver takes, in each way in which it can hand its code
 * over.  Expectations: CUDA C++ programming guide 13.0, "Compute Capabilities", "Feature Sets"; a device that none is
 * for, which a driver refuses, gets the lowest (docs/cuda.md). */
#include "kernels.h"

#include "host/cuda/driver.h"

EMBED(code, "architectures.fatbin");

static char version;
static struct {
	uint32_t magic, version;
	const void *data, *modules;
} wrapper = {0x466243b1, 1, code, NULL};
LINKED(code);

static int *out;

/* What the kernel writes on a device of this compute capability, ten times. */
static int expected(int capability)
{
	if (capability == 90)
		return 901;
	if (capability / 10 == 12)
		return 1200;
	return capability > 90 ? 900 : capability >= 80 ? 800 : 750;
}

static int result(void)
{
	int value = *out;

	*out = -1;
	return value;
}

static int of_registered(void *at)
{
	void **module = __cudaRegisterFatBinary(at);

	__cudaRegisterFunction(module, &version, NULL, "version", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	OK(LAUNCH(version, 1, 1, NULL, &out));
	OK(cudaDeviceSynchronize());
	__cudaUnregisterFatBinary(module);
	return result();
}

static int of_module(const void *image)
{
	CUmodule module;
	CUfunction function;

	OK(cuModuleLoadData(&module, image));
	OK(cuModuleGetFunction(&function, module, "version"));
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&out}, NULL));
	OK(cuCtxSynchronize());
	OK(cuModuleUnload(module));
	return result();
}

static int of_linked(void)
{
	enum { FAT_BINARY = 2 };
	CUlinkState link;
	void *image;
	size_t bytes;
	uint64_t size;

	memcpy(&size, code + 8, sizeof size); /* of its entries, in its header */
	OK(cuLinkCreate_v2(0, NULL, NULL, &link));
	OK(cuLinkAddData_v2(link, FAT_BINARY, (void *)(uintptr_t)code, 16 + size, NULL, 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, &bytes));
	int value = of_module(image);
	OK(cuLinkDestroy(link));
	return value;
}

int main(void)
{
	enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
	int major, minor;

	OK(cudaDeviceGetAttribute(&major, CAPABILITY_MAJOR, 0));
	OK(cudaDeviceGetAttribute(&minor, CAPABILITY_MINOR, 0));
	OK(cudaMallocManaged((void **)&out, sizeof *out, cudaMemAttachGlobal));
	int value = expected(major * 10 + minor);
	CHECK(of_registered(&wrapper) == value);
	CHECK(of_registered((void *)(uintptr_t)&linked) == value);
	CHECK(of_module(code) == value);
	CHECK(of_linked() == value);
	return 0;
}
