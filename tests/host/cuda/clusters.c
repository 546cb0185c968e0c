/* Clusters: cudaLaunchKernelExC with cudaLaunchAttributeClusterDimension, __cluster_dims__, and what the runtime tells
 * of them.  Expectations: CUDA C++ programming guide 13.0, "Thread Block Clusters" and "Distributed Shared Memory";
 * CUDA Runtime API, "Occupancy"; the sizes are those of gpus/h200.cfg. */
#include "kernels.h"

#include <stdint.h>

EMBED(code_of_90, "clusters_90.fatbin");

enum {
	BINS = 64,
	ITEMS = 2000,
	BLOCKS = 8,
	THREADS = 64,
	CLUSTER_DIMENSION = 4,
	NON_PORTABLE = 14,
	CLUSTER_LAUNCH = 120
};

static char histogram, places, neighbours;
static struct {
	uint32_t magic, version;
	const void *data, *modules;
} wrapper = {0x466243b1, 1, code_of_90, NULL};

static void register_code(void)
{
	void **module = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(module, &histogram, NULL, "histogram", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &places, NULL, "places", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &neighbours, NULL, "neighbours", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
}

/* Of a launch in clusters of so many blocks; 0: nothing is said of them. */
static cudaLaunchConfig_t configuration(
	struct cudaLaunchAttribute *attribute, dim3 grid, unsigned threads, size_t shared, unsigned cluster)
{
	*attribute = (struct cudaLaunchAttribute){.id = CLUSTER_DIMENSION, .value.size = {cluster, 1, 1}};
	return (cudaLaunchConfig_t){.gridDim = grid,
		.blockDim = {threads, 1, 1},
		.dynamicSmemBytes = shared,
		.attrs = attribute,
		.numAttrs = cluster != 0};
}

static void check_histogram(unsigned cluster)
{
	static int input[ITEMS];
	int expected[BINS] = {0}, bins[BINS], *device_bins, *device_input;
	int nbins = BINS, each = BINS / (int)cluster, items = ITEMS;
	struct cudaLaunchAttribute attribute;
	cudaLaunchConfig_t config =
		configuration(&attribute, (dim3){BLOCKS, 1, 1}, THREADS, (size_t)each * sizeof(int), cluster);

	for (int k = 0; k < ITEMS; k++) {
		input[k] = k * k % 71 - 2;
		expected[input[k] < 0 ? 0 : input[k] >= BINS ? BINS - 1 : input[k]]++;
	}
	OK(cudaMalloc((void **)&device_bins, sizeof bins));
	OK(cudaMalloc((void **)&device_input, sizeof input));
	OK(cudaMemset(device_bins, 0, sizeof bins));
	OK(cudaMemcpy(device_input, input, sizeof input, cudaMemcpyHostToDevice));
	OK(cudaLaunchKernelExC(&config, &histogram, (void *[]){&device_bins, &nbins, &each, &device_input, &items}));
	OK(cudaMemcpy(bins, device_bins, sizeof bins, cudaMemcpyDeviceToHost));
	for (int k = 0; k < BINS; k++)
		CHECK(bins[k] == expected[k]);
	OK(cudaFree(device_bins));
	OK(cudaFree(device_input));
}

static void check_places(void)
{
	uint32_t out[8 * 4], *device_out;

	OK(cudaMalloc((void **)&device_out, sizeof out));
	OK(cudaLaunchKernel(&places, (dim3){4, 2, 1}, (dim3){32, 1, 1}, (void *[]){&device_out}, 0, NULL));
	OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t x = k % 4 % 2, y = k / 4;

		CHECK(out[k * 4] == x + 2 * y && out[k * 4 + 1] == 4);
		CHECK(out[k * 4 + 2] == x + 10 * y && out[k * 4 + 3] == 32 * (x + 2 * y));
	}
	OK(cudaFree(device_out));
}

static void check_neighbours(void)
{
	int out[16], *device_out, turns = 5;
	struct cudaLaunchAttribute attribute;
	cudaLaunchConfig_t config = configuration(&attribute, (dim3){16, 1, 1}, 96, 0, 8);

	OK(cudaMalloc((void **)&device_out, sizeof out));
	OK(cudaLaunchKernelExC(&config, &neighbours, (void *[]){&device_out, &turns}));
	OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
	for (int k = 0; k < 16; k++)
		CHECK(out[k] == k / 8 * 8 + (k + turns) % 8 + turns);
	OK(cudaFree(device_out));
}

