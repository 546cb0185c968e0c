/* Data races (race/race.h), event by event: threads of a launch access words, fence, come to barriers, and each case
 * says which race is found then, or that there is none. */
#include "race/race.h"

#include "ptx/ops.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BASE 0x10000
#define BYTES 0x10000
#define LANES 32
#define THREADS 96 /* of a group: three warps */
#define GROUPS 40

/* What an access is done with: each an instruction on a line of its own. */
enum what {
	LD,
	ST,
	LD_RLX,
	ST_RLX,
	LD_ACQ,
	ST_REL,
	ADD,
	ADD_ACQ_REL,
	LD_CTA,
	ST_CTA,
	LD_ACQ_CTA,
	ST_REL_CTA,
	ADD_CTA,
	CAS,
	CAS_REL,
	LD_VOL,
	ST_VOL,
	LD8,
	ST8,
	LD64,
	ST64,
	ADD64,
	ST_V2,
	LD_SAME_LINE,
	ST_SHARED,
	LD_SHARED,
	ST_REL_SHARED,
	LD_ACQ_SHARED,
	ADD_SHARED,
	ST_RLX_SHARED,
	WHATS
};

static const char ptx[] =
	".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
	".reg .b64 %a; .reg .b32 %v; .reg .b16 %h; .reg .b64 %x; .shared .b32 box[16];\n"
	".file 1 \"k.cu\"\n"
	".loc 1 1 1\nld.global.u32 %v, [%a];\n.loc 1 2 1\nst.global.u32 [%a], %v;\n"
	".loc 1 3 1\nld.relaxed.gpu.global.u32 %v, [%a];\n.loc 1 4 1\nst.relaxed.gpu.global.u32 [%a], %v;\n"
	".loc 1 5 1\nld.acquire.gpu.global.u32 %v, [%a];\n.loc 1 6 1\nst.release.gpu.global.u32 [%a], %v;\n"
	".loc 1 7 1\natom.global.add.u32 %v, [%a], 1;\n.loc 1 8 1\natom.acq_rel.gpu.global.add.u32 %v, [%a], 1;\n"
	".loc 1 9 1\nld.relaxed.cta.global.u32 %v, [%a];\n.loc 1 10 1\nst.relaxed.cta.global.u32 [%a], %v;\n"
	".loc 1 11 1\nld.acquire.cta.global.u32 %v, [%a];\n.loc 1 12 1\nst.release.cta.global.u32 [%a], %v;\n"
	".loc 1 13 1\natom.relaxed.cta.global.add.u32 %v, [%a], 1;\n"
	".loc 1 14 1\natom.global.cas.b32 %v, [%a], 0, 1;\n.loc 1 15 1\natom.release.gpu.global.cas.b32 %v, [%a], 0, "
	"1;\n"
	".loc 1 16 1\nld.volatile.global.u32 %v, [%a];\n.loc 1 17 1\nst.volatile.global.u32 [%a], %v;\n"
	".loc 1 18 1\nld.global.u8 %h, [%a];\n.loc 1 19 1\nst.global.u8 [%a], %h;\n"
	".loc 1 20 1\nld.global.u64 %x, [%a];\n.loc 1 21 1\nst.global.u64 [%a], %x;\n"
	".loc 1 22 1\natom.global.add.u64 %x, [%a], 1;\n.loc 1 23 1\nst.global.v2.u32 [%a], {%v, %v};\n"
	".loc 1 1 1\nld.global.u32 %v, [%a];\n"
	".loc 1 25 1\nst.shared.u32 [%a], %v;\n.loc 1 26 1\nld.shared.u32 %v, [%a];\n"
	".loc 1 27 1\nst.release.cta.shared.u32 [%a], %v;\n.loc 1 28 1\nld.acquire.cta.shared.u32 %v, [%a];\n"
	".loc 1 29 1\natom.shared.add.u32 %v, [%a], 1;\n.loc 1 30 1\nst.relaxed.cta.shared.u32 [%a], %v;\n"
	"membar.gl;\nbar.sync 0;\nexit;\n}\n"; /* its threads meet, and a fence.sc counts for those that they meet */

/* With asynchronous copies, behind the same accesses: an instruction of each kind of completion. */
static const char ptx_of_copies[] = ".loc 1 40 1\ncp.async.ca.shared.global [%v], [%a], 4;\n"
				    ".loc 1 41 1\ncp.async.bulk.global.shared::cta.bulk_group [%a], [%v], 16;\n"
				    ".loc 1 42 1\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
				    "[%v], [%a], 16, [%v];\n"
				    ".loc 1 43 1\nmbarrier.init.shared.b64 [%v], 1;\n"
				    ".loc 1 44 1\nmbarrier.arrive.shared.b64 %x, [%v];\nexit;\n}\n";

static struct arena arena, code;
static const struct kernel *kernel, *plain, *copying;
static uint32_t pc_of[WHATS], pc_of_copy[3], pc_of_object[2]; /* of mbarriers: init, arrive */
static struct races *races;
static struct found_list list; /* what they have found */
#define CHILD GROUPS           /* place of the group of a kernel that a kernel launches */
static struct race_group *group[GROUPS + 1];
static struct race_launch *newest;
static uint64_t ordinal;

static const struct kernel *decode_text(const char *text)
{
	struct diagnostic diagnostic = {0};
	struct ptx_module *module = ptx_parse(&code, "k.ptx", text, &diagnostic);
	const struct kernel *decoded;

	assert_string_equal(diagnostic.message, "");
	decoded = kernel_decode(&code, module, ptx_find_function(module, "k"), LANES, &diagnostic);
	assert_non_null(decoded);
	return decoded;
}

static int decode(void **state)
{
	char text[sizeof ptx + sizeof ptx_of_copies];
	uint32_t copies = 0, objects = 0;

	(void)state;
	kernel = plain = decode_text(ptx);
	memcpy(text, ptx, sizeof ptx);
	memcpy(strrchr(text, 'e'), ptx_of_copies, sizeof ptx_of_copies); /* in place of "exit" */
	copying = decode_text(text);
	for (uint32_t pc = 0; pc < copying->code_count; pc++)
		if (copying->code[pc].kind == INSN_COPY)
			pc_of_copy[copies++] = pc;
		else if (copying->code[pc].kind == INSN_MBARRIER)
			pc_of_object[objects++] = pc;
	assert_int_equal(copies, 3);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (kernel->code[pc].source < WHATS)
			pc_of[kernel->code[pc].source] = pc;
	return 0;
}

/* A launch of `groups` groups, all of which begin. */
static void launch(bool lockstep, uint32_t groups)
{
	newest = races_begin_launch(races, ++ordinal, kernel, lockstep, groups, THREADS);

	for (uint32_t k = 0; k < groups; k++)
		group[k] = races_begin_group(races, newest, k);
}

static void begin_with(struct races_asked asked, bool lockstep)
{
	arena_free(&arena);
	arena = (struct arena){0};
	list = (struct found_list){.arena = &arena};
	races = races_create(&list, &asked, BASE, BYTES);
	ordinal = 0;
	launch(lockstep, GROUPS);
}

static void begin(void)
{
	begin_with((struct races_asked){0}, false);
}

/* Threads are numbered through: group 0 has 0 to 95, group 1 from 100 on. */
static struct race_warp *warp_of(uint32_t thread)
{
	return races_warp(group[thread / 100], thread % 100 / LANES);
}

static uint32_t lane_of(uint32_t thread)
{
	return thread % 100 % LANES;
}

static lane_mask bit_of(uint32_t thread)
{
	return (lane_mask)1 << lane_of(thread);
}

static struct race_access access_by(enum what what, const uint64_t *address, const uint16_t *written)
{
	const struct insn *i = &kernel->code[pc_of[what]];

	return (struct race_access){.insn = i,
		.pc = pc_of[what],
		.space = what >= ST_SHARED ? space_SHARED : space_GLOBAL,
		.address = address,
		.written = i->kind == INSN_STORE ? written : NULL};
}

/* A lane accesses the word at `at`; what it stores is another value each time, or `value`. */
static void act_with(enum what what, uint32_t thread, uint64_t at, uint16_t value, bool failed, bool pending)
{
	uint64_t address[64] = {0};
	uint16_t written[64] = {0};
	struct race_access a = access_by(what, address, written);

	address[lane_of(thread)] = a.space == space_SHARED ? at : BASE + at;
	written[lane_of(thread)] = value;
	a.lanes = bit_of(thread);
	a.failed = failed ? a.lanes : 0;
	a.pending = pending;
	races_access(races, warp_of(thread), &a);
}

static void act(enum what what, uint32_t thread, uint64_t at)
{
	static uint16_t value;

	act_with(what, thread, at, ++value, false, false);
}

/* A read that was pending has its value. */
static void complete(enum what what, uint32_t thread, uint64_t at)
{
	uint64_t address[64] = {0};
	struct race_access a = access_by(what, address, NULL);

	address[lane_of(thread)] = BASE + at;
	a.lanes = bit_of(thread);
	races_read(races, warp_of(thread), &a);
}

static void fence(uint32_t thread)
{
	races_fence(races, warp_of(thread), bit_of(thread), RACE_FENCE_BOTH, RACE_SCOPE_WIDE);
}

static void fence_sc(uint32_t thread)
{
	races_fence(races, warp_of(thread), bit_of(thread), RACE_FENCE_SC, RACE_SCOPE_WIDE);
}

static void fence_cta(uint32_t thread)
{
	races_fence(races, warp_of(thread), bit_of(thread), RACE_FENCE_BOTH, RACE_SCOPE_GROUP);
}

static void arrive(uint32_t thread, uint32_t barrier, bool waits)
{
	races_arrive(races, warp_of(thread), barrier, bit_of(thread), waits);
}

/* All threads of the group. */
static void barrier(uint32_t number)
{
	for (uint32_t k = 0; k < THREADS / LANES; k++)
		races_arrive(races, races_warp(group[number], k), 0, UINT32_MAX, true);
	races_open(races, group[number], 0);
}

/* What was found since the last call, one cause; FOUND_NO_CAUSE: nothing. */
static uint32_t known;
static void found(enum found_cause cause)
{
	uint32_t count = list.of.count;

	known = known > count ? 0 : known;
	if (cause == FOUND_NO_CAUSE) {
		assert_int_equal(count - known, 0);
	} else {
		assert_int_equal(count - known, 1);
		assert_string_equal(found_causes[list.of.at[known].cause].name, found_causes[cause].name);
	}
	known = count;
}
#define NONE FOUND_NO_CAUSE

static const struct found *last(void)
{
	assert_true(list.of.count);
	return &list.of.at[list.of.count - 1];
}

/* Another case begins; word 0 is the data, 64 a flag, 128 another. */
static void again(void)
{
	begin();
	known = 0;
}
#define X 0
#define FLAG 64
#define OTHER 128

/* ---- Cases ---- */

static void a_pair_is_told_with_its_threads(void **state)
{
	static const struct {
		enum what first, second;
		uint32_t a, b;
		enum found_cause cause;
	} rows[] = {{ST, ST, 0, 100, RACE_NO_ORDER}, {ST, LD, 0, 100, RACE_NO_ORDER}, {LD, ST, 0, 100, RACE_NO_ORDER},
		{LD, LD, 0, 100, NONE}, {ST, ST, 0, 0, NONE}, {ST, LD, 33, 33, NONE}, {ST, LD, 0, 32, RACE_BARRIER},
		{ST, LD, 64, 31, RACE_BARRIER}, {ST, LD, 0, 31, RACE_SYNCWARP}, {ST, LD, 31, 0, RACE_SYNCWARP},
		{LD, ST, 132, 163, RACE_SYNCWARP}, {ST, LD, 131, 132, RACE_BARRIER}, {ST, LD, 95, 100, RACE_NO_ORDER},
		/* strong ones of the same bytes */
		{ST_RLX, LD_RLX, 0, 100, NONE}, {ADD, ADD, 0, 100, NONE}, {ADD, LD_VOL, 0, 100, NONE},
		{ADD_CTA, ADD, 0, 100, RACE_SCOPE}, {ADD, ADD_CTA, 0, 100, RACE_SCOPE}, {ADD_CTA, ADD, 0, 32, NONE},
		{ADD_CTA, LD_CTA, 0, 32, NONE}, {LD_CTA, LD_CTA, 0, 100, NONE}, {ADD, ADD64, 0, 100, RACE_SIZE},
		{ADD64, ADD, 0, 32, RACE_SIZE}, {ADD, ST, 0, 100, RACE_PLAIN}, {LD, ADD, 0, 100, RACE_PLAIN},
		{ST, LD_VOL, 0, 32, RACE_PLAIN}, {LD, LD_RLX, 0, 100, NONE},
		/* a compare-and-swap that is made writes */
		{CAS, LD, 0, 100, RACE_PLAIN}, {LD, CAS, 0, 100, RACE_PLAIN}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		again();
		act(rows[k].first, rows[k].a, X);
		act(rows[k].second, rows[k].b, X);
		found(rows[k].cause);
		if (rows[k].cause == NONE)
			continue;
		assert_int_equal(last()->side[0].pc, pc_of[rows[k].first]);
		assert_int_equal(last()->side[1].pc, pc_of[rows[k].second]);
		assert_int_equal(last()->side[0].group, rows[k].a / 100);
		assert_int_equal(last()->side[0].thread, rows[k].a % 100);
		assert_int_equal(last()->side[1].group, rows[k].b / 100);
		assert_int_equal(last()->side[1].thread, rows[k].b % 100);
		assert_int_equal(last()->address, BASE);
		assert_int_equal(last()->space, space_GLOBAL);
		assert_int_equal(last()->count, 1);
		assert_int_equal(last()->launch, 1);
		assert_false(last()->has_heard);
	}
}

