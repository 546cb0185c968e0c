/* The window of a control processor: see window.h. */
#include "machine/control/window.h"

#include <assert.h>
#include <string.h>

void window_create(struct window *window, struct arena *arena, const struct control_window *size, uint32_t registers)
{
	uint64_t places = 1;

	assert(size->width);
	assert(size->window);
	assert(registers);
	while (places < size->window)
		places *= 2;
	*window = (struct window){.size = *size,
		.entries = arena_new_array(arena, struct window_entry, places),
		.mask = places - 1,
		.first = 1,
		.next = 1,
		.last_writer = arena_new_array(arena, uint64_t, registers),
		.register_count = registers};
}

bool window_has_room(const struct window *window, const struct window_entry *like)
{
	const struct control_window *size = &window->size;

	assert(window->next - window->first <= size->window);
	assert(window->queued <= size->queue);
	if (window->next - window->first == size->window || window->queued == size->queue)
		return false;
	/* One that needs more than there are may enter alone. */
	if (window->results && window->results + like->write_count > size->registers)
		return false;
	if (like->kind == WINDOW_LOAD && window->loads == size->loads)
		return false;
	return like->kind != WINDOW_STORE || window->stores < size->stores;
}

static void rename(struct window *window, struct window_entry *entry)
{
	assert(entry->read_count <= WINDOW_REGISTERS);
	assert(entry->write_count <= WINDOW_REGISTERS);
	for (uint32_t k = 0; k < entry->read_count; k++)
		entry->producer[k] = window->last_writer[entry->reads[k]];
	for (uint32_t k = 0; k < entry->write_count; k++)
		window->last_writer[entry->writes[k]] = entry->number;
}

uint64_t window_enter(struct window *window, const struct window_entry *like)
{
	assert(window_has_room(window, like));
	uint64_t number = window->next++;
	struct window_entry *entry = window_at(window, number);

	*entry = *like;
	entry->number = number;
	entry->begun = false;
	entry->done_at = WINDOW_NEVER;
	window->queued++;
	window->results += entry->write_count;
	window->loads += entry->kind == WINDOW_LOAD;
	window->stores += entry->kind == WINDOW_STORE;
	rename(window, entry);
	return number;
}

void window_done(struct window *window, uint64_t number, uint64_t at)
{
	struct window_entry *entry = window_find(window, number);

	assert(entry && entry->begun && entry->done_at == WINDOW_NEVER);
	entry->done_at = at;
}

void window_store_complete(struct window *window)
{
	assert(window->stores);
	window->stores--;
}

/* It leaves, or was entered by mistake. */
static void give_back(struct window *window, const struct window_entry *entry)
{
	assert(entry->number >= window->first);
	assert(entry->number < window->next);
	assert(window->results >= entry->write_count);
	assert(window->queued >= !entry->begun);
	assert(window->loads >= (entry->kind == WINDOW_LOAD));
	window->results -= entry->write_count;
	window->queued -= !entry->begun;
	window->loads -= entry->kind == WINDOW_LOAD;
	for (uint32_t k = 0; k < entry->write_count; k++)
		if (window->last_writer[entry->writes[k]] == entry->number)
			window->last_writer[entry->writes[k]] = 0;
}

void window_cut(struct window *window, uint64_t number)
{
	assert(number >= window->first && number < window->next);
	for (; window->next > number + 1; window->next--) {
		const struct window_entry *entry = window_at(window, window->next - 1);

		give_back(window, entry);
		assert(window->stores >= (entry->kind == WINDOW_STORE));
		window->stores -= entry->kind == WINDOW_STORE;
	}
	for (uint64_t n = window->first; n < window->next; n++)
		for (uint32_t k = 0; k < window_at(window, n)->write_count; k++)
			window->last_writer[window_at(window, n)->writes[k]] = n;
}

/* When all operands are there. */
static uint64_t ready_at(const struct window *window, const struct window_entry *entry)
{
	uint64_t latest = 0;

	assert(entry->number >= window->first);
	assert(entry->number < window->next);
	for (uint32_t k = 0; k < entry->read_count; k++) {
		const struct window_entry *producer = window_find(window, entry->producer[k]);

		if (producer && producer->done_at > latest)
			latest = producer->done_at;
	}
	return latest;
}

static bool leave_all(struct window *window, const struct window_hooks *hooks, void *context, uint64_t now)
{
	uint32_t left = 0;

	while (left < window->size.width && !window_is_empty(window)) {
		struct window_entry *entry = window_at(window, window->first);
		assert(entry->number == window->first);

		if (entry->done_at > now || !hooks->leave(context, entry))
			break;
		give_back(window, entry);
		window->first++;
		left++;
	}
	return left;
}

/* What begins may cut off what is younger. */
static bool begin_all(struct window *window, const struct window_hooks *hooks, void *context, uint64_t now)
{
	uint32_t begun = 0;

	for (uint64_t n = window->first; n < window->next && window->queued && begun < window->size.width; n++) {
		struct window_entry *entry = window_at(window, n);
		uint64_t done;

		if (entry->begun || ready_at(window, entry) > now)
			continue;
		done = hooks->begin(context, entry);
		if (done == WINDOW_NOT_YET)
			continue;
		assert(done > now);
		assert(window->queued);
		entry->begun = true;
		entry->done_at = done;
		window->queued--;
		begun++;
	}
	return begun;
}

bool window_cycle(struct window *window, const struct window_hooks *hooks, void *context, uint64_t now)
{
	bool any = leave_all(window, hooks, context, now);

	any |= begin_all(window, hooks, context, now);
	for (uint32_t k = 0; k < window->size.width && hooks->enter(context); k++)
		any = true;
	return any;
}

uint64_t window_next(const struct window *window, uint64_t first)
{
	uint64_t next = WINDOW_NEVER;

	assert(window->queued <= window->next - window->first);
	for (uint64_t n = window->first; n < window->next; n++) {
		uint64_t at = window_at(window, n)->done_at;

		if (at >= first && at < next)
			next = at;
	}
	return next;
}
