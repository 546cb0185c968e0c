/* A kernel's parameters, for people: what --kernel-list and messages say. */
#include "cli/buffers.h"

#include "compile/kernel_info.h"

#include <string.h>

/* KERNEL_param_0 */
static bool is_made(const char *name, const char *kernel)
{
	size_t length = strlen(kernel);
	return !strncmp(name, kernel, length) && !strncmp(name + length, "_param_", 7);
}

/* What OpenCL C has called it. */
static bool find_info(const char *ptx, const char *kernel, size_t index, struct kernel_info *info)
{
	while (kernel_info_next(&ptx, info))
		if (info->kind == KERNEL_INFO_ARGUMENT && info->index == index && !strcmp(info->kernel, kernel))
			return true;
	return false;
}

const char *parameters_list(
	struct arena *arena, const struct lockstep_module *module, const char *ptx, const char *kernel)
{
	struct text list = {.arena = arena};
	struct lockstep_parameter p;
	text_print(&list, "%s", "");
	for (size_t k = 0; lockstep_kernel_parameter(module, kernel, k, &p); k++) {
		struct kernel_info info;
		bool known = find_info(ptx, kernel, k, &info);
		const char *name = known ? info.name : is_made(p.name, kernel) ? "" : p.name;
		text_print(&list, "%s%s%s%s%s", k ? ", " : "", known && info.space == KERNEL_INFO_LOCAL ? "local " : "",
			p.type, *name ? " " : "", name);
	}
	return list.at;
}

bool parameters_have_local(const char *ptx, const char *kernel)
{
	struct kernel_info info;
	while (kernel_info_next(&ptx, &info))
		if (info.kind == KERNEL_INFO_ARGUMENT && info.space == KERNEL_INFO_LOCAL &&
			!strcmp(info.kernel, kernel))
			return true;
	return false;
}