/* `lanes` of a thread's warp access neighbouring words from `at` on. */
static void act_together(enum what what, uint32_t thread, lane_mask lanes, uint64_t at)
{
	uint64_t address[64] = {0}, bytes;
	uint16_t written[64] = {0};
	struct race_access a = access_by(what, address, written);

	bytes = a.insn->access.bytes * a.insn->access.elements;
	EACH_LANE(l, lanes) {
		address[l] = BASE + at + bytes * ((uint32_t)l - (uint32_t)__builtin_ctzll(lanes));
		written[l] = (uint16_t)(at + (uint32_t)l);
	}
	a.lanes = lanes;
	races_access(races, warp_of(thread), &a);
}

/* Whole warps are judged as one where nothing races; where something does, lane by lane and byte by byte. */
static void warps_are_judged_as_their_lanes(void **state)
{
	static const struct {
		enum what first, second;
		uint32_t second_thread;
		lane_mask lanes; /* of the second */
		uint64_t at;     /* of the second */
		bool meets;      /* a barrier is between */
		enum found_cause cause;
		uint64_t address, count; /* the first, and accesses that race */
	} rows[] = {                     /* the same lanes, and others of the group, before and behind a barrier */
		{ST, LD, 0, UINT32_MAX, 0, false, NONE, 0, 0}, {ST, LD, 32, UINT32_MAX, 0, false, RACE_BARRIER, 0, 32},
		{ST, LD, 32, UINT32_MAX, 0, true, NONE, 0, 0}, {LD, LD, 132, UINT32_MAX, 0, false, NONE, 0, 0},
		/* a part, at either end and in the middle */
		{ST, ST, 100, UINT32_MAX, 64, false, RACE_NO_ORDER, 64, 16},
		{LD, ST, 100, 0xff, 32, false, RACE_NO_ORDER, 32, 8},
		{LD, ST, 32, 0xff, 124, false, RACE_BARRIER, 124, 1}, {LD, ST, 32, 0xff, 128, false, NONE, 0, 0},
		{LD, ST, 32, 0xff, 124, true, NONE, 0, 0},
		/* lanes of the warp, one word on */
		{LD, ST, 0, UINT32_MAX, 4, false, RACE_SYNCWARP, 4, 31}, {ST, LD, 0, UINT32_MAX, 4, true, NONE, 0, 0},
		/* other sizes */
		{ST, LD64, 100, 0xff, 64, false, RACE_NO_ORDER, 64, 8},
		{ST_V2, LD, 100, 0xff, 248, false, RACE_NO_ORDER, 248, 2},
		{LD, ST8, 100, UINT32_MAX, 120, false, RACE_NO_ORDER, 120, 8},
		{ST_V2, LD, 32, UINT32_MAX, 0, true, NONE, 0, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		again();
		act_together(rows[k].first, 0, UINT32_MAX, 0);
		if (rows[k].meets)
			barrier(0);
		act_together(rows[k].second, rows[k].second_thread, rows[k].lanes, rows[k].at);
		found(rows[k].cause);
		if (rows[k].cause == NONE)
			continue;
		assert_int_equal(last()->address, BASE + rows[k].address);
		assert_int_equal(last()->count, rows[k].count);
	}
}

/* Of what several warps have read, one word apart, all is remembered: a store races with each of them. */
static void what_warps_have_read_is_remembered(void **state)
{
	(void)state;
	for (uint32_t warps = 1; warps <= 4; warps++)
		for (uint32_t word = 0; word < 40; word++) {
			uint32_t readers = 0;

			again();
			for (uint32_t w = 0; w < warps; w++) {
				act_together(w % 2 ? LD_SAME_LINE : LD, 100 * w, UINT32_MAX, 4 * w);
				readers += word >= w && word < w + LANES;
			}
			act(ST, 1000, 4 * word);
			found(readers ? RACE_NO_ORDER : NONE);
			if (readers)
				assert_int_equal(last()->count, readers);
		}
}

#define TABLE 0x1200 /* in the middle of a page without flags */

/* A warp reads words of a table: all lanes the same, each half of it neighbours, two of each the same. */
enum pattern { SAME, HALVES, PAIRS, PATTERNS };
static const uint32_t pattern_words[PATTERNS] = {1, 16, 16};

static void read_table(enum what what, uint32_t thread, enum pattern pattern)
{
	uint64_t address[64] = {0};
	struct race_access a = access_by(what, address, NULL);

	for (uint32_t l = 0; l < LANES; l++)
		address[l] = BASE + TABLE + 4 * (pattern == HALVES ? l % 16 : pattern == PAIRS ? l / 2 : 0);
	a.lanes = UINT32_MAX;
	races_access(races, warp_of(thread), &a);
}

/* Very many groups read a table.  One that stores there races with them, and it does with the one alone that it has not
 * heard of; what threads learn between reads and store is not taken for known when they read. */
static void what_all_groups_have_read_is_remembered(void **state)
{
	(void)state;
	for (enum pattern pattern = 0; pattern < PATTERNS; pattern++)
		for (uint32_t word = 0; word < 18; word++) {
			again();
			for (uint32_t k = 0; k < GROUPS - 1; k++)
				read_table(LD, 100 * k, pattern);
			act(ST, 3900, TABLE + 4 * word);
			found(word < pattern_words[pattern] ? RACE_NO_ORDER : NONE);
			if (word < pattern_words[pattern])
				assert_int_equal(last()->side[0].group, 0);
		}
	for (enum pattern pattern = 0; pattern < PATTERNS; pattern++)
		for (uint32_t missing = 0; missing <= 9; missing++) {
			again();
			for (uint32_t k = 0; k < 9; k++)
				read_table(LD, 100 * k, pattern);
			for (uint32_t k = 0; k < 9; k++)
				barrier(k);
			for (uint32_t k = 0; k < 9; k++)
				if (k != missing)
					act(ADD_ACQ_REL, 100 * k, FLAG);
			act(LD_ACQ, 3900, FLAG);
			act(ST, 3900, TABLE);
			found(missing < 9 ? RACE_NO_ORDER : NONE);
			if (missing < 9)
				assert_int_equal(last()->side[0].group, missing);
		}
}

/* Of readers of a table by two instructions, of which one's are known to be over, the other's is named. */
static void readers_are_told_by_their_instructions(void **state)
{
	(void)state;
	for (uint32_t which = 0; which < 2; which++)
		for (uint32_t pattern = 0; pattern <= PATTERNS; pattern++) {
			static const enum what reads[] = {LD, LD_SAME_LINE};

			again();
			for (uint32_t k = 0; k < 8; k++)
				if (pattern == PATTERNS) /* neighbours */
					act_together(reads[k % 2], 100 * k, UINT32_MAX, TABLE);
				else
					read_table(reads[k % 2], 100 * k, pattern);
			for (uint32_t k = which; k < 8; k += 2)
				for (uint32_t lane = 0; lane < LANES; lane++)
					act(ADD_ACQ_REL, 100 * k + lane, FLAG);
			act(LD_ACQ, 3900, FLAG);
			act(ST, 3900, TABLE);
			found(RACE_NO_ORDER);
			assert_int_equal(last()->side[0].pc, pc_of[reads[!which]]);
			assert_int_equal(last()->side[0].group % 2, !which);
		}
}

/* What a warp stores in the middle of another's bytes, behind it, takes the place of these there and not beside. */
static void a_store_in_the_middle_takes_its_place_alone(void **state)
{
	(void)state;
	for (uint32_t word = 0; word < LANES; word++) {
		bool in_middle = word >= 8 && word < 16;

		again();
		act_together(ST, 0, UINT32_MAX, 0);
		barrier(0);
		act_together(ST_V2, 32, 0xf, 4 * 8);
		act_together(LD, 100, 1, 4 * word);
		found(RACE_NO_ORDER);
		assert_int_equal(last()->side[0].pc, pc_of[in_middle ? ST_V2 : ST]);
		assert_int_equal(last()->side[0].thread, in_middle ? 32 + (word - 8) / 2 : word);
		act(LD8, 200, 4 * word); /* granule by granule, too */
		found(RACE_NO_ORDER);
		assert_int_equal(last()->side[0].pc, pc_of[in_middle ? ST_V2 : ST]);
	}
}

/* A read behind a barrier stands for those before it, and one that was before no other does not. */
static void readers_behind_a_barrier_stand_for_others(void **state)
{
	(void)state;
	for (uint32_t meets = 0; meets < 2; meets++) {
		again();
		read_table(LD_SAME_LINE, 0, SAME);
		if (meets)
			barrier(0);
		read_table(LD, 32, SAME);
		for (uint32_t k = 1; k < 9; k++)
			read_table(LD, 100 * k, SAME);
		act(ST, 3900, TABLE);
		assert_int_equal(last()->side[0].thread, meets ? 32 : 0);
	}
}

/* Of two warps' neighbouring stores one warp's are before what it does next. */
static void a_warp_knows_its_own_part(void **state)
{
	(void)state;
	begin_with((struct races_asked){0}, true);
	known = 0;
	act_together(ST, 0, UINT32_MAX, 0);
	act_together(ST, 32, UINT32_MAX, 128);
	act_together(LD, 0, UINT32_MAX, 64);
	found(RACE_BARRIER);
	assert_int_equal(last()->address, BASE + 128);
	assert_int_equal(last()->count, 16);
}

static void what_is_asked_for_is_told(void **state)
{
	(void)state;
	again();
	act_with(ST, 0, X, 5, false, false);
	act_with(ST, 100, X, 5, false, false);
	found(NONE);
	act_with(ST, 200, X, 6, false, false); /* with the last that wrote 5 at least */
	found(RACE_NO_ORDER);
	begin_with((struct races_asked){.same_values = true}, false);
	known = 0;
	act_with(ST, 0, X, 5, false, false);
	act_with(ST, 100, X, 5, false, false);
	found(RACE_SAME_VALUE);
	/* of other sizes the values are not compared */
	act_with(ST8, 200, X, 5, false, false);
	found(RACE_NO_ORDER);
	begin_with((struct races_asked){.volatiles = true}, false);
	known = 0;
	act(ST_VOL, 0, X);
	act(LD_VOL, 100, X);
	found(RACE_NO_ORDER);
	act(ADD, 200, OTHER);
	act(LD_VOL, 300, OTHER);
	found(RACE_PLAIN);
	act(ADD, 200, OTHER + 4);
	act(LD_RLX, 300, OTHER + 4);
	found(NONE);
}

/* Under a reconvergence stack a warp's instructions follow each other; lanes within one do not. */
static void lanes_in_lockstep_are_in_order(void **state)
{
	uint64_t address[64] = {BASE, BASE + 4, BASE + 8, BASE};
	uint16_t written[64] = {1, 2, 3, 4};

	(void)state;
	for (uint32_t strict = 0; strict < 2; strict++) {
		struct race_access a = access_by(ST, address, written);

		begin_with((struct races_asked){.strict = strict}, true);
		known = 0;
		act(ST, 0, OTHER);
		act(LD, 1, OTHER);
		found(strict ? RACE_SYNCWARP : NONE);
		act(ST8, 32, OTHER + 4);
		act(LD8, 1, OTHER + 4);
		found(RACE_BARRIER);
		races_together(races, warp_of(0), 3, 3);
		for (uint32_t k = 1; !strict && k < GROUPS; k++)
			for (uint32_t w = 0; w < 96; w += 32) {
				act(ST, 100 * k + w, 4096 + 4 * w);
				act(LD, 100 * k + w + 31, 4096 + 4 * w);
				races_fence(races, warp_of(100 * k + w), bit_of(w), RACE_FENCE_BOTH, RACE_SCOPE_WIDE);
				act(ST_RLX, 100 * k + w, 8192);
				act(LD_RLX, 100 * (k + 1) % 4000, 8192);
				fence(100 * (k + 1) % 4000);
				act(LD_RLX, 100 * (k + 1) % 4000 + 32, 8192);
				fence(100 * (k + 1) % 4000 + 32);
				act(LD_RLX, 100 * k + (w + 32) % 96, 8192);
				fence(100 * k + (w + 32) % 96);
			}
		a.lanes = 7;
		races_access(races, warp_of(0), &a);
		found(NONE);
		a.lanes = 15;
		races_access(races, warp_of(0), &a);
		found(RACE_SYNCWARP);
		assert_int_equal(last()->side[0].thread, 0);
		assert_int_equal(last()->side[1].thread, 3);
		/* vectors that overlap by their second half */
		a = access_by(ST_V2, address, written);
		a.lanes = 2;
		address[1] = BASE + 256;
		address[2] = BASE + 260;
		races_access(races, warp_of(100), &a);
		a.lanes = 4;
		races_access(races, warp_of(100), &a);
		found(strict ? RACE_SYNCWARP : NONE);
		address[1] = BASE + 512;
		address[2] = BASE + 516;
		a.lanes = 6;
		races_access(races, warp_of(200), &a);
		if (!strict)
			found(RACE_SYNCWARP);
		address[1] = BASE + 4;
		address[2] = BASE + 8;
	}
}

static void barriers_order_those_that_come(void **state)
{
	(void)state;
	again();
	act(ST, 0, X);
	act(ST, 100, OTHER);
	barrier(0);
	act(LD, 95, X);
	found(NONE);
	act(LD, 33, OTHER); /* another group's */
	found(RACE_NO_ORDER);
	/* What comes behind the barrier is not ordered by it; the next one orders it. */
	act(ST, 0, FLAG);
	act(LD, 64, FLAG);
	found(RACE_BARRIER);
	act(ST, 1, FLAG + 4);
	barrier(0);
	act(LD, 64, FLAG + 4);
	act(ST, 65, X);
	found(NONE);
	/* Warps come one by one, and one that does not wait: what it did is before, what it does is not behind. */
	again();
	act(ST, 0, X);
	act(ST, 32, OTHER);
	arrive(0, 3, false);
	arrive(32, 3, true);
	races_open(races, group[0], 3);
	act(LD, 32, X);
	found(NONE);
	act(LD, 0, OTHER);
	found(RACE_BARRIER);
	/* Those that have not come learn nothing, nor does another barrier open. */
	again();
	act(ST, 0, X);
	arrive(0, 1, true);
	arrive(33, 1, true);
	arrive(34, 2, true);
	races_open(races, group[0], 1);
	races_open(races, group[0], 5);
	act(LD, 33, X);
	found(NONE);
	act(LD, 34, X);
	found(RACE_BARRIER);
	act(LD, 64, X);
	found(NONE); /* told already: the same places and cause */
	assert_int_equal(last()->count, 2);
	races_open(races, group[0], 2);
	act(ST, 34, OTHER);
	act(LD, 64, OTHER);
	assert_int_equal(last()->count, 3);
}

static void meeting_lanes_are_in_order(void **state)
{
	(void)state;
	again();
	act(ST, 0, X);
	act(ST, 5, OTHER);
	races_together(races, warp_of(0), 3, 7);
	act(LD, 1, X);
	found(NONE);
	races_together(races, warp_of(0), 4, 7); /* that go on later */
	act(LD, 2, X);
	found(NONE);
	act(LD, 1, OTHER); /* that did not come */
	found(RACE_SYNCWARP);
	act(ST, 0, FLAG);
	act(ST, 2, FLAG + 4);
	act(LD, 1, FLAG);
	assert_int_equal(last()->count, 2);
	races_together(races, warp_of(0), 7, 7);
	act(LD, 0, FLAG + 4);
	assert_int_equal(last()->count, 2);
}

/* A compare-and-swap is under way, and nobody knows yet whether it will store; then it does. */
static void begin_swap(enum what what, uint32_t thread, uint64_t at)
{
	uint64_t address[64] = {0};
	struct race_access a = access_by(what, address, NULL);

	address[lane_of(thread)] = BASE + at;
	a.lanes = bit_of(thread);
	a.later = a.pending = true;
	races_access(races, warp_of(thread), &a);
}

static void take_effect(enum what what, uint32_t thread, uint64_t at, bool failed)
{
	uint64_t address[64] = {0};
	struct race_access a = access_by(what, address, NULL);

	address[lane_of(thread)] = BASE + at;
	a.lanes = bit_of(thread);
	a.failed = failed ? a.lanes : 0;
	a.pending = true;
	races_take_effect(races, warp_of(thread), &a);
}

static void swap(enum what what, uint32_t thread, uint64_t at)
{
	take_effect(what, thread, at, false);
}

static void a_swap_under_way_is_judged_when_it_takes_effect(void **state)
{
	(void)state;
	for (uint32_t reads_first = 0; reads_first < 2; reads_first++) {
		again();
		if (reads_first)
			act(LD, 100, X);
		begin_swap(CAS, 0, X);
		if (!reads_first)
			act(LD, 100, X);
		found(NONE);
		swap(CAS, 0, X);
		found(RACE_PLAIN);
	}
	/* it never stores */
	again();
	begin_swap(CAS, 0, X);
	act(LD, 100, X);
	take_effect(CAS, 0, X, true);
	complete(CAS, 0, X);
	act(LD, 200, X);
	found(NONE);
}

static void a_swap_releases_when_it_stores(void **state)
{
	(void)state;
	for (uint32_t in_time = 0; in_time < 2; in_time++) {
		again();
		act(ST, 0, X);
		begin_swap(CAS_REL, 0, FLAG);
		if (in_time)
			swap(CAS_REL, 0, FLAG);
		act(LD_ACQ, 100, FLAG);
		act(LD, 100, X);
		found(in_time ? NONE : RACE_NO_ORDER);
	}
}

/* What is released while it is under way covers it: it was issued before. */
static void a_swap_is_of_the_epoch_in_which_it_was_issued(void **state)
{
	(void)state;
	for (uint32_t begun_behind = 0; begun_behind < 2; begun_behind++) {
		again();
		if (!begun_behind)
			begin_swap(CAS, 0, X);
		act(ST_REL, 0, FLAG);
		act(LD_ACQ, 100, FLAG);
		if (begun_behind)
			begin_swap(CAS, 0, X);
		swap(CAS, 0, X);
		complete(CAS, 0, X);
		act(LD, 100, X);
		found(begun_behind ? RACE_PLAIN : NONE);
	}
}

/* Of two that count, each observes those that took effect before its own, though both have been issued and the values
 * come later.  What is passed on is of the issue: also of one without a result, with a fence behind it. */
static void atomics_observe_where_they_take_effect(void **state)
{
	(void)state;
	for (uint32_t second = 0; second < 2; second++) {
		again();
		act(ST, 0, X);
		act(ST, 100, X + 4);
		begin_swap(CAS_REL, 0, FLAG);
		begin_swap(CAS_REL, 100, FLAG);
		swap(CAS_REL, 0, FLAG);
		swap(CAS_REL, 100, FLAG);
		complete(CAS_REL, 0, FLAG);
		complete(CAS_REL, 100, FLAG);
		fence(0);
		fence(100);
		act(LD, second ? 100 : 0, second ? X : X + 4);
		if (second)
			found(NONE);
		else
			assert_int_not_equal(last()->cause, NONE);
	}
	again();
	begin_swap(CAS, 0, FLAG);
	act(ST, 0, X);
	fence(0);
	swap(CAS, 0, FLAG);
	act(LD_ACQ, 100, FLAG);
	act(LD, 100, X);
	found(RACE_NO_ORDER);
}

/* Of two lanes' swaps of one instruction the first fails. */
static void a_lane_that_fails_says_nothing_of_the_next(void **state)
{
	uint64_t address[64] = {BASE + X, BASE + OTHER};
	struct race_access a;

	(void)state;
	again();
	act(LD, 100, X);
	act(LD, 100, OTHER);
	a = access_by(CAS, address, NULL);
	a.lanes = 3;
	a.failed = 1;
	races_access(races, warp_of(0), &a);
	found(RACE_PLAIN);
	assert_int_equal(last()->address, BASE + OTHER);
}

/* Readers in groups 1 to 38, and one that hears of them. */
#define HEARS 3900
static uint32_t reader(uint32_t k)
{
	return 100 + k / 90 * 100 + k % 90;
}

static void readers_hand_over(uint32_t first, uint32_t count)
{
	for (uint32_t k = first; k < first + count; k++) {
		act(LD, reader(k), X);
		act(ST_REL, reader(k), FLAG + 4 * k);
		act(LD_ACQ, HEARS, FLAG + 4 * k);
	}
}

/* So many have read that only their epochs are kept: a later read of one of them counts as later. */
static void a_later_read_in_a_crowd_is_later(void **state)
{
	static const uint32_t crowds[] = {0, 1, 2, 4, 7, 8, 9, 12, 20, 60, 300};

	(void)state;
	for (size_t c = 0; c < sizeof crowds / sizeof *crowds; c++)
		for (uint32_t reads_again = 0; reads_again < 2; reads_again++) {
			uint32_t count = crowds[c];

			again();
			readers_hand_over(0, 3); /* what came first is kept apart */
			act(LD, 0, X);
			act(ST_REL, 0, FLAG - 4);
			act(LD_ACQ, HEARS, FLAG - 4);
			readers_hand_over(3, count);
			if (reads_again)
				act(LD, 0, X);
			readers_hand_over(3 + count, count);
			act(ST, HEARS, X);
			found(reads_again ? RACE_NO_ORDER : NONE);
		}
}

/* Thread 0 writes X and then tells of it with `tells`; thread `reader` sees that with `sees` and reads X. */
struct message {
	const char *events; /* of the writer: x write of X, f fence, c fence of the group, t tells; of the reader: s, F,
			       C, X */
	enum what tells, sees;
	uint32_t reader;
	enum found_cause cause;
};

static void send(const struct message *m)
{
	const struct found *of_x = NULL;

	again();
	for (const char *e = m->events; *e; e++)
		switch (*e) {
		case 'x': act(ST, 0, X); break;
		case 'f': fence(0); break;
		case 'c': fence_cta(0); break;
		case 't': act(m->tells, 0, FLAG); break;
		case 's': act(m->sees, m->reader, FLAG); break;
		case 'F': fence(m->reader); break;
		case 'C': fence_cta(m->reader); break;
		default: act(LD, m->reader, X);
		}
	/* The flag itself races, too, where its scope leaves the reader out. */
	for (uint32_t k = 0; k < list.of.count; k++)
		if (list.of.at[k].address == BASE + X)
			of_x = &list.of.at[k];
	if (!of_x || m->cause == NONE) {
		assert_ptr_equal(of_x, NULL);
		assert_int_equal(m->cause, NONE);
		return;
	}
	assert_string_equal(found_causes[of_x->cause].name, found_causes[m->cause].name);
	assert_int_equal(of_x->has_heard, m->cause != RACE_NO_ORDER);
	if (of_x->has_heard) {
		assert_int_equal(of_x->heard, BASE + FLAG);
		assert_int_equal(of_x->heard_space, space_GLOBAL);
	}
}

static void messages_need_both_ends(void **state)
{
	static const struct message rows[] = {{"xtsX", ST_REL, LD_ACQ, 100, NONE},
		{"xtsX", ADD_ACQ_REL, ADD_ACQ_REL, 100, NONE}, {"xtsX", ST_RLX, LD_ACQ, 100, RACE_FENCE},
		{"xtsX", ST_REL, LD_RLX, 100, RACE_FENCE}, {"xtsX", ST_RLX, LD_RLX, 100, RACE_FENCE},
		{"xtsX", ST_VOL, LD_VOL, 32, RACE_FENCE}, {"xftsFX", ST_RLX, LD_RLX, 100, NONE},
		{"xftsFX", ADD, ADD, 100, NONE}, {"xftsX", ST_RLX, LD_ACQ, 100, NONE},
		{"xtsFX", ST_REL, LD_RLX, 100, NONE}, {"xftsX", ST_RLX, LD_RLX, 100, RACE_FENCE},
		{"xtsFX", ST_RLX, LD_RLX, 100, RACE_FENCE},
		/* a fence in the wrong place */
		{"fxtsFX", ST_RLX, LD_RLX, 100, RACE_FENCE}, {"xtfsFX", ST_RLX, LD_RLX, 100, RACE_FENCE},
		{"xftFsX", ST_RLX, LD_RLX, 100, RACE_FENCE}, {"txsX", ST_REL, LD_ACQ, 100, RACE_NO_ORDER},
		{"sxtX", ST_REL, LD_ACQ, 100, RACE_NO_ORDER},
		/* of the group only */
		{"xctsCX", ST_RLX, LD_RLX, 32, NONE}, {"xctsCX", ST_RLX, LD_RLX, 100, RACE_SCOPE},
		{"xctsFX", ST_RLX, LD_RLX, 100, RACE_SCOPE}, {"xftsCX", ST_RLX, LD_RLX, 100, RACE_SCOPE},
		{"xtsX", ST_REL_CTA, LD_ACQ_CTA, 32, NONE}, {"xtsX", ST_REL_CTA, LD_ACQ_CTA, 100, RACE_SCOPE},
		{"xtsX", ST_REL_CTA, LD_ACQ, 100, RACE_SCOPE}, {"xtsX", ST_REL, LD_ACQ_CTA, 100, RACE_SCOPE},
		{"xftsFX", ST_CTA, LD_CTA, 100, RACE_SCOPE}, {"xftsFX", ST_CTA, LD_CTA, 32, NONE},
		/* a narrow fence behind a wide one, and two */
		{"xfctsCFX", ST_RLX, LD_RLX, 100, NONE}, {"xfftsFFX", ST_RLX, LD_RLX, 100, NONE},
		{"xfxctsFX", ST_RLX, LD_RLX, 32, NONE}, {"xfxctsFX", ST_RLX, LD_RLX, 100, RACE_SCOPE},
		{"xftstsFX", ST_RLX, LD_RLX, 100, NONE},
		/* the same thread's later store of the word hides nothing */
		{"xftxtsFX", ST_RLX, LD_RLX, 100, RACE_FENCE}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		send(&rows[k]);
}

static void atomics_hand_on_and_stores_hide(void **state)
{
	static const struct {
		enum what between;
		uint32_t thread;
		enum found_cause cause;
	} rows[] = {{ADD, 200, NONE}, {ST_RLX, 0, NONE}, {ST_RLX, 200, RACE_NO_ORDER}, {ST_REL, 200, RACE_NO_ORDER},
		{LD_RLX, 200, NONE}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		again();
		act(ST, 0, X);
		act(ST_REL, 0, FLAG);
		act(rows[k].between, rows[k].thread, FLAG);
		act(LD_ACQ, 100, FLAG);
		act(LD, 100, X);
		found(rows[k].cause);
	}
	again();
	act(ST, 0, X);
	act(ST_REL_SHARED, 0, 16);
	act(ST_RLX_SHARED, 64, 16);
	act(LD_ACQ_SHARED, 32, 16);
	act(LD, 32, X);
	found(RACE_BARRIER);
	/* Likewise in one group, by releases of the group. */
	for (uint32_t hides = 0; hides < 2; hides++) {
		again();
		act(ST, 0, X);
		act(ST_REL_CTA, 0, FLAG);
		act(hides ? ST_CTA : ADD_CTA, 64, FLAG);
		act(LD_ACQ_CTA, 32, FLAG);
		act(LD, 32, X);
		found(hides ? RACE_BARRIER : NONE);
	}
}

/* From thread to thread, by words of their own; what came behind the release is not handed on. */
static void knowledge_is_handed_on(void **state)
{
	(void)state;
	again();
	for (uint32_t k = 0; k < 30; k++) {
		if (k)
			act(LD_ACQ, 100 * k, FLAG + 4 * (k - 1));
		act(ST, 100 * k, 1024 + 4 * k);
		act(ST_REL, 100 * k, FLAG + 4 * k);
		act(ST, 100 * k, 2048 + 4 * k);
	}
	for (uint32_t k = 0; k < 29; k++)
		act(LD, 2900, 1024 + 4 * k);
	found(NONE);
	for (uint32_t k = 0; k < 29; k++)
		act(LD, 2900, 2048 + 4 * k);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->count, 29);
	/* A thread that knows of one only. */
	act(LD_ACQ, 3000, FLAG + 4 * 10);
	for (uint32_t k = 0; k <= 10; k++)
		act(LD, 3000, 1024 + 4 * k);
	assert_int_equal(last()->count, 29);
	for (uint32_t k = 11; k < 29; k++)
		act(LD, 3000, 1024 + 4 * k);
	assert_int_equal(last()->count, 47);
	/* Two that release one word by atomics are both before who acquires it. */
	act(ST, 3100, 4096);
	act(ADD_ACQ_REL, 3100, OTHER);
	act(ST, 3200, 4100);
	act(ADD_ACQ_REL, 3200, OTHER);
	act(LD_ACQ, 3300, OTHER);
	act(LD, 3300, 4096);
	act(LD, 3300, 4100);
	found(NONE);
	act(LD, 3100, 4100);
	assert_int_equal(last()->count, 48);
}

/* A read that has no value yet when the fence comes observes behind it, as if it were before. */
static void reads_that_are_pending_are_fenced(void **state)
{
	(void)state;
	for (uint32_t narrow = 0; narrow < 2; narrow++) {
		again();
		act(ST, 0, X);
		act(ST_REL, 0, FLAG);
		act(ST, 0, X + 4);
		act(ST_REL, 0, OTHER);
		act(ST, 0, X + 8);
		act(ST_REL, 0, OTHER + 4);
		act_with(LD_RLX, 100, FLAG, 0, false, true);
		act_with(LD_RLX, 100, OTHER, 0, false, true);
		(narrow ? fence_cta : fence)(100);
		complete(LD_RLX, 100, FLAG);
		act(LD, 100, X);
		found(narrow ? RACE_SCOPE : NONE);
		complete(LD_RLX, 100, OTHER);
		act(LD, 100, X + 4);
		if (narrow)
			assert_int_equal(last()->count, 2);
		else
			found(NONE);
		/* Then all have their values, and the next needs a fence of its own. */
		act(LD_RLX, 100, OTHER + 4);
		act(LD, 100, X + 8);
		assert_int_equal(last()->cause, RACE_FENCE);
		assert_int_equal(last()->count, 1);
	}
	again(); /* a store pends for nothing */
	act(ST, 0, X);
	act_with(ST_REL, 0, FLAG, 0, false, true);
	act_with(ST_RLX, 100, OTHER, 0, false, true);
	fence(100);
	act(LD_RLX, 100, FLAG);
	act(LD, 100, X);
	found(RACE_FENCE);
	again(); /* of the group */
	act(ST, 0, X);
	act(ST_REL_CTA, 0, FLAG);
	act_with(LD_RLX, 32, FLAG, 0, false, true);
	fence_cta(32);
	complete(LD_RLX, 32, FLAG);
	act(LD, 32, X);
	found(NONE);
	again(); /* before it has its value nothing is known; and without a fence behind it */
	act(ST, 0, X);
	act(ST_REL, 0, FLAG);
	act_with(LD_ACQ, 100, FLAG, 0, false, true);
	act(LD, 100, X);
	found(RACE_NO_ORDER);
	complete(LD_ACQ, 100, FLAG);
	act(LD, 100, X);
	assert_int_equal(last()->count, 1);
}

/* A strong write that a strong read has seen is before what follows that read; a later one is not. */
static void what_was_observed_is_before(void **state)
{
	(void)state;
	again();
	act(ST_RLX, 0, X);
	act(LD_RLX, 100, X);
	act(LD, 100, X);
	act(ST, 100, X);
	found(NONE);
	act(LD, 0, X);
	found(RACE_NO_ORDER);
	again();
	act(ST_RLX, 0, X);
	act(LD_RLX, 100, X);
	act(ST_RLX, 0, X);
	act(LD, 100, X);
	found(RACE_PLAIN);
	again(); /* another's */
	act(ST_RLX, 0, X);
	act(LD_RLX, 100, X);
	act(ST_RLX, 200, X);
	act(LD, 100, X);
	found(RACE_PLAIN);
	again(); /* of one that it has not read; which of the two an atomic wrote first is not kept */
	act(ST_RLX, 0, X);
	act(ST_RLX, 0, OTHER);
	act(LD_RLX, 100, OTHER);
	act(LD, 100, X);
	found(RACE_PLAIN);
	again();
	act(ST, 0, X);
	act(ST_RLX, 0, OTHER);
	act(LD_RLX, 100, OTHER);
	act(LD, 100, X);
	found(RACE_FENCE);
	again(); /* written behind what was read */
	act(ST_RLX, 0, OTHER);
	act(ST, 0, X);
	act(LD_RLX, 100, OTHER);
	act(LD, 100, X);
	found(RACE_NO_ORDER);
	/* The ninth word that is read puts out the first; that one was read is still seen from the access itself. */
	again();
	for (uint32_t k = 0; k < 9; k++) {
		act(ST_RLX, 0, FLAG + 4 * k);
		act(LD_RLX, 100, FLAG + 4 * k);
	}
	for (uint32_t k = 0; k < 9; k++)
		act(LD, 100, FLAG + 4 * k);
	found(NONE);
	act(ST_RLX, 0, X);
	act(LD, 100, X);
	found(RACE_PLAIN);
}

static void a_swap_that_fails_only_reads(void **state)
{
	(void)state;
	again();
	act(LD, 0, X);
	act_with(CAS, 100, X, 0, true, false);
	found(NONE);
	act(ST, 200, X + 4);
	act_with(CAS, 100, X + 4, 0, true, false);
	found(RACE_PLAIN);
	for (uint32_t k = 0; k < 70000; k++) /* of one place, however often */
		act_with(CAS, 100, OTHER, 0, true, false);
	act(ST, 0, OTHER);
	act(ST, 0, 256);
	act(LD, 100, 256);
	found(RACE_NO_ORDER);
	again(); /* it releases nothing, and hides nothing */
	act(ST, 0, X);
	act_with(CAS_REL, 0, FLAG, 0, true, false);
	act(LD_ACQ, 100, FLAG);
	act(LD, 100, X);
	found(RACE_NO_ORDER);
	again();
	act(ST, 0, X);
	act_with(CAS_REL, 0, FLAG, 0, false, false);
	act(LD_ACQ, 100, FLAG);
	act(LD, 100, X);
	found(NONE);
}

static void what_is_given_orders_who_gets_it(void **state)
{
	static const enum race_handle kinds[] = {RACE_HANDLE_LOCK, RACE_HANDLE_BIT, RACE_HANDLE_HEAP};

	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		bool near = kinds[k] == RACE_HANDLE_BIT;
		uint64_t names[64] = {40, 40, 44};

		again();
		races_get(races, warp_of(0), 1, kinds[k], names);
		act(ST, 0, X);
		races_give(races, warp_of(0), 1, kinds[k], names);
		act(ST, 0, X + 4);
		races_get(races, warp_of(33), 2, kinds[k], names);
		act(LD, 33, X);
		found(NONE);
		act(LD, 33, X + 4);
		found(RACE_BARRIER);
		races_get(races, warp_of(34), 4, kinds[k], names); /* another name */
		act(LD, 34, X);
		assert_int_equal(last()->count, 2);
		for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++)
			if (n != k)
				races_get(races, warp_of(64), 1, kinds[n], names); /* another kind */
		act(LD, 64, X);
		assert_int_equal(last()->count, 3);
		races_get(races, warp_of(100), 1, kinds[k], names);
		act(LD, 100, X);
		found(near ? RACE_NO_ORDER : NONE);
	}
}

