/* What commands show of a run that has stopped: places, warps, threads, barriers, mbarriers, locks. */
#include "debug/engine.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/observe/locks.h"
#include "machine/state/launch_state.h"
#include "report/source.h"
#include "warp/mbarrier.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* "3.1 lanes 0-31", "3.1 lanes 0, 4-7". */
static void print_lanes(struct text *out, lane_mask lanes)
{
	const char *between = "";

	if (!lanes)
		text_print(out, "none");
	while (lanes) {
		uint32_t first = (uint32_t)__builtin_ctzll(lanes), last = first;

		while (last < 63 && lanes >> (last + 1) & 1)
			last++;
		text_print(out, first == last ? "%s%u" : "%s%u-%u", between, first, last);
		lanes = last == 63 ? 0 : lanes >> (last + 1) << (last + 1);
		between = ",";
	}
}

void show_lanes(struct text *out, lane_mask lanes)
{
	print_lanes(out, lanes);
}

void show_source(struct debugger *d, const struct warp_slot *r, uint32_t pc)
{
	const struct kernel *kernel = r->warp.kernel;

	if (pc >= kernel->code_count) {
		text_print(&d->out, "the end");
		return;
	}
	struct place place = kernel_place(kernel, pc);
	const char *slash = place.file ? strrchr(place.file, '/') : NULL;

	text_print(&d->out, "%s:%u", slash ? slash + 1 : place.file ? place.file : "?", place.line);
}

/* A file that was written after its kernel was made is not what runs: said once. */
void show_if_changed(struct debugger *d, const struct kernel *kernel, const char *file)
{
	const char *module = kernel->module->file;
	struct stat source, made;
	time_t since = d->known.since;

	if (!file || stat(file, &source) || d->known.changed)
		return;
	if (module && strcmp(module, file) != 0 && !stat(module, &made))
		since = made.st_mtime;
	if (source.st_mtime <= since)
		return;
	d->known.changed = true;
	text_print(&d->out, "%s was written after this kernel was made from it: its lines may be others\n", file);
}

static void show_code(struct debugger *d, const struct kernel *kernel, uint32_t pc)
{
	struct place place = kernel_place(kernel, pc);
	size_t count = 0;
	const char *const *lines = place.file ? report_source_lines(&d->scratch, place.file, &count) : NULL;
	struct text name = {.arena = &d->scratch};

	show_if_changed(d, kernel, place.file);
	if (lines && place.line && place.line <= count)
		text_print(&d->out, "%6u  %s\n", place.line, lines[place.line - 1]);
	kernel_name_pc(&name, kernel, pc);
	text_print(&d->out, "        %s  %s\n", name.at, kernel_text(&d->scratch, kernel, pc));
}

static void show_reached(struct debugger *d)
{
	const struct stop *s = d->reached;

	if (!s)
		return;
	if (s->kind == STOP_VALUE)
		text_print(
			&d->out, "watch %u, %s: %s -> %s\n", s->number, s->words, s->shown_before.text, s->shown.text);
	else if (s->kind == STOP_WATCH)
		text_print(&d->out, "watch %u, %s: %" PRIu64 " -> %" PRIu64 " (0x%" PRIx64 " -> 0x%" PRIx64 ")\n",
			s->number, s->words, s->before, s->last, s->before, s->last);
	else
		text_print(&d->out, "%s %u, %s\n", s->kind == STOP_PHASE ? "end of a phase" : "breakpoint", s->number,
			s->words);
}

void show_stop(struct debugger *d, const char *why)
{
	const struct here *h = &d->here;

	if (why)
		text_print(&d->out, "%s\n", why);
	show_reached(d);
	if (d->focus_ended && !d->reached && h->r)
		text_print(&d->out, "warp %u.%u has ended\n", d->focus.group, d->focus.warp);
	if (h->r) {
		d->focus = name_of(h->r);
		if (!(h->r->warp.path->active >> d->lane & 1) && h->r->warp.path->active)
			d->lane = (uint32_t)__builtin_ctzll(h->r->warp.path->active);
	}
	show_stop_again(d);
}

void show_stop_again(struct debugger *d)
{
	const struct here *h = &d->here;

	if (!h->r) {
		text_print(&d->out, "position %" PRIu64 ", behind the last instruction\n", d->at);
		return;
	}
	struct warp_name name = name_of(h->r);

	text_print(&d->out, "position %" PRIu64 ", %s %" PRIu64 ": warp %u.%u on core %u, lanes ", d->at, d->unit,
		observer_clock(h->core), name.group, name.warp, h->core->index);
	print_lanes(&d->out, h->r->warp.path->active);
	if (h->lanes != h->r->warp.path->active) {
		text_print(&d->out, ", guard true in ");
		print_lanes(&d->out, h->lanes);
	}
	text_print(&d->out, "\n");
	show_code(d, h->r->warp.kernel, h->r->warp.path->pc);
}

