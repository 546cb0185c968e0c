/* Fixed work, whose CPU seconds say how fast the machine is in this minute: see README.md.
 *
 * It is of the sort that simulators do: small operations chosen by data, through pointers, on a state of some megabytes
 * that is read and written all over.  It must not change, or the constants in `run` are void; the check at the end
 * holds it to that. */
#include <stdint.h>
#include <stdio.h>

#define WORDS (1u << 19)
#define STEPS (12u << 20)
#define EXPECTED 0x3aae8015u

static uint32_t word[WORDS];

struct unit {
	uint32_t at, sum, carried[14];
};

typedef void operation(struct unit *unit);

static void add(struct unit *unit)
{
	unit->sum += word[unit->at];
}

static void mix(struct unit *unit)
{
	unit->sum ^= word[unit->at] * 2654435761u;
}

static void store(struct unit *unit)
{
	word[unit->at] = unit->sum;
}

static void choose(struct unit *unit)
{
	if (word[unit->at] & 1)
		unit->sum = unit->sum << 3 | unit->sum >> 29;
	else
		unit->at = (unit->at + 1) % WORDS;
}

static void gather(struct unit *unit)
{
	for (unsigned k = 0; k < 14; k++)
		unit->carried[k] += word[(unit->at + k) % WORDS];
	unit->sum += unit->carried[unit->sum % 14];
}

static operation *const operations[] = {add, mix, store, choose, gather, add, mix, choose};

int main(void)
{
	static struct unit units[256];
	uint32_t sum = 0, seed = 1;

	for (uint32_t k = 0; k < WORDS; k++)
		word[k] = seed = seed * 1664525u + 1013904223u;
	for (uint32_t step = 0; step < STEPS; step++) {
		struct unit *unit = &units[step % 256];

		operations[(unit->sum >> 7 ^ step >> 8) & 7](unit);
		unit->at = (unit->at * 5u + unit->sum + step) % WORDS;
	}
	for (uint32_t k = 0; k < 256; k++)
		sum ^= units[k].sum + k;
	if (sum != EXPECTED)
		fprintf(stderr, "yardstick: 0x%08x is not 0x%08x: other work than the constants are for\n", sum,
			EXPECTED);
	return sum != EXPECTED;
}
