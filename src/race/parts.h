/* What the files of race/ share: the state behind race.h. */
#ifndef LOCKSTEP_RACE_PARTS_H
#define LOCKSTEP_RACE_PARTS_H

#include "race/clock.h"
#include "race/race.h"

#include "util/lookup.h"
#include "util/vector.h"

#include <assert.h>

/* ---- Places in the code ---- */

/* What the instruction at a place does, as far as it matters here. */
struct site {
	const struct kernel *kernel;
	uint32_t pc;
	uint8_t bytes; /* of an element */
	bool reads, writes, strong, releases, acquires;
	uint8_t scope;  /* enum race_scope */
	bool is_rmw;    /* reads and writes at once */
	bool is_copy;   /* of an asynchronous copy: the record's thread is one of its own, see copy.c */
	bool is_bulk;   /* by the asynchronous proxy */
	bool is_object; /* an operation on an mbarrier */
	bool no_value;  /* what it stores is not known */
	uint8_t by;     /* enum race_completion */
	bool is_atomic; /* strong, also for the question whether it races */
};

static inline bool is_plain_read(const struct site *site)
{
	return site->reads && !site->writes && !site->strong && !site->is_atomic;
}

/* ---- Memory ---- */

/* An access, as it is remembered: by thread `thread`, in its epoch, by sites[site]; 0: none. */
struct record {
	uint32_t thread, epoch;
	uint16_t site;
	/* 16 bits that tell values that were stored from one another; of an asynchronous copy the thread that began it
	 */
	uint16_t value;
};
#define SITE_CROWD 0xffff /* record.thread is the number of a struct crowd */

/* The accesses of a granule of bytes that count.  Two are enough nearly always. */
struct granule {
	struct record at[2];
};

/* All accesses from a place that stored one value: by strand its epoch.  Where none of the crowd race, of one place
 * with all values. */
struct crowd_site {
	uint16_t site, value; /* as of a record */
	bool mixed;           /* not all stored that value */
	uint8_t table_size;
	uint16_t count; /* in the table */
	/* the last of them; a strand that is here, too, has no later epoch in `epochs` */
	struct crowd_epoch {
		uint32_t strand, epoch; /* epoch: 0: nobody */
	} * table;
	vector_clock epochs;
};

#define CROWD_RECORDS 8
#define CROWD_ACCESSES 64
/* Those of a granule with more: see crowd.c. */
struct crowd {
	struct record *at; /* clock_memory of `size`: the first `count`; of a strong one a hash table by strand */
	uint16_t count;
	uint8_t size;
	uint8_t strong_bytes; /* all are strong, wide, and of so many bytes, so that they do not race; 0: not so */
	uint8_t pause;        /* so many accesses long nothing is to be forgotten */
	uint32_t hand;        /* slot of the table that was looked at last */
	uint32_t accesses;
	uint32_t next_free;
	VECTOR(struct crowd_site) sites; /* of places in the code from which very many came */
};

#define PAGE_BITS 10
#define PAGE_BYTES (1u << PAGE_BITS)
#define PAGE_SHIFTS 5 /* granules of 1 to 16 bytes */

/* Granules [first, end) of a page whose record number `slot` is of neighbouring threads in one epoch: see runs.c. */
struct run {
	uint32_t base; /* granule g's is of thread base + (g >> lane_shift) */
	uint32_t epoch;
	uint16_t site;
	uint16_t first, end;
	uint8_t slot, lane_shift;
};
#define PAGE_RUNS 16
#define RUN_LANES 8 /* so many neighbours at least make a page of runs of one that was not touched yet */

/* Granules [first, end) that threads have read, each `repeats` of them: see readers.c. */
struct readers {
	uint32_t base; /* granule g: base + (g >> lane_shift) is the first, the others are each `stride` further;
			* base itself may be the number of no thread, and below 0 */
	uint32_t stride;
	uint32_t epoch, floor; /* as of struct strand, when they read */
	uint16_t repeats, site;
	uint16_t first, end;
	uint8_t lane_shift;
};

