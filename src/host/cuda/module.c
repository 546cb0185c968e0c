/* What nvcc's code registers before main: fat binaries, their kernels and variables.  A module comes onto the GPU when
 * something of it is first asked for. */
#include "host/cuda/objects.h"

#include "host/cuda/fat_binary.h"
#include "host/link.h"
#include "host/need.h"
#include "util/demangle.h"
#include "util/lookup.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct module {
	enum module_image kind;
	const void *image;
	bool was_tried;    /* to load; guarded by the device's lock, with what follows */
	cudaError_t error; /* what became of that */
	struct lockstep_module *loaded;
	struct variable *variables; /* those registered with it */
};

struct variable {
	struct variable *next_of_module;
	void **managed; /* where the program wants its address; null: it is not managed */
	char *name;
	struct module *module;
	struct memory memory; /* once the module is loaded; bytes 0: the module has no such variable */
};

/* Registered before main and by libraries as they are loaded; guarded by driver_lock. */
static struct arena arena;
static struct lookup functions, variables; /* pointers, by the host's address: the last registered */

/* ---- Loading ---- */

/* The PTX of a fat binary, from malloc; null and an error: *error changes where there is code for other GPUs only. */
static char *ptx_at(const void *data, struct diagnostic *diagnostic, cudaError_t *error)
{
	struct fat_binary binary;
	struct fat_entry entry;
	if (!fat_binary_open(&binary, data, fat_binary_size(data), diagnostic))
		return NULL;
	if (!fat_binary_choose(&binary, 0, &entry))
		*error = cudaErrorNoKernelImageForDevice;
	return fat_binary_ptx(&binary, device_get()->capability, diagnostic);
}

/* Links the modules but for the one numbered `without`. */
static char *link_without(char *const *ptx, size_t count, size_t without, char **why)
{
	const char **some = need(calloc(count + 1, sizeof *some));
	size_t taken = 0;
	for (size_t k = 0; k < count; k++)
		if (k != without)
			some[taken++] = ptx[k];
	char *linked = link_ptx(some, taken, false, why);
	free(some);
	return linked;
}

/* nvcc adds libcudadevrt, which lets kernels launch kernels by means of NVIDIA's driver, whether a program needs it or
 * not: what cannot be linked is left out, if nothing else needs it. */
static char *link_modules(char *const *ptx, size_t count, struct diagnostic *diagnostic)
{
	char *why = NULL, *linked = link_without(ptx, count, count, &why);
	for (size_t k = count; !linked && count > 1 && k-- > 0;) {
		char *ignored = NULL;
		linked = link_without(ptx, count, k, &ignored);
		free(ignored);
	}
	if (!linked)
		diagnose(diagnostic, (struct place){NULL, 0, 0}, "%s",
			why ? why : "the program's modules cannot be linked");
	free(why);
	return linked;
}

/* Relocatable device code: the PTX of all the program's sources, linked. */
static char *linked_ptx(const void *const *at, struct diagnostic *diagnostic)
{
	size_t count = 0, got = 0;
	cudaError_t ignored;
	while (at[count])
		count++;
	char **ptx = need(calloc(count + 1, sizeof *ptx));
	while (got < count && (ptx[got] = ptx_at(at[got], diagnostic, &ignored)))
		got++;
	char *linked = got == count ? link_modules(ptx, count, diagnostic) : NULL;
	for (size_t k = 0; k < got; k++)
		free(ptx[k]);
	free(ptx);
	return linked;
}

static cudaError_t load_onto_gpu(struct module *module, const char *ptx)
{
	struct lockstep_error error;
	assert(!module->loaded);
	module->loaded = lockstep_load(device_get()->gpu, "program.ptx", ptx, &error);
	if (module->loaded)
		return cudaSuccess;
	device_complain("the GPU cannot run the program: %s", error.message);
	return cudaErrorInvalidPtx;
}

/* Finds out where the module's variables are, and tells the program where its managed ones are. */
static void place_variables(struct module *module)
{
	for (struct variable *v = module->variables; v; v = v->next_of_module) {
		struct memory *m = &v->memory;
		if (!lockstep_symbol(device_get()->gpu, module->loaded, v->name, &m->address, &m->bytes))
			continue;
		m->contents = lockstep_map(device_get()->gpu, m->address, m->bytes);
		m->type = v->managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
		m->module = module;
		memory_add(m);
		host_race_placed(m->contents, m->bytes, m->address, v->name, NULL, false);
		if (!v->managed)
			continue;
		host_race_shared(m->address);
		*v->managed = (void *)(uintptr_t)m->address;
	}
}

