/* Commands of programs that tell of warps, lanes, locks and barriers. */
#include "debug/json.h"

#include "machine/core/path.h"
#include "machine/observe/locks.h"
#include "machine/state/launch_state.h"

#include <inttypes.h>

/* ---- Warps ---- */

static void put_warp(struct debugger *d, json_object *list, const struct core *core, const struct warp_slot *r)
{
	json_object *entry = json_put_entry(list);
	struct warp_name name = name_of(r);

	json_put_number(entry, "group", name.group);
	json_put_number(entry, "warp", name.warp);
	json_put_number(entry, "core", core->index);
	json_put_text(entry, "waits", show_waiting(d, core, r));
}

/* {"most": N}: the focus first, then by cores; `more` is how many there are beyond. */
bool answer_warps(struct debugger *d, json_object *from, json_object *to)
{
	struct machine *machine = d->gpu->machine;
	uint64_t most = json_number(from, "most", 64), shown = 0, more = 0;
	json_object *list = json_put_list(to, "warps");
	struct core *core;
	const struct warp_slot *focus = find_warp(d, &d->focus, &core);

	if (focus && shown++ < most)
		put_warp(d, list, core, focus);
	if (machine)
		EACH_USED_CORE(machine, c) {
			core = &machine->cores.at[c];
			for (uint64_t m = core_warps(core); m; m &= m - 1) {
				const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

				if (!r->group || r->finished || r == focus)
					continue;
				if (shown < most) {
					put_warp(d, list, core, r);
					shown++;
				} else {
					more++;
				}
			}
		}
	json_put_number(to, "more", more);
	return true;
}

/* ---- Lanes ---- */

static void put_variable(json_object *list, const char *name, const char *value)
{
	json_object *entry = json_put_entry(list);

	json_put_text(entry, "name", name);
	json_put_text(entry, "value", value);
}

bool answer_lanes(struct debugger *d, json_object *from, json_object *to)
{
	struct core *core;
	const struct warp_slot *r = json_warp(d, from, &core);
	json_object *list = json_put_list(to, "variables");

	if (!r)
		return false;
	const uint32_t *block = r->warp.launch->block;

	EACH_LANE(lane, r->warp.full) {
		struct lane_place f = find_lane(r, (uint32_t)lane);
		uint32_t thread = r->warp.first_thread + (uint32_t)lane;
		const char *where = "ended";

		if (r->warp.live >> lane & 1)
			where = f.pc < r->warp.kernel->code_count ? kernel_place_text(&d->scratch, r->warp.kernel, f.pc)
								  : "the end";
		put_variable(list, arena_printf(&d->scratch, "lane %u", f.lane),
			arena_printf(&d->scratch, "thread (%u,%u,%u): %s%s%s", thread % block[0],
				thread / block[0] % block[1], thread / block[0] / block[1], where,
				f.waiting ? ", waits for " : "", f.waiting ? f.waiting : ""));
	}
	return true;
}

/* ---- Locks and barriers ---- */

struct put_locks {
	struct debugger *d;
	json_object *list;
};

static void put_locks(void *context, const struct warp_slot *r, const struct warp_locks *locks)
{
	const struct put_locks *put = context;
	struct debugger *d = put->d;
	json_object *list = put->list;
	struct warp_name name = name_of(r);

	for (uint32_t k = 0; k < locks->held; k++) {
		const struct held_lock *l = &locks->at[k];

		put_variable(list, arena_printf(&d->scratch, "0x%" PRIx64, l->address),
			arena_printf(&d->scratch, "held by warp %u.%u lane %u since cycle %" PRIu64 ", taken at %s",
				name.group, name.warp, l->lane, l->since,
				kernel_place_text(&d->scratch, r->warp.kernel, l->pc)));
	}
	if (locks->waiting_since)
		put_variable(list, arena_printf(&d->scratch, "warp %u.%u", name.group, name.warp),
			arena_printf(&d->scratch, "tries to take a lock since cycle %" PRIu64, locks->waiting_since));
}

bool answer_locks(struct debugger *d, json_object *from, json_object *to)
{
	struct put_locks put = {d, json_put_list(to, "variables")};

	(void)from;
	each_locks(d, put_locks, &put);
	return true;
}

bool answer_barriers(struct debugger *d, json_object *from, json_object *to)
{
	struct core *core;
	const struct warp_slot *r = json_warp(d, from, &core);
	json_object *list = json_put_list(to, "variables");

	for (uint32_t b = 0; r && b < NAMED_BARRIERS; b++) {
		const struct barrier *barrier = &r->group->barriers[b];
		struct text waiting = {.arena = &d->scratch};

		if (!barrier->arrived && !barrier->waiting)
			continue;
		for (uint64_t m = barrier->waiting; m; m &= m - 1) {
			const struct warp_slot *w = &core->slots[__builtin_ctzll(m)];

			text_print(&waiting, " %u", w->warp.first_thread / w->warp.lanes);
		}
		put_variable(list, arena_printf(&d->scratch, "barrier %u", b),
			arena_printf(&d->scratch, "%u of %u threads have arrived; waiting warps:%s", barrier->arrived,
				barrier->expected ? barrier->expected : r->group->live_threads,
				waiting.at ? waiting.at : " none"));
	}
	return r;
}