/* Of PAGE_BYTES bytes: its granules are as small as the smallest access so far. */
struct page {
	uint32_t shift; /* of granules of 1 << shift bytes */
	bool is_runs;   /* it has runs in place of granules: page_runs(), or readers */
	uint8_t readers_size;
	uint16_t runs, reader_count, reader_last;
	struct readers *readers; /* clock_memory of readers_size: in place of runs; null: it has runs */
	uint16_t *value[2];      /* of runs: by slot and granule; null: none yet */
	struct page *next;
	struct granule granule[];
};

static inline struct run *page_runs(const struct page *page)
{
	assert(page->is_runs);
	return (struct run *)(uintptr_t)page->granule;
}

/* Of global memory, or of a group's shared memory. */
struct shadow {
	struct page **page; /* by (address - base) >> PAGE_BITS; null: not touched */
	uint64_t base, pages;
	VECTOR(uint32_t) touched; /* pages */
	struct race_group *group; /* null: it is global memory */
};

/* ---- Words by which threads hear of each other ---- */

#define WRITERS 6
#define WRITERS_SIZE 2 /* clock_memory */
/* Of the strands that wrote a word last the number of their last write.  The rest is for explanations: as of struct
 * strand at that write. */
struct writer {
	uint32_t strand, writes; /* writes: 0: none */
	uint32_t epoch, floor, fenced;
};

/* A word as it was when strands read it, until the next strong write: that one's number, and, for explanations alone,
 * who wrote it (a strand) and knew what, whether or not it released; and what of that it had released, to some scope.
 */
struct told {
	uint32_t references;
	uint32_t writes, writer, writer_epoch;
	uint32_t since; /* what was written before that write is hidden by it */
	vector_clock heard, fenced;
	struct told *next_free;
};

/* What strong writes to a word hand on to those that read it, until the next one. */
struct sync_word {
	uint64_t name;   /* its key and space: address, or handle: see key_of */
	uint32_t writes; /* strong writes to the word, which are numbered from 1 on */
	uint32_t writer, writer_epoch;
	uint32_t since;        /* as of struct told */
	uint32_t generation;   /* grows when a store hides what was there */
	uint32_t chain;        /* of those that take it one after the other; NO_CHAIN: there is none yet */
	bool taken;            /* its last write was an atomic of another strand than before */
	bool near_more;        /* to those of its own group some write handed on more than is in `wide` */
	struct knowledge wide; /* for threads of all groups */
	/* For threads of one group: of a word of shared memory its own; of a word of global memory there is an entry in
	 * the table of each group that wrote it, with this alone, and the generation of which it is.  Likewise for
	 * those of one cluster, whose table has the words of its groups' shared memory; these have entries in the
	 * groups' tables, too. */
	struct knowledge near;
	vector_clock heard, fenced; /* as of struct told */
	struct told *told;          /* as it is now; null: nobody has read it yet */
	struct writer *writers;     /* WRITERS of them; null: none yet */
	struct sync_word *next_free;
};

/* ---- Threads ---- */

/* The last one counts in launches with clusters alone: launch->reaches. */
enum reach { REACH_GROUP, REACH_WIDE, REACH_CLUSTER, REACHES };

#define HEARD_WORDS 8
/* A strong read of a word, one of the thread's last. */
struct heard {
	uint64_t name;
	struct told *of; /* its writes are before what follows the read, 8.9.5 */
};

/* The word that a lane has read last, and in which way: while nothing is written to it, to read it again tells nothing.
 */
struct polled {
	uint64_t name;
	uint32_t writes; /* to the word until then */
	uint8_t how;
	uint32_t unfenced_generation;
	uint64_t unfenced_name;
	/* What this word, in this generation, handed on when it was read, to be added to what the strand has observed;
	 * nothing: it has been. */
	struct knowledge unfenced;
};

/* ---- Chains of events ----
 *
 * An event is what a strand may hand on: all that it knows and did until a fence or a release.  Locks pass from thread
 * to thread: the one that gets a lock knows the event of the one that gave it back, and its own next event comes
 * behind.  Such events are a chain.  A strand that knows one of them knows those before it, so a clock has an entry for
 * the chain in place of one for each of its threads, of which there may be as many as there are lanes.
 *
 * A strand may hold several locks, and their chains meet in its event, which lengthens one of them.  So that the others
 * go on behind it, each lock has its chain: the next thread to get it knows what was its last event. */