/* The module's PTX, to be given to free(); null and what is wrong with its image. */
static char *text_of(const struct module *module, struct diagnostic *diagnostic, cudaError_t *error)
{
	struct fat_wrapper wrapper = {.data = module->image};
	*error = cudaErrorInvalidKernelImage;
	if (module->kind == IMAGE_PTX)
		return need(strdup(module->image));
	if (module->kind == IMAGE_WRAPPER && !fat_wrapper_read(&wrapper, module->image, diagnostic))
		return NULL;
	if (wrapper.modules)
		return linked_ptx(wrapper.modules, diagnostic);
	return ptx_at(wrapper.data, diagnostic, error);
}

const char *library_of(const void *address)
{
	Dl_info library, program;
	if (!dladdr(address, &library) || !dladdr((void *)(uintptr_t)getauxval(AT_PHDR), &program) ||
		library.dli_fbase == program.dli_fbase)
		return NULL;
	const char *slash = strrchr(library.dli_fname, '/');
	return slash ? slash + 1 : library.dli_fname;
}

/* `kernel`: for which the module is loaded; null: for something else.  A module whose image is in a library is named by
 * that, since it is mostly not the user's. */
static void complain_of_image(const struct module *module, const char *kernel, const char *message)
{
	struct arena names = {0};
	const char *library = library_of(module->image), *name = kernel ? demangle_brief(&names, kernel) : "";
	device_complain("%s%s%s%s%s%s", kernel ? "kernel " : "", name, kernel && library ? " of " : "",
		library ? library : "", kernel || library ? ": " : "", message);
	arena_free(&names);
}

/* The device's lock is held. */
static cudaError_t load(struct module *module, const char *kernel)
{
	struct diagnostic diagnostic = {0};
	if (module->was_tried)
		return module->error;
	char *ptx = text_of(module, &diagnostic, &module->error);
	if (ptx)
		module->error = load_onto_gpu(module, ptx = set_conditional_expand(ptx));
	else
		complain_of_image(module, kernel, diagnostic.message);
	free(ptx);
	module->was_tried = true;
	if (!module->error) {
		target_tell(lockstep_target(module->loaded));
		place_variables(module);
	}
	return module->error;
}

cudaError_t module_load(struct module *module)
{
	device_lock();
	cudaError_t error = load(module, NULL);
	device_unlock();
	return error;
}

struct module *module_new(enum module_image kind, const void *image)
{
	struct module *module = need(calloc(1, sizeof *module));
	*module = (struct module){.kind = kind, .image = image};
	return module;
}

/* ---- Finding ---- */

void module_drop(struct module *module)
{
	memory_forget_variables(module);
	device_unload(module->loaded);
	free(module);
}

int module_target(const struct module *module)
{
	int target = 0;
	sscanf(lockstep_target(module->loaded), "sm_%d", &target);
	return target;
}

bool module_has_kernel(const struct module *module, const char *name)
{
	const char *kernel;
	for (size_t k = 0; (kernel = lockstep_kernel_name(module->loaded, k)); k++)
		if (!strcmp(kernel, name))
			return true;
	return false;
}

cudaError_t module_bind(struct module *module, const char *name, const struct lockstep_image *image)
{
	struct lockstep_error why;
	device_lock();
	bool bound = lockstep_image_bind(device_get()->gpu, module->loaded, name, image, &why);
	device_unlock();
	return bound ? cudaSuccess : cudaErrorSymbolNotFound;
}

bool module_find_variable(struct module *module, const char *name, uint64_t *address, size_t *bytes)
{
	struct memory m = {.type = cudaMemoryTypeDevice, .module = module}, known;
	device_lock();
	bool found = lockstep_symbol(device_get()->gpu, module->loaded, name, &m.address, &m.bytes);
	if (found)
		m.contents = lockstep_map(device_get()->gpu, m.address, m.bytes);
	device_unlock();
	if (found && !memory_find(m.address, &known)) {
		found = memory_add(&m);
		host_race_placed(m.contents, m.bytes, m.address, name, NULL, false);
	}
	*address = m.address;
	*bytes = m.bytes;
	return found;
}

bool module_refuses(const struct module *module, const char *name)
{
	device_lock();
	bool refuses = lockstep_kernel_refusal(module->loaded, name) != NULL;
	device_unlock();
	return refuses;
}

const char *module_kernel(const struct module *module, size_t k)
{
	return lockstep_kernel_name(module->loaded, k);
}

/* driver_lock is held. */
static struct cuda_function *find_handle(const void *handle)
{
	for (size_t k = 0; k < functions.size; k++)
		for (struct cuda_function *f = (void *)(uintptr_t)functions.at[k].value; f; f = f->next)
			if (f == handle)
				return f;
	return NULL;
}

struct cuda_function *function_find(const void *host)
{
	mutex_lock(&driver_lock);
	struct cuda_function *function = lookup_get_pointer(&functions, (uintptr_t)host);
	if (!function)
		function = find_handle(host);
	mutex_unlock(&driver_lock);
	return function;
}

