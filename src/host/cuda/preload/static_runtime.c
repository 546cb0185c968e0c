/* Preloaded by `lockstep run`: a program that has the CUDA runtime in itself gets ours all the same.
 *
 * Before the executable's initialisers run, which register its kernels, each function of its own runtime becomes a jump
 * to the one of that name in libcudart.so.12 or .13 beside this library.  An executable without a static runtime is
 * left as it is, and no library is loaded for it. */
#include "host/cuda/preload/executable.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

/* In place of a function's first bytes: jmp to its door. */
struct __attribute__((packed)) jump {
	uint8_t code;
	int32_t distance; /* from the end of this */
};

/* A door, near enough for such a jump: movabs $name, %rdi; jmp *0(%rip), and behind it the address.  One that is
 * offered is entered behind the first. */
struct __attribute__((packed)) door {
	uint8_t set_name[2];
	uint64_t name;
	uint8_t leave[6];
	uint64_t to;
};

/* By how much the executable was moved, which comes first. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

/* The runtime beside this library. */
static void *open_runtime(int version)
{
	char path[PATH_MAX];
	Dl_info self;
	if (!dladdr((void *)(uintptr_t)open_runtime, &self))
		return NULL;
	const char *slash = strrchr(self.dli_fname, '/');
	snprintf(path, sizeof path, "%.*s/libcudart.so.%d", slash ? (int)(slash - self.dli_fname) : 1,
		slash ? self.dli_fname : ".", version);
	void *runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!runtime)
		fprintf(stderr, "lockstep: %s\n", dlerror());
	return runtime;
}

/* The pages from the first function's to the last's. */
static bool make_writable(const struct static_runtime *own, uint64_t base, bool writable)
{
	uint64_t first = (base + own->functions[0].address) & ~(PAGE - 1),
		 end = base + own->functions[own->count - 1].address + sizeof(struct jump);
	return !mprotect((void *)(uintptr_t)first, end - first, PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0));
}

/* False: the function is too short, or too far away. */
static bool put_jump(const struct function *function, uint64_t base, const uint8_t *to)
{
	uint64_t at = base + function->address;
	int64_t distance = (int64_t)((uint64_t)(uintptr_t)to - at - sizeof(struct jump));
	struct jump jump = {0xe9, (int32_t)distance};
	if (function->room < sizeof jump || jump.distance != distance)
		return false;
	memcpy((void *)(uintptr_t)at, &jump, sizeof jump);
	return true;
}

/* Those between the first and the last function that ours has, too, are the runtime's: it is linked in one piece.
 * Beyond them a function whose name begins like CUDA's is the program's own. */
static void trim(struct static_runtime *own, void *ours)
{
	while (own->count && !dlsym(ours, own->functions[own->count - 1].name))
		own->count--;
	while (own->count && !dlsym(ours, own->functions[0].name)) {
		own->functions++;
		own->count--;
	}
}

/* Free pages below the executable, as near as there are some. */
static struct door *find_place(uint64_t base, size_t bytes)
{
	enum { TIMES = 4096 };
	bytes = (bytes + PAGE - 1) & ~(PAGE - 1);
	base &= ~(PAGE - 1);
	for (uint64_t k = 1; k <= TIMES && base > k * bytes; k++) {
		void *place = mmap((void *)(uintptr_t)(base - k * bytes), bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (place != MAP_FAILED)
			return place;
	}
	return NULL;
}

/* One for each function: to ours, or to what says that there is none. */
static struct door *make_doors(const struct static_runtime *own, void *ours, uint64_t base)
{
	uint64_t refuse = (uint64_t)(uintptr_t)dlsym(ours, "__cudaLockstepRefuse");
	size_t bytes = own->count * sizeof(struct door);
	struct door *doors = find_place(base + own->functions[0].address, bytes);
	for (size_t k = 0; doors && k < own->count; k++) {
		const char *name = own->functions[k].name;
		uint64_t to = (uint64_t)(uintptr_t)dlsym(ours, name);
		doors[k] = (struct door){
			{0x48, 0xbf}, (uint64_t)(uintptr_t)name, {0xff, 0x25, 0, 0, 0, 0}, to ? to : refuse};
	}
	return doors && !mprotect(doors, bytes, PROT_READ | PROT_EXEC) ? doors : NULL;
}

static bool redirect(struct static_runtime *own, void *ours, uint64_t base)
{
	trim(own, ours);
	if (!own->count)
		return false;
	const struct door *doors = make_doors(own, ours, base);
	bool good = doors && make_writable(own, base, true);
	for (size_t k = 0; k < own->count && good; k++)
		good = put_jump(&own->functions[k], base,
			dlsym(ours, own->functions[k].name) ? doors[k].leave : doors[k].set_name);
	return good && make_writable(own, base, false);
}

static void replace(struct static_runtime *own)
{
	uint64_t base = 0;
	void *ours = open_runtime(own->version);
	if (!ours)
		return;
	dl_iterate_phdr(take_base, &base);
	if (!redirect(own, ours, base))
		fprintf(stderr, "lockstep: the program's own CUDA runtime cannot be replaced: link it with nvcc "
				"-cudart shared\n");
}

__attribute__((constructor)) static void replace_static_runtime(void)
{
	struct static_runtime own;
	if (!static_runtime_find("/proc/self/exe", &own))
		return;
	struct function *all = own.functions;
	replace(&own);
	free(all);
}