/* A fence.sc before a barrier is one for the write behind it of any thread that came; likewise on the other side, and
 * on both.  Another fence is one for its own thread. */
static void fences_reach_over_barriers(void **state)
{
	(void)state;
	for (uint32_t fenced = 0; fenced < 16; fenced++) { /* on each side: by whom, and of which kind */
		void (*before)(uint32_t) = fenced & 4 ? fence_sc : fence,
		     (*behind)(uint32_t) = fenced & 8 ? fence_sc : fence;

		again();
		act(ST, 5, X);
		if (fenced & 1)
			before(5);
		barrier(0);
		if (!(fenced & 1))
			before(64);
		act(ST_RLX, 64, FLAG);
		act(LD_RLX, 100, FLAG);
		if (!(fenced & 2))
			behind(100);
		barrier(1);
		if (fenced & 2)
			behind(140);
		act(LD, 140, X);
		found(!(fenced & 3) || (fenced & 12) == 12 ? NONE : RACE_FENCE);
	}
	again(); /* nobody */
	act(ST, 5, X);
	barrier(0);
	act(ST_RLX, 64, FLAG);
	act(LD_RLX, 100, FLAG);
	barrier(1);
	fence_sc(140);
	act(LD, 140, X);
	found(RACE_FENCE);
}

