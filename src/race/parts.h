/* What the files of race/ share: the state behind race.h. */
#ifndef LOCKSTEP_RACE_PARTS_H
#define LOCKSTEP_RACE_PARTS_H

#include "race/clock.h"
#include "race/rule.h"

#include "util/lookup.h"
#include "util/vector.h"

#include <assert.h>

/* ---- Places in the code ---- */

static inline bool is_plain_read(const struct site *site)
{
	return site->reads && !site->writes && !site->strong && !site->is_atomic;
}

/* ---- Memory ---- */

/* A remembered access: who did it, in which of its epochs, and where. */
struct record {
	uint32_t thread, epoch;
	uint16_t site;  /* 0: no access */
	uint16_t value; /* 16 bits that tell stored values apart; of an asynchronous copy the thread that began it */
};
#define SITE_CROWD 0xffff /* record.thread is the number of a struct crowd */

/* The remembered accesses to some neighbouring bytes.  Two are nearly always enough. */
struct granule {
	struct record at[2];
};

/* Accesses from one place that stored one value; in a strong crowd, any value.  Of each strand, its last epoch. */
struct crowd_site {
	uint16_t site, value; /* as of a record */
	bool mixed;           /* some stored another value */
	uint8_t table_size;
	uint16_t count;                 /* in the table */
	struct crowd_epoch {            /* strands that came last: they have no later epoch in `epochs` */
		uint32_t strand, epoch; /* epoch 0: the slot is free */
	} * table;
	vector_clock epochs;
};

/* The accesses to a granule that has more than two: see crowd.c. */
struct crowd {
	struct record *at; /* clock_memory of `size`: the first `count`; of a strong crowd a hash table by strand */
	uint16_t count;
	uint8_t size;
	uint8_t strong_bytes; /* a strong crowd: all are atomic, wide, and of so many bytes, so none race; else 0 */
	uint8_t pause;        /* number of accesses during which nothing is forgotten */
	uint32_t hand;        /* slot of the table that was examined last */
	uint32_t accesses;
	uint32_t next_free;
	VECTOR(struct crowd_site) sites; /* places in the code with very many accesses */
};

#define PAGE_BITS 10
#define PAGE_BYTES (1u << PAGE_BITS)
#define PAGE_SHIFTS 5 /* granules of 1 to 16 bytes */

/* Granules [first, end) of a page that neighbouring threads have accessed in one epoch: see runs.c. */
struct run {
	uint32_t base, stride; /* granule g: threads base + (g >> lane_shift) + k * stride, for k below `repeats`;
				* base itself, of granule 0, may be no thread, and below 0 */
	uint32_t epoch, floor; /* floor: of readers, as of struct strand */
	uint16_t repeats, site;
	uint16_t first, end;
	uint8_t lane_shift, slot; /* slot: which record of a granule it is; not of readers */
};

#define OWNED_BYTES 4u /* the words of which put_off.c knows who accessed them */
#define OWNED_WORDS (PAGE_BYTES / OWNED_BYTES)
/* By word: the strand, one more than its number in the group, that has read it, or written it; 0: none has. */
struct owners {
	uint16_t reader[OWNED_WORDS], writer[OWNED_WORDS];
};
#define OWNERS_SIZE 5 /* clock_memory */

/* PAGE_BYTES bytes.  Granules are as small as the smallest access so far. */
struct page {
	uint32_t shift;               /* granules have 1 << shift bytes; PUT_OFF_SHIFT: see put_off.c */
	bool is_read;                 /* its runs are readers */
	uint8_t run_size;             /* clock_memory, of `run` */
	uint16_t run_count, run_last; /* run_last: of readers, the one that became longer last */
	struct run *run;              /* null: the page has granules */
	uint16_t *value[2];           /* of runs, clock_memory: by slot and granule; null: none yet */
	struct owners *owners;        /* of what was put off, clock_memory; null: none yet */
	struct page *next;            /* in the list of free pages */
	struct granule granule[];
};

#define HEAD_SIZE 1 /* clock_memory: of a page without granules */
_Static_assert(sizeof(struct page) <= (size_t)32 << HEAD_SIZE, "clock_memory of that size");

