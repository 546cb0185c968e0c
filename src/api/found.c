/* What the checks found, as findings of the public interface: who did what where, what is missing, the remedy. */
#include "api/api.h"
#include "sync/sync.h"
#include "util/demangle.h"
#include "util/text.h"

#include <inttypes.h>

/* ---- What a thread or some lanes did ---- */

static const char *word_of(uint8_t scope)
{
	return scope == scope_CTA       ? " .cta"
	       : scope == scope_CLUSTER ? " .cluster"
	       : scope == scope_SYS     ? " .sys"
					: " .gpu";
}

/* What is described as a whole; null: it is not. */
static const char *block_of(struct arena *arena, const struct found_side *side)
{
	const struct insn *i = &side->kernel->code[side->pc];
	const char *name = ptx_ops[i->op].spelling;

	if (i->kind == INSN_DEVICE)
		return "a call of the CUDA device runtime, which writes here,";
	if (side->reads_map)
		return arena_printf(arena, "%s, which reads its tensor map here", name);
	if (i->kind == INSN_COPY)
		return arena_printf(arena, "an asynchronous %s (%s), which %s here",
			i->access.atomic ? "reduction" : "copy", name,
			side->reads_source ? "reads"
			: i->access.atomic ? "updates"
					   : "writes");
	if (i->kind == INSN_ASYNC)
		return arena_printf(arena, "an asynchronous %s (%s)", i->access.atomic ? "reduction" : "store", name);
	if (i->kind == INSN_WARPGROUP)
		return arena_printf(arena, "%s, which reads here", name);
	if (i->kind == INSN_MAP_COPY)
		return "tensormap.cp_fenceproxy";
	if (i->kind == INSN_FRAGMENT || i->kind == INSN_TEXTURE || i->kind == INSN_MBARRIER ||
		i->op == OP_sust_formatted)
		return name;
	return NULL;
}

static const char *bytes_text(struct arena *arena, const char *noun, uint64_t bytes)
{
	return arena_printf(arena, "%s of %" PRIu64 " byte%s", noun, bytes, bytes > 1 ? "s" : "");
}

/* "a store of 4 bytes", "an atomic of 4 bytes, .relaxed .gpu" */
static const char *access_text(struct arena *arena, const struct found_side *side)
{
	static const char *const orders[] = {[order_RELAXED] = "relaxed",
		[order_ACQUIRE] = "acquire",
		[order_RELEASE] = "release",
		[order_ACQ_REL] = "acq_rel",
		[order_SC] = "sc",
		[order_VOLATILE] = "volatile",
		[order_MMIO] = "mmio"};
	const struct insn *i = &side->kernel->code[side->pc];
	const char *noun = i->kind == INSN_LOAD ? "a load" : i->kind == INSN_STORE ? "a store" : "an atomic";
	uint8_t order = i->access.order;
	const char *text = block_of(arena, side);

	if (text)
		return text;
	if (i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE || i->kind == INSN_LOAD_LOCK ||
		i->kind == INSN_STORE_UNLOCK)
		return "a lock instruction";
	text = bytes_text(arena, noun, i->access.bytes);
	if (i->kind == INSN_ATOMIC && order <= order_WEAK)
		order = order_RELAXED;
	if (order <= order_WEAK)
		return text;
	return arena_printf(arena, "%s, .%s%s", text, orders[order],
		order == order_VOLATILE || order == order_MMIO ? "" : word_of(i->access.scope));
}

/* "a load of 4 bytes", "an atomic of 4 bytes, 2 of which nothing had written" */
static const char *read_text(struct arena *arena, const struct found *f)
{
	const struct insn *i = &f->side[0].kernel->code[f->side[0].pc];
	const char *noun = i->kind == INSN_LOAD     ? "a load"
			   : i->kind == INSN_ATOMIC ? "an atomic"
			   : i->kind == INSN_COPY   ? "an asynchronous copy"
						    : ptx_ops[i->op].spelling;
	const char *text = bytes_text(arena, noun, f->bytes);

	return f->missing == f->bytes ? text
				      : arena_printf(arena, "%s, %" PRIu64 " of them never written", text, f->missing);
}

