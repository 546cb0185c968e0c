/* What platform and device say that they are, by the environment:
 *
 *     LOCKSTEP_VENDOR            `lockstep run --vendor`
 *     LOCKSTEP_OPENCL_VERSION    `lockstep run --opencl-version`
 *
 * The device's name is device.h's, as CUDA programs ask for it, too. */
#ifndef LOCKSTEP_HOST_OPENCL_IDENTITY_H
#define LOCKSTEP_HOST_OPENCL_IDENTITY_H

#include "host/opencl/objects.h"

struct identity {
	bool good;   /* false: the environment asks for a version that is not offered, and stderr says so */
	bool is_old; /* OpenCL 1.2; else 3.0 */
	cl_version version;
	const char *version_text; /* "OpenCL 3.0 Lockstep" */
	const char *vendor;
	cl_uint vendor_id;
};

const struct identity *identity_get(void);

/* Whether the version offered knows the query, of those that there are. */
bool identity_knows_device_query(cl_device_info name);
bool identity_knows_platform_query(cl_platform_info name);
/* Likewise the extension. */
bool identity_has_extension(const char *name);
/* Whether there is shared virtual memory: not where the GPU's memory could not be placed at the host addresses equal to
 * its own. */
bool identity_has_svm(void);

#endif
