/* Why a program launched nothing on the simulated GPU: from how far it got, and from its executable. */
#include "cli/run.h"

#include "util/file_kind.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <unistd.h>

/* What an executable says about itself. */
struct executable {
	bool is_elf, is_dynamic, wants_opencl;
	bool has_cuda_code, wants_cuda_runtime, wants_cuda_driver;
	bool hides_cuda_runtime; /* it is in the executable, and not in its symbol table */
	const char *unread;      /* not null: why nothing of this is known */
};

static bool holds(const char *data, size_t length, const char *text)
{
	return memmem(data, length, text, strlen(text));
}

static bool has_symbols(const char *data, size_t length, const Elf64_Ehdr *header)
{
	for (size_t k = 0; k < header->e_shnum; k++) {
		Elf64_Shdr section;
		size_t at = header->e_shoff + k * sizeof section;
		if (at > length || length - at < sizeof section)
			break;
		memcpy(&section, data + at, sizeof section);
		if (section.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

static struct executable examine(struct run *run)
{
	struct executable e = {0};
	struct diagnostic diagnostic = {0};
	size_t length = 0;
	const char *data = text_read_file(run->arena, run_find_program(run), &length, &diagnostic);
	if (diagnostic.failed)
		e.unread = arena_printf(run->arena, "its libraries are not known: %s", diagnostic.message);
	if (!data || length < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG))
		return e;
	Elf64_Ehdr header;
	memcpy(&header, data, sizeof header);
	e.is_elf = true;
	for (size_t k = 0; k < header.e_phnum; k++) {
		Elf64_Phdr segment;
		size_t at = header.e_phoff + k * sizeof segment;
		if (at > length || length - at < sizeof segment)
			break;
		memcpy(&segment, data + at, sizeof segment);
		e.is_dynamic |= segment.p_type == PT_INTERP;
	}
	/* The file has names of libraries as plain text. */
	e.wants_opencl = holds(data, length, "libOpenCL.so");
	e.has_cuda_code = holds(data, length, ".nv_fatbin");
	e.wants_cuda_runtime = holds(data, length, "libcudart.so.12") || holds(data, length, "libcudart.so.13");
	e.wants_cuda_driver = holds(data, length, "libcuda.so");
	e.hides_cuda_runtime = e.has_cuda_code && !e.wants_cuda_runtime && !has_symbols(data, length, &header);
	return e;
}

/* Why programs find no loader of OpenCL; null: they find one. */
static const char *loader_reason(struct arena *arena)
{
	void *loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (loader) {
		dlclose(loader);
		return NULL;
	}
	const char *why = dlerror();
	if (strstr(why, "libOpenCL.so.1: cannot open shared object file: No such file"))
		return "there is no OpenCL loader (Debian: apt-get install ocl-icd-libopencl1)";
	return arena_printf(arena, "the OpenCL loader cannot be loaded: %s", why);
}

static const char linked_statically[] =
	"it is statically linked with the CUDA runtime and has no symbol table, so Lockstep cannot replace that "
	"runtime: do not strip it, or link it with nvcc -cudart shared";

/* Of a program that has to do with CUDA and never called our runtime; null: it has not. */
static const char *cuda_reason(const struct run *run, const struct executable *e)
{
	if ((e->wants_cuda_runtime || e->wants_cuda_driver) && !run->cuda_folder)
		return "it needs Lockstep's CUDA libraries, which are not next to the command: `make` builds them "
		       "(" CUDA_FOLDER ")";
	if (e->wants_cuda_runtime)
		return "it loads a libcudart other than Lockstep's: its own search path (RPATH) comes first";
	if (e->has_cuda_code)
		return linked_statically;
	if (e->wants_cuda_driver)
		return "it refers to the CUDA driver, libcuda.so, but did not initialise it";
	return NULL;
}

const char *run_reason(struct run *run, uint32_t stage, const char *unsupported)
{
	struct executable e = stage < CHANNEL_CONTEXT ? examine(run) : (struct executable){0};
	/* The static runtime opens libcuda.so.1, gets an answer, and goes no further. */
	if (stage == CHANNEL_ASKED && e.hides_cuda_runtime)
		return linked_statically;
	if (unsupported)
		return arena_printf(run->arena, "it called %s, which Lockstep does not support", unsupported);
	if (stage >= CHANNEL_CONTEXT)
		return "it created a context on the GPU, but launched no kernel";
	if (stage == CHANNEL_ASKED)
		return "it asked for the GPU, but created no context on it";
	if (stage == CHANNEL_LOADED && (e.wants_cuda_runtime || e.wants_cuda_driver || e.has_cuda_code))
		return "it contains CUDA code, but did not call the CUDA runtime";
	if (stage == CHANNEL_LOADED)
		return "the OpenCL loader found the platform 'Lockstep', but the program did not ask for its devices: "
		       "did it choose another platform?";
	if (e.unread)
		return e.unread;
	if (cuda_reason(run, &e))
		return cuda_reason(run, &e);
	if (e.wants_opencl && !run->opencl_driver)
		return "it needs Lockstep's OpenCL driver, which is not next to the command: `make` builds it "
		       "(" OPENCL_DRIVER ")";
	const char *processor;
	if (file_kind_is_foreign(run_find_program(run), &processor))
		return arena_printf(
			run->arena, "it is a program for %s, which cannot load Lockstep's driver", processor);
	if (e.is_elf && !e.is_dynamic)
		return "it is statically linked, so it cannot load Lockstep's driver";
	const char *no_loader = loader_reason(run->arena);
	if (no_loader)
		return no_loader;
	if (e.is_elf && !e.wants_opencl)
		return "it is linked neither with libOpenCL nor with CUDA's libraries, and no process that it started "
		       "used OpenCL or CUDA";
	return "it did not call the OpenCL loader, or its loader does not read OCL_ICD_VENDORS";
}
