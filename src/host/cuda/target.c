/* Code that is for one architecture only, sm_90a, and runs on another model: its values are the same, but it may ask
 * for more than the model has, and then CUDA's error does not say why.  So a line names a model that has it. */
#include "host/cuda/fat_binary.h"
#include "host/cuda/objects.h"
#include "util/architecture.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>

#define REGISTERED 64 /* more are told when they are loaded */

/* Fat binaries of the program and its libraries, in the order in which they were registered; guarded by driver_lock. */
static const void *registered[REGISTERED];
static uint32_t count;

void target_register(const void *wrapper)
{
	mutex_lock(&driver_lock);
	if (count < REGISTERED)
		registered[count++] = wrapper;
	mutex_unlock(&driver_lock);
}

void target_tell(const char *target)
{
	static atomic_bool told;
	const struct device *device = device_get();
	struct architecture a;
	assert(device);
	if (!architecture_read(target, &a) || !a.variant || architecture_runs_on(a, device->capability) ||
		atomic_exchange(&told, true))
		return;
	const char *other = lockstep_gpu_for(device->gpu, target);
	device_complain(
		"the program's PTX is for %s, and the GPU has compute capability %u.%u: values are the same, but a "
		"launch may need more than it has%s%s",
		target, device->capability / 10, device->capability % 10, other ? "; use --gpu " : "",
		other ? other : "");
}

/* The PTX that would be taken; false: there is none, or no telling. */
static bool target_of(const void *wrapper, char target[24])
{
	struct fat_wrapper where;
	struct fat_binary binary;
	struct fat_entry entry;
	struct diagnostic ignored = {0};
	if (!fat_wrapper_read(&where, wrapper, &ignored) || !where.data ||
		!fat_binary_open(&binary, where.data, fat_binary_size(where.data), &ignored) ||
		!fat_binary_choose(&binary, device_get()->capability, &entry))
		return false;
	snprintf(target, 24, "sm_%u%.1s", entry.architecture, &entry.variant);
	return true;
}

void target_tell_registered(void)
{
	char target[24];
	for (uint32_t k = 0;; k++) {
		mutex_lock(&driver_lock);
		const void *wrapper = k < count ? registered[k] : NULL;
		mutex_unlock(&driver_lock);
		if (!wrapper)
			return;
		if (target_of(wrapper, target))
			target_tell(target);
	}
}