/* What is remembered of global memory, or of a group's or cluster's shared memory. */
struct shadow {
	struct page **page; /* by (address - base) >> PAGE_BITS; null: not touched */
	uint64_t base, pages;
	VECTOR(uint32_t) touched; /* pages */
	struct race_group *group; /* that puts accesses off here; null: none does */
};

/* ---- Words by which threads hear of each other ---- */

#define WRITERS 6
#define WRITERS_SIZE 2 /* clock_memory */
/* A strand that was among the last to write a word. */
struct writer {
	uint32_t strand, writes;       /* writes: the number of its last write of the word; 0: none */
	uint32_t epoch, floor, fenced; /* for explanations: its own at that write, as in struct strand */
};

/* A word between two strong writes, as strands have read it. */
struct told {
	uint32_t references;
	uint32_t writes;               /* the number of the first of these writes */
	uint32_t since;                /* what was written before write `since` is hidden by it */
	uint32_t writer, writer_epoch; /* for explanations, as all below: the strand that did it */
	uint16_t site;                 /* of its write; 0: writes that are not hidden were at several */
	vector_clock heard, fenced;    /* what that knew; what of that it had released, to any scope */
	struct told *next_free;
};

/* A word that strands write and read strongly, and what its reader learns. */
struct sync_word {
	uint64_t name;                        /* its key, an address or a handle (key_of), and its space */
	uint32_t writes;                      /* strong writes of the word, numbered from 1 on */
	uint32_t writer, writer_epoch, since; /* as in struct told */
	uint32_t generation;                  /* grows when a store hides what was there */
	uint32_t chain;                       /* of those that take it one after the other; NO_CHAIN: none yet */
	bool taken;                           /* its last write was an atomic of another strand than the one before */
	uint16_t site;                        /* as in struct told */
	bool near_more;                       /* some write passed on more to its own group than is in `wide` */
	struct knowledge wide;                /* for threads of all groups */
	/* For threads of one group.  A word of shared memory has its own.  Of a word of global memory, the table of
	 * each group that wrote it has an entry with this alone, and its generation.  Likewise for threads of one
	 * cluster, whose table has the words of its groups' shared memory; those also have entries in the groups'
	 * tables. */
	struct knowledge near;
	vector_clock heard, fenced; /* as in struct told */
	struct told *told;          /* the word as it is now; null: nobody has read it yet */
	struct writer *writers;     /* WRITERS of them; null: none yet */
};

/* ---- Threads ---- */

/* The last one only counts in launches with clusters: launch->reaches. */
enum reach { REACH_GROUP, REACH_WIDE, REACH_CLUSTER, REACHES };

#define HEARD_WORDS 8
/* One of a thread's last strong reads. */
struct heard {
	uint64_t name;   /* of the word */
	struct told *of; /* the write happens before what follows the read, 8.9.5 */
};

/* The word that a lane has read last, and how: until it is written, another read adds nothing. */
struct polled {
	uint64_t name;
	uint32_t writes; /* of the word so far */
	uint8_t how;
	/* What a word, in a generation, passed on, and is still to be added to what the strand has observed. */
	uint32_t unfenced_generation;
	uint64_t unfenced_name;
	struct knowledge unfenced;
};

/* ---- Chains of events ----
 *
 * An event is what a strand may pass on: all that it knew and did until a fence or a release.  Locks pass from thread
 * to thread: the one that gets a lock knows the event of the one that released it, and its own next event follows. Such
 * events form a chain.  A strand that knows one of them knows all before it, so a clock has one entry for the chain
 * instead of one for each of its threads, which may be as many as there are lanes.
 *
 * A strand may hold several locks.  Their chains meet in its event, which extends one of them.  So that the others
 * continue after it, each lock has its chain: the next thread to get the lock knows the last event of that. */
#define NO_CHAIN 0
#define HELD_CHAINS 4

/* A strand's epoch `epoch` ended with event `index` of the chain. */
struct event {
	uint32_t epoch, chain, index;
};