/* "lane 3", "lanes 0-15,20" */
static const char *lanes_text(struct arena *arena, lane_mask lanes)
{
	struct text out = {.arena = arena};
	bool first = true;

	text_print(&out, "lane%s ", lanes & (lanes - 1) ? "s" : "");
	while (lanes) {
		uint32_t from = (uint32_t)__builtin_ctzll(lanes);
		lane_mask rest = ~(lanes >> from);
		uint32_t length = rest ? (uint32_t)__builtin_ctzll(rest) : 64;

		text_print(&out, first ? "%u" : ",%u", from);
		if (length > 1)
			text_print(&out, "-%u", from + length - 1);
		lanes &= length + from >= 64 ? 0 : ~(lane_mask)0 << (from + length);
		first = false;
	}
	return out.at;
}

/* What was seen of setmaxnreg; `others`: lanes. */
static const char *registers_text(struct arena *arena, const struct found *f, const char *lanes, const char *others)
{
	const struct found_side *a = &f->side[0], *b = &f->side[1];
	const char *there = f->places > 1 ? kernel_place_text(arena, b->kernel, b->pc) : "", *at = *there ? " at " : "";

	switch (f->cause) {
	case SYNC_REGISTERS_OTHER:
	case SYNC_MATRIX_OTHER:
		return arena_printf(
			arena, "%s executed it, and warp %u of the warpgroup the one at %s", lanes, a->value, there);
	case SYNC_REGISTERS_AGAIN:
		if (!b->value)
			return arena_printf(arena,
				"%s executed it before warp %u of the warpgroup had executed the one before it", lanes,
				a->value);
		return arena_printf(arena,
			"%s executed it, and no barrier is between that and the one before it of warp %u%s%s", lanes,
			a->value, at, there);
	case SYNC_REGISTERS_COUNT:
		return arena_printf(
			arena, "%s asked for %u registers a thread, and the warp has %u", lanes, a->value, b->value);
	default: break;
	}
	if (f->threads > 1)
		return arena_printf(arena, "%s executed it without %s", lanes, others);
	if (b->value == SYNC_PART_SHORT)
		return arena_printf(arena, "%s executed it in a warpgroup of fewer than 128 threads", lanes);
	return arena_printf(arena,
		b->value == SYNC_PART_ENDED ? "%s executed it, and warp %u of the warpgroup ended without that"
		: b->value == SYNC_PART_LEFT
			? "%s executed it, and warp %u of the warpgroup has not, and has not ended"
			: "%s executed it, and warp %u of the warpgroup has left out the one before",
		lanes, a->value);
}

/* What was seen of registers of wgmma: the index of one is the value, with a bit for a write. */
static const char *matrix_text(struct arena *arena, const struct found *f, const char *lanes)
{
	const struct found_side *a = &f->side[0], *b = &f->side[1];
	const struct ptx_function *function = a->kernel->functions[a->kernel->code[a->pc].function].ptx;
	const char *name, *there;

	if (f->cause == SYNC_MATRIX_FIRST)
		return arena_printf(arena, "%s executed it without a wgmma.fence before", lanes);
	name = function->registers.at[a->value & INT32_MAX]->name;
	there = kernel_place_text(arena, b->kernel, b->pc);
	if (f->cause == SYNC_MATRIX_FENCE)
		return arena_printf(arena,
			"%s executed it, it uses %s, which is accessed at %s, and no wgmma.fence is between", lanes,
			name, there);
	return arena_printf(arena,
		"%s %s %s, which the wgmma.mma_async at %s uses, and no wgmma.wait_group that covers it "
		"is between",
		lanes, a->value >> 31 ? "wrote" : "read", name, there);
}

/* "phase 3", "phase -1 (before the first)" */
static const char *phase_text(struct arena *arena, uint32_t phase)
{
	return phase == UINT32_MAX ? "phase -1 (before the first)" : arena_printf(arena, "phase %u", phase);
}

