/* What each member of a report and of a timeline may be: see result_file.h.  A member that is read is here. */
#include "report/result_file.h"

#define MEMBERS(...)                                                                                                   \
	.kinds = JSON_OBJECT, .members = (const struct json_member[])                                                  \
	{                                                                                                              \
		__VA_ARGS__,                                                                                           \
		{                                                                                                      \
			0                                                                                              \
		}                                                                                                      \
	}
#define OBJECT(name, ...) static const struct json_shape name = {MEMBERS(__VA_ARGS__)}
#define LIST(name, of) static const struct json_shape name = {.kinds = JSON_LIST, .each = &(of)}

static const struct json_shape count = {.kinds = JSON_COUNT}, number = {.kinds = JSON_REAL},
			       text = {.kinds = JSON_TEXT}, flag = {.kinds = JSON_FLAG},
			       text_or_null = {.kinds = JSON_TEXT | JSON_NULL},
			       direction = {.kinds = JSON_COUNT, .most = UINT32_MAX},
			       triple = {.kinds = JSON_LIST, .length = 3, .each = &direction},
			       numbers_by_name = {.kinds = JSON_OBJECT, .each = &number},
			       by_name = {.kinds = JSON_OBJECT, .each = &count},
			       texts_by_name = {.kinds = JSON_OBJECT, .each = &text};
LIST(counts, count);
LIST(texts, text);

/* ---- A launch's profile and samples ---- */

#define COST                                                                                                           \
	{"issued", &count}, {"lanes", &count}, {"stalls", &by_name},                                                   \
	{                                                                                                              \
		"counters", &by_name                                                                                   \
	}
OBJECT(instruction, {"pc", &count}, {"text", &text}, COST);
LIST(instructions, instruction);
OBJECT(frame, {"file", &text}, {"line", &count}, {"function", &text_or_null});
LIST(frames, frame);
/* Of a launch, or of a finding. */
OBJECT(line, {"file", &text}, {"line", &count}, {"role", &text}, {"inlined", &frames}, {"instructions", &instructions},
	COST);
LIST(lines, line);

OBJECT(worst, {"group", &triple}, {"thread", &triple}, {"waited", &count});
OBJECT(site, {"file", &text}, {"line", &count}, {"acquires", &count}, {"failed", &count});
LIST(sites, site);
OBJECT(lock, {"address", &text}, {"groups", &count}, {"acquires", &count}, {"failed", &count},
	{"longest_queue", &count}, {"waited", &count}, {"held", &count}, {"from_same_warp", &count},
	{"from_same_core", &count}, {"from_other_core", &count}, {"worst", &worst}, {"sites", &sites});
LIST(locks, lock);
OBJECT(last, {"group", &triple}, {"warp", &count}, {"times", &count});
OBJECT(barrier, {"file", &text}, {"line", &count}, {"text", &text}, {"phases", &count}, {"words", &count},
	{"waited", &count}, {"worst", &worst}, {"last", &last});
LIST(barriers, barrier);
OBJECT(awaited, {"stores", &count}, {"atomics", &count}, {"loads", &count}, {"others", &count});
OBJECT(fence, {"file", &text}, {"line", &count}, {"text", &text}, {"count", &count}, {"waited", &count},
	{"awaited", &awaited}, {"missed_l2", &count}, {"fixed", &count}, {"emptied_l1", &count}, {"scope", &text},
	{"worst", &worst});
LIST(fences, fence);

static const struct json_shape counts_by_name = {.kinds = JSON_OBJECT, .each = &counts};
OBJECT(warp, {"core", &count}, {"warp", &count}, {"states", &text});
LIST(warps, warp);
OBJECT(samples, {"interval", &count}, {"cycles", &counts}, {"counters", &counts_by_name}, {"warps", &warps});

OBJECT(row, {"file", &text}, {"line", &count}, {"pc", &count}, {"text", &text}, {"counts", &by_name});
LIST(rows, row);
OBJECT(table, {"name", &text}, {"title", &text}, {"rows", &rows});
LIST(tables, table);

/* ---- A launch ---- */

OBJECT(occupancy, {"groups_per_core", &count}, {"groups", &count}, {"limiter", &text});
OBJECT(progress, {"verdict", &text}, {"schedules", &count}, {"states", &count}, {"schedule", &text_or_null});
OBJECT(launch, {"kernel", &text}, {"demangled", &text}, {"grid", &triple}, {"block", &triple}, {"number", &count},
	{"parent", &count}, {"children", &count}, {"outcome", &text}, {"cycles", &count}, {"warp_instructions", &count},
	{"thread_instructions", &count}, {"wall_seconds", &number}, {"registers_per_thread", &count},
	{"shared_bytes", &count}, {"occupancy", &occupancy}, {"progress", &progress}, {"counters", &numbers_by_name},
	{"mode", &text}, {"process", &count}, {"stream", &count}, {"groups_done", &count}, {"launches", &count},
	{"start", &count}, {"end", &count}, {"lines", &lines}, {"locks", &locks}, {"barriers", &barriers},
	{"fences", &fences}, {"samples", &samples}, {"tables", &tables});
LIST(launches, launch);

/* ---- A finding ---- */

OBJECT(rival, {"cause", &text}, {"went_on", &flag});
LIST(rivals, rival);
OBJECT(verdict, {"what", &text}, {"who", &text}, {"checked", &text}, {"fix", &text});
OBJECT(thread, {"group", &triple}, {"thread", &triple}, {"state", &text});
LIST(threads, thread);
OBJECT(finding, {"kind", &text}, {"launch", &count}, {"kernel", &text}, {"certainty", &text}, {"cause", &text},
	{"confirmed", &flag}, {"would_go_on", &flag}, {"rivals", &rivals}, {"verdict", &verdict}, {"count", &count},
	{"message", &text}, {"lines", &lines}, {"threads", &threads}, {"addresses", &texts});
LIST(findings, finding);

/* ---- A report ---- */

/* A field of the model or an option; of other versions, too. */
static const struct json_shape setting = {
	.kinds = JSON_REAL | JSON_TEXT | JSON_FLAG | JSON_NULL | JSON_LIST, .each = &text};
static const struct json_shape configuration = {MEMBERS({"core.warp_size", &count}), .each = &setting};
OBJECT(program, {"words", &texts}, {"status", &count}, {"signal", &count});
OBJECT(unpinned, {"source", &text}, {"compiler", &text}, {"why", &text});
LIST(unpinned_list, unpinned);
OBJECT(suppression, {"name", &text}, {"file", &text}, {"line", &count}, {"findings", &count}, {"count", &count});
LIST(suppressed, suppression);
OBJECT(source, {"bytes", &count}, {"hash", &text}, {"lines", &texts_by_name});
static const struct json_shape sources = {.kinds = JSON_OBJECT, .each = &source};

const struct json_shape result_shape = {MEMBERS({"schema", &text}, {"gpu", &text}, {"configuration", &configuration},
	{"program", &program}, {"unpinned", &unpinned_list}, {"launches", &launches}, {"findings", &findings},
	{"suppressed", &suppressed}, {"sources", &sources}, {"notes", &texts})};

/* ---- A timeline ---- */

OBJECT(arguments, {"work-group", &count});
OBJECT(event, {"ph", &text}, {"cat", &text}, {"name", &text}, {"pid", &count}, {"tid", &count}, {"ts", &count},
	{"dur", &count}, {"id", &count}, {"args", &arguments});
LIST(events, event);
OBJECT(other, {"left out", &count});

const struct json_shape timeline_shape = {MEMBERS({"traceEvents", &events}, {"otherData", &other})};