struct strand_events {
	VECTOR(struct event) list; /* epochs grow */
};

/* What a strand of a group had read last when it met others, and its epoch then. */
struct met {
	struct heard heard;
	uint16_t site; /* of the read */
	uint32_t strand, epoch;
};

/* What goes in lockstep: a lane, or a warp. */
struct strand {
	struct known knows;                 /* of others */
	uint32_t epoch;                     /* its own; from 1 on */
	uint32_t wrote;                     /* the epoch of its last strong write; 0: none */
	uint32_t chain;                     /* that it learned of or extended last; NO_CHAIN */
	uint32_t held[HELD_CHAINS];         /* the chains of words that it took last; NO_CHAIN */
	uint32_t held_next;                 /* how many it has taken so far */
	uint32_t floor;                     /* it knows all strands of its group up to this epoch */
	uint32_t fenced_to;                 /* its last fence came after what it did up to this epoch */
	struct known fenced[REACHES];       /* what its strong writes pass on: what it knew and did at its last fence */
	struct knowledge observed[REACHES]; /* by strong reads: known at the next fence */
	/* The same, of its last fence.sc, and of those that it has met since; and what was passed on so, and is known
	 * at the next fence.sc.  Only in launches with `meets_sc`. */
	struct known fenced_sc[REACHES];
	struct knowledge observed_sc[REACHES];
	struct knowledge relaxed; /* for explanations: what relaxed arrivals of phases that it found complete lack */
	uint32_t outstanding;     /* strong reads that have no value yet */
	bool covered[REACHES];    /* a fence came meanwhile: what they observe is known at once */
	bool covered_sc[REACHES]; /* likewise a fence.sc */
	struct heard *heard;      /* the last words that it read, clock_memory of heard_size; null: none yet */
	uint8_t heard_count, heard_size;
	uint8_t heard_oldest;             /* of HEARD_WORDS: how many have taken the place of others */
	uint8_t heard_last;               /* the one that it read last */
	uint16_t heard_site[HEARD_WORDS]; /* for explanations: by which access; */
	uint8_t heard_fenced;             /* a bit each: whether that acquired, or a fence of any scope followed */
	bool takes;             /* likewise: it has stored by a compare-and-swap or an exchange, as locks do */
	bool forgets;           /* it has read more words than are in `heard` */
	bool hears;             /* it has read one since it last met others */
	struct passing *passes; /* what its last atomic passes on, if that is on its way; or null */
};

/* What a strand's atomics pass on: what it knew and did when it issued them.  Mostly several have one. */
struct passing {
	uint32_t references;
	uint32_t epoch, floor, fenced_to; /* as in struct strand */
	vector_clock heard;               /* as in struct told */
	struct known event;               /* if they release themselves */
	struct known fenced[REACHES], fenced_sc[REACHES];
	struct passing *next_free;
};

/* An atomic on its way to memory. */
struct sent {
	uint64_t address;
	struct passing *passes;
	uint32_t next; /* of the lane, issued later, or free; NO_SENT: none */
	uint16_t site;
};
#define NO_SENT 0

struct race_warp {
	struct race_group *group;
	uint32_t first; /* number of its first thread */
	uint32_t strands;
	lane_mask waits[16]; /* strands, by barrier */
	lane_mask together;  /* lanes that have met others at a bar.warp.sync, and have not left it yet */
	struct strand *strand;
	struct polled *polled;        /* by lane; null: none yet */
	lane_mask unfenced;           /* lanes whose `unfenced` is not nothing */
	struct strand_copies *copies; /* of each strand; null: none yet */
	struct waited *waited;        /* likewise */
	VECTOR(struct sent) sent;     /* by number; the first is none */
	uint32_t *first_sent;         /* by lane, the oldest; null: none yet */
	uint32_t free_sent;
};

/* ---- Asynchronous copies ---- */

#define COPY_GROUPS                                                                                                    \
	16 /* that are told apart; a wait that leaves out more waits for some of them, as in the machine               \
	    */

/* The copies of a strand: by cp.async, and by cp.async.bulk with groups; and what its warp reads by wgmma, of strand 0
 * alone. */
