/* How cheap a simulator of this fidelity could be: two sketches, in nanoseconds of CPU time.
 *
 * `core`: cores that issue.  Schedulers pick greedy-then-oldest among warps that may issue, an instruction reads and
 * writes 32 lanes, a scoreboard says when its sources are there, and the warp sleeps until then in a wheel of cycles;
 * cycles in which no warp of a core wakes are skipped. `trip`: a one-lane atomic from a core to an L2 slice and back.
 * A port sends a packet in turn, messages of a quantum are collected and ordered by arrival and sender, a slice looks
 * up a set of tags and replaces the least recently used, an atomic unit serves a word at its interval, the answer waits
 * for its port, and the core writes a register and wakes the warp.
 *
 * Left out is all else that Lockstep does: divergence, predicates, barriers, other kinds of memory, DRAM, caches'
 * fills, faults, hangs, counters beyond cycles, policies that are chosen when it runs, launches.  So they are floors,
 * not aims. limits.md has what they came to.  Both print sums that must be what they are, so that nothing can be left
 * away. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CORES 15
#define WARPS 48 /* of a core */
#define LANES 32
#define REGISTERS 16
#define SCHEDULERS 2
#define WHEEL 256 /* cycles; more than the longest sleep */

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void expect(const char *what, uint64_t value, uint64_t expected)
{
	if (value == expected)
		return;
	fprintf(stderr, "floor: %s is %llu, expected %llu\n", what, (unsigned long long)value,
		(unsigned long long)expected);
	exit(1);
}

/* ---- Cores ---- */

enum op { OP_FMA, OP_ADD, OP_LESS, OP_BRANCH, OP_EXIT };

struct insn {
	uint8_t op, to, a, b, latency;
};

struct warp {
	uint32_t pc;
	uint64_t ready[REGISTERS];
	float value[REGISTERS][LANES];
};

struct core {
	uint64_t now, awake, live; /* bit per warp: may issue; has not ended */
	uint64_t wheel[WHEEL];     /* who wakes at a cycle */
	uint64_t issued;
	uint32_t last[SCHEDULERS];
	struct warp warp[WARPS];
};

#define TURNS 64 /* of the loop */

