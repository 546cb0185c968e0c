/* Loads policies from a shared object, and ends the process when one of them breaks its contract. */
#include "policy/contract.h"

#include "lockstep/plugin.h"
#include "policy/schedule/fields.h"

#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Adds one kind's policies; an error names the file. */
static bool add_all(const char *path, enum policy_kind kind, const void *const *policies, struct diagnostic *diagnostic)
{
	for (; policies && *policies; policies++) {
		struct diagnostic why = {0};
		const struct policy *policy = *policies;
		bool fit = kind != POLICY_scheduler || !policy->name || schedule_check_fields(*policies, &why);
		if (!fit || !policy_add(kind, policy, &why)) {
			diagnose(diagnostic, (struct place){.file = path}, "plug-in refused: %s", why.message);
			return false;
		}
	}
	return true;
}

/* Whether an object of this machine has all that its program headers say: the loader maps what is missing, and dies of
 * SIGBUS.  All else it refuses itself. */
static bool is_whole(const char *path)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	struct stat status;
	bool whole = true;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0 && !fstat(file, &status) && pread(file, &head, sizeof head, 0) == sizeof head &&
		!memcmp(head.e_ident, ELFMAG, SELFMAG))
		for (int k = 0; whole && k < head.e_phnum; k++) {
			off_t at = (off_t)(head.e_phoff + (size_t)k * sizeof part);
			whole = pread(file, &part, sizeof part, at) == sizeof part &&
				(part.p_type != PT_LOAD ||
					(part.p_offset <= (uint64_t)status.st_size &&
						part.p_filesz <= (uint64_t)status.st_size - part.p_offset));
		}
	if (file >= 0)
		close(file);
	return whole;
}

bool plugin_load(const char *path, struct diagnostic *diagnostic)
{
	struct place place = {.file = path};
	char here[4096]; /* a name without a slash is a file here, not one in the loader's folders */
	if (snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path) >= (int)sizeof here) {
		diagnose(diagnostic, place, "the path of the plug-in is too long");
		return false;
	}
	if (!is_whole(here)) {
		diagnose(diagnostic, place, "cannot load the plug-in: the file is cut off");
		return false;
	}
	void *object = dlopen(here, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		diagnose(diagnostic, place, "cannot load the plug-in: %s", dlerror());
		return false;
	}
	const struct lockstep_plugin *plugin = dlsym(object, "lockstep_plugin");
	if (!plugin)
		diagnose(
			diagnostic, place, "not a plug-in: it does not define lockstep_plugin (see lockstep/plugin.h)");
	else if (plugin->version != LOCKSTEP_PLUGIN_VERSION)
		diagnose(diagnostic, place,
			"the plug-in is made for version %u of lockstep/plugin.h, this is version %u: compile it anew",
			plugin->version, LOCKSTEP_PLUGIN_VERSION);
	if (!plugin || plugin->version != LOCKSTEP_PLUGIN_VERSION) {
		dlclose(object);
		return false;
	}
	/* From here on it stays loaded, also when it is refused: its policies may have been added in part. */
	bool good = true;
#define POLICY_KIND(kind, vtable, table, decides)                                                                      \
	good = good && add_all(path, POLICY_##kind, (const void *const *)plugin->table, diagnostic);
#include "policy/kinds.def"
#undef POLICY_KIND
	return good;
}

/* The shared object that a policy is in; null: not known. */
static const char *file_of(const void *policy)
{
	Dl_info info;
	return dladdr(policy, &info) ? info.dli_fname : NULL;
}

void contract_broken(enum policy_kind kind, const void *policy, const char *format, ...)
{
	const struct policy *p = policy;
	const char *file = file_of(policy);
	char what[512];
	va_list list;
	va_start(list, format);
	vsnprintf(what, sizeof what, format, list);
	va_end(list);
	assert(policy_is_added(kind, policy));
	fflush(stdout); /* what the kernel has printed */
	dprintf(STDERR_FILENO, "%s%s%s policy '%s' breaks its contract: %s\n", file ? file : "", file ? ": " : "",
		policy_kind_name(kind), p->name, what);
	_exit(2); /* other threads are in the middle of a simulation */
}