/* ---- Warps and threads ---- */

static const char *const reasons[] = {[WAIT_UNIT] = "a unit",
	[WAIT_OPERAND] = "a result",
	[WAIT_FETCH] = "its code",
	[WAIT_MEMORY] = "memory",
	[WAIT_FENCE] = "a fence",
	[WAIT_BARRIER] = "a barrier",
	[WAIT_LOCK] = "a lock",
	[WAIT_SLEEP] = "nanosleep",
	[WAIT_SHARED] = "shared memory"};

struct paths {
	struct debugger *d;
	const struct warp_slot *r;
	const char *first; /* of the line of the first path */
	uint32_t count;
	bool with_code;
};

static void print_path(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct paths *p = context;
	struct text name = {.arena = &p->d->scratch};

	if (!lanes)
		return;
	text_print(&p->d->out, "%s", p->count++ ? "                     " : p->first);
	print_lanes(&p->d->out, lanes);
	text_print(&p->d->out, "  ");
	show_source(p->d, p->r, pc);
	if (pc < p->r->warp.kernel->code_count) {
		kernel_name_pc(&name, p->r->warp.kernel, pc);
		text_print(&p->d->out, "  %s", name.at);
	}
	if (waiting)
		text_print(&p->d->out, "  waits for %s", waiting);
	text_print(&p->d->out, "\n");
}

const char *show_waiting(const struct debugger *d, const struct core *core, const struct warp_slot *r)
{
	return core->ready & r->bit || d->here.r == r || observer_at_once(core) ? "runs" : reasons[r->reason];
}

static void print_warp(struct debugger *d, const struct core *core, const struct warp_slot *r)
{
	struct warp_name name = name_of(r);
	bool is_focus = has_name(r, &d->focus);
	const char *why = show_waiting(d, core, r);
	struct paths p = {.d = d,
		.r = r,
		.first = arena_printf(&d->scratch, "%c %5u.%-2u %4u  %-9.9s ", is_focus ? '*' : ' ', name.group,
			name.warp, core->index, r->finished ? "ended" : why)};

	path_each(r, print_path, &p);
	if (!p.count)
		text_print(&d->out, "%sno lane is left\n", p.first);
}

#define MOST_WARPS 64 /* of a list, unless all are asked for */

void show_warps(struct debugger *d, const char *words)
{
	struct machine *machine = d->gpu->machine;
	uint32_t shown = 0, more = 0;
	bool all = !strcmp(words, "all");

	if (!machine) {
		text_print(&d->out, "no warp is on a core\n");
		return;
	}
	text_print(&d->out, "   warp    core  waits for lanes\n");
	EACH_USED_CORE(machine, c) {
		const struct core *core = &machine->cores.at[c];

		for (uint64_t m = core_warps(core); m; m &= m - 1) {
			const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

			if (!r->group || (r->finished && !all))
				continue;
			if (shown++ < MOST_WARPS || all)
				print_warp(d, core, r);
			else
				more++;
		}
	}
	if (more)
		text_print(&d->out, "%u more: `warps all`\n", more);
}

void show_threads(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);

	(void)words;
	if (!r)
		return;
	const uint32_t *block = r->warp.launch->block;

	text_print(&d->out, "  lane  thread       place\n");
	EACH_LANE(lane, r->warp.full) {
		uint32_t thread = r->warp.first_thread + (uint32_t)lane;
		struct lane_place f = find_lane(r, (uint32_t)lane);

		text_print(&d->out, "%c %4u  %-12s ", lane == d->lane ? '*' : ' ', (uint32_t)lane,
			arena_printf(&d->scratch, "(%u,%u,%u)", thread % block[0], thread / block[0] % block[1],
				thread / block[0] / block[1]));
		if (!(r->warp.live >> lane & 1))
			text_print(&d->out, "ended");
		else
			show_source(d, r, f.pc);
		text_print(&d->out, f.waiting ? "  waits for %s\n" : "\n", f.waiting);
	}
}