/* A wait for a phase, and who completed the next one. */
static const char *wait_text(struct arena *arena, const struct found *f, const char *lanes, const char *others)
{
	const struct found_side *a = &f->side[0], *b = &f->side[1];
	const char *object = api_object(arena, NULL, a->kernel, f->space, f->address), *by = "";
	bool is_late = f->cause == SYNC_LATE;

	if (f->places > 1)
		by = arena_printf(arena, ", by %s%s at %s",
			*others ? arena_printf(arena, "warp %u %s", b->thread / b->kernel->lanes, others)
				: "another work-group",
			arena_printf(arena, " (%s)", ptx_ops[b->kernel->code[b->pc].op].spelling),
			kernel_place_text(arena, b->kernel, b->pc));
	return arena_printf(arena,
		is_late ? "%s asked for %s of the mbarrier at %s too late: %s had completed, too%s"
			: "%s waited for %s of the mbarrier at %s, and nothing orders this wait before the end of %s%s",
		lanes, phase_text(arena, a->value), object, phase_text(arena, a->value + 1), by);
}

/* A use of a work-group's shared memory, and where the group ended. */
static const char *exit_text(struct arena *arena, const struct found *f, const char *lanes, const char *object)
{
	const struct found_side *b = &f->side[1];
	const char *there = kernel_place_text(arena, b->kernel, b->pc);

	if (f->cause == SYNC_LEFT)
		return arena_printf(arena,
			"%s accessed %s, and nothing orders this access before the end of that group, at %s", lanes,
			object, there);
	return arena_printf(arena,
		f->cause == SYNC_COPYING
			? "%s began this operation, which writes to %s, and it was still outstanding at the end of "
			  "that group, at %s"
			: "%s began this operation, which writes to %s, and no thread of that group had waited for the "
			  "mbarrier phase that it completes at the end of the group, at %s",
		lanes, object, there);
}

/* What was seen of barriers and masks; `others`: lanes. */
static const char *misuse_text(
	struct arena *arena, const struct found *f, const char *lanes, const char *others, const char *object)
{
	const struct found_side *a = &f->side[0], *b = &f->side[1];
	const char *there = f->places > 1 ? kernel_place_text(arena, b->kernel, b->pc) : "", *at = *there ? " at " : "";
	const char *of_warp =
		a->thread == b->thread ? "" : arena_printf(arena, " of warp %u", b->thread / a->kernel->lanes);

	switch (f->cause) {
	case SYNC_SKIPPED:
	case SYNC_MISSING:
		return arena_printf(arena, "%s executed it without %s, seen later%s%s", lanes, others,
			*there ? at : " here", there);
	case SYNC_PASSED:
	case SYNC_PASSED_UNSURE:
		return arena_printf(
			arena, "%s executed it, and %s%s went on without it to %s", lanes, others, of_warp, there);
	case SYNC_ROUND:
	case SYNC_ROUND_NOTED:
		return arena_printf(arena,
			"%s executed it, and %s%s executed it in a later round of the loop, after they went on without "
			"it to %s",
			lanes, others, of_warp, there);
	case SYNC_ELSEWHERE:
	case SYNC_ELSEWHERE_NOTED:
		return arena_printf(
			arena, "%s executed it while %s%s executed the one at %s", lanes, others, of_warp, there);
	case SYNC_ENDED: return arena_printf(arena, "%s executed it, and %s%s had ended", lanes, others, of_warp);
	case SYNC_DIFFERENT:
		return arena_printf(arena, "%s reached this barrier, and %s reached %s", lanes, others, there);
	case SYNC_IN_PARTS:
		return arena_printf(arena, "%s arrived first, and %s arrived later%s%s%s", lanes, others,
			*there ? "," : "", at, there);
	case SYNC_COUNT: return arena_printf(arena, "%s gave the thread count %u", lanes, a->value);
	case SYNC_NO_COUNT: return arena_printf(arena, "%s gave the thread count 0", lanes);
	case SYNC_COUNTS:
		return arena_printf(arena, "%s gave the thread count %u, and another warp %u%s%s", lanes, a->value,
			b->value, at, there);
	case SYNC_FORMS:
		return arena_printf(arena,
			"%s and another warp%s%s reached it, one with the thread count %u and one without a count",
			lanes, at, there, a->value);
	case SYNC_MIXED:
		return arena_printf(
			arena, "%s reached the barrier while another form of it is in use%s%s", lanes, at, there);
	case SYNC_OUTSIDER: return arena_printf(arena, "%s executed it without being in the mask", lanes);
	case SYNC_MASKS: return arena_printf(arena, "%s named %s, which used another mask", lanes, others);
	case SYNC_REGISTERS_PART:
	case SYNC_REGISTERS_OTHER:
	case SYNC_REGISTERS_AGAIN:
	case SYNC_REGISTERS_COUNT:
	case SYNC_MATRIX_PART:
	case SYNC_MATRIX_OTHER: return registers_text(arena, f, lanes, others);
	case SYNC_MATRIX_PENDING:
	case SYNC_MATRIX_FIRST:
	case SYNC_MATRIX_FENCE: return matrix_text(arena, f, lanes);
	case SYNC_MAP:
		return arena_printf(arena,
			"%s executed it with a tensor map in global memory, and no thread of the work-group has "
			"acquired that map",
			lanes);
	case SYNC_SOURCE: return arena_printf(arena, "%s read from %s", lanes, others);
	case SYNC_LAPPED:
	case SYNC_LATE: return wait_text(arena, f, lanes, others);
	case SYNC_LEFT:
	case SYNC_COPYING:
	case SYNC_NOT_WAITED: return exit_text(arena, f, lanes, object);
	default: return "";
	}
}

