/* What tests/mutate/test_mutate.py makes slips of: each form that they apply to, and those that they leave alone. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum scope { SCOPE_GROUP, SCOPE_GPU, SCOPE_SYSTEM, SCOPE_COUNT = 2 };
struct part {
	uint64_t first, last;
	uint32_t count;
	unsigned is_open : 1, is_late : 1;
	enum scope scope;
	uint32_t reserved;
	union {
		int32_t words, bytes;
	} size;
	int lanes[4];
};

uint64_t later_of(uint64_t a, uint64_t b);
void key_add(uint64_t key, uint64_t part);
void line_evict(struct part *p);
void line_free(struct part *p);
void line_touch(struct part *p);
void between(uint64_t from, uint64_t to, uint32_t count, uint64_t step);
void start(uint64_t when);

uint64_t members(struct part *p)
{
	p->first = 3;
	p->is_open = 1;
	p->size.words = 2;
	p->count += p->reserved;
	return *&p->last;
}

enum scope enumerators(enum scope scope)
{
	int named[] = {[SCOPE_GPU] = 5};
	switch (scope) {
	case SCOPE_GROUP:
		return SCOPE_SYSTEM;
	default:
		return scope == SCOPE_GPU ? SCOPE_GROUP : scope + named[0];
	}
}

void statements(struct part *p)
{
	memset(p, 0, sizeof *p);
	p->count = 0;
	*p = (struct part){0};
	key_add(1, 2);
	line_evict(p);
	line_touch(p);
	line_free(p);
}

void calls(uint64_t from, uint64_t to, uint32_t count, uint64_t step)
{
	between(from, to, count, step);
	between(from, from, count, from);
	later_of(from, to);
}

bool same(const struct part *a, const struct part *b)
{
	return a->first == b->first && a->scope == b->scope;
}

void bounds(char *to, const char *from, uint32_t n, int *words)
{
	for (uint32_t k = 0; k < n; k++)
		if (k < 7)
			to++;
	for (uint32_t k = 0; k < n; k += 4)
		to += k;
	memcpy(to, from, n);
	memcpy(words, from, n * sizeof *words);
	memcpy(words, from, sizeof *words);
	memcpy(words, from, sizeof(struct part));
}

uint64_t times(uint64_t now, uint64_t latency, uint64_t room)
{
	uint64_t when = now, size = room + 1;
	when = size + latency + 2;
	start(when);
	start(0);
	return now + latency;
}

bool is_one_of(uint64_t value, uint64_t a, uint64_t b);

int part_matches(uint64_t a, uint64_t b)
{
	return a && is_one_of(a, b, b + 1);
}

struct part made(uint64_t first)
{
	return (struct part){.first = first, .count = 0, .lanes[1] = 4};
}
