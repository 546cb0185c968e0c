/* What work-groups wait for where a launch with firmware hangs: added to what machine/gpu/firmware.c says of firmware
 * itself. */
#include "check/hang.h"

#include "check/hang_text.h"
#include "machine/gpu/firmware.h"
#include "machine/lsu/access.h"
#include "util/demangle.h"

#include <string.h>

#define MOST_WAITS 4  /* that are told apart */
#define MOST_WORDS 64 /* of channels, in a kernel */
#define CHANNEL_LINE 128

/* Wavefronts of one kernel that are in the functions of channels with the same channel, or at the same place. */
struct alike {
	struct launch *launch;
	uint64_t channel; /* 0: they are not in the functions of channels */
	uint32_t taken, pc, count;
};

struct tally {
	struct alike list[MOST_WAITS];
	uint32_t used, others;
};

/* ---- Channels ----
 *
 * A channel begins with two words in lines of their own, the tail and the head of its data array
 * (device/lockstep_channels.h): what reserves elements reads both. */

/* Its functions are inlined, so what is told by is the file of the instruction. */
static bool is_of_channels(const struct kernel *kernel, uint32_t pc)
{
	static const char header[] = "lockstep_channels.h", flow[] = "lockstep_flow.h";
	struct place place = kernel_place(kernel, pc);
	size_t length = place.file ? strlen(place.file) : 0;

	return (length >= sizeof header - 1 && !strcmp(place.file + length - (sizeof header - 1), header)) ||
	       (length >= sizeof flow - 1 && !strcmp(place.file + length - (sizeof flow - 1), flow));
}

/* The first words of lines that the warp's lanes would read of channels, by their registers. */
static uint32_t line_words(const struct thread *t, uint64_t *words)
{
	const struct warp *w = &t->r->warp;
	uint64_t address[CORE_WARPS];
	uint32_t count = 0;

	for (uint32_t pc = 0; pc < w->kernel->code_count && count < MOST_WORDS; pc++) {
		const struct insn *i = &w->kernel->code[pc];
		lane_mask lane = 1ull << t->lane;

		if ((i->kind != INSN_LOAD && i->kind != INSN_ATOMIC) || i->access.bytes != 4 ||
			i->access.space == space_SHARED || i->access.space == space_LOCAL ||
			!is_of_channels(w->kernel, pc))
			continue;
		if (access_addresses_of(address, w, i, &lane) == space_GLOBAL && address[t->lane] % CHANNEL_LINE == 0 &&
			space_find(t->core->machine->space, address[t->lane], 4))
			words[count++] = address[t->lane];
	}
	return count;
}

static uint32_t word_at(const struct thread *t, uint64_t address)
{
	return *(const uint32_t *)space_host(t->core->machine->space, address);
}

/* Of the channels that its registers name, the one of which most is taken; 0: none. */
static uint64_t channel_of(const struct thread *t, uint32_t *taken)
{
	uint64_t words[MOST_WORDS], channel = 0;
	uint32_t count = line_words(t, words);

	*taken = 0;
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = 0; b < count; b++) {
			uint32_t held;

			if (words[b] != words[a] + CHANNEL_LINE)
				continue;
			held = word_at(t, words[a]) - word_at(t, words[b]);
			if (held > *taken && held <= 1u << 30) {
				*taken = held;
				channel = words[a];
			}
		}
	return channel;
}

/* ---- Wavefronts ---- */

static void count(struct tally *tally, const struct thread *t)
{
	struct alike now = {.launch = t->r->core_launch->launch, .pc = thread_position(t).pc, .count = 1};

	if (is_of_channels(t->r->warp.kernel, now.pc))
		now.channel = channel_of(t, &now.taken);
	for (uint32_t k = 0; k < tally->used; k++) {
		struct alike *a = &tally->list[k];

		if (a->launch == now.launch && a->channel == now.channel && (now.channel || a->pc == now.pc)) {
			a->count++;
			return;
		}
	}
	if (tally->used == MOST_WAITS)
		tally->others++;
	else
		tally->list[tally->used++] = now;
}

static void say(struct explanation *e, const struct alike *a)
{
	const struct word word = {.space = space_GLOBAL, .address = a->channel};

	e->launch = a->launch;
	e->kernel = a->launch->kernel;
	text_print(&e->what, "; %u wavefront%s of kernel %s ", a->count, a->count == 1 ? "" : "s",
		demangle_brief(e->arena, e->kernel->entry->name));
	if (a->channel)
		text_print(&e->what, "%s in channel functions, for the channel at %s with %u elements in use",
			a->count == 1 ? "is" : "are", hang_word(e, &word), a->taken);
	else
		text_print(&e->what, "%s at %s", a->count == 1 ? "is" : "are", hang_place(e, a->pc));
}

static void say_yielded(struct explanation *e, const struct firmware *firmware)
{
	uint32_t count = firmware->restarting.count;

	for (const struct yielded *y = firmware->yielded; y; y = y->next)
		count++;
	if (count)
		text_print(
			&e->what, "; %u wavefront%s yielded and not restarted", count, count == 1 ? " has" : "s have");
	if (firmware->asking.count)
		text_print(&e->what,
			"; %u wait to yield until firmware takes restart contexts: there is room for %u "
			"(control.restarts)",
			firmware->asking.count, e->machine->model->control_restarts);
}

bool firmware_hang_explain(struct machine *machine, struct launch *launch, bool proved)
{
	struct arena *arena = machine->gpu->arena;
	const struct firmware *firmware = launch->firmware;
	struct tally *tally;
	struct finding_detail *detail;
	struct explanation e = {.arena = arena, .machine = machine, .what = {.arena = arena}};

	if (!firmware)
		return false;
	tally = arena_new(arena, struct tally);
	firmware_explain(machine, launch, proved);
	detail = (struct finding_detail *)(uintptr_t)launch->result.finding.detail; /* made there, for us */
	e.finding = &launch->result.finding;
	e.detail = detail;
	text_print(&e.what, "%s", detail->message);
	for (uint32_t k = 0; k < launch->part_count; k++) {
		EACH_WARP(launch->parts[k], at)
			count(tally, &at);
	}
	for (uint32_t k = 0; k < tally->used; k++)
		say(&e, &tally->list[k]);
	if (tally->others)
		text_print(&e.what, "; %u others run", tally->others);
	say_yielded(&e, firmware);
	detail->message = detail->what = e.what.at;
	return true;
}
