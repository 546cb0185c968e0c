/* The texts that programs are built from: see program_text.h. */
#include "host/opencl/program_text.h"

#include "host/device.h"
#include "util/mutex.h"
#include "util/vector.h"

#include <pthread.h>
#include <string.h>

struct named {
	const char *text, *name;
};

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static struct arena arena; /* lives as long as the process */
static VECTOR(struct named) all;

static const char *add(const char *text)
{
	struct named *named = vector_push(&arena, &all);
	named->text = arena_copy(&arena, text, strlen(text));
	named->name = all.count == 1 ? "program.cl" : arena_printf(&arena, "program-%u.cl", all.count);
	device_tell_source(named->name, named->text);
	return named->name;
}

const char *program_text_name(const char *text)
{
	const char *name = NULL;
	mutex_lock(&lock);
	for (uint32_t k = 0; k < all.count && !name; k++)
		name = strcmp(all.at[k].text, text) ? NULL : all.at[k].name;
	name = name ? name : add(text);
	mutex_unlock(&lock);
	return name;
}
