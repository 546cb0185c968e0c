/* Plug-ins: policies in a shared object, loaded with --plugin FILE.so and then chosen by name like our own.
 *
 *     #include <lockstep/plugin.h>
 *
 *     static int pick(void *state, const struct issue_view *view)
 *     {
 *             (void)state;
 *             return 63 - __builtin_clzll(view->ready);
 *     }
 *     static const struct warp_scheduler highest = {
 *             .name = "highest", .summary = "the ready warp in the highest slot", .pick = pick,
 *     };
 *     const struct lockstep_plugin lockstep_plugin = {
 *             .version = LOCKSTEP_PLUGIN_VERSION,
 *             .warp_schedulers = (const struct warp_scheduler *const[]){&highest, NULL},
 *     };
 *
 *     cc -shared -fPIC $(pkg-config --cflags lockstep-plugin) -o highest.so highest.c
 *     lockstep kernel --plugin ./highest.so --scheduler highest ...
 *
 * Before it is installed, -I include -I src of the source folder does the same.  docs/plugins.md has the rules and more
 * examples.
 *
 * Each of the headers below holds one vtable, with the contract of every hook at its field; they need nothing but the C
 * library. A policy sees its state and a small read-only view, returns a decision and calls nothing.  It must be
 * deterministic.  A decision that its contract excludes ends the process with status 2 and a line that says it. */
#ifndef LOCKSTEP_PLUGIN_H
#define LOCKSTEP_PLUGIN_H

#define POLICY_HEADERS
#include "policy/kinds.def"
#undef POLICY_HEADERS

/* Changes whenever a vtable or a view does: a plug-in of another version is refused. */
#define LOCKSTEP_PLUGIN_VERSION 10

/* What a plug-in exports under the name `lockstep_plugin`: null-terminated arrays by kind; null for a kind it lacks:
 * .warp_schedulers, .divergence_models, .coherence_policies, .group_dispatchers, .spin_detectors,
 * .backoff_policies, .lock_units, .retry_policies, .control_policies. */
struct lockstep_plugin {
	uint32_t version; /* LOCKSTEP_PLUGIN_VERSION */
#define POLICY_KIND(kind, vtable, table, decides) const struct vtable *const *table;
#include "policy/kinds.def"
#undef POLICY_KIND
};
extern const struct lockstep_plugin lockstep_plugin;

#endif
