/* Policies that break their contracts, for tests/broken_plugins.py; without REFUSED all of them load. */
#include <lockstep/plugin.h>

#include <stddef.h>

#ifndef REFUSED
#define REFUSED 0
#endif

/* ---- Schedulers ---- */

static int pick_99(void *state, const struct issue_view *view)
{
	(void)state, (void)view;
	return 99;
}

static int pick_minus_2(void *state, const struct issue_view *view)
{
	(void)state, (void)view;
	return -2;
}

static int pick_unready(void *state, const struct issue_view *view)
{
	(void)state;
	return __builtin_ctzll(~view->ready);
}

static int pick_first(void *state, const struct issue_view *view)
{
	(void)state;
	return __builtin_ctzll(view->ready);
}

#define SCHEDULER(as, ...)                                                                                             \
	&(const struct warp_scheduler)                                                                                 \
	{                                                                                                              \
		.name = as, .summary = "s", __VA_ARGS__                                                                \
	}
static const struct schedule_field bad_fields[] = {
	{.name = "f", .unit = "cycles", .meaning = "m", .value = 5, .maximum = 4}, {0}};
static const struct schedule_field bare_fields[] = {{.name = "f", .value = 5, .maximum = 5}, {0}};
static const struct warp_scheduler *const schedulers[] = {
	SCHEDULER("pick-99", .pick = pick_99),
	SCHEDULER("pick-minus-2", .pick = pick_minus_2),
	SCHEDULER("pick-unready", .pick = pick_unready),
#if REFUSED == 1
	SCHEDULER("lrr", .pick = pick_first),
#elif REFUSED == 2
	SCHEDULER("twice", .pick = pick_first),
	SCHEDULER("twice", .pick = pick_first),
#elif REFUSED == 3
	SCHEDULER("none", .pick = NULL),
#elif REFUSED == 4
	SCHEDULER("huge", .pick = pick_first, .state_size = SIZE_MAX),
#elif REFUSED == 5
	SCHEDULER("a\nb", .pick = pick_first),
#elif REFUSED == 6
	SCHEDULER("fields", .pick = pick_first, .fields = bad_fields),
#elif REFUSED == 7
	SCHEDULER("fields", .pick = pick_first, .fields = bare_fields),
#elif REFUSED == 8
	SCHEDULER(NULL, .pick = pick_first),
#endif
	NULL,
};
#define REFUSED_ANY (void)pick_first, (void)bad_fields, (void)bare_fields /* what only some plug-ins have */

/* ---- Divergence models: a path without branches, whose start is wrong ---- */

static size_t path_size(uint32_t lanes, uint32_t depth)
{
	(void)lanes, (void)depth;
	REFUSED_ANY;
	return sizeof(struct path);
}

static size_t no_size(uint32_t lanes, uint32_t depth)
{
	(void)lanes, (void)depth;
	return 0;
}

static void start_right(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t depth)
{
	(void)live, (void)lanes, (void)depth;
	*(struct path *)state = *entry;
}

static void start_behind(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t depth)
{
	start_right(state, live, entry, lanes, depth);
	((struct path *)state)->pc = 1000000;
}

static void start_dead(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t depth)
{
	start_right(state, live, entry, lanes, depth);
	((struct path *)state)->active = ~(lane_mask)0;
}

static void start_frame(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t depth)
{
	start_right(state, live, entry, lanes, depth);
	((struct path *)state)->register_base = 1u << 30;
}

static void nothing(void *state)
{
	(void)state;
}

static void go_far(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t reconvergence_pc)
{
	(void)taken, (void)target, (void)next, (void)reconvergence_pc;
	((struct path *)state)->pc = 1u << 31;
}

static bool no_call(void *state, lane_mask calling, uint32_t target, uint32_t next, const struct call_frame *frame)
{
	(void)state, (void)calling, (void)target, (void)next, (void)frame;
	return false;
}

static void no_lanes(void *state, lane_mask lanes)
{
	(void)state, (void)lanes;
}

static bool always(void *state, lane_mask lanes)
{
	(void)state, (void)lanes;
	return true;
}