#define NO_CHAIN UINT32_MAX
#define HELD_CHAINS 4

/* The last thing that a strand did in its epoch `epoch` was event `index` of the chain. */
struct event {
	uint32_t epoch, chain, index;
};

struct strand_events {
	VECTOR(struct event) list; /* epochs grow */
};

/* What a strand of a group had read last when it met others, in its epoch then. */
struct met {
	struct heard heard;
	uint32_t strand, epoch;
};

/* What goes in lockstep: a lane, or a warp. */
struct strand {
	struct known knows;                 /* without itself */
	uint32_t epoch;                     /* its own; from 1 on */
	uint32_t wrote;                     /* in which it last did a strong write; 0: in none */
	uint32_t chain;                     /* that it learned of or lengthened last; NO_CHAIN */
	uint32_t held[HELD_CHAINS];         /* of words that it has taken last; NO_CHAIN */
	uint32_t held_next;                 /* all so far */
	uint32_t floor;                     /* of all strands of its group it knows this epoch, and all before */
	uint32_t fenced_to;                 /* what it did up to this epoch was before its last fence */
	struct known fenced[REACHES];       /* what its strong writes hand on: what it knew and did at its last fence */
	struct knowledge observed[REACHES]; /* by strong reads: known at the next fence */
	uint32_t outstanding;               /* strong reads that have no value yet */
	uint32_t since;                     /* its epoch when the first of these was issued */
	bool covered[REACHES];              /* a fence came meanwhile: what they observe is known at once */
	bool forgets;                       /* it has read more words than are in `heard` */
	/* there is room for 2 << heard_size; heard_oldest: once there are HEARD_WORDS, counts those that took the place
	 * of others */
	uint8_t heard_count, heard_size, heard_oldest;
	uint8_t heard_last;  /* number of the last one */
	bool hears;          /* there is one that it has read since it last met others */
	struct heard *heard; /* the last words that it has read; null: none yet */
};

struct race_warp {
	struct race_group *group;
	uint32_t first; /* number of its first thread */
	uint32_t strands;
	lane_mask waits[16]; /* strands, by barrier */
	lane_mask together;  /* that have met others, and are still to go on */
	struct strand *strand;
	struct polled *polled;        /* by lane; null: none yet */
	lane_mask unfenced;           /* lanes whose `unfenced` is not nothing */
	struct strand_copies *copies; /* of each strand; null: none yet */
};

/* ---- Asynchronous copies ---- */

#define COPY_GROUPS 16 /* that are told apart; who leaves out more waits for some more, as the machine does */

/* Of a strand.  By cp.async, and by cp.async.bulk with groups: */
struct strand_copies {
	uint32_t begun[2], groups[2]; /* how many so far */
	uint32_t commits[2][COPY_GROUPS];
	vector_clock proxied[2]; /* what it knew and did at its last proxy fence: of shared memory, of global memory */
};

/* An mbarrier object. */
struct object {
	uint64_t offset;
	struct knowledge pending, over; /* of those that arrived in the current phase; in those before */
};

struct objects {
	VECTOR(struct object) list;
};

/* A copy, or what tracks copies, of which an mbarrier is yet to be told. */
struct flight {
	uint32_t token, lane;
	uint32_t strand, epoch; /* of the copies */
};

/* Of threads that meet: what they know and did, what their fences handed on, what waits for a fence. */
struct meeting {
	struct known known, fenced[REACHES];
	struct knowledge observed[REACHES];
};

struct race_barrier {
	bool used;
	bool arrives_only; /* some do not wait */
	uint32_t latest;   /* epoch of those that have come */
	struct meeting meeting;
};

/* A plain read of shared memory that has not been judged: see put_off.c. */
struct put_off {
	const struct insn *insn;
	lane_mask lanes;
	uint32_t pc, epoch;
	uint32_t first; /* of its lanes' addresses, in units of what a lane reads */
	uint16_t warp;  /* of the group */
};

