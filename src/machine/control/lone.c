/* Instructions of firmware that overlap with no others: control flow but for branches, fences, ordered and wide
 * accesses, what reads the clock. */
#include "machine/control/processor.h"

#include "machine/core/fence.h"
#include "machine/state/machine.h"
#include "policy/coherence/access.h"

#include <assert.h>

/* ---- Control flow ---- */

static bool enter(struct control_processor *c, const struct insn *i, uint32_t target)
{
	const struct insn_extra *extra = &c->registers.kept.kernel->extras[i->extra];
	const struct gpu_model *model = c->machine->model;

	assert(c->registers.depth <= model->call_depth);
	assert(target < c->registers.kept.kernel->code_count);
	if (c->registers.depth == model->call_depth ||
		c->registers.path.stack_base + 2 * extra->stack_bytes > c->registers.kept.local_bytes) {
		control_fault(c, i, FAULT_stack, "the call exceeds limit.call_depth (%u) or limit.stack (%u bytes)",
			model->call_depth, model->stack_bytes);
		return false;
	}
	c->registers.frames[c->registers.depth++] = (struct control_frame){.pc = c->registers.path.pc + 1,
		.register_base = c->registers.path.register_base,
		.predicate_base = c->registers.path.predicate_base,
		.stack_base = c->registers.path.stack_base};
	c->registers.path.register_base += extra->frame_words;
	c->registers.path.predicate_base += extra->predicate_frame;
	c->registers.path.stack_base += extra->stack_bytes;
	c->fetch_pc = target;
	control_frame_moved(c);
	return true;
}

static void leave_function(struct control_processor *c)
{
	const struct control_frame *frame = &c->registers.frames[--c->registers.depth];

	assert(c->registers.depth < c->machine->model->call_depth);
	c->fetch_pc = frame->pc;
	c->registers.path.register_base = frame->register_base;
	c->registers.path.predicate_base = frame->predicate_base;
	c->registers.path.stack_base = frame->stack_base;
	control_frame_moved(c);
}

static bool call_indirect(struct control_processor *c, const struct insn *i)
{
	const struct insn_extra *extra = &c->registers.kept.kernel->extras[i->extra];
	const void *at = slot_at(&c->registers.kept, i->s[0]);
	uint64_t pointer = i->s_bytes[0] == 8 ? *(const uint64_t *)at : *(const uint32_t *)at;
	uint32_t target = kernel_call_target(c->registers.kept.kernel, pointer);
	bool known = false;

	for (uint32_t k = 0; k < extra->target_count; k++)
		known |= extra->targets[k] == target;
	if (target != NO_PC && known)
		return enter(c, i, target);
	control_fault(c, i, FAULT_call, "indirect call of 0x%llx, which is not a function of this prototype",
		(unsigned long long)pointer);
	return false;
}

static void branch_indexed(struct control_processor *c, const struct insn *i)
{
	const struct insn_extra *extra = &c->registers.kept.kernel->extras[i->extra];
	uint32_t index = *(const uint32_t *)slot_at(&c->registers.kept, i->s[0]);

	assert(extra->target_count);
	c->fetch_pc = extra->targets[index < extra->target_count ? index : extra->target_count - 1];
}

/* False: it must stay. */
static bool end(struct control_processor *c, const struct insn *i)
{
	uint64_t left = 0;

	assert(!c->returned);
	if (c->stores_out || c->l1.miss_count) /* loads: after a branch that was foreseen wrongly */
		return false;
	for (uint32_t k = 0; k < c->dispatcher.kernel_count; k++)
		left += c->dispatcher.kernels[k].dispatched - c->dispatcher.kernels[k].ended;
	if (left) {
		control_fault(c, i, FAULT_firmware, "firmware returned while %llu work-groups were left",
			(unsigned long long)left);
		return false;
	}
	c->returned = true;
	c->ended_at = control_core_cycle(c, c->cycle);
	return true;
}

static void trap(struct control_processor *c, const struct insn *i)
{
	const char *why = c->registers.kept.kernel->extras[i->extra].trap_reason;

	control_fault(c, i, FAULT_trap, "firmware executed trap%s%s", why ? ": " : "", why ? why : "");
}

/* False: it must stay, or a fault was found. */
static bool flow(struct control_processor *c, const struct control_flight *flight)
{
	const struct insn *i = flight->insn;

	assert(!c->returned);
	assert(!c->stopped);
	c->registers.path.pc = flight->pc;
	switch (i->kind) {
	case INSN_INDEXED: branch_indexed(c, i); return true;
	case INSN_CALL: return enter(c, i, i->target);
	case INSN_CALL_INDIRECT: return call_indirect(c, i);
	case INSN_RETURN:
		if (!c->registers.depth)
			return end(c, i);
		leave_function(c);
		return true;
	case INSN_EXIT: return end(c, i);
	case INSN_TRAP: trap(c, i); return false;
	case INSN_BREAKPOINT: control_fault(c, i, FAULT_breakpoint, "firmware executed brkpt"); return false;
	default: return true;
	}
}

/* ---- Time and order ---- */

static uint64_t sleep_cycles(const struct control_processor *c, const struct insn *i)
{
	uint64_t nanoseconds = *(const uint32_t *)slot_at(&c->registers.kept, i->s[0]);

	if (nanoseconds > 1000000) /* the ISA's limit: one millisecond */
		nanoseconds = 1000000;
	return nanoseconds * c->machine->model->control_clock / 1000000;
}

static bool is_release(const struct insn *i)
{
	return i->access.order == order_RELEASE || i->access.order == order_ACQ_REL || i->access.order == order_SC;
}

/* Of a work-group it orders nothing: there is one thread. */
static uint64_t fence(struct control_processor *c, const struct insn *i)
{
	if (fence_is_of_group(i))
		return c->cycle + 1;
	if (c->stores_out)
		return WINDOW_NOT_YET;
	control_acquire(c);
	return c->cycle + 1;
}

uint64_t control_begin_lone(struct control_processor *c, struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);
	const struct insn *i = flight->insn;

	assert(flight->lone);
	assert(c->lone.is_there);
	assert(c->lone.flight == flight);
	flight->on = control_guard(&c->registers.kept, i);
	if (!flight->on && i->kind != INSN_FENCE)
		return c->cycle + 1;
	switch (i->kind) {
	case INSN_PLAIN:
	case INSN_CLOCK:
		c->registers.kept.now = control_core_cycle(c, c->cycle);
		i->exec(&c->registers.kept, i, 1);
		return c->cycle + c->code[flight->pc].latency;
	case INSN_FENCE: return fence(c, i);
	case INSN_NANOSLEEP: return c->cycle + 1 + sleep_cycles(c, i);
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC:
		if (is_release(i) && c->stores_out)
			return WINDOW_NOT_YET;
		return control_begin_access(c, entry);
	case INSN_FIRMWARE: return control_begin_call(c, entry);
	default: return c->cycle + 1;
	}
}

bool control_leave_lone(struct control_processor *c, struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);
	const struct insn *i = flight->insn;

	assert(flight->lone);
	assert(c->lone.is_there);
	assert(c->lone.flight == flight);
	c->fetch_pc = flight->pc + 1;
	if (!flight->on)
		return true;
	if (i->kind == INSN_FIRMWARE)
		return control_leave_call(c, entry);
	if ((i->kind == INSN_LOAD || i->kind == INSN_ATOMIC) && l1_acquires(&i->access))
		control_acquire(c);
	if (i->kind == INSN_STORE && !c->window.size.overlaps && c->stores_out)
		return false;
	return flow(c, flight);
}
