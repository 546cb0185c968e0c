/* One DRAM channel, command by command.
 *
 * A request travels: backlog (a queue between L2 and controller) -> window (dram.queue entries, a list per bank in
 * order of arrival) -> held by its bank -> commands.  A bank holds one request at a time.  In one cycle the controller
 *   - lets arrivals into the window while there is room,
 *   - gives one bank without a request its next one: the oldest that hits the open row, else the oldest,
 *   - issues one command: a column command (read, write) if one is possible, else a row command (precharge, activate);
 *     with dram.dual_bus one of each.
 * Banks are searched round-robin: the first one advances with every request that is given to a bank and with every row
 * command.
 *
 * This gives GPGPU-Sim's bandwidth, and each part matters.  As a bank that waits for its row does not block others,
 * misses overlap.  As writes may be issued only tRTW after the last read, and reads keep arriving, writes collect until
 * nearly every bank holds one; then they are issued in one batch.  So turnarounds are rare without a write queue.
 *
 * First-ready alone allows starvation: row hits may delay a miss for ever, and reads a write.  So after dram.bypass
 * hits the bank's oldest request goes first; and after dram.turn column commands of one direction, while a bank waits
 * for the other, the direction changes.  A request is thus served after a bounded number of others.
 *
 * Nothing is done per cycle: `next` is the cycle of the next possible event, computed from the times below. */
#include "memory/dram.h"

#include "util/arena.h"

#include <assert.h>

#define NONE UINT32_MAX
#define NEVER UINT64_MAX

enum direction { READ, WRITE };

/* x * numerator / denominator, rounded either way. */
struct ratio {
	uint64_t numerator, denominator;
	/* of the denominator, 2^64 / denominator rounded up: a multiplication replaces the division */
	uint64_t inverse;
};

struct entry { /* of the window, or held */
	struct dram_request request;
	uint32_t next;
};

struct arrival {
	struct dram_request request;
	uint64_t ready; /* DRAM cycle */
};

struct done {
	uint64_t time;  /* core cycle */
	uint64_t cycle; /* the DRAM cycle that begins then or next */
	uint64_t cookie;
};

struct bank {
	uint32_t row;
	uint32_t first, *end; /* waiting in the window: a list; where its next entry goes */
	uint32_t held;
	uint32_t passed;       /* row hits served before the oldest */
	bool open, hit;        /* hit: the held request's next burst finds its row open, no row command was for it */
	uint64_t column_at[2]; /* earliest read, write: since the activate */
	uint64_t precharge_at, activate_at;
};

struct group {
	uint64_t column_at, precharge_at;
};

struct dram_timing { /* DRAM cycles */
	uint32_t tCCD, tCCDL, tRRD, tRCD, tRCDW, tRAS, tRP, tRC, tRTPL, tRTW, tWTR, tWTP, tBURST, tCL;
};

struct dram {
	struct dram_ahead ahead; /* first: see dram.h */

	struct dram_timing timing;
	uint32_t banks, groups, queue, bypass, turn;
	bool dual_bus;
	struct ratio to_dram, to_core;

	/* What the controller examines in each cycle; bit b is bank b */
	uint64_t next;                   /* cycle of the next event */
	uint64_t waiting;                /* has requests in the window */
	uint64_t holding;                /* holds a request */
	uint64_t column[2];              /* holds one whose row is open: read, write */
	uint64_t turn_at[2];             /* earliest read, write, after the other */
	uint64_t column_at, activate_at; /* earliest for all banks: tCCD, tRRD */
	uint32_t first_bank;             /* searched first */
	uint32_t window, backlog;        /* requests in them, by weight */
	uint32_t streak;                 /* column commands of the direction `streak_of` while the other waits */
	enum direction streak_of;
	struct bank *bank;
	struct group *group;

	struct entry *entry; /* pool */
	uint32_t free_entry;
	struct arrival *arrival; /* ring */
	uint32_t arrival_first, arrival_end, arrival_mask;
	struct done *done; /* ring, in order of time: every read takes as long */
	uint32_t done_first, done_end, done_mask;
	struct dram_counters counters;
};

/* ---- Clocks ---- */