#define COPY_KINDS 3
#define COPY_MATRICES 2
struct strand_copies {
	uint32_t begun[COPY_KINDS], groups[COPY_KINDS]; /* how many so far */
	uint32_t commits[COPY_KINDS][COPY_GROUPS];      /* of the last groups, `begun` then */
	vector_clock
		proxied[2]; /* what it knew and did at its last proxy fence: for shared memory, for global memory */
};

/* A tensor map that threads of a group have acquired: what they knew and did then. */
struct acquired_map {
	uint64_t address;
	vector_clock known;
};

#define ARRIVED_PHASES 4

/* An mbarrier object. */
struct object {
	uint64_t offset;
	/* For explanations: so many phases are complete; the warps of its group that have arrived in one of the last,
	 * a bit each, by phase. */
	uint32_t done;
	uint64_t arrived[ARRIVED_PHASES];
	struct knowledge pending, over;            /* from arrivals in the current phase; in completed ones */
	struct knowledge relaxed_pending, relaxed; /* likewise, as in struct strand */
};

struct objects {
	VECTOR(struct object) list;
};

/* For explanations: the last phase of an mbarrier that a strand has found complete. */
struct waited {
	uint32_t object; /* its number, plus one; 0: none */
	uint32_t done;   /* so many phases were complete then */
};

/* A copy, or what tracks copies, that has not completed on its mbarrier yet. */
struct flight {
	uint32_t token, lane;
	uint32_t strand, epoch; /* of the copies */
};

/* Threads that meet: what they know and did, what each fence.sc of theirs passed on, what waits for one. */
struct meeting {
	bool is_open; /* else nothing is in it */
	struct known known, fenced_sc[REACHES];
	struct knowledge observed_sc[REACHES];
	struct knowledge relaxed; /* as in struct strand */
};

struct race_barrier {
	bool arrives_only; /* some do not wait */
	uint32_t latest;   /* epoch of those that have arrived */
	struct meeting meeting;
};

/* A plain access to shared memory that has not been judged: see put_off.c. */
struct put_off {
	const struct insn *insn;
	lane_mask lanes;
	uint32_t pc, epoch;
	uint32_t first; /* in `units`: its lanes' addresses, in units of what a lane accesses; then what they wrote */
	uint16_t warp;  /* of the group */
	bool writes;
};

/* A phase of a cluster's barrier, and those that have arrived. */
struct race_phase {
	uint32_t phase;
	struct meeting meeting;
};

/* Work-groups that access each other's shared memory. */
struct race_cluster {
	uint32_t number, ended; /* groups that have */
	struct shadow shared;   /* by race_shared, as are `words` and `objects` */
	struct lookup words;
	struct objects objects;
	struct race_phase phase[2];
	struct race_cluster *next; /* of the launch, or free */
};

struct race_group {
	struct race_launch *launch;
	uint32_t first;               /* number of its first thread */
	uint32_t warps, strands;      /* that it has memory for: warps, and strands of each */
	struct race_cluster *cluster; /* null: none; `shared`, `words` and `objects` are then the group's own */
	struct shadow shared;
	VECTOR(struct put_off) put_off;
	VECTOR(uint16_t) units;
	bool owns; /* some of these write: pages have owners */
	struct lookup words;
	struct race_barrier barrier[16];
	struct race_warp *warp;
	struct objects objects;
	struct race_phase phase[2]; /* in a cluster: what only its own threads get */
	VECTOR(uint32_t) copied;    /* copies so far, by strand: see copy.c */
	VECTOR(struct flight) flights;
	VECTOR(struct acquired_map) maps;
	struct met *met;     /* for explanations: the last HEARD_WORDS; null: none yet */
	uint32_t met_so_far; /* how many there have been */
	struct race_group *next_free;
};