static void run_launches(bool lockstep)
{
	struct race_group *first;

	begin_with((struct races_asked){0}, lockstep);
	known = 0;
	first = group[0];
	act(ST, 0, X);
	act(ST, 0, X + 4);
	launch(lockstep, 2); /* beside it */
	act(LD, 0, X);
	found(RACE_HOST);
	assert_int_equal(last()->side[0].launch, 1);
	assert_int_equal(last()->side[1].launch, 2);
	assert_int_equal(last()->launch, 2);
	act(ST, 0, FLAG);
	act(LD_RLX, 133, FLAG);
	found(RACE_PLAIN);
	assert_int_equal(last()->side[0].launch, 2);
	assert_int_equal(last()->side[0].group, 0);
	assert_int_equal(last()->side[0].thread, 0);
	assert_int_equal(last()->side[1].group, 1);
	assert_int_equal(last()->side[1].thread, 33);
	assert_ptr_equal(races_launch(races, 2), newest);
	assert_ptr_not_equal(races_launch(races, 1), newest);
	assert_non_null(races_launch(races, 1));
	assert_null(races_launch(races, 3));
	act(ST, 0, X + 8);
	races_end_group(races, group[0]);
	races_end_group(races, group[1]);
	launch(lockstep, 2); /* behind the second, beside the first */
	act(LD, 0, X + 8);
	found(NONE);
	act(LD, 100, X + 4);
	assert_int_equal(list.of.at[0].count, 2);
	races_end_launches(races);
	launch(lockstep, 1);
	act(ST, 0, X);
	act(ST, 0, X + 4);
	act(ST, 0, X + 8);
	assert_int_equal(list.of.at[0].count, 2);
	found(NONE);
	assert_ptr_not_equal(group[0], first);
}

static void launches_beside_each_other_race(void **state)
{
	(void)state;
	run_launches(false);
	run_launches(true);
}

/* Numbers of threads of the second are not those of the first one's chains of releases. */
static void a_second_launch_has_numbers_of_its_own(void **state)
{
	(void)state;
	again();
	races_end_launches(races);
	launch(false, 1);
	for (uint32_t k = 0; k < 40; k++)
		act(ST_REL, k, FLAG + 4 * k);
	launch(false, GROUPS);
	for (uint32_t k = 0; k < GROUPS; k++)
		for (uint32_t lane = 0; lane < THREADS; lane++)
			act(ST, 100 * k + lane, 4096 + 384 * k + 4 * lane);
	for (uint32_t k = 0; k < 40; k++)
		act(LD_ACQ, 100, FLAG + 4 * k);
	for (uint32_t k = 2; k < GROUPS; k++)
		for (uint32_t lane = 0; lane < THREADS; lane++)
			act(LD, 100, 4096 + 384 * k + 4 * lane);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->count, (GROUPS - 2) * THREADS);
}

/* What a group leaves behind is nothing to the next one that takes its place. */
static void a_new_group_begins_with_nothing(void **state)
{
	uint64_t names[64] = {40};
	struct race_group *old;

	(void)state;
	again();
	old = group[0];
	act(ST_SHARED, 0, 8);
	act(ST_REL_SHARED, 0, 16);
	act(ST, 0, X);
	races_give(races, warp_of(0), 1, RACE_HANDLE_BIT, names);
	arrive(0, 0, true);
	arrive(0, 15, true);
	races_together(races, warp_of(0), 1, 3);
	for (uint32_t k = 0; k < GROUPS; k++)
		races_end_group(races, group[k]);
	launch(false, GROUPS);
	for (uint32_t k = 0; group[0] != old && k < GROUPS; k++)
		if (group[k] == old) {
			group[k] = group[0];
			group[0] = old;
		}
	for (uint32_t k = 0; k < GROUPS; k++)
		for (uint32_t other = 0; other < k; other++)
			assert_ptr_not_equal(group[k], group[other]);
	act(ST_SHARED, 33, 8);
	found(NONE);
	act(ST, 33, OTHER);
	races_open(races, group[0], 0);
	races_open(races, group[0], 15);
	races_get(races, warp_of(0), 1, RACE_HANDLE_BIT, names);
	act(LD_ACQ_SHARED, 0, 16);
	act(LD, 0, OTHER);
	found(RACE_BARRIER);
	act(ST, 0, FLAG);
	races_together(races, warp_of(0), 2, 3);
	act(LD, 1, FLAG);
	found(NONE);
}