static struct ratio ratio_of(uint64_t numerator, uint64_t denominator)
{
	assert(numerator);
	assert(denominator);
	uint64_t a = numerator, b = denominator;
	while (b) {
		uint64_t c = a % b;
		a = b;
		b = c;
	}
	struct ratio ratio = {numerator / a, denominator / a, 0};
	ratio.inverse = ratio.denominator > 1 ? UINT64_MAX / ratio.denominator + 1 : 0;
	return ratio;
}

static inline uint64_t scale_down(const struct ratio *ratio, uint64_t x)
{
	assert(x <= UINT64_MAX / ratio->numerator);
	uint64_t product = x * ratio->numerator;
	if (ratio->denominator == 1)
		return product;
	uint64_t q = (uint64_t)((unsigned __int128)product * ratio->inverse >> 64);
	if (q * ratio->denominator > product) /* the inverse is rounded up */
		q--;
	return q;
}

static inline uint64_t scale_up(const struct ratio *ratio, uint64_t x)
{
	uint64_t q = scale_down(ratio, x);
	return q * ratio->denominator < x * ratio->numerator ? q + 1 : q;
}

/* ---- Making one ---- */

static uint32_t ring_size(uint32_t entries)
{
	assert(entries <= 1u << 31);
	return entries <= 16 ? 16 : 1u << (32 - __builtin_clz(entries - 1));
}

static void set_timing(struct dram *d, const struct gpu_model *m)
{
	d->timing.tCCD = m->dram_tCCD, d->timing.tCCDL = m->dram_tCCDL, d->timing.tRRD = m->dram_tRRD,
	d->timing.tRCD = m->dram_tRCD;
	d->timing.tRAS = m->dram_tRAS, d->timing.tRP = m->dram_tRP, d->timing.tRC = m->dram_tRC,
	d->timing.tRTPL = m->dram_tRTPL;
	d->timing.tBURST = m->dram_burst_cycles, d->timing.tCL = m->dram_tCL;
	/* A write's data comes tWL after the command, so the command may come that much before the row is ready. */
	d->timing.tRCDW = m->dram_tRCD > m->dram_tWL + 1 ? m->dram_tRCD - m->dram_tWL - 1 : 0;
	/* Read to write: the read's data leaves the bus, two cycles to turn it around, the write's data enters. */
	d->timing.tRTW =
		m->dram_tCL + d->timing.tBURST + 2 > m->dram_tWL ? m->dram_tCL + d->timing.tBURST + 2 - m->dram_tWL : 0;
	d->timing.tWTR = m->dram_tWL + d->timing.tBURST + m->dram_tCDLR;
	d->timing.tWTP = m->dram_tWL + d->timing.tBURST + m->dram_tWR;
	assert(d->timing.tBURST);
	assert(d->timing.tCL);
	if (d->timing.tCCD < d->timing.tBURST)
		d->timing.tCCD = d->timing.tBURST;
}

static void look_ahead(struct dram *d)
{
	d->ahead.event = d->next == NEVER ? NEVER : scale_down(&d->to_core, d->next);
	d->ahead.done = d->done_first == d->done_end ? NEVER : d->done[d->done_first & d->done_mask].time;
}

struct dram *dram_create(struct arena *arena, const struct gpu_model *model)
{
	struct dram *d = arena_new(arena, struct dram);
	set_timing(d, model);
	d->banks = model->dram_banks, d->groups = model->dram_groups;
	d->queue = model->dram_queue, d->bypass = model->dram_bypass, d->dual_bus = model->dram_dual_bus;
	d->turn = model->dram_turn ? model->dram_turn : model->dram_bypass;
	d->to_dram = ratio_of(model->clock_dram, model->clock_core);
	d->to_core = ratio_of(model->clock_core, model->clock_dram);
	assert(d->banks);
	assert(d->banks <= 64);
	assert(d->queue);
	assert(d->groups);
	assert((d->groups & (d->groups - 1)) == 0);
	d->bank = arena_new_array(arena, struct bank, d->banks);
	d->group = arena_new_array(arena, struct group, d->groups);
	for (uint32_t b = 0; b < d->banks; b++)
		d->bank[b] = (struct bank){.first = NONE, .end = &d->bank[b].first, .held = NONE};
	uint32_t entries = d->queue + d->banks;
	d->entry = arena_new_array(arena, struct entry, entries);
	for (uint32_t e = 0; e < entries; e++)
		d->entry[e].next = e + 1 < entries ? e + 1 : NONE;
	uint32_t arrivals = ring_size(model->dram_backlog + 2);
	d->arrival = arena_new_array(arena, struct arrival, arrivals);
	d->arrival_mask = arrivals - 1;
	/* Each finished read occupies an MSHR until it is taken; a slice whose MSHRs are all free accepts the four
	 * sectors of a whole line, even if it has fewer MSHRs. */
	uint32_t dones = ring_size((model->l2_mshrs > 4 ? model->l2_mshrs : 4) * (model->slices / model->channels));
	d->done = arena_new_array(arena, struct done, dones);
	d->done_mask = dones - 1;
	d->next = NEVER;
	look_ahead(d);
	return d;
}

