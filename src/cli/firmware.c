/* `lockstep kernel --firmware`: the kernel for the control processor, and those that it may dispatch. */
#include "cli/session.h"

#include <string.h>

void firmware_check(const struct options *o, struct diagnostic *diagnostic)
{
	struct place place = {.file = o->command};

	if (!o->firmware && o->dispatches.count)
		diagnose(diagnostic, place, "--dispatches names kernels for firmware: expected --firmware");
	if (o->firmware && o->kernel)
		diagnose(diagnostic, place,
			"--kernel and --firmware: expected one of them; --dispatches names what it dispatches");
}

/* Those that are named, or all of the file but the firmware. */
static void list_dispatchables(struct session *s)
{
	const struct options *o = s->options;
	struct lockstep_launch *launch = &s->launch;
	size_t all = lockstep_kernel_count(s->module);
	struct lockstep_dispatchable *list =
		arena_new_array(s->arena, struct lockstep_dispatchable, all + o->dispatches.count + 1);
	launch->dispatchables = list;
	for (uint32_t k = 0; k < o->dispatches.count && !s->diagnostic->failed; k++)
		list[launch->dispatchable_count++] = (struct lockstep_dispatchable){
			s->module, session_find_kernel(s, s->module, o->file, o->dispatches.at[k])};
	for (size_t k = 0; k < all && !o->dispatches.count; k++) {
		const char *name = lockstep_kernel_name(s->module, k);
		if (launch->module != s->module || strcmp(name, launch->kernel))
			list[launch->dispatchable_count++] = (struct lockstep_dispatchable){s->module, name};
	}
}

/* "KERNEL" of the file, "FILE:KERNEL" or "FILE" with one kernel. */
bool firmware_load(struct session *s)
{
	const char *given = s->options->firmware, *file = s->options->file, *kernel = given;
	if (!given)
		return false;
	const char *colon = strrchr(given, ':');
	s->launch.firmware = true;
	s->block = (uint32_t)lockstep_field(s->gpu, "core.warp_size").number;
	if (colon || is_kernel_file(given)) {
		file = colon ? arena_copy(s->arena, given, (size_t)(colon - given)) : given;
		kernel = colon ? colon + 1 : NULL;
		s->launch.module = session_load(s, file);
	}
	if (!s->diagnostic->failed)
		s->launch.kernel = session_find_kernel(s, s->launch.module, file, kernel);
	if (!s->diagnostic->failed)
		list_dispatchables(s);
	return true;
}
