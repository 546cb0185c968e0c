/* The events of one way through each thread, and what follows from them alone: program order, moral strength,
 * dependencies. */
#include "litmus/execution.h"

#include <string.h>

/* ---- Events ---- */

static struct litmus_event *add_event(struct litmus_execution *e, const struct litmus_event *event)
{
	uint64_t bit = EVENT_BIT(e->count);
	e->reads |= event->kind == LITMUS_READ ? bit : 0;
	e->writes |= event->kind == LITMUS_WRITE ? bit : 0;
	e->proxy_fences |= event->kind == LITMUS_PROXY_FENCED ? bit : 0;
	e->arrivals |= event->kind == LITMUS_MET ? bit : 0;
	e->sc_fences |= event->kind == LITMUS_FENCED && event->sc ? bit : 0;
	e->events[e->count] = *event;
	return &e->events[e->count++];
}

static bool is_memory(const struct litmus_event *event)
{
	return event->kind == LITMUS_READ || event->kind == LITMUS_WRITE;
}

/* What an order means: release operations release, acquire operations acquire (8.4); fences do both. */
static void set_order(struct litmus_event *event, const struct litmus_instruction *i)
{
	bool fence = i->kind == LITMUS_FENCE, both = i->order == LITMUS_ACQ_REL;
	event->strong = litmus_is_strong(i);
	event->sc = fence && i->order == LITMUS_SC;
	event->acquires = fence || (event->kind == LITMUS_READ && (both || i->order == LITMUS_ACQUIRE));
	event->releases = fence || (event->kind == LITMUS_WRITE && (both || i->order == LITMUS_RELEASE));
}

static void add_memory(struct litmus_execution *e, struct litmus_event event, const struct litmus_instruction *i)
{
	event.atomic = i->kind == LITMUS_ATOM;
	if (i->kind != LITMUS_STORE) {
		event.kind = LITMUS_READ;
		set_order(&event, i);
		add_event(e, &event);
	}
	if (i->kind != LITMUS_LOAD) {
		event.kind = LITMUS_WRITE;
		set_order(&event, i);
		add_event(e, &event);
	}
}

static void add_thread(struct litmus_execution *e, uint32_t thread)
{
	const struct litmus_thread *t = &e->test->threads.at[thread];
	const struct litmus_path *path = e->paths[thread];
	for (uint32_t k = 0; k < path->count && e->count + 2 <= RELATION_EVENTS; k++) {
		const struct litmus_instruction *i = &t->code.at[path->steps[k].instruction];
		struct litmus_event event = {.thread = thread,
			.instruction = path->steps[k].instruction,
			.location = i->location,
			.address = i->address,
			.proxy = i->proxy,
			.scope = i->scope};
		if (i->kind == LITMUS_LOAD || i->kind == LITMUS_STORE || i->kind == LITMUS_ATOM) {
			add_memory(e, event, i);
		} else if (i->kind == LITMUS_PROXY_FENCE) {
			event.kind = LITMUS_PROXY_FENCED;
			add_event(e, &event);
		} else if (i->kind == LITMUS_FENCE || i->kind == LITMUS_BARRIER) {
			event.kind = i->kind == LITMUS_FENCE ? LITMUS_FENCED : LITMUS_MET;
			event.quorum = i->quorum;
			event.arrives = i->arrives;
			if (i->kind == LITMUS_FENCE)
				set_order(&event, i);
			add_event(e, &event);
		}
	}
}

/* ---- Relations ---- */

/* Whether the scope of an operation includes a thread (8.5). */
static bool includes(const struct litmus_execution *e, const struct litmus_event *event, uint32_t thread)
{
	const struct litmus_thread *own = &e->test->threads.at[event->thread], *other = &e->test->threads.at[thread];
	if (event->scope == LITMUS_SYS)
		return true;
	return own->gpu == other->gpu && (event->scope == LITMUS_GPU || own->cta == other->cta);
}