static void follow(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t reconvergence_pc)
{
	(void)reconvergence_pc;
	((struct path *)state)->pc = taken ? target : next;
}

static void visit_far(const void *state,
	void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting), void *context)
{
	(void)state;
	visit(context, 1u << 30, ~(lane_mask)0, NULL);
}

static size_t use_all(const void *state)
{
	(void)state;
	return SIZE_MAX / 4;
}

/* Of one lane. */
#define LONE(as, ...)                                                                                                  \
	&(const struct divergence_model)                                                                               \
	{                                                                                                              \
		.name = as, .summary = "s", .state_size = path_size, .start = start_right, .reconverge = nothing,      \
		.branch = follow, .call = no_call, .ret = no_lanes, .exit = no_lanes, .block = nothing,                \
		.unblock = no_lanes, .sync = always, __VA_ARGS__                                                       \
	}
#define DIVERGENCE(as, size, begin)                                                                                    \
	&(const struct divergence_model)                                                                               \
	{                                                                                                              \
		.name = as, .summary = "s", .state_size = size, .start = begin, .reconverge = nothing,                 \
		.branch = go_far, .call = no_call, .ret = no_lanes, .exit = no_lanes, .block = nothing,                \
		.unblock = no_lanes, .sync = always                                                                    \
	}
static const struct divergence_model *const models[] = {
	DIVERGENCE("no-size", no_size, start_right),
	DIVERGENCE("start-behind", path_size, start_behind),
	DIVERGENCE("start-dead", path_size, start_dead),
	DIVERGENCE("start-frame", path_size, start_frame),
	DIVERGENCE("branch-far", path_size, start_right),
	LONE("visit-far", .each_path = visit_far),
	LONE("use-all", .state_used = use_all),
#if REFUSED == 9
	&(const struct divergence_model){.name = "half", .summary = "s", .state_size = path_size, .start = start_right},
#endif
	NULL,
};

/* ---- Coherence ---- */

static enum l1_load load_7(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)access, (void)present;
	return (enum l1_load)7;
}

static enum l1_load load_bypass(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)access, (void)present;
	return L1_LOAD_BYPASS;
}

static enum l1_store store_7(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)access, (void)present;
	return (enum l1_store)7;
}

static enum l1_store store_leave(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)access, (void)present;
	return L1_STORE_LEAVE;
}

static enum l1_sync acquire_7(void *state, const struct l1_fence *fence)
{
	(void)state, (void)fence;
	return (enum l1_sync)7;
}

#define COHERENCE(as, ...)                                                                                             \
	&(const struct coherence_policy)                                                                               \
	{                                                                                                              \
		.name = as, .summary = "s", __VA_ARGS__                                                                \
	}
static const struct coherence_policy *const coherence[] = {
	COHERENCE("load-7", .load = load_7, .store = store_leave, .acquire = acquire_7),
	COHERENCE("store-7", .load = load_bypass, .store = store_7, .acquire = acquire_7),
	COHERENCE("acquire-7", .load = load_bypass, .store = store_leave, .acquire = acquire_7),
	NULL,
};

/* ---- Dispatchers ---- */

static int next_far(void *state, const struct dispatch_view *view)
{
	(void)state, (void)view;
	return 1000;
}

static int next_full(void *state, const struct dispatch_view *view)
{
	(void)state, (void)view;
	return 0;
}

static int next_never(void *state, const struct dispatch_view *view)
{
	(void)state, (void)view;
	return -1;
}

static const struct group_dispatcher *const dispatchers[] = {
	&(const struct group_dispatcher){.name = "next-far", .summary = "s", .next = next_far},
	&(const struct group_dispatcher){.name = "next-full", .summary = "s", .next = next_full},
	&(const struct group_dispatcher){.name = "next-never", .summary = "s", .next = next_never},
	NULL,
};

/* ---- Spin and back-off ---- */

static bool spins(void *state, const struct spin_branch *event)
{
	(void)state, (void)event;
	return true;
}