/* A phase of a cluster's barrier: those that have come. */
struct race_phase {
	bool used;
	uint32_t phase;
	struct meeting meeting;
};

/* Work-groups that access each other's shared memory. */
struct race_cluster {
	uint32_t number, ended; /* groups that have */
	struct shadow shared;   /* by race_shared; so have `words` and `objects` */
	struct lookup words;
	struct objects objects;
	struct race_phase phase[2];
	struct race_cluster *next; /* of the launch, or free */
};

struct race_group {
	struct race_launch *launch;
	uint32_t first;               /* number of its first thread */
	struct race_cluster *cluster; /* null: it has none; what follows is then the group's own */
	struct shadow shared;
	VECTOR(struct put_off) reads;
	VECTOR(uint16_t) units;
	struct lookup words;
	struct race_barrier barrier[16];
	struct race_warp *warp;
	struct objects objects;
	struct race_phase phase[2]; /* in a cluster: what its own threads alone get */
	VECTOR(uint32_t) copied;    /* copies so far, by their strand: see copy.c */
	VECTOR(struct flight) flights;
	struct met *met;     /* HEARD_WORDS, for explanations alone: the last ones; null: none yet */
	uint32_t met_so_far; /* how many there were */
	struct race_group *next_free;
};

struct race_launch {
	uint64_t ordinal;
	const struct kernel *kernel;
	struct race_launch *next; /* that has not ended, or that others ran beside */
	uint32_t first, threads;  /* numbers; of all groups */
	uint32_t group_stride;    /* numbers of a group */
	uint32_t group_lanes;     /* of these its threads'; others are of its asynchronous copies */
	uint32_t lanes, shift;    /* a strand is 1 << shift threads */
	uint32_t groups, ended, group_threads, warps;
	uint32_t cluster; /* groups of a cluster */
	uint32_t reaches;
	uint32_t *number; /* with clusters: the flat index of a group, by that which its threads' numbers have */
	struct race_cluster *clusters;
	bool narrow;            /* the kernel has strong accesses or fences of the work-group's scope */
	int64_t credit;         /* reads are put off while it is above 0: see put_off.c */
	vector_clock start;     /* what its threads know when they begin */
	struct race_grid *grid; /* null: no kernel has launched it, nor does it launch any */
	uint16_t *site;         /* per pc; 0: not asked for yet */
	struct race_shape *shape;
};

/* Something in a stream of a kernel: what is known there when it begins, and when it has ended all that has then. */
struct race_grid {
	struct known known;
	bool open; /* it is to end, and has not */
	struct race_grid *next;
};

/* Work-groups that have ended, of launches with so many warps a group and strands a warp. */
struct race_shape {
	uint32_t warps, strands;
	struct race_group *free;
	struct race_shape *next;
};

struct races {
	struct arena *arena;
	struct races_asked asked;
	struct found_list *found;
	struct clock_pool clocks;
	struct shadow global;
	struct lookup words;
	struct page *free_page[PAGE_SHIFTS], *free_runs;
	uint16_t *free_values[PAGE_SHIFTS]; /* each has the address of the next in its first bytes */
	VECTOR(struct site) sites;          /* the first is none */
	VECTOR(struct crowd) crowds;
	uint32_t free_crowd; /* number; 0: none */
	struct told *free_told;
	struct sync_word *free_words;
	struct race_cluster *free_clusters;
	VECTOR(uint32_t) chains;             /* of each the index of its last event */
	uint32_t chain_base;                 /* chains have the entries of clocks from here to CLOCK_FAN times it */
	VECTOR(struct strand_events) events; /* by strand */
	struct race_launch *launches;
	struct race_grid *grids, *free_grids;
	uint32_t open_grids;
	struct race_shape *shapes;
	uint64_t next_thread; /* number that is free */
};

static inline uint32_t strand_number(const struct race_launch *launch, uint32_t thread)
{
	return thread >> launch->shift;
}

/* ---- judge.c ---- */

static inline bool site_conflicts(const struct site *a, const struct site *b)
{
	return a->writes || b->writes;
}