static void check_refusals(void)
{
	int *device_out = NULL, turns = 1;
	void *arguments[] = {&device_out, &turns};
	struct cudaLaunchAttribute attribute;
	cudaLaunchConfig_t uneven = configuration(&attribute, (dim3){6, 1, 1}, 32, 0, 4);
	struct cudaFuncAttributes told;

	GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&uneven, &neighbours, arguments));
	cudaLaunchConfig_t large = configuration(&attribute, (dim3){32, 1, 1}, 32, 0, 16);
	GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&large, &neighbours, arguments));
	cudaLaunchConfig_t other = configuration(&attribute, (dim3){8, 1, 1}, 32, 0, 4);
	GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&other, &places, arguments));
	/* Of a kernel that says 2 by 2 no other shape, also of as many blocks. */
	static const dim3 shapes[] = {{2, 1, 1}, {2, 1, 2}, {2, 2, 2}, {1, 2, 1}, {4, 1, 1}, {1, 1, 1}};
	other = configuration(&attribute, (dim3){4, 4, 4}, 32, 0, 2);
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		check_entry = (int)k;
		attribute.value.size = shapes[k];
		GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&other, &places, arguments));
	}
	check_entry = 0;
	OK(cudaFuncGetAttributes(&told, &places));
	CHECK(told.requiredClusterWidth == 2 && told.requiredClusterHeight == 2 && told.requiredClusterDepth == 1);
	CHECK(told.clusterDimMustBeSet && !told.nonPortableClusterSizeAllowed);
}

static void check_occupancy(void)
{
	struct cudaLaunchAttribute attribute;
	cudaLaunchConfig_t whole = configuration(&attribute, (dim3){16, 1, 1}, 32, 200 << 10, 16);
	int clusters = 0, size = 0, has = 0;

	OK(cudaDeviceGetAttribute(&has, CLUSTER_LAUNCH, 0));
	CHECK(has == 1);
	GIVES(cudaErrorInvalidClusterSize, cudaOccupancyMaxActiveClusters(&clusters, &neighbours, &whole));
	GIVES(cudaErrorInvalidClusterSize, cudaOccupancyMaxPotentialClusterSize(&size, &neighbours, &whole));
	attribute.value.size.x = 2;
	OK(cudaOccupancyMaxPotentialClusterSize(&size, &neighbours, &whole));
	CHECK(size == 8);
	attribute.value.size.x = 16;
	OK(cudaFuncSetAttribute(&neighbours, NON_PORTABLE, 1));
	OK(cudaOccupancyMaxPotentialClusterSize(&size, &neighbours, &whole));
	CHECK(size == 16);
	/* a block a core; 132 cores in parts of 16: eight parts, and one of four, which is too small */
	OK(cudaOccupancyMaxActiveClusters(&clusters, &neighbours, &whole));
	CHECK(clusters == 8);
	whole = configuration(&attribute, (dim3){16, 1, 1}, 32, 200 << 10, 4);
	OK(cudaOccupancyMaxActiveClusters(&clusters, &neighbours, &whole));
	CHECK(clusters == 33);
	/* of blocks that no core has room for, no cluster is resident */
	whole = configuration(&attribute, (dim3){16, 1, 1}, 32, 300 << 10, 4);
	OK(cudaOccupancyMaxActiveClusters(&clusters, &neighbours, &whole));
	OK(cudaOccupancyMaxPotentialClusterSize(&size, &neighbours, &whole));
	CHECK(clusters == 0 && size == 1);
	/* the histogram's blocks are in clusters of 16 now */
	GIVES(cudaErrorInvalidValue, cudaOccupancyMaxActiveClusters(NULL, &neighbours, &whole));
}

int main(void)
{
	register_code();
	for (unsigned cluster = 1; cluster <= 8; cluster *= 2)
		check_histogram(cluster);
	check_places();
	check_neighbours();
	check_refusals();
	check_occupancy();
	return 0;
}