/* ---- The finding ---- */

static const struct {
	const char *name;
	const char *role[2]; /* of its places */
} kinds[FOUND_KINDS] = {
	[FOUND_RACE] = {"race", {"one access", "the other access"}},
	[FOUND_INIT] = {"uninitialised", {"the read"}},
	[FOUND_SYNC] = {"barrier-misuse", {"the instruction", "the other place"}},
};

static bool is_of(const struct started *started, const struct found_side *side)
{
	return side->launch == started->result.number - 1;
}

/* One side's thread: of lanes the first. */
static struct lockstep_thread thread_of(const struct started *started, const struct found_side *side, const char *state)
{
	static const uint32_t flat[3] = {UINT32_MAX, 1, 1}; /* another launch's shape is not known here */
	struct lockstep_thread thread = {.state = state};
	uint32_t lane = side->lanes ? (uint32_t)__builtin_ctzll(side->lanes) : 0;

	api_unflatten(side->group, is_of(started, side) ? started->result.grid : flat, thread.group);
	api_unflatten(side->thread + lane, is_of(started, side) ? started->result.block : flat, thread.thread);
	return thread;
}

/* A thread, what it did, and where. */
static const char *side_text(struct arena *arena, const struct started *started, const struct found_side *side,
	const struct lockstep_thread *thread)
{
	const char *other = is_of(started, side) ? ""
						 : arena_printf(arena, " of launch %" PRIu64 " (%s)", side->launch,
							   demangle_brief(arena, side->kernel->entry->name));

	return arena_printf(arena, "%s%s: %s at %s", api_thread_text(arena, thread), other, thread->state,
		kernel_place_text(arena, side->kernel, side->pc));
}

/* What was found, without what is missing. */
static const char *head_text(
	struct started *started, const struct found *f, const struct lockstep_thread *threads, const char *object)
{
	struct arena *arena = &started->arena;
	const struct found_side *a = &f->side[0];

	switch (found_causes[f->cause].kind) {
	case FOUND_RACE:
		return arena_printf(arena, "race on %s: %s; %s", object, side_text(arena, started, a, threads),
			side_text(arena, started, &f->side[1], &threads[1]));
	case FOUND_INIT:
		return arena_printf(
			arena, "uninitialised read of %s: %s", object, side_text(arena, started, a, threads));
	default:
		return arena_printf(arena, "barrier misuse at %s (%s): group (%u,%u,%u) warp %u: %s",
			kernel_place_text(arena, a->kernel, a->pc), ptx_ops[a->kernel->code[a->pc].op].spelling,
			threads[0].group[0], threads[0].group[1], threads[0].group[2], a->thread / a->kernel->lanes,
			misuse_text(arena, f, threads[0].state, f->threads > 1 ? threads[1].state : "", object));
	}
}

/* The memory that it is about. */
static const char *object_text(const struct lockstep *lockstep, struct started *started, const struct found *f)
{
	const struct found_side *last = &f->side[f->places - 1];
	const char *object = api_object(&started->arena, lockstep, last->kernel, f->space, f->address);
	uint32_t owner[3];

	if (!f->has_owner || !is_of(started, last))
		return object;
	api_unflatten(f->owner, started->result.grid, owner);
	return arena_printf(&started->arena, "%s of group (%u,%u,%u)", object, owner[0], owner[1], owner[2]);
}