static inline bool site_is_wide(const struct site *site)
{
	return site->scope == RACE_SCOPE_WIDE;
}

/* Whether what races with y later races with x, too; y was before x. */
static inline bool site_stands_for(const struct site *x, const struct site *y)
{
	if (y->writes && !x->writes)
		return false;
	return !x->is_atomic || (y->is_atomic && x->scope <= y->scope && x->bytes == y->bytes);
}

/* The granule has the lane's access, which has been judged. */
void judge_remember(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t lane, struct granule *g);

/* Whether the kernel has strong accesses, or fences, for its work-group alone. */
bool kernel_is_narrow(const struct races *races, const struct kernel *kernel);

/* ---- Clusters ---- */

/* The words of the group's shared memory. */
static inline struct lookup *words_of(struct race_group *group)
{
	return group->cluster ? &group->cluster->words : &group->words;
}

/* How far the thread is from those of the group: the narrowest scope that has both. */
static inline enum race_scope scope_between(const struct race_group *group, uint32_t thread)
{
	const struct race_launch *launch = group->launch;
	uint32_t stride = launch->group_stride, apart = (group->first - launch->first) % (launch->cluster * stride);

	assert(group->first >= launch->first);
	assert(launch->cluster);
	assert(group->first - launch->first < launch->threads);
	if (thread - group->first < stride)
		return RACE_SCOPE_GROUP;
	return thread - (group->first - apart) < launch->cluster * stride ? RACE_SCOPE_CLUSTER : RACE_SCOPE_WIDE;
}

/* ---- grids.c ---- */

/* A work-group has ended, whose strands still know what they know; it was the last of its launch. */
void grid_group_ends(struct races *races, struct race_group *group, bool is_last);
void grids_forget(struct races *races);

/* ---- shadow.c ---- */

void shadow_create(struct races *races, struct shadow *shadow, uint64_t base, uint64_t bytes);
/* Nothing has been accessed. */
void shadow_clear(struct races *races, struct shadow *shadow);
/* The granules of bytes that are accessed together, *count of them. */
struct granule *shadow_at(
	struct races *races, struct shadow *shadow, uint64_t address, uint32_t bytes, uint32_t *count, uint32_t *size);
/* The page of a number, not touched yet, gets runs, of granules of 1 << shift bytes. */
struct page *shadow_runs(struct races *races, struct shadow *shadow, uint64_t number, uint32_t shift);
/* A page of granules, empty; one that is no longer needed; values for a page of runs. */
struct page *page_take(struct races *races, uint32_t shift);
void page_drop(struct races *races, struct page *page);
uint16_t *values_take(struct races *races, uint32_t shift);

/* ---- crowd.c ---- */

struct crowd *crowd_take(struct races *races, uint32_t *number);
void crowd_drop(struct races *races, uint32_t number);
/* The same granule once more. */
struct granule crowd_copy_granule(struct races *races, const struct granule *from);

/* ---- runs.c ---- */

/* Judges and remembers the lanes' plain accesses, all in that epoch, as far as they are runs, and race with nothing;
 * which lanes those are. */
lane_mask runs_judge(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t epoch, struct shadow *shadow);
/* The same page in granules, in place of it. */
struct page *runs_to_granules(struct races *races, struct page *page);

/* ---- readers.c ---- */

/* A page that has no runs gets readers, none yet; adds some, false: there is no room; gives them back. */
void readers_begin(struct races *races, struct page *page);
bool readers_add(struct races *races, struct page *page, const struct readers *more);
void readers_drop(struct races *races, struct page *page);
/* The same page in granules, in place of it. */
struct page *readers_to_granules(struct races *races, struct page *page);

/* ---- put_off.c ---- */

#define PUT_OFF_CREDIT 4096 /* reads that may be judged after all before it is given up */

