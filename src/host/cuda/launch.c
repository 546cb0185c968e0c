/* Launching kernels, and what can be asked about them. */
#include "host/cuda/objects.h"
#include "util/demangle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- <<<grid, block, shared, stream>>> ---- */

#define WORKSPACE_BYTES 64 /* a size, and a barrier */
#define NESTED 16          /* configurations that wait for their calls: an argument may itself launch */

static _Thread_local struct configuration pushed[NESTED];
static _Thread_local uint32_t pushed_count;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
	if (pushed_count == NESTED)
		return (unsigned int)error_note(cudaErrorMissingConfiguration);
	pushed[pushed_count++] = (struct configuration){grid, block, shared, stream, {0, 0, 0}, false};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	if (!pushed_count)
		return error_note(cudaErrorMissingConfiguration);
	assert(pushed_count <= NESTED);
	const struct configuration *c = &pushed[--pushed_count];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(cudaStream_t *)stream = c->stream;
	return cudaSuccess;
}

/* ---- The run ---- */

/* What CUDA calls the kernel's fault. */
static cudaError_t error_of(const struct lockstep_result *result)
{
	static const struct {
		const char *cause;
		cudaError_t error;
	} causes[] = {
		{"address", cudaErrorIllegalAddress},
		{"misaligned", cudaErrorMisalignedAddress},
		{"space", cudaErrorInvalidAddressSpace},
		{"assert", cudaErrorAssert},
	};
	if (result->outcome == LOCKSTEP_LIMIT || result->outcome == LOCKSTEP_HANG)
		return cudaErrorLaunchTimeout;
	for (size_t k = 0; result->finding_count && k < sizeof causes / sizeof *causes; k++)
		if (!strcmp(result->findings[0].cause, causes[k].cause))
			return causes[k].error;
	return cudaErrorLaunchFailure;
}

static int32_t fail(cudaError_t error)
{
	mutex_lock(&driver_lock);
	sticky_error = error;
	mutex_unlock(&driver_lock);
	return -(int32_t)error;
}

/* CUDA programming guide, "Lazy Loading": loading a kernel may wait for all that runs. */
static void complain_of_loading(const char *kernel)
{
	static bool has_complained; /* guarded by the device's lock */
	const char *loading = getenv("CUDA_MODULE_LOADING");
	if (!has_complained && !(loading && !strcmp(loading, "EAGER")))
		device_complain_of_kernel(kernel,
			"its first launch comes while another kernel runs that waits, perhaps for it. "
			"With lazy loading, the default since CUDA 12.2, a GPU may load it only when that kernel has "
			"ended, and then both hang: call cudaFuncGetAttributes before, or set "
			"CUDA_MODULE_LOADING=EAGER");
	has_complained = true;
}

static int32_t start(struct command *command, uint64_t *number)
{
	struct launch *launch = (struct launch *)task_of(command)->work;
	struct lockstep_error error;
	if (launch->is_started)
		return 0;
	launch->is_started = true;
	device_reach(CHANNEL_LAUNCHED);
	if (launch->is_first && lockstep_is_stuck(device_get()->gpu))
		complain_of_loading(launch->what.kernel);
	lockstep_set_mode(device_get()->gpu, device_mode_of(launch->what.kernel));
	device_announce(&launch->what);
	launch->what.stream = task_of(command)->stream->id;
	for (uint32_t k = 0; k < command->before_count; k++)
		if (command->before[k].is_early)
			launch->what.early_after = command->before[k].earlier->launch;
	*number = lockstep_start(device_get()->gpu, &launch->what, &error);
	if (*number)
		return 0;
	device_report(NULL, 0);
	device_complain_of_kernel(launch->what.kernel, "%s", error.message);
	return fail(cudaErrorLaunchFailure);
}

static int32_t ended(struct command *command, const struct lockstep_result *result, uint64_t *nanoseconds)
{
	host_race_launch(command, result);
	fflush(stdout); /* of the kernel's printf */
	device_report(result, task_of(command)->stream->id);
	device_complain_of(result);
	*nanoseconds = device_launch_time(result);
	return result->outcome == LOCKSTEP_COMPLETED ? 0 : fail(error_of(result));
}

