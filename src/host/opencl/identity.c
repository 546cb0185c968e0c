/* Vendor and version of platform and device: identity.h. */
#include "host/opencl/identity.h"

#include "compile/target.h"
#include "host/device.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

/* CL_DEVICE_VENDOR_ID is to be the identifier that PCI-SIG gave the vendor (OpenCL API, device queries): those of
 * pci.ids.  The texts are what drivers of these vendors are known to answer; Intel's and Qualcomm's were seen in the
 * output of clinfo, the others were not checked. */
static const struct {
	const char *word, *vendor;
	cl_uint id;
} vendors[] = {
	{"NVIDIA", "NVIDIA Corporation", 0x10de},
	{"AMD", "Advanced Micro Devices, Inc.", 0x1002},
	{"Intel", "Intel(R) Corporation", 0x8086},
	{"ARM", "ARM", 0x13b5},
	{"Qualcomm", "QUALCOMM", 0x5143},
	{"Imagination", "Imagination Technologies", 0x1010},
};

/* OpenCL 2.0 to 2.2 demand pipes and queues on the device. */
static const struct {
	const char *word, *text;
	cl_version version;
} versions[] = {
	{"3.0", "OpenCL 3.0 Lockstep", CL_MAKE_VERSION(3, 0, 0)},
	{"1.2", "OpenCL 1.2 Lockstep", CL_MAKE_VERSION(1, 2, 0)},
};

static struct identity identity = {.good = true, .vendor = "Lockstep", .vendor_id = 0x4c53};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_vendor(const char *name)
{
	identity.vendor = name;
	for (size_t k = 0; k < sizeof vendors / sizeof *vendors; k++)
		if (!strcasecmp(name, vendors[k].word) || !strcasecmp(name, vendors[k].vendor)) {
			identity.vendor = vendors[k].vendor;
			identity.vendor_id = vendors[k].id;
		}
}

static void read_version(const char *word)
{
	size_t k = 0;
	while (k < sizeof versions / sizeof *versions && strcmp(word, versions[k].word))
		k++;
	identity.good = k < sizeof versions / sizeof *versions;
	if (!identity.good) {
		device_complain("LOCKSTEP_OPENCL_VERSION=%s: expected 1.2 or 3.0", word);
		k = 0;
	}
	identity.version_text = versions[k].text;
	identity.version = versions[k].version;
	identity.is_old = identity.version < CL_MAKE_VERSION(2, 0, 0);
}

static void read_environment(void)
{
	const struct run_options *options = device_options();
	if (options->program.vendor)
		read_vendor(options->program.vendor);
	read_version(options->program.opencl_version ? options->program.opencl_version : "3.0");
}

const struct identity *identity_get(void)
{
	pthread_once(&once, read_environment);
	return &identity;
}

/* ---- What came after OpenCL 1.2 ---- */

/* "Missing before version 2.0" and later in the table of device queries of the OpenCL 3.0 specification, without those
 * that cl_khr_extended_versioning has as well. */
static const cl_device_info newer_device_queries[] = {
	CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
	CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
	CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
	CL_DEVICE_MAX_PIPE_ARGS,
	CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
	CL_DEVICE_PIPE_MAX_PACKET_SIZE,
	CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
	CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
	CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
	CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
	CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
	CL_DEVICE_MAX_ON_DEVICE_QUEUES,
	CL_DEVICE_MAX_ON_DEVICE_EVENTS,
	CL_DEVICE_SVM_CAPABILITIES,
	CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
	CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT,
	CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT,
	CL_DEVICE_IL_VERSION,
	CL_DEVICE_MAX_NUM_SUB_GROUPS,
	CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
	CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
	CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
	CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
	CL_DEVICE_OPENCL_C_ALL_VERSIONS,
	CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
	CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
	CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
	CL_DEVICE_OPENCL_C_FEATURES,
	CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
	CL_DEVICE_PIPE_SUPPORT,
	CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED,
};

bool identity_knows_device_query(cl_device_info name)
{
	if (identity_get()->is_old)
		for (size_t k = 0; k < sizeof newer_device_queries / sizeof *newer_device_queries; k++)
			if (newer_device_queries[k] == name)
				return false;
	return true;
}

bool identity_knows_platform_query(cl_platform_info name)
{
	return name != CL_PLATFORM_HOST_TIMER_RESOLUTION || !identity_get()->is_old;
}

bool identity_has_extension(const char *name)
{
	for (const char *const *newer = target_newer_extensions; identity_get()->is_old && *newer; newer++)
		if (!strcmp(*newer, name))
			return false;
	return true;
}

bool identity_has_svm(void)
{
	return device_get()->shares_pointers && !identity_get()->is_old;
}