/* A loop of four multiply-adds in two chains, like fma.ptx's. */
static const struct insn code[] = {
	{OP_FMA, 2, 0, 1, 18},
	{OP_FMA, 3, 0, 1, 18},
	{OP_FMA, 2, 0, 1, 18},
	{OP_FMA, 3, 0, 1, 18},
	{OP_ADD, 4, 5, 0, 18},
	{OP_LESS, 6, 4, 7, 18},
	{OP_BRANCH, 6, 6, 6, 4},
	{OP_EXIT, 0, 0, 0, 1},
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Carries out the warp's instruction; false: it was the last. */
static inline int execute(struct warp *w, const struct insn *i)
{
	float *to = w->value[i->to], *a = w->value[i->a], *b = w->value[i->b];

	w->pc++;
	switch ((enum op)i->op) {
	case OP_FMA:
		for (uint32_t k = 0; k < LANES; k++)
			to[k] = a[k] * b[k] + to[k];
		break;
	case OP_ADD:
		for (uint32_t k = 0; k < LANES; k++)
			to[k] += a[k];
		break;
	case OP_LESS:
		for (uint32_t k = 0; k < LANES; k++)
			to[k] = a[k] < b[k] ? 1 : 0;
		break;
	case OP_BRANCH:
		if (to[0] != 0)
			w->pc = 0;
		break;
	case OP_EXIT: return 0;
	}
	return 1;
}

/* Puts the warp to sleep until its next instruction has its sources. */
static inline void sleep_until_ready(struct core *c, uint32_t slot)
{
	struct warp *w = &c->warp[slot];
	const struct insn *next = &code[w->pc];
	uint64_t at = later(later(w->ready[next->a], w->ready[next->b]), later(w->ready[next->to], c->now + 1));

	c->wheel[at % WHEEL] |= 1ull << slot;
}

static inline void issue(struct core *c, uint32_t slot)
{
	struct warp *w = &c->warp[slot];
	const struct insn *i = &code[w->pc];

	c->awake &= ~(1ull << slot);
	c->issued++;
	if (!execute(w, i)) {
		c->live &= ~(1ull << slot);
		return;
	}
	w->ready[i->to] = c->now + i->latency;
	sleep_until_ready(c, slot);
}

static inline void cycle(struct core *c)
{
	static const uint64_t mine[SCHEDULERS] = {0x5555555555555555, 0xaaaaaaaaaaaaaaaa};

	for (uint32_t s = 0; s < SCHEDULERS; s++) {
		uint64_t ready = c->awake & mine[s];

		if (!ready)
			continue;
		if (!(ready >> c->last[s] & 1))
			c->last[s] = (uint32_t)__builtin_ctzll(ready); /* slots are in the order of age */
		issue(c, c->last[s]);
	}
}

static void run_core(struct core *c)
{
	while (c->live) {
		c->awake |= c->wheel[c->now % WHEEL];
		c->wheel[c->now % WHEEL] = 0;
		if (c->awake)
			cycle(c);
		c->now++;
		while (c->live && !c->awake && !c->wheel[c->now % WHEEL])
			c->now++;
	}
}

static void start_core(struct core *c)
{
	memset(c, 0, sizeof *c);
	c->live = c->awake = (1ull << WARPS) - 1;
	for (uint32_t s = 0; s < SCHEDULERS; s++)
		c->last[s] = s;
	for (uint32_t w = 0; w < WARPS; w++)
		for (uint32_t k = 0; k < LANES; k++) {
			c->warp[w].value[0][k] = 0.5f;
			c->warp[w].value[1][k] = (float)(w + k);
			c->warp[w].value[5][k] = 1;
			c->warp[w].value[7][k] = TURNS;
		}
}

/* Nanoseconds a warp instruction. */
static double core_floor(uint32_t times)
{
	static struct core core;
	double start = seconds();
	uint64_t issued = 0, sum = 0;

	for (uint32_t k = 0; k < times; k++) {
		start_core(&core);
		run_core(&core);
		issued += core.issued;
		sum += (uint64_t)core.warp[WARPS - 1].value[2][LANES - 1];
	}
	expect("the number of warp instructions", issued, (uint64_t)times * WARPS * (TURNS * 7 + 1));
	expect("a sum of the multiply-adds", sum, times * 2ull * TURNS * (WARPS + LANES - 2) / 2);
	return (seconds() - start) * 1e9 / (double)issued;
}

/* ---- Round trips ---- */

#define SLICES 12
#define SETS 64
#define WAYS 8
#define LINE_WORDS 32
#define WORDS (SLICES * SETS * WAYS * LINE_WORDS / 2)
#define QUANTUM 60   /* cycles, the way between a core and a slice */
#define INTERVAL 2   /* cycles of the atomic unit for one word */
#define FLITS 2      /* cycles of a port for a packet */
#define IN_FLIGHT 24 /* round trips of a core at a time */

struct message {
	uint64_t arrival;
	uint32_t word, value;
	uint16_t core, slot;
};

struct queue {
	uint32_t count;
	struct message *at;
};

struct slice {
	uint64_t port, unit;
	uint32_t clock, tag[SETS][WAYS], used[SETS][WAYS];
	struct queue waiting, sent;
};

struct sender {
	uint64_t port, random;
	uint32_t value[WARPS], left;
	uint64_t ready[WARPS];
	uint64_t may_send; /* bit per warp */
	struct queue sent[SLICES];
};

static uint32_t memory[WORDS];
static struct slice slices[SLICES];
static struct sender senders[CORES];
static struct message boxes[CORES * SLICES + 2 * SLICES][4096];

static void push(struct queue *queue, struct message message)
{
	queue->at[queue->count++] = message;
}

static uint32_t slice_of(uint32_t word)
{
	uint32_t line = word / LINE_WORDS;

	return (line ^ line >> 4 ^ line >> 9) % SLICES;
}

static void send_some(struct sender *s, uint32_t core, uint64_t until)
{
	for (uint64_t m = s->may_send; m && s->left; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m), word;
		uint64_t at = later(s->ready[slot], s->port);

		if (at >= until)
			continue;
		s->random = s->random * 6364136223846793005u + 1442695040888963407u;
		word = (uint32_t)(s->random >> 33) % WORDS;
		s->port = at + FLITS;
		s->may_send &= ~(1ull << slot);
		s->left--;
		push(&s->sent[slice_of(word)], (struct message){.arrival = at + QUANTUM,
						       .word = word,
						       .value = 1,
						       .core = (uint16_t)core,
						       .slot = (uint16_t)slot});
	}
}