/* Writes a plain read of shared memory down, to be judged later, if ever.  False: it is to be judged now. */
bool put_off(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint32_t epoch);
/* A page that has such reads, and nothing else; it is not to be looked into. */
extern struct page page_of_put_off;
static inline bool page_is_put_off(const struct page *page)
{
	return page == &page_of_put_off;
}
/* All that were put off are judged; or will never be. */
void put_off_judge_all(struct races *races, struct race_group *group);
void put_off_forget(struct race_group *group);
/* A strand of the group is about to learn something. */
static inline void put_off_end(struct races *races, struct race_group *group)
{
	if (group->reads.count)
		put_off_judge_all(races, group);
}

/* ---- order.c ---- */

/* What the lane goes on with. */
static inline struct strand *strand_of(const struct race_warp *warp, uint32_t lane)
{
	assert(lane >> warp->group->launch->shift < warp->strands);
	return &warp->strand[lane >> warp->group->launch->shift];
}
/* Whether the access was before what the strand does now; unless that `must` be known, it may be CLOCK_UNSURE. */
enum clock_glance order_is_before(const struct races *races, const struct race_warp *warp, uint32_t strand,
	const struct strand *u, uint32_t thread, uint32_t epoch, bool must);
/* Whether a clock has what the strand did in its epoch. */
bool chain_knows(const struct races *races, vector_clock clock, uint32_t strand, uint32_t epoch);
/* The same as far as it is seen without joining clocks. */
enum clock_glance chain_glance(const struct races *races, vector_clock clock, uint32_t strand, uint32_t epoch);
/* An event of the strand: what it hands on, a reference of the caller's.  Its next epoch is still to begin. */
struct known chain_event(struct races *races, struct strand *u, uint32_t strand);
/* The strand has learned of what another handed on. */
void chain_learned(const struct races *races, struct strand *u, const struct known *what);
/* The strand writes the word, and hands on something by it; `again`: it was the last to write it.  An atomic of one
 * that was not may take a lock, and what it writes then gives it back. */
void chain_written(const struct races *races, struct strand *u, struct sync_word *w, const struct known *what,
	bool is_rmw, bool again);
/* There are no events yet.  Launches that begin from now on have `strands` strands. */
void chain_forget_all(struct races *races, uint64_t strands);
/* Whether the strong writes of another strand to the word were observed by one of the strand's reads.  It forgets reads
 * in the end; then, if it `has_read` the word, they may have been. */
bool order_is_observed(struct races *races, const struct race_warp *warp, const struct strand *u, uint64_t word,
	uint8_t space, uint32_t strand, bool has_read);
/* What lanes of the strand have read is among what it has observed. */
void order_note_observed(struct races *races, struct race_warp *warp, struct strand *u);
/* Strong accesses of the lane to a word of the table; null: it has not been written. */
void order_read(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site,
	struct sync_word *w, const struct lookup *table);
void order_write(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site,
	struct sync_word *w, const struct lookup *table);
/* The strand does something that was not before its last strong write: from then on in another epoch, so that whoever
 * has read what it wrote is not taken for having heard of this. */
static inline void order_go_past_write(struct strand *u)
{
	assert(u->epoch);
	assert(u->wrote <= u->epoch);
	u->epoch += u->wrote == u->epoch;
}
/* The lane hands on what it knows and did, and learns of something. */
void order_give(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into);
void order_get(struct races *races, struct race_warp *warp, uint32_t lane, const struct knowledge *what);
/* The same between threads of one group by relaxed operations: what a fence has handed on; for the next fence. */
void order_give_fenced(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into);
void order_observe(struct races *races, struct race_warp *warp, uint32_t lane, const struct knowledge *what);
/* The number of a lane's strand; the strands that have any of the lanes, a bit each. */
uint32_t order_number(const struct race_warp *warp, const struct strand *u);
lane_mask order_strands(const struct race_warp *warp, lane_mask lanes);
void order_begin_warp(struct races *races, struct race_warp *warp);
void order_end_warp(struct races *races, struct race_warp *warp);

/* ---- meet.c ---- */

void meet_close_barrier(struct races *races, struct race_barrier *barrier);
void meet_close_phases(struct races *races, struct race_phase phase[2]);

/* ---- words.c ---- */