/* ---- The backlog and the window ---- */

uint32_t dram_backlog(const struct dram *d)
{
	return d->backlog;
}

void dram_push(struct dram *d, const struct dram_request *request, uint64_t ready)
{
	assert(d->arrival_end - d->arrival_first <= d->arrival_mask);
	assert(request->bank < d->banks && request->bursts && request->weight);
	uint64_t at = scale_up(&d->to_dram, ready);
	bool head = d->arrival_first == d->arrival_end;
	d->arrival[d->arrival_end++ & d->arrival_mask] = (struct arrival){.request = *request, .ready = at};
	d->backlog += request->weight;
	if (head && d->window < d->queue)
		d->next = earlier(d->next, at);
	look_ahead(d);
}

static void admit(struct dram *d, uint64_t now)
{
	while (d->window < d->queue && d->arrival_first != d->arrival_end) {
		struct arrival *a = &d->arrival[d->arrival_first & d->arrival_mask];
		if (a->ready > now)
			return;
		d->arrival_first++;
		uint32_t e = d->free_entry;
		assert(e != NONE);
		assert(d->backlog >= a->request.weight);
		d->free_entry = d->entry[e].next;
		d->entry[e] = (struct entry){.request = a->request, .next = NONE};
		struct bank *bank = &d->bank[a->request.bank];
		*bank->end = e;
		bank->end = &d->entry[e].next;
		d->waiting |= 1ull << a->request.bank;
		d->window += a->request.weight;
		d->backlog -= a->request.weight;
	}
}

/* Removes from the bank's list the request to be served next. */
static uint32_t choose(struct dram *d, struct bank *bank)
{
	uint32_t *link = &bank->first;
	assert(bank->first != NONE);
	assert(*bank->end == NONE);
	if (bank->passed < d->bypass)
		while (*link != NONE && d->entry[*link].request.row != bank->row)
			link = &d->entry[*link].next;
	if (*link == NONE)
		link = &bank->first;
	bank->passed = link == &bank->first ? 0 : bank->passed + 1;
	uint32_t e = *link;
	*link = d->entry[e].next;
	if (*link == NONE)
		bank->end = link;
	return e;
}

/* `mask`, nonzero, rotated so that bank `first` is bit 0. */
static inline uint64_t rotate(uint64_t mask, uint32_t first)
{
	assert(mask);
	assert(first < 64);
	return first ? mask >> first | mask << (64 - first) : mask;
}

static inline uint32_t bank_at(uint32_t first, uint64_t rotated)
{
	assert(rotated);
	return (first + (uint32_t)__builtin_ctzll(rotated)) & 63;
}

static inline uint32_t after(const struct dram *d, uint32_t b)
{
	assert(b < d->banks);
	return b + 1 == d->banks ? 0 : b + 1;
}

/* Gives one bank without a request its next one. */
static void hand_out(struct dram *d)
{
	uint64_t ready = d->waiting & ~d->holding;
	if (!ready)
		return;
	uint32_t b = bank_at(d->first_bank, rotate(ready, d->first_bank));
	struct bank *bank = &d->bank[b];
	assert(bank->held == NONE);
	bank->held = choose(d, bank);
	if (bank->first == NONE)
		d->waiting &= ~(1ull << b);
	d->holding |= 1ull << b;
	const struct dram_request *r = &d->entry[bank->held].request;
	assert(d->window >= r->weight);
	d->window -= r->weight;
	bank->hit = bank->open && bank->row == r->row;
	if (bank->hit)
		d->column[r->write] |= 1ull << b;
	d->first_bank = after(d, d->first_bank);
}

/* ---- Commands ---- */

static inline struct group *group_of(const struct dram *d, uint32_t b)
{
	assert(b < d->banks);
	return &d->group[b & (d->groups - 1)];
}

