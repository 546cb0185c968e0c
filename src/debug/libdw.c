/* Loads libdw, once. */
#include "debug/dwarf.h"

#include <dlfcn.h>
#include <pthread.h>

struct libdw libdw;

static bool is_loaded;

static void load(void)
{
	void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

	is_loaded = library;
#define LIBDW(name)                                                                                                    \
	libdw.name = library ? (__typeof__(libdw.name))dlsym(library, #name) : NULL;                                   \
	is_loaded &= libdw.name != NULL;
#include "debug/libdw.def"
#undef LIBDW
}

bool libdw_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded;
}
