/* Programs whose tasks are launches, as dynamic.h says. */
#include "dynamic.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 8 }; /* of a first task, at most */

static const char *const spawns[] = {"each", "together", NULL};

uint64_t dynamic_open(struct dynamic *d, int argc, char **argv, const char *what, struct number *numbers, size_t count,
	const char *ptx)
{
	struct choice spawn = {"spawn", "a launch each, or one for all that a task spawns at once", spawns, 0};
	struct text library = {"library", "libcudadevrt.a; none: Lockstep needs none", "", "", NULL};
	const struct options own = {numbers, count, &spawn, &library};
	uint64_t seed = options_read_all(argc, argv, what, &own);
	if (*library.value && access(library.value, R_OK))
		options_refuse("--library %s: expected a file that can be read", library.value);
	d->run = (struct run){.together = (unsigned)spawn.value, .room = (unsigned)numbers[DYNAMIC_FRAMES].value};
	const char *slash = strrchr(argv[0], '/');
	driver_open(slash ? slash + 1 : argv[0]);
	driver_link(ptx, *library.value ? library.value : NULL);
	driver_set_pending((size_t)numbers[DYNAMIC_PENDING].value);
	d->memory = driver_allocate(sizeof d->run + d->run.room * sizeof(uint32_t));
	driver_zero(d->memory, sizeof d->run + d->run.room * sizeof(uint32_t)); /* where the sums of Queens begin */
	driver_write(d->memory, &d->run, sizeof d->run);
	return seed;
}

device_address dynamic_result(const struct dynamic *d)
{
	return d->memory + offsetof(struct run, result);
}

device_address dynamic_buffer(const void *values, size_t bytes)
{
	device_address at = driver_allocate(bytes);
	driver_write(at, values, bytes);
	return at;
}

void dynamic_run(struct dynamic *d, const char *kernel, void *const *arguments)
{
	unsigned first = 0;
	void *all[2 + ARGUMENTS] = {&d->memory, &first};
	struct kernel *found = driver_kernel(kernel);
	if (!found)
		fail("the kernels have no %s", kernel);
	for (size_t k = 0; arguments[k]; k++)
		all[2 + k] = arguments[k];
	double ns = driver_timed_launch(found, 1, 1, all);
	driver_read(&d->run, d->memory, sizeof d->run);
	if (d->run.error)
		fail("a launch on the GPU gives cudaError %u%s", d->run.error,
			d->run.error == 69 ? ": --pending is too small" : "");
	if (d->run.no_room)
		fail("the frames have %u words, of which %u are asked for", d->run.room, d->run.taken);
	printf("%.0f ns, words of frames: %u of %u\n", ns, d->run.taken, d->run.room);
}

void dynamic_close(struct dynamic *d)
{
	driver_free(d->memory);
}
