/* The driver's interface: linking of PTX, libraries, and addresses of its own calls. */
#include "host/cuda/driver_parts.h"

#include "host/cuda/fat_binary.h"
#include "host/cuda/library.h"
#include "host/link.h"
#include "host/need.h"
#include "util/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Linking ---- */

struct cuda_link {
	char **ptx; /* from malloc, each */
	size_t count;
	char *whole; /* once it is complete */
	struct link_log {
		char *at; /* of the application's; null: it wants none */
		size_t bytes;
	} info, errors; /* nothing is said in the first */
};

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FAT_BINARY }; /* CU_JIT_INPUT_... */
enum {
	OPTION_INFO_LOG = 3,
	OPTION_INFO_LOG_BYTES,
	OPTION_ERROR_LOG,
	OPTION_ERROR_LOG_BYTES
}; /* CU_JIT_INFO_LOG_BUFFER ... */

static void write_log(const struct link_log *log, const char *text)
{
	if (log->at && log->bytes)
		snprintf(log->at, log->bytes, "%s", text);
}

static void read_option(struct cuda_link *link, int option, void *value)
{
	switch (option) {
	case OPTION_INFO_LOG: link->info.at = value; break;
	case OPTION_INFO_LOG_BYTES: link->info.bytes = (size_t)(uintptr_t)value; break;
	case OPTION_ERROR_LOG: link->errors.at = value; break;
	case OPTION_ERROR_LOG_BYTES: link->errors.bytes = (size_t)(uintptr_t)value; break;
	default: break; /* of the code that would be made */
	}
}

static CUresult fail(struct cuda_link *link, const char *why, CUresult error)
{
	device_complain("%s", why);
	write_log(&link->errors, why);
	return error;
}

CUresult cuLinkCreate_v2(unsigned int count, int *options, void **values, CUlinkState *link)
{
	CUresult why = driver_ready();
	if (!why && (!link || (count && (!options || !values))))
		why = CUDA_ERROR_INVALID_VALUE;
	if (why)
		return why;
	struct cuda_link *made = need(calloc(1, sizeof *made));
	for (unsigned int k = 0; k < count; k++)
		read_option(made, options[k], values[k]);
	write_log(&made->info, ""); /* a program may print it whatever comes */
	write_log(&made->errors, "");
	*link = made;
	return CUDA_SUCCESS;
}

/* The PTX of what is added, from malloc; null and an error. */
static char *ptx_of_input(struct cuda_link *link, int type, const void *data, size_t bytes, CUresult *why)
{
	struct diagnostic diagnostic = {0};
	struct fat_binary binary;
	char *text = NULL;
	*why = CUDA_ERROR_INVALID_IMAGE;
	if (type == INPUT_PTX) {
		text = need(strndup(data, bytes));
		*why = CUDA_SUCCESS;
	} else if (type == INPUT_FAT_BINARY) {
		text = fat_binary_open(&binary, data, bytes, &diagnostic)
			       ? fat_binary_ptx(&binary, device_get()->capability, &diagnostic)
			       : NULL;
		*why = text ? CUDA_SUCCESS : fail(link, diagnostic.message, CUDA_ERROR_INVALID_IMAGE);
	} else if (type == INPUT_CUBIN) {
		*why = fail(link, "a cubin holds machine code only: link PTX, or fat binaries with PTX",
			CUDA_ERROR_NO_BINARY_FOR_GPU);
	} else {
		*why = fail(link, "only PTX and fat binaries can be linked", CUDA_ERROR_NOT_SUPPORTED);
	}
	return text;
}

CUresult cuLinkAddData_v2(CUlinkState link, int type, void *data, size_t bytes, const char *name, unsigned int count,
	int *options, void **values)
{
	CUresult why = driver_check(link, link && data && bytes && !link->whole);
	(void)name, (void)count, (void)options, (void)values;
	char *text = why ? NULL : ptx_of_input(link, type, data, bytes, &why);
	if (!text)
		return why;
	link->ptx = need(realloc(link->ptx, (link->count + 1) * sizeof *link->ptx));
	link->ptx[link->count++] = text;
	return CUDA_SUCCESS;
}

