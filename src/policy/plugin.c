/* Loads policies from a shared object. */
#include "policy/policy.h"

#include "lockstep/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Adds one kind's policies; an error names the file. */
static bool add_all(const char *path, enum policy_kind kind, const void *const *policies, struct report *report)
{
	for (; policies && *policies; policies++) {
		struct report why = {0};
		if (!policy_add(kind, *policies, &why)) {
			report_error(report, (struct place){.file = path}, "plug-in refused: %s", why.message);
			return false;
		}
	}
	return true;
}

bool plugin_load(const char *path, struct report *report)
{
	struct place place = {.file = path};
	char here[4096]; /* a name without a slash is a file here, not one in the loader's folders */
	if (snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path) >= (int)sizeof here) {
		report_error(report, place, "the path of the plug-in is too long");
		return false;
	}
	void *object = dlopen(here, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		report_error(report, place, "cannot load the plug-in: %s", dlerror());
		return false;
	}
	const struct lockstep_plugin *plugin = dlsym(object, "lockstep_plugin");
	if (!plugin)
		report_error(
			report, place, "not a plug-in: it does not define lockstep_plugin (see lockstep/plugin.h)");
	else if (plugin->version != LOCKSTEP_PLUGIN_VERSION)
		report_error(report, place,
			"the plug-in is made for version %u of lockstep/plugin.h, this is version %u: compile it anew",
			plugin->version, LOCKSTEP_PLUGIN_VERSION);
	if (!plugin || plugin->version != LOCKSTEP_PLUGIN_VERSION) {
		dlclose(object);
		return false;
	}
	/* From here on it stays loaded, also when it is refused: its policies may have been added in part. */
	bool good = true;
#define POLICY_KIND(kind, vtable, table, decides)                                                                      \
	good = good && add_all(path, POLICY_##kind, (const void *const *)plugin->table, report);
#include "policy/kinds.def"
#undef POLICY_KIND
	return good;
}
