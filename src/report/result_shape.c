/* What each member of a report and of a timeline may be: see result_file.h.  A member that is read is here. */
#include "report/result_file.h"

/* clang-format off */
#define MEMBERS(...) .kinds = JSON_OBJECT, .members = (const struct json_member[]){__VA_ARGS__, {0}}
#define OBJECT(name, ...) static const struct json_shape name = {MEMBERS(__VA_ARGS__)}
#define LIST_OF(of) &(const struct json_shape){.kinds = JSON_LIST, .each = &(of)}
#define COST {"issued", &count}, {"lanes", &count}, {"stalls", &by_name}, {"counters", &by_name}
/* clang-format on */

static const struct json_shape count = {.kinds = JSON_COUNT}, number = {.kinds = JSON_REAL},
			       text = {.kinds = JSON_TEXT}, flag = {.kinds = JSON_FLAG},
			       text_or_null = {.kinds = JSON_TEXT | JSON_NULL},
			       direction = {.kinds = JSON_COUNT, .most = UINT32_MAX},
			       triple = {.kinds = JSON_LIST, .length = 3, .each = &direction},
			       numbers_by_name = {.kinds = JSON_OBJECT, .each = &number},
			       by_name = {.kinds = JSON_OBJECT, .each = &count},
			       texts_by_name = {.kinds = JSON_OBJECT, .each = &text};

/* ---- A launch's profile and samples ---- */

OBJECT(instruction, {"pc", &count}, {"text", &text}, COST);
OBJECT(frame, {"file", &text}, {"line", &count}, {"function", &text_or_null});
/* Of a launch, or of a finding. */
OBJECT(line, {"file", &text}, {"line", &count}, {"role", &text}, {"inlined", LIST_OF(frame)},
	{"instructions", LIST_OF(instruction)}, COST);

OBJECT(worst, {"group", &triple}, {"thread", &triple}, {"waited", &count});
OBJECT(site, {"file", &text}, {"line", &count}, {"acquires", &count}, {"failed", &count});
OBJECT(lock, {"address", &text}, {"groups", &count}, {"acquires", &count}, {"failed", &count},
	{"longest_queue", &count}, {"waited", &count}, {"held", &count}, {"from_same_warp", &count},
	{"from_same_core", &count}, {"from_other_core", &count}, {"worst", &worst}, {"sites", LIST_OF(site)});
OBJECT(last, {"group", &triple}, {"warp", &count}, {"times", &count});
OBJECT(barrier, {"file", &text}, {"line", &count}, {"text", &text}, {"phases", &count}, {"words", &count},
	{"waits", &count}, {"waited", &count}, {"idle", &count}, {"filling", &count}, {"worst", &worst},
	{"last", &last});
OBJECT(mbarrier_wait, {"file", &text}, {"line", &count}, {"text", &text}, {"passed", &count}, {"waits", &count},
	{"failed", &count}, {"waited", &count}, {"suspended", &count}, {"worst", &worst});
OBJECT(mbarrier, {"file", &text}, {"line", &count}, {"text", &text}, {"address", &text}, {"objects", &count},
	{"phases", &count}, {"arrivals", &count}, {"bytes", &count}, {"idle", &count}, {"filling", &count},
	{"ready", &count}, {"seen", &count}, {"unseen", &count}, {"waits", LIST_OF(mbarrier_wait)});
OBJECT(awaited, {"stores", &count}, {"atomics", &count}, {"loads", &count}, {"others", &count});
OBJECT(fence, {"file", &text}, {"line", &count}, {"text", &text}, {"count", &count}, {"waited", &count},
	{"awaited", &awaited}, {"missed_l2", &count}, {"fixed", &count}, {"emptied_l1", &count}, {"scope", &text},
	{"worst", &worst});

static const struct json_shape counts_by_name = {.kinds = JSON_OBJECT, .each = LIST_OF(count)};
OBJECT(warp, {"core", &count}, {"warp", &count}, {"states", &text});
OBJECT(samples, {"interval", &count}, {"cycles", LIST_OF(count)}, {"counters", &counts_by_name},
	{"warps", LIST_OF(warp)});

OBJECT(row, {"file", &text}, {"line", &count}, {"pc", &count}, {"text", &text}, {"counts", &by_name});
OBJECT(table, {"name", &text}, {"title", &text}, {"rows", LIST_OF(row)});

/* ---- A launch ---- */

OBJECT(occupancy, {"groups_per_core", &count}, {"groups", &count}, {"limiter", &text});
OBJECT(placements, {"launches", LIST_OF(count)}, {"finished", &count}, {"all", &flag});
OBJECT(progress, {"verdict", &text}, {"schedules", &count}, {"states", &count}, {"schedule", &text_or_null},
	{"launch", &count}, {"placements", &placements});