CUresult cuLinkAddFile_v2(CUlinkState link, int type, const char *path, unsigned int count, int *options, void **values)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	size_t bytes;
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	char *data = text_read_file(&arena, path, &bytes, &diagnostic);
	CUresult why = data ? cuLinkAddData_v2(link, type, data, bytes, path, count, options, values)
			    : CUDA_ERROR_FILE_NOT_FOUND;
	arena_free(&arena);
	return why;
}

/* What comes out is PTX, which cuModuleLoadData takes; it is the link's. */
CUresult cuLinkComplete(CUlinkState link, void **image, size_t *bytes)
{
	char *wrong = NULL;
	CUresult why = driver_check(link, image);
	if (why)
		return why;
	if (!link->whole)
		link->whole = link_ptx((const char *const *)link->ptx, link->count, false, &wrong);
	if (!link->whole) {
		why = fail(link, wrong ? wrong : "the modules cannot be linked", CUDA_ERROR_INVALID_PTX);
		free(wrong);
		return why;
	}
	*image = link->whole;
	if (bytes)
		*bytes = strlen(link->whole) + 1;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState link)
{
	if (!link)
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t k = 0; k < link->count; k++)
		free(link->ptx[k]);
	free(link->ptx);
	free(link->whole);
	free(link);
	return CUDA_SUCCESS;
}

/* ---- Libraries: modules without a context ---- */

/* A library is a module, and a kernel a function. */
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	if (!module || !library)
		return CUDA_ERROR_INVALID_VALUE;
	*module = library;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	if (!function || !kernel)
		return CUDA_ERROR_INVALID_VALUE;
	*function = kernel;
	return CUDA_SUCCESS;
}

/* ---- Addresses of calls ---- */

/* Forms of calls that are newer than CUDA 4: before `version` a program means the form without, or the one before. */
static const struct {
	const char *form;
	int version;
} newer[] = {
#define SINCE(form, version) {#form, version},
#include "host/cuda/driver_forms.def"
#undef SINCE
};

static bool is_newer(const char *form, int version)
{
	for (size_t k = 0; k < sizeof newer / sizeof *newer; k++)
		if (!strcmp(newer[k].form, form))
			return newer[k].version > version;
	return false;
}

/* The newest form that a program of this version means; `per_thread`: for a default stream per thread, if that differs.
 */
static void *find_form(void *library, const char *name, int version, bool per_thread)
{
	static const char *const endings[] = {"_v4", "_v3", "_v2", ""};
	static const char *const kinds[] = {"_ptsz", "_ptds", ""};
	char form[128], whole[136];
	void *found = NULL;
	for (size_t k = 0; !found && k < sizeof endings / sizeof *endings; k++) {
		snprintf(form, sizeof form, "%s%s", name, endings[k]);
		for (size_t j = per_thread ? 0 : 2; !found && !is_newer(form, version) && j < 3; j++) {
			snprintf(whole, sizeof whole, "%s%s", form, kinds[j]);
			found = dlsym(library, whole);
		}
	}
	return found;
}

static void *find_call(const char *name, int version, bool per_thread)
{
	Dl_info self;
	void *library =
		dladdr((void *)(uintptr_t)&find_call, &self) ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found = find_form(library ? library : RTLD_DEFAULT, name, version, per_thread);
	if (library)
		dlclose(library);
	return found;
}

/* Flags choose between the default streams' kinds of calls. */
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status)
{
	if (!name || !function || flags > ENTRY_PER_THREAD || strncmp(name, "cu", 2))
		return CUDA_ERROR_INVALID_VALUE;
	*function = find_call(name, version, flags == ENTRY_PER_THREAD);
	if (status)
		*status = *function ? 0 : 1;
	return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags)
{
	return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* A call that is not there is no error, but says so in *status. */
cudaError_t cudaGetDriverEntryPointByVersion(
	const char *name, void **function, unsigned int version, unsigned long long flags, int *status)
{
	if (!name || !function || flags > 2)
		return error_note(cudaErrorInvalidValue);
	CUresult why = cuGetProcAddress_v2(name, function, (int)version, flags, status);
	return error_note(why == CUDA_ERROR_NOT_FOUND && !status ? cudaErrorSymbolNotFound : cudaSuccess);
}