struct race_launch {
	uint64_t ordinal;
	const struct kernel *kernel;
	struct race_launch *next; /* that has not ended, or overlapped with others */
	uint32_t first, threads;  /* the numbers of all its threads */
	uint32_t group_stride;    /* numbers of a group: */
	uint32_t group_lanes;     /* first its threads, then its asynchronous copies */
	uint32_t lanes, shift;    /* a strand is 1 << shift threads */
	uint32_t strands;         /* of a whole warp */
	uint32_t groups, ended, group_threads, warps;
	uint32_t cluster; /* groups of a cluster */
	uint32_t reaches;
	uint32_t *number; /* with clusters: a group's flat index, by its place in the threads' numbers */
	struct race_cluster *clusters;
	bool narrow;            /* the kernel has strong accesses or fences of the work-group's scope */
	bool meets_sc;          /* it has a fence.sc, and its threads may meet */
	int64_t credit;         /* above 0, accesses are put off: see put_off.c */
	vector_clock start;     /* what its threads know when they begin */
	uint64_t after;         /* the ordinal, plus one, of the launch that it may overlap; 0: none */
	struct race_grid *grid; /* null: no kernel launched it, nor does it launch any */
	uint16_t *site;         /* numbers, by pc, and a second and a third one of each; 0: none yet */
};

/* Something in a stream of a kernel. */
struct race_grid {
	struct known known; /* what happens before it; from its end on, with all of itself */
	bool open;          /* it will end, and has not yet */
	struct race_grid *next;
};

struct races {
	struct arena *arena;
	struct races_asked asked;
	struct found_list *found;
	struct found_list apart[RACES_APART]; /* what is only counted */
	struct clock_pool clocks;
	struct shadow global;
	struct lookup words;
	struct page *free_page[PAGE_SHIFTS];
	VECTOR(struct site) sites; /* number 0 is none, here and in `crowds` */
	VECTOR(struct crowd) crowds;
	uint32_t free_crowd;
	struct told *free_told;
	struct passing *free_passing;
	struct race_cluster *free_clusters;
	VECTOR(uint32_t) chains;             /* the index of each one's last event */
	uint32_t chain_base;                 /* in clocks, chains have the entries from here to CLOCK_FAN times it */
	VECTOR(struct strand_events) events; /* by strand */
	struct race_launch *launches;
	struct race_grid *grids, *free_grids;
	uint32_t open_grids;
	struct race_group *free_groups;
	uint64_t next_thread;       /* the next free number */
	vector_clock released_maps; /* what comes before some release of tensor maps */
};

static inline uint32_t strand_number(const struct race_launch *launch, uint32_t thread)
{
	return thread >> launch->shift;
}

/* ---- judge.c ---- */

static inline bool site_is_wide(const struct site *site)
{
	return rule_includes(site->scope, RACE_SCOPE_WIDE);
}

/* Whether all that will race with y will race with x, too, where y happens before x. */
static inline bool site_stands_for(const struct site *x, const struct site *y)
{
	if (y->writes && !x->writes)
		return false;
	return !x->is_atomic || (y->is_atomic && x->scope <= y->scope && rule_overlap_completely(x, y));
}

/* Remembers the lane's access, which has been judged, in the granule. */
void judge_remember(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t lane, struct granule *g);

/* Whether the kernel has strong accesses, or fences, for its work-group alone. */
bool kernel_is_narrow(const struct races *races, const struct kernel *kernel);
/* Whether it has fences of sequential consistency, and its threads meet at barriers or as lanes. */
bool kernel_meets_sc(const struct kernel *kernel);

/* ---- Clusters ---- */

/* The words of the group's shared memory. */
static inline struct lookup *words_of(struct race_group *group)
{
	return group->cluster ? &group->cluster->words : &group->words;
}

/* The narrowest scope that has both the thread and those of the group. */
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

/* A work-group ends, `is_last`: with its launch; its strands still know what they know. */
void grid_group_ends(struct races *races, struct race_group *group, bool is_last);
void grids_forget(struct races *races);

/* ---- shadow.c ---- */

void shadow_create(struct races *races, struct shadow *shadow, uint64_t base, uint64_t bytes);
/* Nothing has been accessed. */
void shadow_clear(struct races *races, struct shadow *shadow);
/* The granules of `bytes` bytes that are accessed together: *count of them, of *size bytes. */
struct granule *shadow_at(
	struct races *races, struct shadow *shadow, uint64_t address, uint32_t bytes, uint32_t *count, uint32_t *size);
