/* The window of a control processor: the instructions that it has begun and not ended, in the order of the program.
 *
 * It knows time and registers, not what instructions do.  In each cycle, in this order, up to `width` of them leave at
 * its old end, as they are done; up to `width` begin, the oldest first, whose operands are there; and up to `width`
 * enter at its young end.  So an instruction that enters in cycle n begins in n + 1 at the earliest, and what needs its
 * result in the cycle in which that is there.  Registers are renamed: an instruction waits for the youngest older one
 * that writes what it reads, and for nothing else. */
#ifndef LOCKSTEP_MACHINE_CONTROL_WINDOW_H
#define LOCKSTEP_MACHINE_CONTROL_WINDOW_H

#include "policy/control/control.h"
#include "util/arena.h"

#include <assert.h>
#include <stdint.h>

#define WINDOW_REGISTERS 10 /* read or written by an instruction, each */
#define WINDOW_NEVER UINT64_MAX
#define WINDOW_NOT_YET (UINT64_MAX - 1) /* of `begin`: it cannot begin in this cycle */

enum window_kind { WINDOW_PLAIN, WINDOW_LOAD, WINDOW_STORE };

struct window_entry {
	/* The caller's, before it enters. */
	uint8_t kind;                      /* enum window_kind: which queue it needs */
	uint8_t read_count, write_count;   /* registers */
	uint16_t reads[WINDOW_REGISTERS];  /* numbers of registers */
	uint16_t writes[WINDOW_REGISTERS]; /* likewise */
	/* The window's. */
	uint64_t number;                     /* from 1 on; older entries have smaller ones */
	uint64_t producer[WINDOW_REGISTERS]; /* of each register that is read: the entry's number; 0: it is older */
	uint64_t done_at;                    /* its results are there; WINDOW_NEVER: not known yet */
	bool begun;
};

struct window {
	struct control_window size;
	struct window_entry *entries; /* entry of number n at n & mask */
	uint64_t mask;
	uint64_t first, next;  /* numbers of the oldest, and of the next that enters */
	uint64_t *last_writer; /* per register: number of the youngest entry that writes it; 0: none */
	uint32_t register_count;
	uint32_t queued, results, loads, stores; /* in use */
};

struct window_hooks {
	/* The oldest is done: false, it must stay. */
	bool (*leave)(void *context, struct window_entry *entry);
	/* The operands are there: when the results will be.  WINDOW_NEVER: window_done will say; WINDOW_NOT_YET. */
	uint64_t (*begin)(void *context, struct window_entry *entry);
	/* Calls window_enter for the next instruction of the program; false: none enters in this cycle any more. */
	bool (*enter)(void *context);
};

void window_create(struct window *window, struct arena *arena, const struct control_window *size, uint32_t registers);

static inline struct window_entry *window_at(const struct window *window, uint64_t number)
{
	return &window->entries[number & window->mask];
}
static inline bool window_is_empty(const struct window *window)
{
	assert(window->first <= window->next);
	return window->first == window->next;
}
/* The entry of that number, if it is still in the window; else null. */
static inline struct window_entry *window_find(const struct window *window, uint64_t number)
{
	return number >= window->first && number < window->next ? window_at(window, number) : NULL;
}

/* Whether an entry like this one has room; and that it enters.  Returns its number. */
bool window_has_room(const struct window *window, const struct window_entry *like);
uint64_t window_enter(struct window *window, const struct window_entry *like);
/* The results of an entry will be there at cycle `at`. */
void window_done(struct window *window, uint64_t number, uint64_t at);
/* A store that has left is complete; until then it has its place in the store queue. */
void window_store_complete(struct window *window);
/* All entries younger than that one were entered by mistake. */
void window_cut(struct window *window, uint64_t number);

/* One cycle; whether anything left, began or entered. */
bool window_cycle(struct window *window, const struct window_hooks *hooks, void *context, uint64_t now);
/* The next cycle from `first` on in which something that has begun is done; WINDOW_NEVER: none is known. */
uint64_t window_next(const struct window *window, uint64_t first);

#endif
