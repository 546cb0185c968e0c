/* Parts of an explanation: see hang_text.h. */
#include "check/hang_text.h"

#include "explore/names.h"
#include "machine/gpu/launch.h"
#include "machine/lsu/lock.h"

#include <stdarg.h>
#include <string.h>

void hang_begin_sentence(char *sentence)
{
	size_t first = strcspn(sentence, " ");

	for (size_t k = 1; k < first; k++)
		if (sentence[k] >= 'A' && sentence[k] <= 'Z')
			return;
	if (*sentence >= 'a' && *sentence <= 'z')
		*sentence = (char)(*sentence - 'a' + 'A');
}

static void add_sentence(struct text *text, const char *format, va_list list)
{
	char *sentence = arena_vprintf(text->arena, format, list);

	if (text->length)
		hang_begin_sentence(sentence);
	text_print(text, "%s%s", text->length ? ". " : "", sentence);
}

void hang_what(struct explanation *e, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	add_sentence(&e->what, format, list);
	va_end(list);
}

void hang_who(struct explanation *e, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	add_sentence(&e->who, format, list);
	va_end(list);
}

/* Threads of the launch that poll the word or request its lock. */
static uint32_t threads_waiting(const struct explanation *e, const struct link *link)
{
	uint32_t count = 0;

	EACH_WARP(e->launch, at) {
		if (link->wait.word.space == space_SHARED && at.r->group != link->at.r->group)
			continue;
		for (lane_mask m = at.r->warp.live; m; m &= m - 1) {
			struct thread t = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));
			struct position p = thread_position(&t);

			count += (p.state == THREAD_RUNS || p.state == THREAD_AWAITS_LOCK) &&
				 waits_include(&t, &link->wait.word);
		}
	}
	return count;
}

void hang_what_waits(struct explanation *e, const struct link *link)
{
	uint32_t count = threads_waiting(e, link);

	hang_what(e, "%s", hang_waiter(e, link));
	if (count > 1)
		text_print(&e->what, ", as %u other thread%s", count - 1, count == 2 ? " does" : "s do");
}

const char *hang_thread(const struct explanation *e, uint32_t group, uint32_t thread)
{
	return name_of_thread(e->arena, &e->launch->values, group, thread);
}

/* With the group's number among those that take part, if the kernel has said it (participant). */
static const char *thread_in_both(const struct explanation *e, uint32_t group, uint32_t thread)
{
	const struct participant *said = e->launch->values.participants;
	const char *name = hang_thread(e, group, thread);

	if (!said || !said[group].count)
		return name;
	return arena_printf(e->arena, "%s, whose group is number %u of the %u that take part,", name,
		said[group].number, said[group].count);
}

bool hang_takes_no_part(const struct explanation *e, uint32_t group)
{
	const struct participant *said = e->launch->values.participants;
	uint32_t count = 0, others = 0;

	if (!said || said[group].count)
		return false;
	for (uint32_t g = 0; g < e->launch->total_groups; g++) {
		others += said[g].count != 0;
		count = said[g].count ? said[g].count : count;
	}
	return count && others >= count;
}

bool hang_group_has_ended(const struct explanation *e, uint32_t group)
{
	if (dispatch_turn(e->launch, group) >= e->launch->dispatch.next_group)
		return false;
	EACH_WARP(e->launch, at)
		if (at.r->group->number == group && at.r->warp.live)
			return false;
	return true;
}

const char *hang_place(const struct explanation *e, uint32_t pc)
{
	return kernel_place_text(e->arena, e->kernel, pc);
}

/* "lane 3", "lanes 0 to 15, 20" */
static const char *lanes_words(const struct explanation *e, lane_mask lanes)
{
	struct text text = {.arena = e->arena};

	text_print(&text, lanes & (lanes - 1) ? "lanes" : "lane");
	for (bool is_first = true; lanes; is_first = false) {
		uint32_t first = (uint32_t)__builtin_ctzll(lanes);
		lane_mask rest = ~(lanes >> first);
		uint32_t count = rest ? (uint32_t)__builtin_ctzll(rest) : 64 - first;

		count = count == 2 ? 1 : count; /* "16 and 17" */
		lanes &= first + count >= 64 ? 0 : ~(lane_mask)0 << (first + count);
		text_print(&text, is_first ? " %u" : lanes ? ", %u" : " and %u", first);
		if (count > 1)
			text_print(&text, " to %u", first + count - 1);
	}
	return text.at;
}