/* Page `number`, which was not touched yet, becomes this one. */
void shadow_put(struct races *races, struct shadow *shadow, uint64_t number, struct page *page);
/* An empty page of granules; gives back a page of any kind. */
struct page *page_take(struct races *races, uint32_t shift);
void page_drop(struct races *races, struct page *page);

/* ---- crowd.c ---- */

void crowd_drop(struct races *races, uint32_t number);
/* A copy of the granule, with a crowd of its own. */
struct granule crowd_copy_granule(struct races *races, const struct granule *from);

/* ---- runs.c ---- */

/* Judges and remembers the lanes' plain accesses, all in that epoch, as far as they are runs and race with nothing.
 * Returns which lanes those are. */
lane_mask runs_judge(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t epoch, struct shadow *shadow);
/* Turns a page of runs into granules. */
struct page *runs_to_granules(struct races *races, struct page *page);
/* For page_drop alone. */
void runs_drop(struct races *races, struct page *page);

/* ---- put_off.c ---- */

#define PUT_OFF_CREDIT 4096 /* accesses that may be judged after all before putting off is given up */
#define PUT_OFF_SHIFT 31    /* of a page that has only what was put off; it has no granules */

/* Records a plain access to shared memory, to be judged later, if ever.  False: it is to be judged now. */
bool put_off(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint32_t epoch);
static inline bool page_is_put_off(const struct page *page)
{
	return page->shift == PUT_OFF_SHIFT;
}
/* Judges all that were put off; or drops them. */
void put_off_judge_all(struct races *races, struct race_group *group);
void put_off_forget(struct races *races, struct race_group *group);
/* A strand of the group is about to learn something. */
static inline void put_off_end(struct races *races, struct race_group *group)
{
	if (group->put_off.count)
		put_off_judge_all(races, group);
}

/* ---- order.c ---- */

/* The strand that the lane is, or belongs to. */
static inline struct strand *strand_of(const struct race_warp *warp, uint32_t lane)
{
	assert(lane >> warp->group->launch->shift < warp->strands);
	return &warp->strand[lane >> warp->group->launch->shift];
}
/* Whether the access happens before what the strand does now.  Unless `must`, no clocks are joined to tell, and it may
 * be CLOCK_UNSURE. */
enum clock_glance order_is_before(const struct races *races, const struct race_warp *warp, uint32_t strand,
	const struct strand *u, uint32_t thread, uint32_t epoch, bool must);
/* Whether a clock has what the strand did in its epoch. */
bool chain_knows(const struct races *races, vector_clock clock, uint32_t strand, uint32_t epoch);
/* The same without joining clocks. */
enum clock_glance chain_glance(const struct races *races, vector_clock clock, uint32_t strand, uint32_t epoch);
/* An event of the strand: what it passes on; the reference is the caller's.  The caller begins its next epoch. */
struct known chain_event(struct races *races, struct strand *u, uint32_t strand);
/* The strand has learned what another passed on. */
void chain_learned(const struct races *races, struct strand *u, const struct known *what);
/* The strand writes the word, and passes on `what`; `again`: it was the last to write it.  An atomic of one that was
 * not may take a lock, and its next write may release it. */
void chain_written(const struct races *races, struct strand *u, struct sync_word *w, const struct known *what,
	bool is_rmw, bool again);
/* Forgets all events.  Launches that begin from now on have `strands` strands. */
void chain_forget_all(struct races *races, uint64_t strands);
/* Whether one of the strand's reads observed the strong writes of another strand to the word, up to those of its epoch
 * `epoch`.  Of reads that it has forgotten, if it `has_read` the word, one may have. */
bool order_is_observed(struct races *races, const struct race_warp *warp, const struct strand *u, uint64_t word,
	uint8_t space, uint32_t strand, uint32_t epoch, bool has_read);