/* From the senders in turn, so equal arrivals stay in the order of their senders. */
static void collect(struct slice *slice, uint32_t number)
{
	struct queue *waiting = &slice->waiting;

	for (uint32_t c = 0; c < CORES; c++) {
		struct queue *sent = &senders[c].sent[number];

		for (uint32_t k = 0; k < sent->count; k++) {
			uint32_t to = waiting->count++;

			for (; to && waiting->at[to - 1].arrival > sent->at[k].arrival; to--)
				waiting->at[to] = waiting->at[to - 1];
			waiting->at[to] = sent->at[k];
		}
		sent->count = 0;
	}
}

/* Whether the line is there; it is afterwards. */
static int look_up(struct slice *slice, uint32_t line)
{
	uint32_t set = line / SLICES % SETS, victim = 0;

	slice->clock++;
	for (uint32_t w = 0; w < WAYS; w++)
		if (slice->tag[set][w] == line + 1) {
			slice->used[set][w] = slice->clock;
			return 1;
		}
	for (uint32_t w = 1; w < WAYS; w++)
		if (slice->used[set][w] < slice->used[set][victim])
			victim = w;
	slice->tag[set][victim] = line + 1;
	slice->used[set][victim] = slice->clock;
	return 0;
}

static void serve(struct slice *slice, uint64_t until)
{
	uint32_t done = 0;

	for (; done < slice->waiting.count && slice->waiting.at[done].arrival < until; done++) {
		struct message m = slice->waiting.at[done];
		uint64_t start = later(m.arrival, slice->unit);
		uint32_t old = memory[m.word];

		if (!look_up(slice, m.word / LINE_WORDS))
			start += 1; /* DRAM is left out */
		memory[m.word] = old + m.value;
		slice->unit = start + INTERVAL;
		slice->port = later(slice->port, start) + FLITS;
		m.value = old;
		m.arrival = slice->port + QUANTUM;
		push(&slice->sent, m);
	}
	memmove(slice->waiting.at, slice->waiting.at + done, (slice->waiting.count - done) * sizeof *slice->waiting.at);
	slice->waiting.count -= done;
}

static void receive(struct slice *slice)
{
	for (uint32_t k = 0; k < slice->sent.count; k++) {
		const struct message *m = &slice->sent.at[k];
		struct sender *s = &senders[m->core];

		s->value[m->slot] += m->value;
		s->ready[m->slot] = m->arrival;
		s->may_send |= 1ull << m->slot;
	}
	slice->sent.count = 0;
}

static void start_trips(uint32_t each)
{
	uint32_t box = 0;

	memset(memory, 0, sizeof memory);
	memset(slices, 0, sizeof slices);
	memset(senders, 0, sizeof senders);
	for (uint32_t c = 0; c < CORES; c++) {
		senders[c].left = each;
		senders[c].random = c + 1;
		senders[c].may_send = (1ull << IN_FLIGHT) - 1;
		for (uint32_t k = 0; k < SLICES; k++)
			senders[c].sent[k].at = boxes[box++];
	}
	for (uint32_t k = 0; k < SLICES; k++) {
		slices[k].waiting.at = boxes[box++];
		slices[k].sent.at = boxes[box++];
	}
}

static int any_left(void)
{
	for (uint32_t c = 0; c < CORES; c++)
		if (senders[c].left || senders[c].may_send != (1ull << IN_FLIGHT) - 1)
			return 1;
	return 0;
}

/* Nanoseconds a round trip. */
static double trip_floor(uint32_t each)
{
	double start;
	uint64_t sum = 0;

	start_trips(each);
	start = seconds();
	for (uint64_t until = QUANTUM; any_left(); until += QUANTUM) {
		for (uint32_t c = 0; c < CORES; c++)
			send_some(&senders[c], c, until);
		for (uint32_t k = 0; k < SLICES; k++) {
			collect(&slices[k], k);
			serve(&slices[k], until);
		}
		for (uint32_t k = 0; k < SLICES; k++)
			receive(&slices[k]);
	}
	start = seconds() - start;
	for (uint32_t k = 0; k < WORDS; k++)
		sum += memory[k];
	expect("the number of round trips", sum, (uint64_t)CORES * each);
	return start * 1e9 / (double)sum;
}

int main(int count, char **words)
{
	uint32_t times = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 200;
	double core, trip;

	if (count > 2 || !times) {
		fprintf(stderr, "floor: expected `floor [TIMES]`, TIMES 1 or more\n");
		return 2;
	}
	core = core_floor(times);
	trip = trip_floor(times * 500);
	printf("a warp instruction: %.1f ns; a round trip: %.1f ns\n", core, trip);
	return 0;
}