void function_remember(struct cuda_function *function)
{
	mutex_lock(&driver_lock);
	uint64_t *last = lookup_at(&arena, &functions, (uintptr_t)function->host);
	function->next = (void *)(uintptr_t)*last;
	*last = (uintptr_t)function;
	mutex_unlock(&driver_lock);
}

void function_forget(struct cuda_function *function)
{
	mutex_lock(&driver_lock);
	lookup_remove(&functions, (uintptr_t)function->host); /* a library's: no other has the address */
	mutex_unlock(&driver_lock);
}

/* Once of each kernel. */
static void complain(struct cuda_function *function, const char *refusal, const char *message)
{
	static bool has_named_file; /* guarded by the device's lock */
	if (function->has_complained)
		return;
	function->has_complained = true;
	if (refusal)
		device_complain("kernel refused: %s%s", message,
			has_named_file ? "" : "; `cuobjdump -ptx` prints a program's PTX");
	else
		device_complain_of_kernel(function->name, "the GPU cannot run it: %s", message);
	has_named_file |= refusal != NULL;
}

/* As a driver's that finds no code for its GPU. */
static cudaError_t find_needs(struct cuda_function *function)
{
	const char *refusal = lockstep_kernel_refusal(function->loaded, function->name);
	struct lockstep_error why;
	function->needs.size = sizeof function->needs;
	function->has_needs =
		!refusal && lockstep_kernel_needs(function->loaded, function->name, &function->needs, &why);
	if (function->has_needs) {
		if (function->needs.ignores_setmaxnreg)
			device_complain_of_kernel(function->name, "setmaxnreg does nothing, as in ptxas (C7508): it "
								  "needs __launch_bounds__ with two numbers, or "
								  "__maxnreg__");
		return cudaSuccess;
	}
	complain(function, refusal, refusal ? refusal : why.message);
	return refusal ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidDeviceFunction;
}

cudaError_t function_load(struct cuda_function *function)
{
	device_lock();
	cudaError_t error = load(function->module, function->name);
	function->loaded = function->module->loaded;
	if (!error && !function->has_needs)
		error = find_needs(function);
	device_unlock();
	return error;
}

bool function_is_loaded(const struct cuda_function *function)
{
	device_lock();
	bool is_loaded = function->has_needs;
	device_unlock();
	return is_loaded;
}

cudaError_t variable_find(const void *host, struct memory *memory)
{
	cudaError_t error = error_before();
	if (error)
		return error;
	mutex_lock(&driver_lock);
	struct variable *v = lookup_get_pointer(&variables, (uintptr_t)host);
	mutex_unlock(&driver_lock);
	if (!v)
		return cudaErrorInvalidSymbol;
	device_lock();
	error = load(v->module, NULL);
	*memory = v->memory;
	device_unlock();
	if (!error && !memory->bytes)
		error = cudaErrorInvalidSymbol;
	return error;
}

/* ---- Registering ---- */

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct module *module = module_new(IMAGE_WRAPPER, wrapper);
	device_reach(CHANNEL_LOADED);
	target_register(wrapper);
	mutex_lock(&driver_lock);
	commands_set_patience(1);
	mutex_unlock(&driver_lock);
	return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **module)
{
	(void)module;
}

/* At the program's end, and when a library goes: other modules may hold pointers to what is in this one, so it
 * stays. */
void __cudaUnregisterFatBinary(void **module)
{
	(void)module;
}

/* Called before the program touches a managed variable. */
char __cudaInitModule(void **handle)
{
	if (!device_get())
		return 0;
	return !error_note(module_load((struct module *)handle));
}

void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name, int thread_limit,
	void *tid, void *bid, void *block, void *grid, int *warp_size)
{
	(void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
	struct cuda_function *function = need(calloc(1, sizeof *function));
	*function = (struct cuda_function){.host = host, .name = need(strdup(name)), .module = (struct module *)module};
	function_remember(function);
}

static void register_variable(void **handle, const void *host, void **managed, const char *name)
{
	struct variable *v = need(calloc(1, sizeof *v));
	struct module *module = (struct module *)handle;
	*v = (struct variable){.managed = managed, .name = need(strdup(name)), .module = module};
	mutex_lock(&driver_lock);
	*lookup_at(&arena, &variables, (uintptr_t)host) = (uintptr_t)v;
	v->next_of_module = module->variables;
	module->variables = v;
	mutex_unlock(&driver_lock);
}

void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int is_extern, size_t bytes,
	int is_constant, int is_global)
{
	(void)device, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
	register_variable(module, host, NULL, name);
}

/* The program names a managed variable to the runtime by the place of its pointer. */
void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name, int is_extern, size_t bytes,
	int is_constant, int is_global)
{
	(void)device, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
	register_variable(module, host, host, name);
}