static bool copy_launch(void *work)
{
	struct lockstep_launch *what = &((struct launch *)work)->what;
	size_t list = what->dispatchable_count * sizeof *what->dispatchables;
	void *block = malloc(what->parameter_bytes + 1), *dispatchables = list ? malloc(list) : NULL;
	if (block)
		memcpy(block, what->parameters, what->parameter_bytes);
	if (dispatchables)
		memcpy(dispatchables, what->dispatchables, list);
	what->parameters = block;
	what->dispatchables = dispatchables;
	if (block && (dispatchables || !list))
		return true;
	free(block);
	free(dispatchables);
	return false;
}

static void discard_launch(void *work)
{
	free((void *)(uintptr_t)((struct launch *)work)->what.parameters);
	free((void *)(uintptr_t)((struct launch *)work)->what.dispatchables);
}

static void launch_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct launch *launch = work;
	queued->launch = &launch->what;
	queued->what = arena_printf(arena, "kernel %s", demangle_brief(arena, launch->what.kernel));
}

const struct work_kind launch_kind = {.bytes = sizeof(struct launch),
	.node = cudaGraphNodeTypeKernel,
	.engine = ENGINE_KERNEL,
	.start = start,
	.ended_launch = ended,
	.queued = launch_queued,
	.copy = copy_launch,
	.discard = discard_launch};

/* ---- Launching ---- */

/* The parameter block as the kernel's layout says; null when there is no memory.  A block of the application's may be
 * shorter: what the kernel does not read need not be there. */
static void *parameters_of(const struct cuda_function *function, const struct arguments *arguments, size_t *bytes)
{
	struct lockstep_parameter p;
	size_t end = 0;
	for (size_t k = 0; lockstep_kernel_parameter(function->loaded, function->name, k, &p); k++)
		end = p.offset + p.size;
	uint8_t *block = calloc(1, end + 1);
	if (block && !arguments->each && arguments->block)
		memcpy(block, arguments->block, arguments->block_bytes < end ? arguments->block_bytes : end);
	for (size_t k = 0;
		block && arguments->each && lockstep_kernel_parameter(function->loaded, function->name, k, &p); k++)
		memcpy(block + p.offset, arguments->each[k], p.size);
	*bytes = end;
	return block;
}

enum { PARAM_END, PARAM_BUFFER_POINTER, PARAM_BUFFER_SIZE };

bool arguments_of_extra(void *const *extra, struct arguments *arguments)
{
	for (; (uintptr_t)*extra != PARAM_END; extra += 2)
		if ((uintptr_t)extra[0] == PARAM_BUFFER_POINTER)
			arguments->block = extra[1];
		else if ((uintptr_t)extra[0] == PARAM_BUFFER_SIZE)
			arguments->block_bytes = *(size_t *)extra[1];
		else
			return false;
	return true;
}

/* Dynamic shared memory that a group may ask for: above what every kernel gets, the program must have raised it. */
static size_t shared_room(const struct cuda_function *function)
{
	size_t most = device_get()->group_shared, taken = function->needs.shared_bytes;
	return most > taken ? most - taken : 0;
}

/* CUDA's error says no more than that something is too little. */
static cudaError_t complain_of_size(struct cuda_function *function, uint64_t threads)
{
	const struct lockstep_needs *needs = &function->needs;
	if (!function->has_complained)
		device_complain_of_kernel(function->name,
			"a block of %llu threads is more than the %u that fit a core with the %u registers "
			"a thread and %u bytes of shared memory that it needs, or that its launch bounds allow: "
			"cudaErrorLaunchOutOfResources",
			(unsigned long long)threads, needs->group_threads, needs->registers_per_thread,
			needs->shared_bytes);
	function->has_complained = true;
	return cudaErrorLaunchOutOfResources;
}