static const char *have(lane_mask lanes)
{
	return lanes & (lanes - 1) ? "have" : "has";
}

/* "in shfl.sync.idx at k.cu:9, with mask 0xffffffff" */
static const char *warp_barrier(const struct explanation *e, const struct warp_wait *wait)
{
	const char *name = ptx_ops[e->kernel->code[wait->pc].op].spelling, *place = hang_place(e, wait->pc);

	return wait->has_mask ? arena_printf(e->arena, "in %s at %s, with mask 0x%08x", name, place, wait->mask)
			      : arena_printf(e->arena, "in %s at %s", name, place);
}

const char *hang_barrier(const struct explanation *e, const struct thread *t)
{
	struct warp_wait wait;
	struct text text = {.arena = e->arena};

	if (thread_position(t).state == THREAD_AWAITS_REGISTERS)
		return arena_printf(e->arena, "for registers at %s", hang_place(e, thread_position(t).pc));
	if (!warp_wait_of(t, &wait))
		return arena_printf(e->arena, "at the barrier at %s", hang_place(e, thread_position(t).pc));
	text_print(&text, "%s: %s %s not arrived", warp_barrier(e, &wait), lanes_words(e, wait.missing),
		have(wait.missing));
	if (wait.ended)
		text_print(&text, ", %s %s ended", lanes_words(e, wait.ended), have(wait.ended));
	return text.at;
}

const char *hang_barrier_remedy(const struct thread *t)
{
	struct warp_wait wait;

	return warp_wait_of(t, &wait) && wait.has_mask
		       ? "Let every lane that the mask names reach this instruction, or leave the lane out of the mask"
		       : NULL;
}

/* Those of `lanes` that are where the first of them is. */
static lane_mask lanes_together(const struct thread *first, lane_mask lanes)
{
	struct position p = thread_position(first);
	lane_mask same = 0;

	for (; lanes; lanes &= lanes - 1) {
		struct thread t = thread_at(first->core, first->r, (uint32_t)__builtin_ctzll(lanes));
		struct position other = thread_position(&t);

		if (other.state == p.state && other.pc == p.pc)
			same |= lanes & -lanes;
	}
	return same;
}

/* Places of missing lanes that are said. */
#define PLACES_SAID 2

const char *hang_warp_barrier(const struct explanation *e, const struct thread *t)
{
	struct warp_wait wait, other;
	struct text text = {.arena = e->arena};

	text_print(&text, "%s waits %s", hang_thread(e, t->group, t->number), hang_barrier(e, t));
	warp_wait_of(t, &wait);
	for (uint32_t k = 0; wait.missing && k < PLACES_SAID; k++) {
		struct thread at = thread_at(t->core, t->r, (uint32_t)__builtin_ctzll(wait.missing));
		struct position p = thread_position(&at);
		lane_mask lanes = lanes_together(&at, wait.missing);
		const char *verb = lanes & (lanes - 1) ? "wait" : "waits";

		text_print(&text, "; %s ", lanes_words(e, lanes));
		if (warp_wait_of(&at, &other))
			text_print(&text, "%s %s", verb, warp_barrier(e, &other));
		else if (p.state == THREAD_AT_BARRIER)
			text_print(&text, "%s %s", verb, hang_barrier(e, &at));
		else if (p.waiting)
			text_print(&text, "%s at %s for %s", verb, hang_place(e, p.pc), p.waiting);
		else
			text_print(&text, "%s at %s", lanes & (lanes - 1) ? "run" : "runs", hang_place(e, p.pc));
		wait.missing &= ~lanes;
	}
	return text.at;
}

const char *hang_word(const struct explanation *e, const struct word *word)
{
	return name_of_word(e->arena, e->machine->space, word->space, word->address);
}

/* Its lock instruction has not been answered, so that it executes nothing. */
static bool is_queued(const struct thread *t)
{
	uint32_t pc;
	uint64_t address;

	if (thread_stopped_atomic(t, &pc, &address) >> t->lane & 1)
		return true;
	return lock_lanes_asking(t->core, t->r) >> t->lane & 1;
}