static void finish_request(struct dram *d, struct bank *bank, uint32_t b, uint64_t now)
{
	assert(bank->held != NONE);
	assert(d->holding >> b & 1);
	struct entry *e = &d->entry[bank->held];
	if (!e->request.write) {
		assert(d->done_end - d->done_first <= d->done_mask);
		uint64_t time = scale_up(&d->to_core, now + d->timing.tCL + d->timing.tBURST);
		assert(d->done_first == d->done_end || d->done[(d->done_end - 1) & d->done_mask].time <= time);
		d->done[d->done_end++ & d->done_mask] =
			(struct done){.time = time, .cycle = scale_up(&d->to_dram, time), .cookie = e->request.cookie};
	}
	d->column[e->request.write] &= ~(1ull << b);
	d->holding &= ~(1ull << b);
	e->next = d->free_entry;
	d->free_entry = bank->held;
	bank->held = NONE;
}

static void issue_column(struct dram *d, uint32_t b, uint64_t now)
{
	struct bank *bank = &d->bank[b];
	struct group *group = group_of(d, b);
	struct dram_request *r = &d->entry[bank->held].request;
	assert(bank->open);
	assert(bank->row == r->row);
	assert(r->bursts);
	assert(d->column_at <= now);
	assert(group->column_at <= now);
	assert(d->turn_at[r->write] <= now);
	assert(d->column[r->write] >> b & 1);
	d->column_at = now + d->timing.tCCD;
	group->column_at = now + d->timing.tCCDL;
	if (r->write) {
		d->turn_at[READ] = now + d->timing.tWTR;
		bank->precharge_at = later(bank->precharge_at, now + d->timing.tWTP);
		d->counters.writes++;
	} else {
		d->turn_at[WRITE] = now + d->timing.tRTW;
		bank->precharge_at = later(bank->precharge_at, now + d->timing.tBURST);
		group->precharge_at = later(group->precharge_at, now + d->timing.tRTPL);
		d->counters.reads++;
	}
	d->counters.busy_cycles += d->timing.tBURST;
	if (bank->hit)
		d->counters.row_hits++;
	else
		d->counters.row_misses++;
	bank->hit = true; /* the row is open for the rest of the request */
	enum direction way = r->write ? WRITE : READ;
	d->streak = d->streak_of == way && d->column[!way] ? d->streak + 1 : 0;
	d->streak_of = way;
	if (--r->bursts == 0)
		finish_request(d, bank, b, now);
}

/* The banks that may issue a column command at `now`, considering only the direction of the bus. */
static inline uint64_t column_candidates(const struct dram *d, uint64_t now)
{
	uint64_t candidates = 0;
	for (int way = READ; way <= WRITE; way++) {
		bool must_turn = d->streak >= d->turn && (int)d->streak_of == way && d->column[!way];
		if (d->turn_at[way] <= now && !must_turn)
			candidates |= d->column[way];
	}
	return candidates;
}

static bool try_column(struct dram *d, uint64_t now)
{
	if (d->column_at > now)
		return false;
	uint64_t candidates = column_candidates(d, now);
	for (uint64_t left = candidates ? rotate(candidates, d->first_bank) : 0; left; left &= left - 1) {
		uint32_t b = bank_at(d->first_bank, left);
		enum direction way = d->column[WRITE] >> b & 1;
		assert(d->column[way] >> b & 1);
		if (d->bank[b].column_at[way] <= now && group_of(d, b)->column_at <= now) {
			issue_column(d, b, now);
			return true;
		}
	}
	return false;
}

static void activate(struct dram *d, uint32_t b, uint64_t now)
{
	struct bank *bank = &d->bank[b];
	const struct dram_request *r = &d->entry[bank->held].request;
	assert(!bank->open);
	assert(d->activate_at <= now);
	assert(bank->activate_at <= now);
	bank->row = r->row;
	bank->open = true;
	d->activate_at = now + d->timing.tRRD;
	bank->column_at[READ] = now + d->timing.tRCD;
	bank->column_at[WRITE] = now + d->timing.tRCDW;
	bank->precharge_at = now + d->timing.tRAS;
	bank->activate_at = now + d->timing.tRC;
	d->column[r->write] |= 1ull << b;
}