OBJECT(launch, {"kernel", &text}, {"demangled", &text}, {"grid", &triple}, {"block", &triple}, {"number", &count},
	{"parent", &count}, {"children", &count}, {"outcome", &text}, {"cycles", &count}, {"warp_instructions", &count},
	{"ptx", &text}, {"thread_instructions", &count}, {"wall_seconds", &number}, {"registers_per_thread", &count},
	{"shared_bytes", &count}, {"occupancy", &occupancy}, {"progress", &progress}, {"counters", &numbers_by_name},
	{"mode", &text}, {"process", &count}, {"stream", &count}, {"begun", &count}, {"groups_done", &count},
	{"launches", &count}, {"start", &count}, {"end", &count}, {"lines", LIST_OF(line)}, {"locks", LIST_OF(lock)},
	{"barriers", LIST_OF(barrier)}, {"fences", LIST_OF(fence)}, {"mbarriers", LIST_OF(mbarrier)},
	{"samples", &samples}, {"tables", LIST_OF(table)});

/* ---- A finding ---- */

OBJECT(rival, {"cause", &text}, {"went_on", &flag});
OBJECT(verdict, {"what", &text}, {"who", &text}, {"checked", &text}, {"fix", &text});
OBJECT(thread, {"group", &triple}, {"thread", &triple}, {"state", &text});
OBJECT(place, {"file", &text}, {"line", &count});
OBJECT(stuck_barrier, {"address", &text}, {"number", &count}, {"phase", &count}, {"expected", &count},
	{"arrived", &count}, {"bytes_expected", &count}, {"bytes_arrived", &count}, {"initialised_at", &place});
OBJECT(finding, {"kind", &text}, {"launch", &count}, {"kernel", &text}, {"certainty", &text}, {"cause", &text},
	{"confirmed", &flag}, {"would_go_on", &flag}, {"rivals", LIST_OF(rival)}, {"verdict", &verdict},
	{"count", &count}, {"message", &text}, {"lines", LIST_OF(line)}, {"threads", LIST_OF(thread)},
	{"addresses", LIST_OF(text)}, {"barrier", &stuck_barrier}, {"seeds", LIST_OF(count)}, {"first_with", &text});

/* ---- A report ---- */

/* A field of the model or an option; of other versions, too. */
static const struct json_shape setting = {
	.kinds = JSON_REAL | JSON_TEXT | JSON_FLAG | JSON_NULL | JSON_LIST, .each = &text};
static const struct json_shape configuration = {MEMBERS({"core.warp_size", &count}), .each = &setting};
OBJECT(program, {"words", LIST_OF(text)}, {"status", &count}, {"signal", &count});
OBJECT(unpinned, {"source", &text}, {"compiler", &text}, {"why", &text});
OBJECT(suppression, {"name", &text}, {"file", &text}, {"line", &count}, {"findings", &count}, {"count", &count});
OBJECT(module, {"ptx", &text}, {"target", &text}, {"producer", &text}, {"compiler", &text}, {"compiler_options", &text},
	{"pinned", &flag}, {"kernels", LIST_OF(text)});
static const struct json_shape settings = {.kinds = JSON_OBJECT, .each = &setting};
OBJECT(provenance, {"lockstep", &text}, {"commit", &text}, {"settings", &settings}, {"compiler", &text},
	{"compiler_options", &text}, {"ptx", &text}, {"inputs", &text}, {"modules", LIST_OF(module)},
	{"arguments", LIST_OF(text)});
OBJECT(source, {"bytes", &count}, {"hash", &text}, {"lines", &texts_by_name});
static const struct json_shape sources = {.kinds = JSON_OBJECT, .each = &source};

const struct json_shape result_shape = {MEMBERS({"schema", &text}, {"gpu", &text}, {"configuration", &configuration},
	{"provenance", &provenance}, {"program", &program}, {"unpinned", LIST_OF(unpinned)},
	{"launches", LIST_OF(launch)}, {"findings", LIST_OF(finding)}, {"suppressed", LIST_OF(suppression)},
	{"sources", &sources}, {"notes", LIST_OF(text)})};

/* ---- A timeline ---- */

OBJECT(arguments, {"work-group", &count});
OBJECT(event, {"ph", &text}, {"cat", &text}, {"name", &text}, {"pid", &count}, {"tid", &count}, {"ts", &count},
	{"dur", &count}, {"id", &count}, {"args", &arguments});
OBJECT(other, {"left out", &count});

const struct json_shape timeline_shape = {MEMBERS({"traceEvents", LIST_OF(event)}, {"otherData", &other})};