/* A name is of a key and a space. */
uint64_t word_name(uint64_t key, uint8_t space);
uint64_t word_of_name(uint64_t name, uint8_t *space);
/* The table's word; null: there is none.  And one that is made if there is none. */
struct sync_word *word_find(const struct lookup *table, uint64_t key);
struct sync_word *word_make(struct races *races, struct lookup *table, uint64_t key);
/* It is about to change: for those that have read it, it stays as it is. */
void word_changes(struct races *races, struct sync_word *w);
/* A store hides what it handed on. */
void word_empty(struct races *races, struct sync_word *w);
/* The strand has written it; `fenced`: what it has released by that, to some scope, and its last epoch of that. */
void word_written(struct races *races, struct sync_word *w, const struct strand *u, uint32_t strand,
	vector_clock fenced, uint32_t fenced_to);
/* Whether one of the word's last writers, which the strand has so heard of, wrote behind what `thread` did in `epoch`,
 * in that epoch if it did not go on past that: from `first` on; and whether it had released that, to some scope. */
bool word_tells(const struct races *races, struct race_group *group, const struct heard *heard, uint32_t thread,
	uint32_t epoch, uint32_t first, bool *released);
/* What a word of the table hands on within the group, or cluster, that has the table `own`; null: nothing. */
struct knowledge *word_near(
	struct races *races, struct lookup *own, const struct lookup *table, struct sync_word *w, bool makes);
/* The strand has read it as it is; whether it remembers a read of it; it remembers none. */
void word_hear(struct races *races, struct strand *u, struct sync_word *w);
bool word_is_heard(const struct strand *u, const struct sync_word *w);
/* The word as the strand has read it, where a store has hidden that since; else null. */
const struct told *word_hidden(const struct strand *u, const struct sync_word *w);
void word_forget_heard(struct races *races, struct strand *u);
/* The strand meets others of its group, which may so hear of what it has read; the group is over. */
void word_pass_on(struct races *races, struct race_group *group, struct strand *u, uint32_t strand);
void word_forget_met(struct races *races, struct race_group *group);
static inline uint32_t met_count(const struct race_group *group)
{
	assert(!group->met_so_far || group->met);
	return group->met_so_far < HEARD_WORDS ? group->met_so_far : HEARD_WORDS;
}
void sync_clear(struct races *races, struct lookup *table);

/* ---- judge.c ---- */

/* Judges plain reads by an instruction of lanes that were all in that epoch. */
void judge_plain(struct races *races, struct race_warp *warp, const struct race_access *a, uint32_t epoch);
/* The site of an instruction whose accesses are blocks; `source`: of an asynchronous copy that of its reads.  0: there
 * are too many. */
uint16_t judge_block_site(struct races *races, struct race_launch *launch, uint32_t pc, bool source);
/* Judges an access to so many bytes: by the lane, or by a copy that it has begun. */
void judge_block(struct races *races, struct race_warp *warp, uint32_t lane, const struct record *record, uint8_t space,
	uint64_t address, uint64_t bytes);

/* ---- copy.c ---- */

/* Numbers of a group's asynchronous copies; 0: the kernel has none. */
bool copy_is_used(const struct kernel *kernel);
uint32_t copy_numbers(uint32_t lanes);
/* Whether a strand of the warp's group has fenced between the proxies since the access. */
bool copy_is_proxied(const struct races *races, const struct race_warp *warp, const struct strand *u,
	const struct record *y, uint8_t space);
/* Of a copy that the strand does not know to be over: what is missing. */
enum found_cause copy_cause(
	const struct races *races, const struct race_warp *warp, const struct record *y, enum found_cause *detail);
void copy_end_group(struct races *races, struct race_group *group);
void copy_forget_objects(struct races *races, struct objects *objects);

/* ---- found.c ---- */

/* A race of a record with what the warp does now. */
void race_add(struct races *races, const struct race_warp *warp, const struct record *later,
	const struct record *earlier, uint8_t space, uint64_t address, enum found_cause cause, enum found_cause detail,
	const struct heard *heard);
/* The launch that has a thread; null: it is over and forgotten. */
const struct race_launch *launch_of(const struct races *races, uint32_t thread);

#endif
