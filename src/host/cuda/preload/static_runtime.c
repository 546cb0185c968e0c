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

/* jmp *0(%rip), and behind it the address. */
struct __attribute__((packed)) jump {
	uint8_t code[6];
	uint64_t to;
};

/* movabs $name, %rdi, then such a jump: for a function that is not offered. */
struct __attribute__((packed)) refusal {
	uint8_t code[2];
	uint64_t name;
	struct jump jump;
};

static struct jump jump_to(uint64_t address)
{
	return (struct jump){{0xff, 0x25, 0, 0, 0, 0}, address};
}

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

static void put_jump(const struct function *function, uint64_t base, uint64_t to)
{
	struct jump jump = jump_to(to);
	memcpy((void *)(uintptr_t)(base + function->address), &jump, sizeof jump);
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

static struct refusal *make_refusals(const struct static_runtime *own, void *ours)
{
	uint64_t refuse = (uint64_t)(uintptr_t)dlsym(ours, "__cudaLockstepRefuse");
	size_t bytes = own->count * sizeof(struct refusal);
	struct refusal *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		return NULL;
	for (size_t k = 0; k < own->count; k++)
		made[k] = (struct refusal){{0x48, 0xbf}, (uint64_t)(uintptr_t)own->functions[k].name, jump_to(refuse)};
	return mprotect(made, bytes, PROT_READ | PROT_EXEC) ? NULL : made;
}

static bool redirect(struct static_runtime *own, void *ours, uint64_t base)
{
	trim(own, ours);
	struct refusal *refusals = make_refusals(own, ours);
	if (!refusals || !make_writable(own, base, true))
		return false;
	for (size_t k = 0; k < own->count; k++) {
		const void *to = dlsym(ours, own->functions[k].name);
		if (own->functions[k].room >= sizeof(struct jump))
			put_jump(&own->functions[k], base, (uint64_t)(uintptr_t)(to ? to : &refusals[k]));
	}
	return make_writable(own, base, false);
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