static bool is_morally_strong(
	const struct litmus_execution *e, const struct litmus_event *a, const struct litmus_event *b)
{
	if (a->thread == LITMUS_NOBODY || b->thread == LITMUS_NOBODY || a->kind > LITMUS_FENCED ||
		b->kind > LITMUS_FENCED)
		return false;
	/* By the same proxy, and of memory: overlapping, which two addresses of one location do not. */
	if (is_memory(a) && is_memory(b) && (a->address != b->address || a->proxy != b->proxy))
		return false;
	return a->thread == b->thread ||
	       (a->strong && b->strong && includes(e, a, b->thread) && includes(e, b, a->thread));
}

static void relate(struct litmus_execution *e)
{
	for (uint32_t a = 0; a < e->count; a++)
		for (uint32_t b = 0; b < e->count; b++) {
			const struct litmus_event *left = &e->events[a], *right = &e->events[b];
			if (a == b)
				continue;
			if (left->thread == right->thread && left->thread != LITMUS_NOBODY && a < b)
				relation_add(&e->program, a, b);
			if (is_memory(left) && is_memory(right) && left->location == right->location)
				relation_add(&e->same, a, b);
			if (is_morally_strong(e, left, right))
				relation_add(&e->strong, a, b);
		}
}

/* ---- Dependencies: a register's value depends on the reads that it is made of, and all after a branch on its reads
 * ----
 */

struct flow {
	struct litmus_execution *e;
	uint64_t registers[LITMUS_REGISTERS]; /* bits of reads */
	uint64_t control;
};

static uint64_t reads_of(const struct flow *f, const struct litmus_operand *operand)
{
	return operand->is_register ? f->registers[operand->value] : 0;
}

static void depend(struct flow *f, uint64_t reads, uint32_t on)
{
	EACH_EVENT(read, reads)
		relation_add(&f->e->dependency, read, on);
}

static void flow_memory(struct flow *f, const struct litmus_instruction *i, uint32_t event)
{
	uint64_t value = reads_of(f, &i->a) | reads_of(f, &i->b);
	if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOM) {
		depend(f, f->control, event);
		if (i->target != LITMUS_NO_REGISTER)
			f->registers[i->target] = EVENT_BIT(event);
	}
	if (i->kind == LITMUS_ATOM && i->operation != LITMUS_MOVE)
		value |= EVENT_BIT(event);
	if (i->kind == LITMUS_STORE || i->kind == LITMUS_ATOM)
		depend(f, f->control | value, i->kind == LITMUS_ATOM ? event + 1 : event);
}

static void flow_thread(struct litmus_execution *e, uint32_t thread, uint32_t *event)
{
	const struct litmus_thread *t = &e->test->threads.at[thread];
	struct flow f = {.e = e};
	const struct litmus_path *path = e->paths[thread];
	for (uint32_t k = 0; k < path->count; k++) {
		const struct litmus_instruction *i = &t->code.at[path->steps[k].instruction];
		if (i->kind == LITMUS_BRANCH) {
			f.control |= reads_of(&f, &i->a) | reads_of(&f, &i->b);
		} else if (i->kind == LITMUS_LOCAL) {
			f.registers[i->target] = reads_of(&f, &i->a) | reads_of(&f, &i->b);
		} else {
			flow_memory(&f, i, *event);
			*event += i->kind == LITMUS_ATOM ? 2 : 1;
		}
	}
}

bool litmus_make_events(struct litmus_execution *e, struct diagnostic *diagnostic)
{
	const struct litmus_test *test = e->test;
	for (uint32_t k = 0; k < test->locations.count; k++)
		add_event(e, &(struct litmus_event){.kind = LITMUS_WRITE, .thread = LITMUS_NOBODY, .location = k});
	for (uint32_t k = 0; k < test->threads.count; k++)
		add_thread(e, k);
	if (e->count + 2 > RELATION_EVENTS) {
		diagnose(diagnostic, (struct place){.file = test->file},
			"the test is too large, expected at most %d events", RELATION_EVENTS - 2);
		return false;
	}
	relate(e);
	uint32_t event = test->locations.count;
	for (uint32_t k = 0; k < test->threads.count; k++)
		flow_thread(e, k, &event);
	return true;
}