/* The word by which the later thread heard of the earlier one, or its mbarrier. */
static const char *heard_text(struct arena *arena, const struct found *f, const char *word)
{
	struct text text = {.arena = arena};

	if (f->detail == RACE_DETAIL_RELEASED || f->detail == RACE_DETAIL_NOT_RELEASED)
		return arena_printf(arena, " (phase %u of %s)", f->side[1].value, word);
	text_print(&text, " (the word is %s", word);
	if (f->written_at.kernel)
		text_print(&text, ", written at %s", kernel_place_text(arena, f->written_at.kernel, f->written_at.pc));
	if (f->read_at.kernel)
		text_print(&text, "%s read at %s", f->written_at.kernel ? " and" : ",",
			kernel_place_text(arena, f->read_at.kernel, f->read_at.pc));
	text_print(&text, ")");
	return text.at;
}

/* What OpenCL C has in place of a fence of CUDA. */
static const char *const in_opencl[][2] = {
	{"__threadfence()", "mem_fence(CLK_GLOBAL_MEM_FENCE)"},
	{"__threadfence_block()", "mem_fence(CLK_LOCAL_MEM_FENCE)"},
};

/* The remedy in the language of the file. */
static const char *remedy_text(struct arena *arena, const char *remedy, const char *file)
{
	size_t length = file ? strlen(file) : 0;

	assert(remedy);
	if (length < 3 || strcmp(file + length - 3, ".cl") != 0)
		return remedy;
	for (size_t k = 0; k < sizeof in_opencl / sizeof *in_opencl; k++)
		for (const char *at; (at = strstr(remedy, in_opencl[k][0]));)
			remedy = arena_printf(arena, "%.*s%s%s", (int)(at - remedy), remedy, in_opencl[k][1],
				at + strlen(in_opencl[k][0]));
	return remedy;
}

struct lockstep_finding api_found(const struct lockstep *lockstep, struct started *started, const struct found *f)
{
	struct arena *arena = &started->arena;
	const struct found_cause_text *cause = &found_causes[f->cause],
				      *words = f->detail ? &found_causes[f->detail] : cause;
	struct lockstep_line *lines = arena_new_array(arena, struct lockstep_line, 2);
	struct lockstep_thread *threads = arena_new_array(arena, struct lockstep_thread, 2);
	const char **addresses = arena_new_array(arena, const char *, 2), *heard = "", *remedy;

	for (uint32_t k = 0; k < f->places; k++)
		lines[k] = api_line(arena, f->side[k].kernel, f->side[k].pc, kinds[cause->kind].role[k]);
	for (uint32_t k = 0; k < f->threads; k++)
		threads[k] = thread_of(started, &f->side[k],
			cause->kind == FOUND_RACE   ? access_text(arena, &f->side[k])
			: cause->kind == FOUND_INIT ? read_text(arena, f)
						    : lanes_text(arena, f->side[k].lanes));
	if (f->space)
		addresses[0] = object_text(lockstep, started, f);
	remedy = remedy_text(arena, words->remedy, f->places ? lines[0].file : NULL);
	if (f->has_heard) {
		addresses[1] = api_object(arena, lockstep, f->side[1].kernel, f->heard_space, f->heard);
		heard = heard_text(arena, f, addresses[1]);
	}
	return (struct lockstep_finding){.kind = kinds[cause->kind].name,
		.certainty = f->is_part ? "suspected" : cause->certainty,
		.cause = cause->name,
		.message = arena_printf(arena, "%s: %s%s%s. %c%s%s", head_text(started, f, threads, addresses[0]),
			words->what, heard,
			f->may_be_carried ? ", or only a copy of bytes that were never written" : "",
			remedy[0] - 'a' + 'A', remedy + 1,
			f->is_part ? "; if the bytes are only padding of a structure, nothing needs to change" : ""),
		.lines = lines,
		.line_count = f->places,
		.threads = threads,
		.thread_count = f->threads,
		.addresses = addresses,
		.address_count = f->space ? f->has_heard + 1u : 0,
		.count = f->count};
}