static const struct spin_detector *const detectors[] = {
	&(const struct spin_detector){.name = "all-spin", .summary = "s", .branch = spins},
	NULL,
};

static void start_backoff(void *state, const struct backoff_fields *fields)
{
	(void)state, (void)fields;
}

static uint64_t delay_all(void *state, int warp, bool again, uint64_t now)
{
	(void)state, (void)warp, (void)again, (void)now;
	return UINT64_MAX - 1;
}

static uint64_t delay_none(void *state, int warp, bool again, uint64_t now)
{
	(void)state, (void)warp, (void)again;
	return now;
}

static uint64_t choose_all(void *state, uint64_t can)
{
	(void)state;
	return can;
}

static uint64_t choose_none(void *state, uint64_t can)
{
	(void)state, (void)can;
	return 0;
}

static uint64_t choose_others(void *state, uint64_t can)
{
	(void)state;
	return ~can;
}

static bool issue_none(void *state, int warp, uint64_t now)
{
	(void)state, (void)warp, (void)now;
	return false;
}

static void retire_none(void *state, int warp)
{
	(void)state, (void)warp;
}

static uint64_t limit_none(const void *state)
{
	(void)state;
	return 0;
}

#define BACKOFF(as, spinning, choosing)                                                                                \
	&(const struct backoff_policy)                                                                                 \
	{                                                                                                              \
		.name = as, .summary = "s", .start = start_backoff, .spin = spinning, .choose = choosing,              \
		.issue = issue_none, .retire = retire_none, .limit = limit_none                                        \
	}
static const struct backoff_policy *const backoffs[] = {
	BACKOFF("delay-all", delay_all, choose_all),
	BACKOFF("choose-none", delay_none, choose_none),
	BACKOFF("choose-others", delay_none, choose_others),
	NULL,
};

/* ---- Locks ---- */

static uint32_t next_record(
	void *state, const struct lock_record *records, uint32_t first, const struct lock_record *released)
{
	(void)state, (void)records, (void)first, (void)released;
	return 1u << 30;
}

static const struct lock_unit *const units[] = {
	&(const struct lock_unit){
		.name = "next-record", .summary = "s", .has_entries = true, .queues = true, .next = next_record},
#if REFUSED == 10
	&(const struct lock_unit){.name = "headless", .summary = "s", .queues = true},
#endif
	NULL,
};

static uint64_t delay_for_ever(const struct retry_values *values, uint32_t attempts)
{
	(void)values, (void)attempts;
	return UINT64_MAX;
}

static const struct retry_policy *const retries[] = {
	&(const struct retry_policy){.name = "for-ever", .summary = "s", .delay = delay_for_ever},
	NULL,
};

/* ---- Control processors ---- */

static void size_none(const struct gpu_model *model, struct control_window *window)
{
	(void)model;
	*window = (struct control_window){0};
}

static void size_huge(const struct gpu_model *model, struct control_window *window)
{
	(void)model;
	*window = (struct control_window){false, 1, 2, 3, 65537, 4, 5};
}

/* The largest that is allowed. */
static void size_most(const struct gpu_model *model, struct control_window *window)
{
	(void)model;
	*window = (struct control_window){true, 65536, 65536, 65536, 65536, 65536, 65536};
}

static const struct control_policy *const controls[] = {
	&(const struct control_policy){.name = "size-none", .summary = "s", .exists = true, .size = size_none},
	&(const struct control_policy){.name = "size-huge", .summary = "s", .exists = true, .size = size_huge},
	&(const struct control_policy){.name = "size-most", .summary = "s", .exists = true, .size = size_most},
	NULL,
};

#if REFUSED != 11
const struct lockstep_plugin lockstep_plugin = {
	.version = LOCKSTEP_PLUGIN_VERSION,
	.warp_schedulers = schedulers,
	.divergence_models = models,
	.coherence_policies = coherence,
	.group_dispatchers = dispatchers,
	.spin_detectors = detectors,
	.backoff_policies = backoffs,
	.lock_units = units,
	.retry_policies = retries,
	.control_policies = controls,
};
#endif