static void print_entry(void *context, const struct divergence_entry *e)
{
	struct debugger *d = context;
	struct core *core;
	const struct warp_slot *r = find_warp(d, &d->focus, &core);
	struct text name = {.arena = &d->scratch}, stop = {.arena = &d->scratch};

	assert(r);
	if (e->pc < r->warp.kernel->code_count)
		kernel_name_pc(&name, r->warp.kernel, e->pc);
	if (e->reconvergence_pc < r->warp.kernel->code_count)
		kernel_name_pc(&stop, r->warp.kernel, e->reconvergence_pc);
	text_print(&d->out, "%s at %s", e->top ? "* " : "  ", name.at ? name.at : "the end");
	if (stop.at)
		text_print(&d->out, ", reconverges at %s", stop.at);
	text_print(&d->out, ", lanes ");
	print_lanes(&d->out, e->active);
	if (e->depth)
		text_print(&d->out, ", %u call%s deep", e->depth, text_plural(e->depth));
	if (e->type && strcmp(e->type, "-") != 0)
		text_print(&d->out, ", %s", e->type);
	text_print(&d->out, e->waiting ? ", waits for %s\n" : "\n", e->waiting);
}

void show_stack(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);

	(void)words;
	if (!r)
		return;
	text_print(&d->out, "divergence %s of warp %u.%u\n", core->machine->divergence->name, d->focus.group,
		d->focus.warp);
	if (core->machine->divergence->each_entry)
		core->machine->divergence->each_entry(r->warp.divergence, print_entry, d);
	else
		text_print(&d->out, "the model shows no entries\n");
}

/* ---- What warps synchronise by ---- */

static void print_locks(void *context, const struct warp_slot *r, const struct warp_locks *locks)
{
	struct debugger *d = context;
	struct warp_name name = name_of(r);

	for (uint32_t k = 0; k < locks->held; k++) {
		const struct held_lock *l = &locks->at[k];

		text_print(&d->out, "0x%" PRIx64 " is held by warp %u.%u lane %u since cycle %" PRIu64 ", taken at ",
			l->address, name.group, name.warp, l->lane, l->since);
		show_source(d, r, l->pc);
		text_print(&d->out, "\n");
	}
	if (locks->waiting_since)
		text_print(&d->out, "warp %u.%u tries in vain to take a lock since cycle %" PRIu64 "\n", name.group,
			name.warp, locks->waiting_since);
}

void show_locks(struct debugger *d, const char *words)
{
	size_t length = d->out.length;

	(void)words;
	each_locks(d, print_locks, d);
	if (d->out.length == length)
		text_print(&d->out, "no lock is known to be held or wanted\n");
}

void show_barriers(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);
	uint32_t shown = 0;

	(void)words;
	if (!r)
		return;
	for (uint32_t b = 0; b < NAMED_BARRIERS; b++) {
		const struct barrier *barrier = &r->group->barriers[b];

		if (!barrier->arrived && !barrier->waiting)
			continue;
		text_print(&d->out, "barrier %u of group %u: %u thread%s of %u have come; warps that wait: ", b,
			r->group->number, barrier->arrived, text_plural(barrier->arrived),
			barrier->expected ? barrier->expected : r->group->live_threads);
		for (uint64_t m = barrier->waiting; m; m &= m - 1) {
			const struct warp_slot *w = &core->slots[__builtin_ctzll(m)];

			text_print(&d->out, "%s%u", m == barrier->waiting ? "" : ",",
				w->warp.first_thread / w->warp.lanes);
		}
		text_print(&d->out, "\n");
		shown++;
	}
	if (!shown)
		text_print(&d->out, "no thread of group %u is at a barrier\n", r->group->number);
}

void show_mbarriers(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);
	uint32_t shown = 0;

	(void)words;
	for (uint32_t at = 0; r && at + sizeof(uint64_t) <= r->warp.shared_bytes; at += sizeof(uint64_t)) {
		uint64_t bits;

		memcpy(&bits, r->group->shared + at, sizeof bits);
		struct mbarrier b = mbarrier_unpack(bits);
		const struct shared_place *place = kernel_shared_at(r->warp.kernel, at);

		if (!b.valid || !b.expected || b.pending > b.expected || !(bits << 2))
			continue;
		text_print(&d->out, "0x%x%s%s: parity %u, %u of %u arrivals pending, %d bytes pending\n", at,
			place ? " in " : "", place ? place->variable->name : "", b.parity, b.pending, b.expected,
			b.transactions);
		shown++;
	}
	if (r && !shown)
		text_print(
			&d->out, "no word of the shared memory of group %u looks like an mbarrier\n", r->group->number);
	else if (r)
		text_print(&d->out, "(words that look like mbarriers: other data may, too)\n");
}
