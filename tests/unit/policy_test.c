/* Policies by name, and plug-ins: a good one compiled on the spot, and the ways in which one is refused. */
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef LOCKSTEP_SOURCE_DIR
#define LOCKSTEP_SOURCE_DIR "."
#endif

static char folder[] = "/tmp/lockstep-policy-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[200];
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

static void all_are_found_by_name(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < POLICY_KIND_COUNT; kind++) {
		struct diagnostic diagnostic = {0};
		assert_non_null(policy_at(kind, 0));
		for (size_t i = 0; policy_at(kind, i); i++) {
			const struct policy *p = policy_at(kind, i);
			assert_ptr_equal(policy_find(kind, p->name, &diagnostic), p);
			assert_true(strlen(p->summary) > 10);
		}
		assert_false(diagnostic.failed);
	}
	assert_string_equal(scheduler_find("gto-strict", NULL)->name, "gto-strict");
	assert_string_equal(divergence_find("stack-without-calls", NULL)->name, "stack-without-calls");
}

static void unknown_names_are_explained(void **state)
{
	(void)state;
	struct diagnostic near = {0}, far = {0};
	assert_null(scheduler_find("gto-strikt", &near));
	assert_string_equal(near.message, "no scheduler policy is called 'gto-strikt'; did you mean 'gto-strict'?");
	assert_null(coherence_find("stale", &far));
	assert_string_equal(
		far.message, "no coherence policy is called 'stale'; known are none, write-through-invalidate, moesi");
}

/* Compiles a plug-in with the headers that users have; answers its path. */
static const char *compile(const char *name, const char *source)
{
	static char path[200];
	char command[1000];
	snprintf(path, sizeof path, "%s/%s.c", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(source, file);
	assert_int_equal(fclose(file), 0);
	snprintf(path, sizeof path, "%s/%s.so", folder, name);
	snprintf(command, sizeof command,
		"cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I %s/include -I %s/src -o %s %s/%s.c",
		LOCKSTEP_SOURCE_DIR, LOCKSTEP_SOURCE_DIR, path, folder, name);
	assert_int_equal(system(command), 0);
	return path;
}

#define HIGHEST                                                                                                        \
	"#include <lockstep/plugin.h>\n"                                                                               \
	"static int pick(void *state, const struct issue_view *view)\n"                                                \
	"{ (void)state; return 63 - __builtin_clzll(view->ready); }\n"                                                 \
	"static const struct warp_scheduler highest = {\n"                                                             \
	"	.name = \"highest\", .summary = \"the ready warp in the highest slot\", .pick = pick };\n"

static void a_plugin_adds_its_policies(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	const char *path = compile("good",
		HIGHEST "const struct lockstep_plugin lockstep_plugin = {\n"
			"	.version = LOCKSTEP_PLUGIN_VERSION,\n"
			"	.warp_schedulers = (const struct warp_scheduler *const[]){&highest, NULL} };\n");
	assert_true(plugin_load(path, &diagnostic));
	const struct warp_scheduler *highest = scheduler_find("highest", &diagnostic);
	assert_non_null(highest);
	assert_int_equal(highest->pick(NULL, &(struct issue_view){.ready = 0x50}), 6);
	assert_false(diagnostic.failed);
	assert_false(plugin_load(path, &diagnostic)); /* its names are taken now */
	assert_non_null(
		strstr(diagnostic.message, "good.so: plug-in refused: there already is a scheduler policy 'highest'"));
}

static void refused(const char *path, const char *reason)
{
	struct diagnostic diagnostic = {0};
	assert_false(plugin_load(path, &diagnostic));
	if (!strstr(diagnostic.message, reason))
		fail_msg("'%s' does not say '%s'", diagnostic.message, reason);
}

static void bad_plugins_are_refused(void **state)
{
	(void)state;
	refused("/nowhere/plugin.so", "/nowhere/plugin.so: cannot load the plug-in");
	refused("no-such-plugin.so", "./no-such-plugin.so");
	refused(compile("empty", "int nothing;\n"), "not a plug-in: it does not define lockstep_plugin");
	refused(compile("old", "#include <lockstep/plugin.h>\nconst struct lockstep_plugin lockstep_plugin = {.version "
			       "= 99};\n"),
		"made for version 99");
	refused(compile("hollow",
			"#include <lockstep/plugin.h>\n"
			"static const struct warp_scheduler lazy = {.name = \"lazy\", .summary = \"none\"};\n"
			"const struct lockstep_plugin lockstep_plugin = { .version = LOCKSTEP_PLUGIN_VERSION,\n"
			".warp_schedulers = (const struct warp_scheduler *const[]){&lazy, NULL} };\n"),
		"scheduler policy 'lazy' lacks the hook 'pick'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_found_by_name),
		cmocka_unit_test(unknown_names_are_explained),
		cmocka_unit_test(a_plugin_adds_its_policies),
		cmocka_unit_test(bad_plugins_are_refused),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
