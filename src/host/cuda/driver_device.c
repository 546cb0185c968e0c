/* The driver's interface: what can be asked about the device. */
#include "host/cuda/driver_parts.h"

#include <stdio.h>
#include <string.h>

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
	CUresult why = driver_check_device(name, device);
	if (!why && length <= 0)
		why = CUDA_ERROR_INVALID_VALUE;
	if (!why)
		snprintf(name, (size_t)length, "%s", device_get()->name);
	return why;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUresult why = driver_check_device(bytes, device);
	if (!why)
		*bytes = device_get()->memory_bytes;
	return why;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
	CUresult why = driver_check_device(value, device);
	if (why)
		return why;
	QUIETLY(cudaDeviceGetAttribute(value, attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	CUresult why = driver_check_device(major && minor ? major : NULL, device);
	if (why)
		return why;
	*major = (int)device_get()->capability / 10;
	*minor = (int)device_get()->capability % 10;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(char uuid[16], CUdevice device)
{
	struct cudaDeviceProp p;
	CUresult why = driver_check_device(uuid, device);
	if (why)
		return why;
	why = driver_result(device_properties(&p, device));
	memcpy(uuid, p.uuid, sizeof p.uuid);
	return why;
}

CUresult cuDeviceGetUuid(char uuid[16], CUdevice device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

/* CUdevprop: its members are the attributes from 1 on, in their order. */
CUresult cuDeviceGetProperties(int properties[14], CUdevice device)
{
	CUresult why = driver_check_device(properties, device);
	for (int k = 0; !why && k < 14; k++)
		why = cuDeviceGetAttribute(&properties[k], k + 1, device);
	return why;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *texels, int format, unsigned int channels, CUdevice device)
{
	CUresult why = driver_check_device(texels, device);
	(void)format, (void)channels;
	if (!why)
		*texels = LINEAR_TEXELS;
	return why;
}

/* Contexts of a part of the cores: none. */
CUresult cuDeviceGetExecAffinitySupport(int *is_supported, int type, CUdevice device)
{
	CUresult why = driver_check_device(is_supported, device);
	(void)type;
	if (!why)
		*is_supported = 0;
	return why;
}