/* Each group has its own. */
static void shared_memory_is_of_the_group(void **state)
{
	(void)state;
	again();
	act(ST_SHARED, 0, 8);
	act(ST_SHARED, 100, 8);
	found(NONE);
	act(LD_SHARED, 40, 8);
	found(RACE_BARRIER);
	assert_int_equal(last()->space, space_SHARED);
	assert_int_equal(last()->address, 8);
	act(ST, 0, X);
	act(ST_REL_SHARED, 0, 16);
	act(LD_ACQ_SHARED, 100, 16);
	act(LD_ACQ_SHARED, 33, 16);
	act(LD, 33, X);
	found(NONE);
	act(LD, 100, X);
	found(RACE_NO_ORDER);
	act(ADD_SHARED, 0, 24);
	act(ADD_SHARED, 64, 24);
	found(NONE);
}

/* Thread 40 learns of what thread 0 did behind its own read, so that neither of the reads is before the other: 70 is
 * behind one alone. */
static void reads_are_judged_by_what_was_known_then(void **state)
{
	(void)state;
	again();
	act(LD_SHARED, 0, 8);
	act(LD_SHARED, 40, 8);
	act(ST_REL, 40, FLAG);
	act(ST_REL, 0, OTHER);
	act(LD_ACQ, 40, OTHER);
	act(LD_ACQ, 70, FLAG);
	act(ST_SHARED, 70, 8);
	found(RACE_BARRIER);
	assert_int_equal(last()->side[0].thread, 0);
	again();
	act(LD_SHARED, 0, 8);
	act(LD_SHARED, 40, 8);
	barrier(0);
	act(ST_SHARED, 70, 8);
	found(NONE);
	act(LD_SHARED, 0, 8);
	found(RACE_BARRIER);
}

static void accesses_overlap_by_bytes(void **state)
{
	(void)state;
	again();
	act(ST8, 0, X + 3);
	act(LD, 100, X);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->address, BASE + 3);
	act(ST64, 0, 256);
	act(ST8, 100, 263);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->address, BASE + 263);
	act(LD8, 100, 262);
	found(RACE_NO_ORDER);
	act(LD8, 100, 264);
	act(LD8, 100, 255);
	found(NONE);
	/* One access is one race, by however many bytes. */
	act(ST8, 200, 512);
	act(ST8, 200, 513);
	act(LD64, 300, 512);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->count, 1);
	act(ST_V2, 0, 1024);
	act(LD, 100, 1028);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->address, BASE + 1028);
	act(LD, 100, 1032);
	assert_int_equal(last()->count, 1);
	/* The last bytes of a page and the first of the next. */
	act(ST, 0, 1020);
	act(LD_SAME_LINE, 100, 1020);
	found(RACE_NO_ORDER);
}

static void a_pair_of_lines_is_one_finding(void **state)
{
	(void)state;
	again();
	act(ST, 0, X);
	act(LD, 100, X);
	found(RACE_NO_ORDER);
	act(LD, 200, X);
	act(LD_SAME_LINE, 300, X);
	found(NONE);
	assert_int_equal(last()->count, 3);
	assert_int_equal(last()->side[1].group, 1);
	act(LD, 0, OTHER); /* the other way round */
	act(ST, 100, OTHER);
	found(NONE);
	assert_int_equal(last()->count, 4);
	act(LD, 0, FLAG);
	act(ST_REL, 100, FLAG);
	found(RACE_PLAIN);
	act(ST, 0, 256);
	act(LD, 64, 256); /* of another cause */
	found(RACE_BARRIER);
}

/* Reads of many threads are remembered each, in a crowd: a write races with all that nothing orders with it. */
static void crowds_are_remembered(void **state)
{
	(void)state;
	for (uint32_t threads = 2; threads <= 35; threads += 3)
		for (uint32_t late = 0; late < 2; late++) {
			again();
			for (uint32_t k = 0; k < threads; k++)
				act(k % 3 ? LD : LD_SAME_LINE, 100 * k, X);
			if (late) /* all have been told of, and released */
				for (uint32_t k = 0; k < threads; k++)
					act(ADD_ACQ_REL, 100 * k, FLAG);
			act(LD_ACQ, 3900, FLAG);
			act(ST, 3900, X);
			if (late) {
				found(NONE);
				act(LD, 3900, X);
				act(LD, 3899 - 99, X);
				found(RACE_NO_ORDER); /* the write is remembered in their place */
			} else {
				found(RACE_NO_ORDER);
			}
		}
	/* All but one are ordered. */
	for (uint32_t missing = 0; missing < 30; missing++) {
		static const enum what sites[] = {LD, LD_SAME_LINE, LD8, LD64, LD};

		again();
		for (uint32_t k = 0; k < 30; k++) {
			act(sites[k * k % 5], 100 * k, X);
			if (k != missing)
				act(ADD_ACQ_REL, 100 * k, FLAG);
		}
		act(LD_ACQ, 3900, FLAG);
		act(ST, 3900, X);
		found(RACE_NO_ORDER);
		assert_int_equal(last()->side[0].group, missing);
		assert_int_equal(last()->side[0].pc, pc_of[sites[missing * missing % 5]]);
	}
	/* Of lanes of one warp, of which one writes. */
	for (uint32_t missing = 0; missing < 30; missing++) {
		again();
		for (uint32_t k = 0; k < 30; k++) {
			act(LD, k, X);
			if (k != missing)
				act(ADD_ACQ_REL, k, FLAG);
		}
		act(LD_ACQ, 15, FLAG);
		act(ST, 15, X);
		found(missing == 15 ? NONE : RACE_SYNCWARP);
		if (missing != 15)
			assert_int_equal(last()->side[0].thread, missing);
	}
	/* A part of what a crowd has read is its own part's. */
	again();
	for (uint32_t k = 0; k < 30; k++)
		act(LD64, 100 * k, 8);
	act(ST8, 3900, 13);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->address, BASE + 13);
	act(ST8, 3800, 14);
	act(ST8, 3700, 12);
	act(ST8, 3600, 16);
	assert_int_equal(last()->count, 3);
}

/* Plain reads that are behind all of a crowd of atomics make a list of what was a table, or put it with its places;
 * each of the atomics is still known: another read that is behind all but one races with that one. */
static void strong_crowds_end(void **state)
{
	static const uint32_t sizes[] = {3, 5, 8, 9, 12, 30};

	(void)state;
	for (uint32_t k = 0; k < 6; k++)
		for (uint32_t missing = 0; missing < sizes[k]; missing++) {
			again();
			for (uint32_t n = 0; n < sizes[k]; n++)
				act(ADD, 100 * n, X);
			for (uint32_t n = 0; n < sizes[k]; n++)
				if (n != missing)
					act(ADD_ACQ_REL, 100 * n, FLAG);
			for (uint32_t n = 0; n < sizes[k]; n++)
				act(ADD_ACQ_REL, 100 * n, OTHER);
			for (uint32_t n = 3600; n <= 3800; n += 100) { /* the first is remembered beside the crowd */
				act(LD_ACQ, n, OTHER);
				act(LD, n, X);
			}
			found(NONE);
			act(LD_ACQ, 3900, FLAG);
			act(LD, 3900, X);
			found(RACE_PLAIN);
			assert_int_equal(last()->side[0].group, missing);
			assert_int_equal(last()->side[0].pc, pc_of[ADD]);
		}
}

/* So many atomics that they are kept by their place: a strong read is not one of them.  A plain read that is behind all
 * of the atomics does not race with it; a plain write does, and is told of the read. */
static void places_of_a_strong_crowd_are_told_apart(void **state)
{
	(void)state;
	again();
	for (uint32_t n = 0; n < 3000; n += n % 100 == 95 ? 5 : 1) {
		act(ADD, n, X);
		act(ADD_ACQ_REL, n, FLAG);
	}
	act(LD_RLX, 3800, X);
	act(LD_ACQ, 3900, FLAG);
	act(LD, 3900, X);
	found(NONE);
	act(ST, 3900, X);
	found(RACE_PLAIN);
	assert_int_equal(last()->side[0].group, 38);
	assert_int_equal(last()->side[0].pc, pc_of[LD_RLX]);
}