/* Adds what lanes of the strand have polled to what it has observed. */
void order_note_observed(struct races *races, struct race_warp *warp, struct strand *u);
/* Strong accesses of the lane to a word of the table; null: it has not been written.  `passes`: it is an atomic that
 * was issued before; else null. */
void order_read(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site,
	struct sync_word *w, const struct lookup *table);
void order_write(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site,
	struct sync_word *w, struct lookup *table, const struct passing *passes);
/* Whether an access that acquires the word comes after what the other strand did in its epoch. */
bool order_is_acquired(struct races *races, const struct race_warp *warp, const struct site *site, struct sync_word *w,
	const struct lookup *table, uint32_t strand, uint32_t epoch);
/* The strand does something after its last strong write, in another epoch, so that a thread that reads what it wrote is
 * not taken to know of this. */
static inline void order_go_past_write(struct strand *u)
{
	assert(u->epoch);
	assert(u->wrote <= u->epoch);
	u->epoch += u->wrote == u->epoch;
}
/* The lane passes on what it knows and did; it learns something. */
void order_give(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into);
void order_get(struct races *races, struct race_warp *warp, uint32_t lane, const struct knowledge *what);
/* The same by relaxed operations between threads of one group: it passes on what a fence released; it knows at its next
 * fence. */
void order_give_fenced(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into);
void order_observe(struct races *races, struct race_warp *warp, uint32_t lane, const struct knowledge *what);
/* For explanations: the lane would pass that on if its arrival were not relaxed. */
void order_note_relaxed(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into);
/* The strand's number; the strands of these lanes, a bit each. */
uint32_t order_number(const struct race_warp *warp, const struct strand *u);
lane_mask order_strands(const struct race_warp *warp, lane_mask lanes);
void order_begin_warp(struct race_warp *warp);
void order_end_warp(struct races *races, struct race_warp *warp);

/* ---- sent.c ---- */

/* The lane issues an atomic of an element at the address; the oldest such of `bytes` bytes from `address` on, which
 * has not taken effect, or null, once the warp has issued one; it has taken effect. */
void sent_add(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site, uint64_t address);
struct sent *sent_find(struct race_warp *warp, uint32_t lane, uint16_t site, uint64_t address, uint32_t bytes);
void sent_arrived(struct races *races, struct race_warp *warp, uint32_t lane, struct sent *sent);
void sent_end_warp(struct races *races, struct race_warp *warp);

/* ---- meet.c ---- */

/* Forgets the meeting, if it is open. */
void meet_close(struct races *races, struct meeting *meeting);

/* ---- words.c ---- */

/* A name is a key and its space. */
uint64_t word_name(uint64_t key, uint8_t space);
uint64_t word_of_name(uint64_t name, uint8_t *space);
/* The table's word; null: there is none.  word_make makes one then. */
struct sync_word *word_find(const struct lookup *table, uint64_t key);
struct sync_word *word_make(struct races *races, struct lookup *table, uint64_t key);
/* What stands for the word where threads of a launch meet: what each fence.sc of theirs passes on by it.  It is a word
 * of the same table. */
uint64_t word_sc_key(const struct sync_word *w);
/* The word is about to change; for those that have read it, it stays as it is. */
void word_changes(struct races *races, struct sync_word *w);
/* A store hides what it passed on. */
void word_empty(struct races *races, struct sync_word *w);
/* That strand has written it, which knew `heard`; `fenced`: what it has released by that, to any scope. */
void word_written(
	struct races *races, struct sync_word *w, const struct writer *by, vector_clock heard, vector_clock fenced);
/* Whether one of the last writers of the word that was read wrote it after what `thread` did in `epoch` (the thread
 * itself: in epoch `first` or later); and whether it had released that, to any scope. */
bool word_tells(const struct races *races, struct race_group *group, const struct heard *heard, uint32_t thread,
	uint32_t epoch, uint32_t first, bool *released);
/* The next strand of the thread's group, but that of the thread, that was among the last to write the word that was
 * read; NO_STRAND: no more.  *at counts, from 0 on.  There may have been more than are remembered. */
#define NO_STRAND UINT32_MAX
uint32_t word_other_writer(
	const struct races *races, struct race_group *group, const struct heard *heard, uint32_t thread, uint32_t *at);