static void precharge(struct dram *d, uint32_t b, uint64_t now)
{
	struct bank *bank = &d->bank[b];
	assert(bank->open);
	assert(bank->precharge_at <= now);
	assert(!((d->column[READ] | d->column[WRITE]) >> b & 1));
	bank->open = false;
	bank->activate_at = later(bank->activate_at, now + d->timing.tRP);
	d->counters.precharges++;
}

static inline uint64_t row_command_at(const struct dram *d, uint32_t b)
{
	assert(d->holding >> b & 1);
	const struct bank *bank = &d->bank[b];
	return bank->open ? later(bank->precharge_at, group_of(d, b)->precharge_at)
			  : later(bank->activate_at, d->activate_at);
}

static bool try_row(struct dram *d, uint64_t now)
{
	uint64_t candidates = d->holding & ~(d->column[READ] | d->column[WRITE]);
	for (uint64_t left = candidates ? rotate(candidates, d->first_bank) : 0; left; left &= left - 1) {
		uint32_t b = bank_at(d->first_bank, left);
		assert(d->bank[b].held != NONE);
		if (row_command_at(d, b) > now)
			continue;
		if (d->bank[b].open)
			precharge(d, b, now);
		else
			activate(d, b, now);
		d->first_bank = after(d, b);
		return true;
	}
	return false;
}

/* ---- Time ---- */

/* The earliest cycle at which a bank that holds a request can issue a command, if the command bus is free. */
static uint64_t earliest_command(const struct dram *d)
{
	assert(d->holding);
	uint64_t best = NEVER;
	for (int way = READ; way <= WRITE; way++) {
		if (d->streak >= d->turn && (int)d->streak_of == way && d->column[!way])
			continue;
		uint64_t common = later(d->column_at, d->turn_at[way]);
		for (uint64_t left = d->column[way]; left; left &= left - 1) {
			uint32_t b = (uint32_t)__builtin_ctzll(left);
			uint64_t at = later(d->bank[b].column_at[way], group_of(d, b)->column_at);
			best = earlier(best, later(common, at));
		}
	}
	for (uint64_t left = d->holding & ~(d->column[READ] | d->column[WRITE]); left; left &= left - 1)
		best = earlier(best, row_command_at(d, (uint32_t)__builtin_ctzll(left)));
	return best;
}

/* `issued`: a column command was issued at `now`.  Then the next one is likely tCCD later, and the banks are searched
 * only if it is not. */
static uint64_t next_cycle(const struct dram *d, uint64_t now, bool issued)
{
	assert(!((d->column[READ] | d->column[WRITE]) & ~d->holding));
	uint64_t columns = d->column[READ] | d->column[WRITE], next = NEVER;
	if (d->waiting & ~d->holding || (issued && d->holding != columns))
		return now + 1;
	if (issued && columns)
		return d->column_at;
	if (d->holding)
		next = earliest_command(d);
	if (d->window < d->queue && d->arrival_first != d->arrival_end)
		next = earlier(next, d->arrival[d->arrival_first & d->arrival_mask].ready);
	return later(next, now + 1);
}

static uint64_t run(struct dram *d, uint64_t until, uint32_t room)
{
	uint64_t limit = scale_up(&d->to_dram, until);
	for (;;) {
		if (d->done_first != d->done_end)
			limit = earlier(limit, d->done[d->done_first & d->done_mask].cycle);
		if (d->next >= limit)
			return until;
		uint64_t now = d->next;
		admit(d, now);
		hand_out(d);
		bool column = try_column(d, now);
		if (!column || d->dual_bus)
			try_row(d, now);
		d->next = next_cycle(d, now, column);
		assert(d->next > now);
		assert(!((d->column[READ] | d->column[WRITE]) & ~d->holding));
		assert(!(d->column[READ] & d->column[WRITE]));
		if (dram_backlog(d) < room)
			return earlier(scale_down(&d->to_core, now) + 1, until);
	}
}

uint64_t dram_run(struct dram *d, uint64_t until, uint32_t room)
{
	uint64_t ran_to = d->next == NEVER ? until : run(d, until, room);
	assert(ran_to <= until);
	look_ahead(d);
	return ran_to;
}

uint64_t dram_take_done(struct dram *d)
{
	assert(d->done_first != d->done_end);
	uint64_t cookie = d->done[d->done_first++ & d->done_mask].cookie;
	look_ahead(d);
	return cookie;
}

struct dram_counters *dram_counters(struct dram *d)
{
	return &d->counters;
}