/* A word tells of one who wrote it before others did, and of how that was released: too narrowly, or not at all. */
static void who_wrote_a_word_before_is_told_of(void **state)
{
	static const struct {
		enum what write;
		bool fenced; /* before the write */
		enum found_cause cause;
	} rows[] = {{ST_REL_CTA, false, RACE_SCOPE}, {ST_RLX, false, RACE_FENCE}, {ST_CTA, false, RACE_FENCE},
		{ST_RLX, true, RACE_SCOPE}, {ST_CTA, true, RACE_SCOPE}, {ST_REL_CTA, true, RACE_SCOPE}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (uint32_t others = 0; others < 4; others++) {
			again();
			act(ST, 0, X);
			if (rows[k].fenced)
				fence_cta(0);
			act(rows[k].write, 0, FLAG);
			for (uint32_t n = 1; n <= others; n++)
				act(ADD, 200 + 100 * n, FLAG); /* a store would hide it */
			act(LD_ACQ, 100, FLAG);
			known = list.of.count; /* where the flag itself is written with too small a scope, that is told
						*/
			act(LD, 100, X);
			found(rows[k].cause);
		}
}

/* Strong stores of many values are kept by their place, with none of the values: a plain store of one of them races. */
static void values_of_a_crowd_are_told_apart(void **state)
{
	static const struct {
		uint16_t step; /* from one thread's value to the next one's */
		uint32_t more; /* pairs that the last store is told in */
	} rows[] = {{0, 1}, {1, 2}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (uint32_t threads = 12; threads <= 30; threads += 6) {
			uint32_t before;

			again();
			for (uint32_t n = 0; n < threads; n++)
				act_with(ST_RLX, 100 * n, X, (uint16_t)(7 + n * rows[k].step), false, false);
			for (uint32_t n = 0; n < threads; n++)
				act(ADD_ACQ_REL, 100 * n, FLAG);
			for (uint32_t n = 3500; n <= 3700; n += 100) { /* no table any more */
				act(LD_ACQ, n, FLAG);
				act(LD, n, X);
			}
			before = list.of.count;
			assert_int_equal(before, 0);
			act_with(ST, 3800, X, 7, false, false);
			assert_int_equal(list.of.count - before, rows[k].more);
			for (uint32_t n = before; n < list.of.count; n++) {
				const struct found *f = &list.of.at[n];

				assert_int_equal(f->side[1].pc, pc_of[ST]);
				assert_int_equal(f->cause, f->side[0].pc == pc_of[ST_RLX] ? RACE_PLAIN : RACE_NO_ORDER);
			}
		}
}

/* Some lanes of each warp come: those that do not are not before what comes behind the barrier. */
static void a_barrier_of_some_lanes_orders_these_alone(void **state)
{
	(void)state;
	for (uint32_t all = 0; all < 2; all++) {
		again();
		for (uint32_t thread = 0; thread < THREADS; thread++)
			act(ST_SHARED, thread, 4 * thread);
		for (uint32_t k = 0; k < THREADS / LANES; k++)
			races_arrive(races, races_warp(group[0], k), 1, all ? UINT32_MAX : 0xffff, true);
		races_open(races, group[0], 1);
		act(LD_SHARED, 0, 4 * 15);
		act(LD_SHARED, 33, 4 * 79);
		found(NONE);
		act(LD_SHARED, 1, 4 * 16);
		found(all ? NONE : RACE_SYNCWARP);
		act(ST_SHARED, 34, 4 * 95);
		found(all ? NONE : RACE_BARRIER);
		act(LD_SHARED, 20, 4 * 2); /* nor do they know of the others */
		act(LD_SHARED, 20, 4 * 40);
		assert_int_equal(list.of.count, all ? 0 : 2); /* a pair of lines that needs both is one */
		known = list.of.count;
	}
}

/* What a thread learned before a barrier is handed on by it, through whoever came; what one that does not wait does
 * behind its arrival is not. */
static void barriers_hand_on(void **state)
{
	(void)state;
	again();
	act(ST, 100, X);
	act(ST_REL, 100, FLAG);
	act(LD_ACQ, 64, FLAG);
	barrier(0);
	act(LD, 0, X);
	found(NONE);
	again();
	arrive(0, 3, false);
	act(ST, 0, X);
	arrive(32, 3, true);
	races_open(races, group[0], 3);
	act(LD, 32, X);
	found(RACE_BARRIER);
	act(ST, 0, OTHER); /* of a thread that arrives twice */
	arrive(0, 3, false);
	arrive(32, 3, true);
	races_open(races, group[0], 3);
	act(LD, 32, OTHER);
	found(NONE);
	/* Threads whose epochs differ come to one: each is before, and what they do behind it is behind. */
	for (uint32_t releases = 0; releases < 4; releases++) {
		again();
		for (uint32_t k = 0; k < releases; k++)
			act(ST_REL, 1, FLAG + 4);
		for (uint32_t k = 0; k < 3; k++)
			act(ST, k, X + 4 * k);
		barrier(0);
		for (uint32_t k = 0; k < 3; k++)
			act(LD, 40, X + 4 * k);
		found(NONE);
		for (uint32_t k = 0; k < 3; k++)
			act(ST, k, X + 16 + 4 * k);
		for (uint32_t k = 0; k < 3; k++)
			act(LD, 40, X + 16 + 4 * k);
		found(RACE_BARRIER);
		assert_int_equal(last()->count, 3);
	}
	/* Who hears by a word of one that came has heard of all. */
	again();
	act(ST, 5, X);
	barrier(0);
	act(ST_RLX, 64, FLAG);
	act(LD_RLX, 100, FLAG);
	act(LD, 100, X);
	found(RACE_FENCE);
	assert_true(last()->has_heard);
	assert_int_equal(last()->heard, BASE + FLAG);
}

/* Lanes that met go on one after another: those that go on later have not seen what the first did meanwhile. */
static void lanes_go_on_one_after_another(void **state)
{
	(void)state;
	again();
	act(ST, 2, X);
	races_together(races, warp_of(0), 1, 7);
	act(LD, 0, X);
	found(NONE);
	act(ST, 0, OTHER);
	races_together(races, warp_of(0), 2, 7);
	act(LD, 1, OTHER);
	found(RACE_SYNCWARP);
	races_together(races, warp_of(0), 4, 7);
	act(LD, 2, OTHER);
	assert_int_equal(last()->count, 2);
	/* All have gone on: the next meeting is a new one. */
	act(ST, 0, FLAG);
	races_together(races, warp_of(0), 7, 7);
	act(LD, 1, FLAG);
	act(LD, 2, FLAG);
	assert_int_equal(last()->count, 2);
	act(ST, 0, FLAG + 8);
	act(ST, 2, FLAG + 12);
	races_together(races, warp_of(0), 3, 3);
	act(LD, 1, FLAG + 8);
	assert_int_equal(last()->count, 2);
	act(LD, 1, FLAG + 12); /* its neighbour's, that did not come */
	assert_int_equal(last()->count, 3);
	/* Lanes 0 and 1 meet, and then lane 0 and lane 3 before lane 1 has gone on. */
	act(ST, 3, FLAG + 4);
	races_together(races, warp_of(0), 1, 3);
	races_together(races, warp_of(0), 9, 9);
	act(LD, 0, FLAG + 4);
	assert_int_equal(last()->count, 3);
}

/* Of a word that it has read, a thread remembers so even where others read it, too, and it has read many since. */
static void that_a_word_was_read_is_seen_in_a_crowd(void **state)
{
	(void)state;
	for (uint32_t reads = 0; reads < 2; reads++)
		for (uint32_t others = 0; others < 20; others += 4) {
			again();
			act(ST_RLX, 0, X);
			for (uint32_t k = 0; k < others; k++)
				act(LD_RLX, 200 + 100 * k, X);
			if (reads)
				act(LD_RLX, 100, X);
			for (uint32_t k = 0; k < 9; k++) {
				act(ST_RLX, 3000, FLAG + 4 * k);
				act(LD_RLX, 100, FLAG + 4 * k);
			}
			act(LD, 100, X);
			found(reads ? NONE : RACE_PLAIN);
		}
}

/* An entry of a clock is of one thread, or of one chain of releases: who acquires knows of no thread that has not
 * released, whatever its number. */
static void acquiring_tells_of_no_other_thread(void **state)
{
	(void)state;
	again();
	for (uint32_t k = 2; k < GROUPS; k++)
		for (uint32_t lane = 0; lane < THREADS; lane += 31)
			act(ST, 100 * k + lane, 4096 + 256 * k + 4 * lane % 256);
	for (uint32_t k = 0; k < 20; k++)
		act(ST_REL, 0, FLAG);
	act(LD_ACQ, 100, FLAG);
	for (uint32_t k = 2; k < GROUPS; k++)
		act(LD, 100, 4096 + 256 * k);
	found(RACE_NO_ORDER);
	assert_int_equal(last()->count, GROUPS - 2);
}

/* So many chains that threads get entries of their own: two threads that hear of each other's release but last. */
static void chains_may_run_out(void **state)
{
	(void)state;
	again();
	races_end_launches(races);
	launch(false, 1); /* 128 numbers: 3,840 chains */
	for (uint32_t k = 0; k < 5000; k++) {
		act(ST, 0, X);
		act(ST_REL, 0, FLAG);
		act(LD_ACQ, 40, FLAG);
		act(LD, 40, X);
		act(ST_REL, 40, FLAG + 4);
		act(ST_REL, 0, FLAG + 8);
		act(LD_ACQ, 0, FLAG + 4);
		if (k % 500 == 499) {
			act(ST, 0, OTHER + k / 500 * 4);
			act(LD, 40, OTHER + k / 500 * 4);
		}
	}
	found(RACE_BARRIER);
	assert_int_equal(last()->count, 10);
}

/* Records of a crowd that go in lockstep are of warps; of a word that was observed all are taken for observed. */
static void crowds_of_warps_are_observed(void **state)
{
	(void)state;
	begin_with((struct races_asked){0}, true);
	known = 0;
	for (uint32_t k = 0; k < 30; k++)
		act(ST_RLX, 100 * k + 32, X);
	act(LD_RLX, 3200, X);
	act(LD, 3200, X);
	found(NONE);
	for (uint32_t k = 0; k < 30; k++)
		act(ST_RLX, 100 * k + 32, OTHER);
	act(LD, 3200, OTHER);
	found(RACE_PLAIN);
	assert_int_equal(last()->side[0].thread, 32);
	for (uint32_t k = 0; k < 30; k++)
		act(LD, 100 * k + 33, FLAG);
	act(ST, 3200, FLAG);
	found(RACE_NO_ORDER);
}

/* Releases of a launch that is over are nothing to the next one, in which threads and chains have the same numbers. */
static void releases_that_are_over_are_forgotten(void **state)
{
	(void)state;
	for (uint32_t thread = 0; thread < 3; thread++) {
		again();
		for (uint32_t k = 0; k < 3; k++)
			act(ST_REL, thread, FLAG);
		races_end_launches(races);
		launch(false, GROUPS);
		act(ST, thread, X);
		for (uint32_t k = 0; k < 4; k++)
			act(ST_REL, 40, FLAG);
		act(LD_ACQ, 100, FLAG);
		act(LD, 100, X);
		found(RACE_BARRIER); /* 40 has told, and not of this */
	}
}

/* What a launch needed is used again by the next ones, once all have ended: those that do something take no more than
 * those that do nothing. */
static void what_is_over_takes_no_memory(void **state)
{
	uint64_t names[64] = {40};
	size_t used = 0, grown = 0;

	(void)state;
	again();
	for (uint32_t round = 0; round < 96; round++) {
		bool idle = round >= 20 && round < 52;

		if (round == 24 || round == 60)
			used = arena.used;
		if (round == 48)
			grown = arena.used - used;
		if (round == 84)
			assert_int_equal(arena.used - used, grown);
		for (uint32_t k = 0; k < GROUPS; k++)
			races_end_group(races, group[k]);
		launch(false, GROUPS);
		for (uint32_t k = 0; !idle && k < 30; k++) {
			act(LD_RLX, 100 * k, X);
			act(LD, 100 * k + 1, X + 4);
			act(k % 2 ? LD : LD8, 100 * k, 512);
			act(ST_SHARED, 100 * k, 8);
			act(LD_SHARED, 100 * k, 8);
			act(ADD_SHARED, 100 * k, 16);
			act(ADD_ACQ_REL, 100 * k, FLAG);
			act(ST_REL, 100 * k, 1024 + 4 * k);
			act(LD_ACQ, 100 * k, 1024);
			act(ST_REL_CTA, 100 * k, 2048 + 4 * k);
			act(LD_ACQ_CTA, 100 * k + 64, 2048 + 4 * k);
			act(ST_VOL, 100 * k, 4096 + 4 * k);
			act(LD_VOL, 100 * k, 4096 + 4 * (29 - k));
			fence(100 * k);
			fence_cta(100 * k + 1);
			barrier(k);
			arrive(100 * k, 4, true); /* and is never opened */
			arrive(100 * k, 0, true);
			races_together(races, warp_of(100 * k), 7, 15);
			races_give(races, warp_of(100 * k), 1, RACE_HANDLE_LOCK, names);
			races_get(races, warp_of(100 * k + 40), 1, RACE_HANDLE_LOCK, names);
			races_give(races, warp_of(100 * k), 1, RACE_HANDLE_BIT, names);
		}
	}
}

/* ---- What kernels launch ---- */

/* A kernel of one group that thread 0 of the groups there are launches with `grid`: it runs now. */
static struct race_launch *begin_child(struct race_grid *grid)
{
	struct race_launch *child = races_begin_launch(races, ++ordinal, kernel, false, 1, THREADS);

	races_begin_grid(races, child, grid);
	group[CHILD] = races_begin_group(races, child, 0);
	return child;
}

static void end_child(struct race_grid *grid, struct race_grid *parent)
{
	races_end_group(races, group[CHILD]);
	races_grid_ends(races, grid);
	races_follow(races, parent, grid);
}

/* Thread 0 stores X, launches two kernels, the second behind the first, and stores X + 4.  What the causes are is told
 * once for each pair of lines, so in the first round. */
static void launch_two(bool is_first, bool waits)
{
	struct race_grid *parent = races_grid_of(races, newest), *one = races_grid(races, true),
			 *two = races_grid(races, true), *all = races_grid(races, false);

	assert_true(parent != one && one != two && two != all);
	act(ST, 0, X);
	act(ST, 133, X + 192);
	act(ST_REL, 133, 1024);
	act(ST, 165, X + 256);
	act(ST_REL, 165, 2048);
	races_launches(races, warp_of(0), 0, one);
	races_launches(races, warp_of(0), 0, two);
	act(ST_VOL, 0, X + 4);
	begin_child(one);
	act(LD, 100 * CHILD, X); /* it is behind the launch */
	found(NONE);
	act(LD, 100 * CHILD + 40, X + 4); /* and not behind what came then */
	found(is_first ? RACE_PLAIN : NONE);
	act(ST, 100 * CHILD + 50, X + 64);
	act(LD_ACQ, 100 * CHILD + 95, 1024); /* what a group there has released */
	end_child(one, parent);
	races_follow(races, two, one);
	begin_child(two);
	act(LD, 100 * CHILD, X); /* behind the launch, too */
	act(LD, 100 * CHILD, X + 64);
	act(LD, 100 * CHILD + 33, X + 192);
	found(NONE);
	act(ST, 100 * CHILD + 95, X + 128);
	act(LD_ACQ, 100 * CHILD, 2048);
	end_child(two, parent);
	if (waits) {
		races_follow(races, all, parent);
		races_awaited(races, warp_of(0), 1, all);
		act(LD, 0, X + 64);
		act(LD, 0, X + 128);
		act(LD, 0, X + 192);
		act(LD, 0, X + 256);
		found(NONE);
	}
	act(LD8, 101, X + 64); /* another group waits for nothing */
	found(is_first ? RACE_NO_ORDER : NONE);
	for (uint32_t k = 0; k < GROUPS; k++)
		races_end_group(races, group[k]);
	races_grid_ends(races, parent);
}

/* As many launches, of which the kernels launch nothing. */
static void launch_beside(void)
{
	for (uint32_t k = 0; k < 2; k++)
		races_end_group(races,
			races_begin_group(races, races_begin_launch(races, ++ordinal, kernel, false, 1, THREADS), 0));
	for (uint32_t k = 0; k < GROUPS; k++)
		races_end_group(races, group[k]);
}

/* When all have ended, the next ones have their memory: it does not grow by more than the launches themselves need. */
static void what_is_launched_is_behind_the_launch(void **state)
{
	size_t used = 0, grown = 0;

	(void)state;
	again();
	for (uint32_t round = 0; round < 64; round++) {
		if (round < 32)
			launch_two(round == 0, round % 3 != 0);
		else
			launch_beside();
		launch(false, GROUPS);
		if (round == 15 || round == 47)
			used = arena.used;
		if (round == 31)
			grown = arena.used - used;
	}
	assert_int_equal(grown, arena.used - used);
}

/* What follows a kernel knows its threads, and not those of a launch that began later and runs beside; whether warps
 * run in lockstep or not. */
static void what_begins_later_is_beside(void **state)
{
	(void)state;
	for (uint32_t lockstep = 0; lockstep < 2; lockstep++) {
		struct race_launch *child;
		struct race_grid *parent, *one, *two;

		begin_with((struct races_asked){0}, lockstep);
		known = 0;
		parent = races_grid_of(races, newest);
		one = races_grid(races, true);
		two = races_grid(races, true);
		races_launches(races, warp_of(0), 0, one);
		races_launches(races, warp_of(0), 0, two);
		child = races_begin_launch(races, ++ordinal, kernel, lockstep, 1, THREADS);
		races_begin_grid(races, child, one);
		group[CHILD] = races_begin_group(races, child, 0);
		act(ST, 100 * CHILD + 95, X + 64);
		end_child(one, parent);
		races_follow(races, two, one);
		child = races_begin_launch(races, ++ordinal, kernel, lockstep, 1, THREADS);
		group[CHILD] = races_begin_group(races, child, 0);
		act(ST, 100 * CHILD, X);
		child = races_begin_launch(races, ++ordinal, kernel, lockstep, 1, THREADS);
		races_begin_grid(races, child, two);
		group[CHILD] = races_begin_group(races, child, 0);
		act(LD, 100 * CHILD, X + 64);
		found(NONE);
		act(LD, 100 * CHILD, X);
		found(RACE_HOST);
	}
}

/* ---- Asynchronous copies ---- */

#define Y 256 /* offset in shared memory */
#define BAR 1024

static void again_with_copies(void)
{
	kernel = copying;
	again();
	kernel = plain; /* what accesses are has the same place in both */
}

static uint32_t tokens;

/* The thread begins a copy of 16 bytes from X, and a multiple of 16, to Y and that; bulk with groups: the other way.
 * Returns its token. */
static uint32_t copy(uint32_t by, uint32_t thread, uint32_t at)
{
	bool out = by == RACE_BY_BULK_GROUP;
	struct race_copy c = {.from = out ? Y + at : BASE + at,
		.to = out ? BASE + at : Y + at,
		.object = BAR,
		.read = 16,
		.written = 16,
		.pc = pc_of_copy[by],
		.lane = lane_of(thread),
		.token = ++tokens,
		.from_space = out ? space_SHARED : space_GLOBAL,
		.to_space = out ? space_GLOBAL : space_SHARED,
		.by = (uint8_t)by,
		.is_bulk = by != RACE_BY_GROUP};

	races_copy(races, warp_of(thread), &c);
	return c.token;
}

/* A copy to global memory that reduces elements of so many bytes. */
static void reduce(uint32_t thread, uint8_t element)
{
	struct race_copy c = {.from = Y,
		.to = BASE,
		.read = 16,
		.written = 16,
		.pc = pc_of_copy[RACE_BY_BULK_GROUP],
		.lane = lane_of(thread),
		.token = ++tokens,
		.from_space = space_SHARED,
		.to_space = space_GLOBAL,
		.element = element,
		.by = RACE_BY_BULK_GROUP,
		.is_bulk = true};

	races_copy(races, warp_of(thread), &c);
}

static void commit(uint32_t thread, bool bulk)
{
	races_commit(races, warp_of(thread), bit_of(thread), bulk);
}

static void wait_for(uint32_t thread, bool bulk, bool read, uint32_t pending)
{
	races_wait(races, warp_of(thread), bit_of(thread), bulk, read, pending);
}

static void found_with(enum found_cause cause, enum found_cause detail)
{
	found(cause);
	assert_int_equal(last()->detail, detail);
}

/* However often the elements' size changes, places of instructions that come later are left. */
static void one_copy_may_reduce_elements_of_several_sizes(void **state)
{
	(void)state;
	again_with_copies();
	for (uint32_t k = 0; k < 66000; k++) {
		reduce(0, k % 2 ? 4 : 8);
		commit(0, true);
		wait_for(0, true, false, 0);
	}
	found(NONE);
	act(ST, 0, X + 64);
	act(ST, 100, X + 64);
	found(RACE_NO_ORDER);
	reduce(100, 4); /* the record has the site of its own size */
	found(RACE_SIZE);
	again_with_copies();
	reduce(0, 4);
	reduce(100, 4);
	found(NONE);
	reduce(200, 8);
	found(RACE_SIZE);
}

static void a_copy_is_over_behind_a_wait_for_its_group(void **state)
{
	(void)state;
	again_with_copies();
	copy(RACE_BY_GROUP, 0, 0);
	act(LD_SHARED, 0, Y + 12);
	found_with(RACE_NO_ORDER, RACE_DETAIL_GROUP);
	assert_int_equal(last()->side[0].thread, 0);
	again_with_copies(); /* not committed: not waited for */
	copy(RACE_BY_GROUP, 33, 0);
	wait_for(33, false, false, 0);
	act(ST_SHARED, 33, Y);
	found_with(RACE_NO_ORDER, RACE_DETAIL_GROUP);
	assert_int_equal(last()->side[0].thread, 33);
	again_with_copies();
	copy(RACE_BY_GROUP, 0, 0);
	commit(0, false);
	copy(RACE_BY_GROUP, 0, 16);
	commit(0, false);
	wait_for(0, false, false, 1);
	act(LD_SHARED, 0, Y);
	found(NONE);
	act(LD_SHARED, 1, Y);
	found_with(RACE_SYNCWARP, RACE_DETAIL_WAITED_IN_WARP);
	act(LD_SHARED, 40, Y);
	found_with(RACE_BARRIER, RACE_DETAIL_WAITED);
	act(LD_SHARED, 0, Y + 16);
	found_with(RACE_NO_ORDER, RACE_DETAIL_GROUP);
	wait_for(0, false, false, 0);
	barrier(0);
	act(ST_SHARED, 40, Y + 16);
	found(NONE);
	again_with_copies(); /* a barrier is no wait */
	copy(RACE_BY_GROUP, 0, 0);
	commit(0, false);
	barrier(0);
	act(LD_SHARED, 40, Y);
	found_with(RACE_NO_ORDER, RACE_DETAIL_GROUP);
	for (uint32_t k = 0; k < 40; k++) { /* of many groups, too, the last ones may be left out */
		again_with_copies();
		for (uint32_t n = 0; n < 40; n++) {
			copy(RACE_BY_GROUP, 0, 16 * n);
			commit(0, false);
		}
		wait_for(0, false, false, 15);
		act(LD_SHARED, 0, Y + 16 * k);
		found(k < 25 ? NONE : RACE_NO_ORDER);
	}
}

static void a_copy_reads_its_source_until_it_is_over(void **state)
{
	(void)state;
	again_with_copies();
	copy(RACE_BY_GROUP, 0, 0);
	act(LD, 0, X);
	found(NONE);
	act(ST, 0, X + 4);
	found_with(RACE_NO_ORDER, RACE_DETAIL_GROUP);
	assert_true(last()->side[0].reads_source);
	again_with_copies();
	copy(RACE_BY_BULK_GROUP, 0, 0);
	commit(0, false); /* groups of the other kind */
	wait_for(0, false, false, 0);
	act(ST_SHARED, 0, Y);
	found_with(RACE_NO_ORDER, RACE_DETAIL_BULK);
	commit(0, true);
	wait_for(0, true, true, 0);
	act(ST_SHARED, 0, Y + 4);
	found(NONE);
	act(LD, 0, X);
	found_with(RACE_NO_ORDER, RACE_DETAIL_BULK);
	wait_for(0, true, false, 0);
	act(LD, 0, X + 4);
	found(NONE);
	act(LD, 100, X + 8); /* another group */
	found_with(RACE_NO_ORDER, FOUND_NO_CAUSE);
}

static void a_copy_is_behind_what_its_thread_did(void **state)
{
	(void)state;
	again_with_copies();
	act(ST_SHARED, 0, Y);
	act(ST, 0, X);
	copy(RACE_BY_GROUP, 0, 0);
	found(NONE);
	act(LD_SHARED, 40, Y + 20);
	copy(RACE_BY_GROUP, 0, 16);
	found_with(RACE_BARRIER, FOUND_NO_CAUSE);
	barrier(0);
	copy(RACE_BY_GROUP, 0, 16); /* the first to there goes on */
	found_with(RACE_NO_ORDER, RACE_DETAIL_GROUP);
}

static void an_mbarrier_tells_of_its_phases(void **state)
{
	const uint64_t objects[64] = {[0] = BAR, [8] = BAR};
	uint32_t token;

	(void)state;
	again_with_copies();
	act(ST_SHARED, 0, Y + 64);
	token = copy(RACE_BY_OBJECT, 0, 0);
	races_copied(races, group[0], 0, token, BAR);
	races_find_over(races, warp_of(40), bit_of(40), false, objects); /* the phase has not ended */
	act(LD_SHARED, 40, Y);
	found_with(RACE_NO_ORDER, RACE_DETAIL_OBJECT);
	races_end_phase(races, group[0], BAR);
	token = copy(RACE_BY_OBJECT, 0, 16);
	races_copied(races, group[0], 0, token, BAR); /* of the next */
	races_find_over(races, warp_of(40), bit_of(40), false, objects);
	act(LD_SHARED, 40, Y + 4);
	found(NONE);
	act(LD_SHARED, 40, Y + 16);
	assert_int_equal(last()->count, 2);
	act(LD_SHARED, 40, Y + 64); /* the end of the copy tells of nothing else */
	found(RACE_BARRIER);
	races_arrive_at(races, warp_of(0), 1, RACE_ARRIVES, objects);
	races_end_phase(races, group[0], BAR);
	races_find_over(races, warp_of(72), bit_of(72), false, objects);
	act(LD_SHARED, 72, Y + 64);
	found(NONE);
	races_object(races, warp_of(0), 1, objects); /* a new object knows nothing */
	races_find_over(races, warp_of(40), bit_of(40), false, objects);
	act(LD_SHARED, 40, Y + 68);
	found(NONE);
}

static void an_mbarrier_tracks_what_was_begun(void **state)
{
	const uint64_t objects[64] = {[8] = BAR};

	uint32_t token = 1000;

	(void)state;
	again_with_copies();
	copy(RACE_BY_GROUP, 0, 0);
	races_track(races, warp_of(0), 0, token);
	copy(RACE_BY_GROUP, 0, 16);
	races_copied(races, group[0], 1, token, BAR); /* of another lane */
	races_end_phase(races, group[0], BAR);
	races_find_over(races, warp_of(40), bit_of(40), false, objects);
	act(LD_SHARED, 40, Y);
	found_with(RACE_NO_ORDER, RACE_DETAIL_GROUP);
	races_copied(races, group[0], 0, token, BAR);
	races_end_phase(races, group[0], BAR);
	races_find_over(races, warp_of(40), bit_of(40), false, objects);
	act(LD_SHARED, 40, Y + 4);
	assert_int_equal(last()->count, 1);
	act(LD_SHARED, 40, Y + 16);
	assert_int_equal(last()->count, 2);
}

/* init, or an arrival. */
static void use_object(uint32_t thread, uint32_t k)
{
	uint64_t address[64] = {0};
	struct race_access a = {.insn = &copying->code[pc_of_object[k]],
		.pc = pc_of_object[k],
		.lanes = bit_of(thread),
		.space = space_SHARED,
		.address = address};

	address[lane_of(thread)] = BAR;
	races_access(races, warp_of(thread), &a);
}

static void an_mbarrier_is_initialised_before_its_use(void **state)
{
	(void)state;
	again_with_copies();
	use_object(0, 0);
	use_object(0, 1);
	found(NONE);
	use_object(40, 1);
	found_with(RACE_BARRIER, RACE_DETAIL_INIT);
	again_with_copies();
	use_object(0, 0);
	barrier(0);
	use_object(40, 1);
	use_object(72, 1);
	found(NONE);
	use_object(10, 0); /* and again, while it is used */
	found_with(RACE_BARRIER, RACE_DETAIL_INIT);
}

static void stores_are_fenced_for_bulk_copies(void **state)
{
	(void)state;
	for (uint32_t fenced = 0; fenced < 6; fenced++) { /* by nobody, writer, copier; too early, for global memory */
		again_with_copies();
		if (fenced == 3)
			races_proxy_fence(races, warp_of(40), bit_of(40), true, true);
		act(ST_SHARED, 40, Y);
		if (fenced == 1)
			races_proxy_fence(races, warp_of(40), bit_of(40), false, true);
		if (fenced == 4)
			races_proxy_fence(races, warp_of(40), bit_of(40), true, false);
		barrier(0);
		if (fenced == 2)
			races_proxy_fence(races, warp_of(0), bit_of(0), false, true);
		if (fenced == 5) /* of the same proxy */
			copy(RACE_BY_GROUP, 0, 0);
		else
			copy(RACE_BY_BULK_GROUP, 0, 0);
		if (fenced == 1 || fenced == 2 || fenced == 5)
			found(NONE);
		else
			found_with(RACE_FENCE, RACE_DETAIL_PROXY);
	}
	again_with_copies(); /* what was read needs none */
	act(LD_SHARED, 40, Y);
	barrier(0);
	copy(RACE_BY_OBJECT, 0, 0);
	found(NONE);
}

static void copies_of_a_group_end_with_it(void **state)
{
	(void)state;
	again_with_copies();
	copy(RACE_BY_GROUP, 0, 0);
	races_proxy_fence(races, warp_of(0), 1, true, true);
	races_track(races, warp_of(0), 0, 7);
	races_end_group(races, group[0]);
	group[0] = races_begin_group(races, newest, 0);
	races_copied(races, group[0], 0, 7, BAR);
	act(LD_SHARED, 0, Y);
	found(NONE);
	act(ST_SHARED, 0, Y + 32);
	copy(RACE_BY_BULK_GROUP, 0, 32);
	found_with(RACE_FENCE, RACE_DETAIL_PROXY);
}

static void blocks_have_bytes_and_no_values(void **state)
{
	(void)state;
	again(); /* by instructions that do nothing else here */
	races_block(races, warp_of(0), pc_of[ADD_SHARED], 0, space_SHARED, 3, 9, true); /* bytes 3 to 11 */
	act(ST_SHARED, 40, 12);
	races_block(races, warp_of(64), pc_of[ADD_SHARED], 0, space_SHARED, 1, 2, true);
	found(NONE);
	races_block(races, warp_of(64), pc_of[LD_ACQ_SHARED], 0, space_SHARED, 0, 4, false);
	found(RACE_BARRIER);
	assert_int_equal(last()->address, 3);
	again();
	races_block(races, warp_of(0), pc_of[ADD_SHARED], 0, space_SHARED, 0, 16, true);
	races_block(races, warp_of(40), pc_of[ADD_SHARED], 8, space_SHARED, 0, 16, true);
	found(RACE_BARRIER); /* not of the same value, as far as is known */
}

/* ---- Against happens-before itself ----
 *
 * Random threads access bytes, hand on what they know by words and fences, and come to barriers.  A plain clock of
 * every thread says which accesses are before which; the first pair that is not must be told, with the access that ends
 * it, and nothing sooner.  The rules are those of the PTX ISA, "Memory consistency model": release and acquire
 * patterns, with and without fences, and barriers, over which each fence.sc reaches. */

#define ACTORS 12

/* By group and warp: two of one warp, several of a group. */
static const uint32_t actors[ACTORS] = {0, 1, 31, 32, 95, 100, 101, 140, 195, 200, 233, 264};

struct knowledge {
	uint32_t of[ACTORS]; /* how many accesses of each strand */
};

/* Of each strand: an actor, or in lockstep the first of its warp, whose lanes are one after another. */
static struct knowledge knows[ACTORS], fenced[ACTORS], observed[ACTORS];
static struct knowledge fenced_sc[ACTORS], observed_sc[ACTORS]; /* of each fence.sc, of its thread and those it met */
static const uint32_t *strands;
static const uint32_t of_threads[ACTORS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		      of_warps[ACTORS] = {0, 0, 0, 3, 4, 5, 5, 7, 8, 9, 10, 11};

#define WORDS 6
static struct knowledge released[WORDS],
	released_sc[WORDS]; /* by the last write of each word, and the atomics behind it */

#define DATA 24
static struct {
	uint32_t actor, number;
	bool writes;
} history[4 * DATA][4096]; /* of global memory, and of the groups' shared memory */
static uint32_t lengths[4 * DATA];

static void learn(struct knowledge *to, const struct knowledge *from)
{
	for (uint32_t k = 0; k < ACTORS; k++)
		to->of[k] = to->of[k] > from->of[k] ? to->of[k] : from->of[k];
}

static bool would_race(uint32_t actor, uint32_t at, uint32_t bytes, bool writes)
{
	for (uint32_t b = at; b < at + bytes; b++)
		for (uint32_t k = 0; k < lengths[b]; k++)
			if ((writes || history[b][k].writes) &&
				history[b][k].number > knows[actor].of[history[b][k].actor])
				return true;
	return false;
}

static void note_access(uint32_t actor, uint32_t at, uint32_t bytes, bool writes)
{
	uint32_t number = ++knows[actor].of[actor];
	for (uint32_t b = at; b < at + bytes; b++) {
		history[b][lengths[b]].actor = actor;
		history[b][lengths[b]].number = number;
		history[b][lengths[b]++].writes = writes;
	}
}

/* Words 0 to 2 are accessed with acquire and release, 3 to 5 with fences only. */
static void synchronise(uint32_t actor, uint32_t word, uint32_t how)
{
	static const enum what strong[] = {LD_ACQ, ST_REL, ADD_ACQ_REL}, relaxed[] = {LD_RLX, ST_RLX, ADD};
	struct knowledge before = released[word], before_sc = released_sc[word];
	bool reads = how != 1, writes = how != 0;
	act((word < 3 ? strong : relaxed)[how], actors[actor], 64 + 64 * word);
	actor = strands[actor];
	if (reads)
		learn(word < 3 ? &knows[actor] : &observed[actor], &before);
	if (reads)
		learn(&observed_sc[actor], &before_sc);
	if (writes)
		released[word] = word < 3 ? knows[actor] : fenced[actor];
	if (writes)
		released_sc[word] = fenced_sc[actor];
	if (writes && reads)
		learn(&released[word], &before);
	if (writes && reads)
		learn(&released_sc[word], &before_sc);
}

static void fence_actor(uint32_t actor, bool sc)
{
	(sc ? fence_sc : fence)(actors[actor]);
	actor = strands[actor];
	learn(&knows[actor], &observed[actor]);
	if (sc)
		learn(&knows[actor], &observed_sc[actor]);
	fenced[actor] = knows[actor];
	if (sc)
		fenced_sc[actor] = knows[actor];
}

static void meet(uint32_t number)
{
	struct knowledge all[3] = {0};
	barrier(number);
	for (uint32_t k = 0; k < ACTORS; k++)
		if (actors[k] / 100 == number) {
			learn(&all[0], &knows[k]);
			learn(&all[1], &fenced_sc[k]);
			learn(&all[2], &observed_sc[k]);
		}
	for (uint32_t k = 0; k < ACTORS; k++)
		if (actors[k] / 100 == number) {
			knows[k] = all[0];
			fenced_sc[k] = all[1];
			observed_sc[k] = all[2];
		}
}

/* Whether this one races: most that would are left out, so that programs become long. */
static bool one_access(uint64_t *seed, uint32_t actor, uint32_t units)
{
	static const struct {
		enum what what;
		uint32_t bytes;
		bool writes;
	} kinds[] = {{LD, 4, false}, {LD, 4, false}, {LD8, 1, false}, {LD64, 8, false}, {ST, 4, true}, {ST8, 1, true},
		{ST64, 8, true}, {ST_V2, 8, true}, {LD_SHARED, 4, false}, {LD_SHARED, 4, false}, {LD_SHARED, 4, false},
		{ST_SHARED, 4, true}};
	uint32_t kind = (uint32_t)(splitmix64(seed) % 12), bytes = kinds[kind].bytes,
		 at = (uint32_t)(splitmix64(seed) % (units * 8 / bytes)) * bytes,
		 data = kinds[kind].what >= ST_SHARED ? at + DATA * (1 + actors[actor] / 100) : at;
	bool races_now = would_race(strands[actor], data, bytes, kinds[kind].writes);
	if (races_now && splitmix64(seed) % (data == at ? 64 : 16))
		return false;
	act(kinds[kind].what, actors[actor], at);
	note_access(strands[actor], data, bytes, kinds[kind].writes);
	return races_now;
}

static uint32_t random_program(uint64_t *seed)
{
	uint32_t units = 1 + (uint32_t)(splitmix64(seed) % (DATA / 8)), accesses = 2 + (uint32_t)(splitmix64(seed) % 6),
		 step = 0;
	bool races_now = false;
	begin_with((struct races_asked){0}, strands == of_warps);
	memset(knows, 0, sizeof knows), memset(fenced, 0, sizeof fenced), memset(observed, 0, sizeof observed);
	memset(fenced_sc, 0, sizeof fenced_sc), memset(observed_sc, 0, sizeof observed_sc);
	memset(released_sc, 0, sizeof released_sc);
	memset(released, 0, sizeof released), memset(lengths, 0, sizeof lengths);
	while (!races_now && step++ < 400) {
		uint32_t actor = (uint32_t)(splitmix64(seed) % ACTORS), what = (uint32_t)(splitmix64(seed) % 24);
		if (what < accesses)
			races_now = one_access(seed, actor, units);
		else if (what < 16)
			synchronise(actor, (uint32_t)(splitmix64(seed) % WORDS), (uint32_t)(splitmix64(seed) % 3));
		else if (what < 20)
			fence_actor(actor, what & 1);
		else
			meet((uint32_t)(splitmix64(seed) % 3));
		if (races_now != (list.of.count != 0))
			fail_msg("step %u of the program of seed %llx: %u found", step, (unsigned long long)*seed,
				list.of.count);
	}
	return step;
}

static void random_programs_race_when_clocks_say_so(void **state)
{
	uint64_t seed = 18;
	uint32_t steps = 0;
	(void)state;
	for (uint32_t k = 0; k < 300; k++) {
		strands = k % 3 ? of_threads : of_warps;
		steps += random_program(&seed);
	}
	assert_in_range(steps / 300, 50, 390); /* most race, but not soon */
}

/* ---- What is put off, against the same that is judged at once ---- */

#define ROW_WORDS 96

/* Where the lanes of a warp access shared memory: neighbours, neighbours the other way, all one word, apart, anywhere.
 */
static uint64_t row_at(uint64_t *seed, uint32_t form, uint32_t first, uint32_t lane)
{
	switch (form) {
	case 0: return first + lane;
	case 1: return first + LANES - 1 - lane;
	case 2: return first;
	case 3: return first + 3 * (lane / 2) + lane % 2;
	default: return splitmix64(seed) % ROW_WORDS;
	}
}

static void one_row(uint64_t *seed)
{
	static const lane_mask masks[] = {UINT32_MAX, UINT32_MAX, 0xffff, 0xff00ff00, 0x12, 0x80000000};
	uint64_t address[64] = {0};
	uint16_t written[64] = {0};
	uint32_t form = (uint32_t)(splitmix64(seed) % 12), first = (uint32_t)(splitmix64(seed) % 4) * LANES;
	struct race_access a = access_by(splitmix64(seed) % 3 ? LD_SHARED : ST_SHARED, address, written);

	a.lanes = masks[splitmix64(seed) % 6];
	for (uint32_t l = 0; l < LANES; l++) {
		address[l] = 4 * row_at(seed, form < 8 ? 0 : form - 7, first, l) + 4000; /* in two pages */
		written[l] = (uint16_t)(splitmix64(seed) % 3);
	}
	races_access(races, races_warp(group[0], (uint32_t)(splitmix64(seed) % (THREADS / LANES))), &a);
}

/* Both pages have a strong read elsewhere, so that nothing there is put off. */
static void spoil_pages(void)
{
	act(LD_ACQ_SHARED, 0, 3072);
	act(LD_ACQ_SHARED, 0, 5100);
}

/* What a program of rows, barriers, and lanes that meet finds. */
static uint32_t rows(uint64_t seed, bool lockstep, bool at_once, struct found *all, uint32_t most)
{
	begin_with((struct races_asked){0}, lockstep);
	for (uint32_t k = 0, steps = 2 + (uint32_t)(seed % 30); k < steps; k++) {
		uint32_t what = (uint32_t)(splitmix64(&seed) % 4);

		if (what == 0)
			barrier(0);
		else if (what == 1 && k % 2 && !lockstep)
			races_together(races, races_warp(group[0], k % 3), 0xffff, 0xffff);
		if (at_once && (!k || !what))
			spoil_pages();
		if (what)
			one_row(&seed);
	}
	for (uint32_t k = 0; k < list.of.count && k < most; k++)
		all[k] = list.of.at[k];
	return list.of.count;
}

static void what_is_put_off_is_judged_as_if_at_once(void **state)
{
	static struct found now[64], later[64];
	uint32_t races_in = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		uint32_t count = rows(seed, seed & 1, true, now, 64),
			 found_later = rows(seed, seed & 1, false, later, 64);

		races_in += count != 0;
		if (count != found_later)
			fail_msg("program %u: %u found, and %u", (unsigned)seed, count, found_later);
		for (uint32_t k = 0; k < count && k < 64; k++) {
			assert_int_equal(now[k].cause, later[k].cause);
			assert_int_equal(now[k].address, later[k].address);
			for (uint32_t side = 0; side < 2; side++)
				assert_int_equal(now[k].side[side].pc, later[k].side[side].pc);
		}
	}
	assert_in_range(races_in, 1000, 1900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_is_told_with_its_threads),
		cmocka_unit_test(what_is_asked_for_is_told),
		cmocka_unit_test(warps_are_judged_as_their_lanes),
		cmocka_unit_test(what_warps_have_read_is_remembered),
		cmocka_unit_test(what_all_groups_have_read_is_remembered),
		cmocka_unit_test(readers_are_told_by_their_instructions),
		cmocka_unit_test(a_store_in_the_middle_takes_its_place_alone),
		cmocka_unit_test(readers_behind_a_barrier_stand_for_others),
		cmocka_unit_test(a_warp_knows_its_own_part),
		cmocka_unit_test(lanes_in_lockstep_are_in_order),
		cmocka_unit_test(barriers_order_those_that_come),
		cmocka_unit_test(meeting_lanes_are_in_order),
		cmocka_unit_test(messages_need_both_ends),
		cmocka_unit_test(atomics_hand_on_and_stores_hide),
		cmocka_unit_test(knowledge_is_handed_on),
		cmocka_unit_test(reads_that_are_pending_are_fenced),
		cmocka_unit_test(what_was_observed_is_before),
		cmocka_unit_test(a_swap_that_fails_only_reads),
		cmocka_unit_test(what_is_given_orders_who_gets_it),
		cmocka_unit_test(fences_reach_over_barriers),
		cmocka_unit_test(launches_beside_each_other_race),
		cmocka_unit_test(a_second_launch_has_numbers_of_its_own),
		cmocka_unit_test(a_new_group_begins_with_nothing),
		cmocka_unit_test(shared_memory_is_of_the_group),
		cmocka_unit_test(reads_are_judged_by_what_was_known_then),
		cmocka_unit_test(accesses_overlap_by_bytes),
		cmocka_unit_test(a_pair_of_lines_is_one_finding),
		cmocka_unit_test(crowds_are_remembered),
		cmocka_unit_test(strong_crowds_end),
		cmocka_unit_test(places_of_a_strong_crowd_are_told_apart),
		cmocka_unit_test(who_wrote_a_word_before_is_told_of),
		cmocka_unit_test(values_of_a_crowd_are_told_apart),
		cmocka_unit_test(a_barrier_of_some_lanes_orders_these_alone),
		cmocka_unit_test(barriers_hand_on),
		cmocka_unit_test(lanes_go_on_one_after_another),
		cmocka_unit_test(that_a_word_was_read_is_seen_in_a_crowd),
		cmocka_unit_test(acquiring_tells_of_no_other_thread),
		cmocka_unit_test(chains_may_run_out),
		cmocka_unit_test(crowds_of_warps_are_observed),
		cmocka_unit_test(releases_that_are_over_are_forgotten),
		cmocka_unit_test(what_is_over_takes_no_memory),
		cmocka_unit_test(what_is_launched_is_behind_the_launch),
		cmocka_unit_test(what_begins_later_is_beside),
		cmocka_unit_test(a_copy_is_over_behind_a_wait_for_its_group),
		cmocka_unit_test(a_copy_reads_its_source_until_it_is_over),
		cmocka_unit_test(a_copy_is_behind_what_its_thread_did),
		cmocka_unit_test(one_copy_may_reduce_elements_of_several_sizes),
		cmocka_unit_test(an_mbarrier_tells_of_its_phases),
		cmocka_unit_test(an_mbarrier_tracks_what_was_begun),
		cmocka_unit_test(an_mbarrier_is_initialised_before_its_use),
		cmocka_unit_test(stores_are_fenced_for_bulk_copies),
		cmocka_unit_test(copies_of_a_group_end_with_it),
		cmocka_unit_test(blocks_have_bytes_and_no_values),
		cmocka_unit_test(a_swap_under_way_is_judged_when_it_takes_effect),
		cmocka_unit_test(a_swap_releases_when_it_stores),
		cmocka_unit_test(a_swap_is_of_the_epoch_in_which_it_was_issued),
		cmocka_unit_test(atomics_observe_where_they_take_effect),
		cmocka_unit_test(a_lane_that_fails_says_nothing_of_the_next),
		cmocka_unit_test(a_later_read_in_a_crowd_is_later),
		cmocka_unit_test(random_programs_race_when_clocks_say_so),
		cmocka_unit_test(what_is_put_off_is_judged_as_if_at_once),
	};
	int failed = cmocka_run_group_tests(tests, decode, NULL);

	arena_free(&arena);
	arena_free(&code);
	return failed;
}
