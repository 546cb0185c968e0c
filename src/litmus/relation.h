/* Relations between at most 64 events: one word of bits per event. */
#ifndef LOCKSTEP_LITMUS_RELATION_H
#define LOCKSTEP_LITMUS_RELATION_H

#include <stdbool.h>
#include <stdint.h>

#define RELATION_EVENTS 64

/* Bit b of to[a]: a is before b. */
struct relation {
	uint64_t to[RELATION_EVENTS];
};

#define EVENT_BIT(event) (1ull << (event))
/* Every event of a mask, the lowest first. */
#define EACH_EVENT(event, mask)                                                                                        \
	for (uint64_t rest_of_##event = (mask), event = 0;                                                             \
		rest_of_##event && (event = (uint64_t)__builtin_ctzll(rest_of_##event), true);                         \
		rest_of_##event &= rest_of_##event - 1)

static inline bool relation_has(const struct relation *r, uint64_t from, uint64_t to)
{
	return r->to[from] >> to & 1;
}

static inline void relation_add(struct relation *r, uint64_t from, uint64_t to)
{
	r->to[from] |= EVENT_BIT(to);
}

/* What is before something that is before something else is before that. */
static inline void relation_close(struct relation *r, uint32_t count)
{
	for (uint32_t middle = 0; middle < count; middle++)
		for (uint32_t from = 0; from < count; from++)
			if (relation_has(r, from, middle))
				r->to[from] |= r->to[middle];
}

/* Of a closed relation: nothing is before itself. */
static inline bool relation_is_order(const struct relation *r, uint32_t count)
{
	for (uint32_t event = 0; event < count; event++)
		if (relation_has(r, event, event))
			return false;
	return true;
}

#endif