const char *hang_waiter(const struct explanation *e, const struct link *link)
{
	return arena_printf(e->arena, "%s %s at %s %s %s%s", thread_in_both(e, link->at.group, link->at.number),
		is_queued(&link->at) ? "waits" : "spins", hang_place(e, link->wait.pc),
		is_queued(&link->at) ? "for" : "on", link->wait.bit ? "the lock bit of " : "",
		hang_word(e, &link->wait.word));
}

void hang_list_line(struct explanation *e, uint32_t pc, const char *role)
{
	struct finding_detail *d = e->detail;

	for (uint32_t k = 0; k < d->line_count; k++)
		if (!strcmp(hang_place(e, d->lines[k]), hang_place(e, pc)))
			return;
	if (d->line_count == FINDING_LINES)
		return;
	d->roles[d->line_count] = role;
	d->lines[d->line_count++] = pc;
}

static void list_address(struct explanation *e, const struct word *word)
{
	const char *name = hang_word(e, word);

	for (uint32_t k = 0; k < e->detail->address_count; k++)
		if (!strcmp(e->detail->addresses[k], name))
			return;
	if (e->detail->address_count < FINDING_ADDRESSES)
		e->detail->addresses[e->detail->address_count++] = name;
}

void hang_list_thread(struct explanation *e, uint32_t group, uint32_t thread, const char *state)
{
	struct finding_detail *d = e->detail;

	for (uint32_t k = 0; k < d->thread_count; k++)
		if (d->threads[k].group == group && d->threads[k].thread == thread)
			return;
	if (d->thread_count < FINDING_THREADS)
		d->threads[d->thread_count++] =
			(struct finding_thread){.group = group, .thread = thread, .state = state};
}

void hang_list_waiter(struct explanation *e, const struct thread *t, const struct wait *wait)
{
	hang_list_thread(e, t->group, t->number,
		arena_printf(e->arena, "%s at %s: %s; %s %s", is_queued(t) ? "waits" : "spins", hang_place(e, wait->pc),
			kernel_text(e->arena, e->kernel, wait->pc), is_queued(t) ? "requests" : "polls",
			hang_word(e, &wait->word)));
	hang_list_line(e, wait->pc, "waits here");
	list_address(e, &wait->word);
}

void hang_list_holder(struct explanation *e, const struct thread *t, const char *what)
{
	struct position p = thread_position(t);
	const char *before = *what ? arena_printf(e->arena, "%s; ", what) : "";

	hang_list_thread(e, t->group, t->number,
		p.state == THREAD_AT_WARP_BARRIER ? arena_printf(e->arena, "%swaits %s", before, hang_barrier(e, t))
		: p.waiting ? arena_printf(e->arena, "%sis stopped at %s, waiting for %s", before, hang_place(e, p.pc),
				      p.waiting)
			    : arena_printf(e->arena, "%sspins at %s", before, hang_place(e, p.pc)));
	hang_list_line(e, p.pc, p.state == THREAD_RUNS ? "spins here" : "waits here");
}

/* Why the thread of link `before` waits for the next one. */
static const char *part_of(const struct explanation *e, const struct link *before)
{
	const struct owner *owner = &before->owner;

	switch (before->kind) {
	case LINK_LOCK:
		if (owner->found && before->wait.bit)
			return arena_printf(e->arena, "took the lock bit of %s at %s",
				hang_word(e, &(struct word){.space = space_SHARED, .address = owner->word}),
				hang_place(e, owner->pc));
		return arena_printf(
			e->arena, "took %s at %s", hang_word(e, &before->wait.word), hang_place(e, before->owner.pc));
	case LINK_WORD:
		return arena_printf(e->arena, "%s write %s at %s", hang_would(&before->writer),
			hang_word(e, &before->wait.word), hang_place(e, before->writer.store));
	default: return "";
	}
}

void hang_list_chain(struct explanation *e, const struct chain *chain)
{
	for (uint32_t k = 0; k < chain->count; k++) {
		const struct link *link = &chain->links[k], *before = k ? link - 1 : NULL;

		if (before && before->kind <= LINK_WORD)
			hang_list_holder(e, &link->at, part_of(e, before));
		else if (link->wait.found)
			hang_list_waiter(e, &link->at, &link->wait);
		else
			hang_list_holder(e, &link->at, "");
		if (link->wait.found) {
			hang_list_line(e, link->wait.pc, "waits here");
			list_address(e, &link->wait.word);
		}
		if (link->owner.found)
			hang_list_line(e, link->owner.pc, "the lock was taken here");
	}
}