bool word_has_more_writers(const struct heard *heard);
/* What a word of `table` passes on within the group, or cluster, that has the table `own`; null: nothing. */
struct knowledge *word_near(
	struct races *races, struct lookup *own, const struct lookup *table, struct sync_word *w, bool makes);
/* The strand has read the word as it is now, by an access from that site; whether it remembers a read of it; it forgets
 * all its reads. */
void word_hear(struct races *races, struct strand *u, struct sync_word *w, const struct site *site);
bool word_is_heard(const struct strand *u, const struct sync_word *w);
/* The site of its last read of the word; 0: none. */
uint16_t word_heard_at(const struct strand *u, uint64_t name);
/* The word as the strand has read it, if a store has hidden that since; else null. */
const struct told *word_hidden(const struct strand *u, const struct sync_word *w);
void word_forget_heard(struct races *races, struct strand *u);
/* The strand meets others of its group, which may learn what it has read; the group ends. */
void word_pass_on(struct races *races, struct race_group *group, struct strand *u, uint32_t strand);
void word_forget_met(struct races *races, struct race_group *group);
static inline uint32_t met_count(const struct race_group *group)
{
	assert(!group->met_so_far || group->met);
	return group->met_so_far < HEARD_WORDS ? group->met_so_far : HEARD_WORDS;
}
void sync_clear(struct races *races, struct lookup *table);

/* ---- judge.c ---- */

/* Judges the plain accesses of lanes by one instruction, all in that epoch. */
void judge_plain(struct races *races, struct race_warp *warp, const struct race_access *a, uint32_t epoch);
/* The site of an instruction that accesses blocks; `source`: that of its reads; `element`: the bytes of each element
 * that it reduces, each by an atomic of its own, or 0.  0: there are too many. */
uint16_t judge_block_site(struct races *races, struct race_launch *launch, uint32_t pc, bool source, uint8_t element);
/* Likewise of what a copy reads of its tensor map. */
uint16_t judge_map_site(struct races *races, struct race_launch *launch, uint32_t pc);
/* Judges an access to `bytes` bytes: by the lane, or by a copy that it has begun. */
void judge_block(struct races *races, struct race_warp *warp, uint32_t lane, const struct record *record, uint8_t space,
	uint64_t address, uint64_t bytes);

/* ---- copy.c ---- */

/* How many numbers a group has: of its threads, and of their asynchronous copies if the kernel makes any. */
uint32_t copy_numbers(const struct kernel *kernel, uint32_t threads);
/* Whether a strand of the warp's group has executed a fence between the proxies since the access. */
bool copy_is_proxied(const struct races *races, const struct race_warp *warp, const struct record *y, uint8_t space);
/* Of a copy that the strand does not know to be over: what is missing. */
enum found_cause copy_cause(
	const struct races *races, const struct race_warp *warp, const struct record *y, enum found_cause *detail);
void copy_end_group(struct races *races, struct race_group *group);
void copy_forget_objects(struct races *races, struct objects *objects);

/* ---- maps.c ---- */

void maps_end_group(struct races *races, struct race_group *group);
void maps_forget(struct races *races);

/* ---- release.c: what the mbarriers of a work-group say of a race ---- */

/* A lane arrives at the object, which has number `number`; finds its phase complete. */
void release_arrives(struct race_warp *warp, struct object *object);
void release_found(
	struct races *races, struct race_warp *warp, uint32_t lane, const struct object *object, uint32_t number);
void release_begin_warp(struct race_warp *warp);
/* Of a write by the strand to what a thread of its group read earlier; FOUND_NO_CAUSE: nothing. */
enum found_cause release_detail(const struct race_warp *warp, const struct strand *u, uint32_t reader);
/* The mbarrier and the phase that the detail is about. */
void release_tell(const struct race_warp *warp, const struct strand *u, struct found *found);

/* ---- races.c ---- */

/* The launch that has a thread; null: it is over and forgotten. */
struct race_launch *launch_of(const struct races *races, uint32_t thread);

#endif