static cudaError_t check_shape(struct cuda_function *function, dim3 grid, dim3 block, size_t shared)
{
	const struct device *device = device_get();
	uint64_t groups = (uint64_t)grid.x * grid.y, threads = (uint64_t)block.x * block.y;
	if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
		return cudaErrorInvalidConfiguration;
	if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535 || groups * grid.z > UINT32_MAX)
		return cudaErrorInvalidConfiguration;
	if (block.x > device->group_threads || block.y > device->group_threads || block.z > 64 ||
		threads * block.z > device->group_threads)
		return cudaErrorInvalidConfiguration;
	if (shared > shared_room(function))
		return cudaErrorInvalidValue;
	return threads * block.z > function->needs.group_threads ? complain_of_size(function, threads * block.z)
								 : cudaSuccess;
}

/* A kernel that says of how many groups its clusters are may be launched without saying it again, in those only.  More
 * than the portable size is for kernels that allow it. */
static cudaError_t check_cluster(const struct cuda_function *function, const struct configuration *c)
{
	const uint32_t *own = function->needs.cluster, grid[3] = {c->grid.x, c->grid.y, c->grid.z};
	const uint32_t asked[3] = {c->cluster.x, c->cluster.y, c->cluster.z};
	uint64_t size = 1;
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t groups = asked[0] ? asked[k] : own[k];
		if (asked[0] && own[0] && asked[k] != own[k])
			return cudaErrorInvalidClusterSize;
		groups = groups ? groups : 1;
		size *= groups;
		if (size > 1 && device_get()->cluster_groups == 1)
			return cudaErrorNotSupported;
		if (grid[k] % groups)
			return cudaErrorInvalidClusterSize;
	}
	if (size > device_get()->cluster_groups || (size > device_get()->cluster_portable && !function->allows_large))
		return cudaErrorInvalidClusterSize;
	return cudaSuccess;
}

/* False: the kernel cannot run so. */
static bool find_occupancy(
	const struct cuda_function *function, uint32_t threads, size_t shared, struct lockstep_occupancy *room)
{
	struct lockstep_error why;
	*room = (struct lockstep_occupancy){.size = sizeof *room};
	device_lock();
	bool good = lockstep_kernel_occupancy(function->loaded, function->name, threads, shared, room, &why);
	device_unlock();
	return good;
}

/* All groups of a cooperative launch are resident at once, or it is refused. */
static cudaError_t check_residency(const struct cuda_function *function, const struct configuration *c)
{
	struct lockstep_occupancy room;
	find_occupancy(function, c->block.x * c->block.y * c->block.z, c->shared, &room);
	return (uint64_t)c->grid.x * c->grid.y * c->grid.z > room.groups ? cudaErrorCooperativeLaunchTooLarge
									 : cudaSuccess;
}

/* Grid synchronisation counts arrivals in memory of the driver's, whose address stands in %envreg1 (high) and 2 (low):
 * so the headers of cooperative groups have it (details/driver_abi.h).  A launch leaves the barrier open. */
cudaError_t launch_give_workspace(struct launch *launch, uint64_t *workspace)
{
	if (!*workspace) {
		uint8_t *contents;
		uint64_t address = device_allocate(WORKSPACE_BYTES, NULL, "grid synchronisation", &contents);
		if (!address)
			return cudaErrorMemoryAllocation;
		memcpy(contents, &(uint32_t){WORKSPACE_BYTES}, sizeof(uint32_t));
		*workspace = address;
	}
	launch->what.envreg[1] = (uint32_t)(*workspace >> 32);
	launch->what.envreg[2] = (uint32_t)*workspace;
	return cudaSuccess;
}

cudaError_t launch_describe(struct launch *launch, struct cuda_function *function, const struct configuration *c,
	const struct arguments *arguments, bool cooperative)
{
	cudaError_t error = function ? function_load(function) : cudaErrorInvalidDeviceFunction;
	if (!error)
		error = check_shape(function, c->grid, c->block, c->shared);
	if (!error)
		error = check_cluster(function, c);
	if (!error && cooperative)
		error = check_residency(function, c);
	if (error)
		return error;
	*launch = (struct launch){.function = function, .given = *c, .is_cooperative = cooperative};
	launch->what = (struct lockstep_launch){.size = sizeof launch->what,
		.module = function->loaded,
		.kernel = function->name,
		.grid = {c->grid.x, c->grid.y, c->grid.z},
		.block = {c->block.x, c->block.y, c->block.z},
		.cluster = {c->cluster.x, c->cluster.y, c->cluster.z},
		.shared_bytes = (uint32_t)c->shared};
	launch->what.parameters = parameters_of(function, arguments, &launch->what.parameter_bytes);
	return launch->what.parameters ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Into refusal->why: the GPU has no clusters; and a model that has what the kernel's code is for. */
static void explain_clusters(struct device_refusal *refusal, const struct cuda_function *function)
{
	const char *target = lockstep_target(function->loaded);
	const char *other = lockstep_gpu_for(device_get()->gpu, target);
	if (other && module_target(function->module) >= 90) /* which has clusters: PTX ISA, .reqnctapercluster */
		snprintf(refusal->why, sizeof refusal->why,
			"the GPU has no clusters of work-groups; for %s use --gpu %s", target, other);
	else
		snprintf(refusal->why, sizeof refusal->why, "the GPU has no clusters of work-groups");
}

/* Into refusal->why: more groups than a dimension has, or than fit the GPU at once. */
static void explain(struct device_refusal *refusal, struct cuda_function *function, const struct configuration *c,
	cudaError_t error)
{
	struct lockstep_occupancy room;
	if (error == cudaErrorNotSupported && check_cluster(function, c) == error)
		explain_clusters(refusal, function);
	if (error == cudaErrorInvalidConfiguration && (c->grid.y > 65535 || c->grid.z > 65535))
		snprintf(refusal->why, sizeof refusal->why,
			"%u work-groups in dimension %c of the grid, at most 65,535",
			c->grid.y > 65535 ? c->grid.y : c->grid.z, c->grid.y > 65535 ? 'y' : 'z');
	if (error == cudaErrorCooperativeLaunchTooLarge &&
		find_occupancy(function, c->block.x * c->block.y * c->block.z, c->shared, &room))
		snprintf(refusal->why, sizeof refusal->why,
			"%" PRIu64 " work-groups, and %" PRIu64 " fit the GPU at once",
			(uint64_t)c->grid.x * c->grid.y * c->grid.z, (uint64_t)room.groups);
}

/* As launch_describe, for a launch now: the report lists those that are refused. */
static cudaError_t describe_or_refuse(struct launch *launch, struct cuda_function *function,
	const struct configuration *c, const struct arguments *arguments, bool cooperative)
{
	cudaError_t error = launch_describe(launch, function, c, arguments, cooperative);
	if (error) {
		error_is_told(error);
		struct device_refusal refusal = {.kernel = function->name,
			.error = cudaGetErrorName(error),
			.grid = {c->grid.x, c->grid.y, c->grid.z},
			.block = {c->block.x, c->block.y, c->block.z},
			.shared = c->shared,
			.shared_room = function->loaded ? shared_room(function) : c->shared};
		explain(&refusal, function, c, error);
		device_refuse(&refusal);
	}
	return error;
}

cudaError_t function_launch(struct cuda_function *function, const struct configuration *c,
	const struct arguments *arguments, bool cooperative)
{
	struct cuda_stream *stream = stream_of(c->stream);
	struct launch launch;
	cudaError_t error = error_before();
	if (!error && !function)
		error = cudaErrorInvalidDeviceFunction;
	if (!error && !stream)
		error = cudaErrorInvalidResourceHandle;
	bool is_first = !error && !stream->capture && !function_is_loaded(function);
	if (!error)
		error = describe_or_refuse(&launch, function, c, arguments, cooperative);
	if (error)
		return error;
	launch.is_first = is_first;
	if (cooperative && !stream->capture && (error = launch_give_workspace(&launch, &stream->workspace))) {
		discard_launch(&launch);
		return error;
	}
	return work_submit(stream, &launch_kind, &launch, false);
}

/* ---- Firmware of Lockstep's control processor: device/lockstep_control.h ---- */

static cudaError_t add_dispatchables(
	struct launch *launch, struct cuda_function *const *kernels, unsigned int count, unsigned int threads)
{
	struct lockstep_dispatchable *list = calloc(count, sizeof *list);
	launch->what.firmware = true;
	launch->what.dispatchables = list;
	launch->what.dispatchable_count = count;
	if (!list)
		return cudaErrorMemoryAllocation;
	for (unsigned int k = 0; k < count; k++) {
		cudaError_t error = kernels[k] ? function_load(kernels[k]) : cudaErrorInvalidDeviceFunction;
		if (error)
			return error;
		list[k] = (struct lockstep_dispatchable){.module = kernels[k]->loaded, .kernel = kernels[k]->name};
		if (threads > kernels[k]->needs.group_threads)
			return complain_of_size(kernels[k], threads);
	}
	return cudaSuccess;
}

cudaError_t function_launch_firmware(struct cuda_function *function, struct cuda_function *const *kernels,
	unsigned int count, unsigned int threads, cudaStream_t given, void *const *arguments)
{
	struct cuda_stream *stream;
	struct configuration c = {{1, 1, 1}, {threads, 1, 1}, 0, given, {0, 0, 0}, false};
	struct launch launch;
	cudaError_t error = stream_find(given, &stream);
	if (!error && (!count || !kernels))
		error = cudaErrorInvalidValue;
	if (!error && !device_get()->has_control) {
		device_complain_of_kernel(function->name,
			"cuLaunchFirmwareLOCKSTEP: this GPU has no control processor: expected one that has "
			"(apu-2014), or --control ooo-2");
		error = cudaErrorNotSupported;
	}
	if (!error && !threads)
		c.block.x = threads = device_get()->warp;
	if (!error)
		error = describe_or_refuse(&launch, function, &c, &(struct arguments){.each = arguments}, false);
	if (error)
		return error;
	error = add_dispatchables(&launch, kernels, count, threads);
	if (error) {
		discard_launch(&launch);
		return error;
	}
	return work_submit(stream, &launch_kind, &launch, false);
}

/* As a call of the runtime: a pointer to each argument. */
static cudaError_t launch(
	struct cuda_function *function, const struct configuration *c, void *const *arguments, bool cooperative)
{
	return error_note(function_launch(function, c, &(struct arguments){.each = arguments}, cooperative));
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	*kernel = function_find(function);
	return error_note(*kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(
	cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
	return launch(kernel, &(struct configuration){grid, block, shared, stream, {0, 0, 0}, false}, arguments, false);
}

/* `function`: the host's function of the kernel's name, or the handle that __cudaGetKernel gave. */
cudaError_t cudaLaunchKernel(
	const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
	return launch(function_find(function), &(struct configuration){grid, block, shared, stream, {0, 0, 0}, false},
		arguments, false);
}

cudaError_t cudaLaunchCooperativeKernel(
	const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
	return launch(function_find(function), &(struct configuration){grid, block, shared, stream, {0, 0, 0}, false},
		arguments, true);
}

/* Attributes that say how to launch, by CUDA's numbers; the others are hints, or what happens here anyway. */
enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4, LAUNCH_EARLY = 6 };

/* CUDA programming guide, "Programmatic Dependent Launch": from compute capability 9.0 on. */
#define EARLY_CAPABILITY 90

bool launches_may_be_early(void)
{
	return device_get() && device_get()->capability >= EARLY_CAPABILITY;
}

cudaError_t launch_configuration(const cudaLaunchConfig_t *config, struct configuration *c, bool *cooperative)
{
	*cooperative = false;
	if (!config || (config->numAttrs && !config->attrs))
		return cudaErrorInvalidValue;
	*c = (struct configuration){
		config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, {0, 0, 0}, false};
	for (unsigned int k = 0; k < config->numAttrs; k++) {
		const struct cudaLaunchAttribute *a = &config->attrs[k];
		if (a->id == LAUNCH_COOPERATIVE)
			*cooperative = a->value.number;
		if (a->id == LAUNCH_CLUSTER)
			c->cluster = a->value.size;
		if (a->id == LAUNCH_EARLY)
			c->is_early = a->value.number && launches_may_be_early();
	}
	return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
	struct configuration c;
	bool cooperative;
	cudaError_t error = launch_configuration(config, &c, &cooperative);
	return error ? error_note(error) : launch(function_find(function), &c, arguments, cooperative);
}

/* ---- Questions ---- */

static cudaError_t find_loaded(const void *host, struct cuda_function **function)
{
	cudaError_t error = error_before();
	*function = function_find(host);
	if (error)
		return error;
	return *function ? function_load(*function) : cudaErrorInvalidDeviceFunction;
}

/* As a driver has it that compiles PTX for its GPU: ptxVersion is what the PTX was made for, binaryVersion the GPU's.
 * CUB looks into the first for the kernel to launch, and finds none for an architecture that nvcc was not told of. */
struct cudaFuncAttributes function_attributes(const struct cuda_function *function)
{
	const struct device *device = device_get();
	int capability = (int)device->capability;
	return (struct cudaFuncAttributes){.sharedSizeBytes = function->needs.shared_bytes,
		.localSizeBytes = function->needs.local_bytes,
		.maxThreadsPerBlock = (int)function->needs.group_threads,
		.numRegs = (int)function->needs.registers_per_thread,
		.ptxVersion = module_target(function->module),
		.binaryVersion = capability,
		.maxDynamicSharedSizeBytes = (int)shared_room(function),
		.clusterDimMustBeSet = function->needs.cluster[0] != 0,
		.requiredClusterWidth = (int)function->needs.cluster[0],
		.requiredClusterHeight = (int)function->needs.cluster[1],
		.requiredClusterDepth = (int)function->needs.cluster[2],
		.nonPortableClusterSizeAllowed = function->allows_large};
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *host)
{
	struct cuda_function *function;
	cudaError_t error = attributes ? find_loaded(host, &function) : cudaErrorInvalidValue;
	if (!error)
		*attributes = function_attributes(function);
	return error_note(error);
}

/* cudaFuncAttributeMaxDynamicSharedMemorySize, ...PreferredSharedMemoryCarveout, ...NonPortableClusterSizeAllowed,
 * ...ClusterSchedulingPolicyPreference */
enum { ATTRIBUTE_SHARED = 8, ATTRIBUTE_CARVEOUT = 9, ATTRIBUTE_LARGE = 14, ATTRIBUTE_POLICY = 15 };

/* Every kernel may have all the shared memory that a group can have, so there is nothing to raise. */
cudaError_t function_set_attribute(struct cuda_function *function, int attribute, int value)
{
	if (attribute == ATTRIBUTE_LARGE)
		function->allows_large = value;
	if (attribute == ATTRIBUTE_LARGE || attribute == ATTRIBUTE_POLICY)
		return cudaSuccess;
	if (attribute != ATTRIBUTE_SHARED && attribute != ATTRIBUTE_CARVEOUT)
		return cudaErrorInvalidValue;
	if (attribute == ATTRIBUTE_SHARED && (value < 0 || (size_t)value > shared_room(function)))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value)
{
	struct cuda_function *function;
	cudaError_t error = find_loaded(host, &function);
	return error_note(error ? error : function_set_attribute(function, attribute, value));
}

/* A hint, which the model's fixed division of L1 and shared memory has no use for. */
cudaError_t cudaFuncSetCacheConfig(const void *host, int config)
{
	struct cuda_function *function;
	cudaError_t error = find_loaded(host, &function);
	if (!error && (config < 0 || config > 3))
		error = cudaErrorInvalidValue;
	return error_note(error);
}

cudaError_t function_occupancy(int *blocks, struct cuda_function *function, int threads, size_t shared)
{
	struct lockstep_occupancy room;
	cudaError_t error = blocks && threads > 0 ? function_load(function) : cudaErrorInvalidValue;
	if (error)
		return error;
	bool good = find_occupancy(function, (uint32_t)threads, shared, &room);
	*blocks = (int)room.groups_per_core;
	return good ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

/* ---- Clusters ---- */

/* The cluster's size, of a launch that is asked about; 0: it cannot be. */
static uint32_t cluster_size(const cudaLaunchConfig_t *config, const struct cuda_function *function)
{
	struct configuration c = {.grid = config->gridDim};
	const uint32_t *own = function->needs.cluster;
	for (unsigned int k = 0; k < config->numAttrs; k++)
		if (config->attrs[k].id == LAUNCH_CLUSTER)
			c.cluster = config->attrs[k].value.size;
	if (check_cluster(function, &c))
		return 0;
	return c.cluster.x ? c.cluster.x * c.cluster.y * c.cluster.z : own[0] ? own[0] * own[1] * own[2] : 1;
}

/* How many clusters of so many groups the parts of the GPU hold on which one may lie. */
static uint32_t clusters_resident(uint32_t size, uint32_t groups_per_core)
{
	const struct device *device = device_get();
	uint32_t count = 0;
	for (uint32_t first = 0; first < device->cores; first += device->cluster_cores) {
		uint32_t left = device->cores - first;
		count += (left < device->cluster_cores ? left : device->cluster_cores) * groups_per_core / size;
	}
	return count;
}

/* What both questions find out first; *size: of the clusters. */
static cudaError_t find_room(const void *answer, const void *host, const cudaLaunchConfig_t *config,
	struct cuda_function **function, int *groups_per_core, uint32_t *size)
{
	cudaError_t error = answer && config ? find_loaded(host, function) : cudaErrorInvalidValue;
	if (!error)
		error = function_occupancy(groups_per_core, *function,
			(int)(config->blockDim.x * config->blockDim.y * config->blockDim.z), config->dynamicSmemBytes);
	*size = error ? 0 : cluster_size(config, *function);
	return error || *size ? error : cudaErrorInvalidClusterSize;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host, const cudaLaunchConfig_t *config)
{
	struct cuda_function *function;
	int groups_per_core;
	uint32_t size;
	cudaError_t error = find_room(clusters, host, config, &function, &groups_per_core, &size);
	if (!error)
		*clusters = (int)clusters_resident(size, (uint32_t)groups_per_core);
	return error_note(error);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *host, const cudaLaunchConfig_t *config)
{
	struct cuda_function *function;
	int groups_per_core;
	uint32_t asked;
	cudaError_t error = find_room(size, host, config, &function, &groups_per_core, &asked);
	if (error)
		return error_note(error);
	const struct device *device = device_get();
	*size = (int)(function->allows_large ? device->cluster_groups : device->cluster_portable);
	while (*size > 1 && !clusters_resident((uint32_t)*size, (uint32_t)groups_per_core))
		--*size;
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *host, int threads, size_t shared, unsigned int flags)
{
	struct cuda_function *function;
	cudaError_t error = flags <= 1 ? find_loaded(host, &function) : cudaErrorInvalidValue;
	return error_note(error ? error : function_occupancy(blocks, function, threads, shared));
}

/* The offset is the parameter's in the block of all. */
cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes)
{
	struct cuda_function *function;
	struct lockstep_parameter parameter;
	cudaError_t error = offset ? find_loaded(host, &function) : cudaErrorInvalidValue;
	if (!error && !lockstep_kernel_parameter(function->loaded, function->name, index, &parameter))
		error = cudaErrorInvalidValue;
	if (error)
		return error_note(error);
	*offset = parameter.offset;
	if (bytes)
		*bytes = parameter.size;
	return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *host)
{
	const struct cuda_function *function = function_find(host);
	if (!name || !function)
		return error_note(name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
	*name = function->name;
	return cudaSuccess;
}

/* The most dynamic shared memory with which so many groups fit a core: occupancy falls as it grows. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks, int threads)
{
	struct cuda_function *function;
	int groups;
	cudaError_t error = bytes && blocks > 0 ? find_loaded(host, &function) : cudaErrorInvalidValue;
	if (!error)
		error = function_occupancy(&groups, function, threads, 0);
	if (error)
		return error_note(error);
	if (groups < blocks)
		return error_note(cudaErrorInvalidValue);
	size_t low = 0, high = shared_room(function);
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;
		if (!function_occupancy(&groups, function, threads, middle) && groups >= blocks)
			low = middle;
		else
			high = middle - 1;
	}
	*bytes = low;
	return cudaSuccess;
}
