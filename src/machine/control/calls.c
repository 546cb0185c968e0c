/* What firmware asks of the dispatcher: the calls of device/lockstep_control.h.  What they ask for is carried out
 * between quanta (machine/gpu/firmware.c). */
#include "machine/control/processor.h"

#include "machine/lsu/library_call.h"
#include "machine/state/machine.h"
#include "machine/state/node.h"

#include <assert.h>
#include <string.h>

#define ALL_KERNELS 0xffffffffu

static const struct insn_extra *extra_of(const struct control_processor *c, const struct insn *i)
{
	assert(i->extra);
	return &c->registers.kept.kernel->extras[i->extra];
}

static uint64_t argument(const struct control_processor *c, const struct insn *i, uint32_t k)
{
	return library_argument(&c->registers.kept, &extra_of(c, i)->arguments[k], 0);
}

static void result(const struct control_processor *c, const struct insn *i, uint64_t value)
{
	library_result(&c->registers.kept, extra_of(c, i), 0, value);
}

/* ---- Work-groups ---- */

static bool names_kernel(struct control_processor *c, const struct insn *i, uint32_t kernel)
{
	if (kernel < c->dispatcher.kernel_count)
		return true;
	control_fault(c, i, FAULT_firmware, "kernel %u: firmware may dispatch %u kernels, which are numbered from 0",
		kernel, c->dispatcher.kernel_count);
	return false;
}

static bool dispatch(struct control_processor *c, const struct insn *i)
{
	uint32_t kernel = (uint32_t)argument(c, i, 0), count = (uint32_t)argument(c, i, 1);

	if (!names_kernel(c, i, kernel))
		return false;
	if (!count)
		return true;
	if (c->dispatcher.kernels[kernel].dispatched + count > UINT32_MAX) {
		control_fault(c, i, FAULT_firmware, "more than %u work-groups of kernel %u in one launch", UINT32_MAX,
			kernel);
		return false;
	}
	*vector_push(c->arena, &c->dispatcher.orders) =
		(struct control_order){.kernel = kernel, .count = count, .argument = argument(c, i, 2)};
	c->dispatcher.kernels[kernel].dispatched += count;
	for (uint32_t k = 0; k < c->dispatcher.kernel_count; k++)
		c->dispatcher.kernels[k].room -=
			c->dispatcher.kernels[k].room < count ? c->dispatcher.kernels[k].room : count;
	assert(c->dispatcher.kernels[kernel].ended <= c->dispatcher.kernels[kernel].dispatched);
	c->counters.dispatches++;
	c->counters.groups += count;
	return true;
}

static bool free_contexts(struct control_processor *c, const struct insn *i)
{
	uint32_t kernel = (uint32_t)argument(c, i, 0);

	if (!names_kernel(c, i, kernel))
		return false;
	result(c, i, c->dispatcher.kernels[kernel].room);
	return true;
}

static bool outstanding(struct control_processor *c, const struct insn *i)
{
	uint32_t kernel = (uint32_t)argument(c, i, 0);
	uint64_t left = 0;

	if (kernel != ALL_KERNELS && !names_kernel(c, i, kernel))
		return false;
	for (uint32_t k = 0; k < c->dispatcher.kernel_count; k++)
		if (kernel == ALL_KERNELS || k == kernel)
			left += c->dispatcher.kernels[k].dispatched - c->dispatcher.kernels[k].ended;
	result(c, i, left < UINT32_MAX ? left : UINT32_MAX);
	return true;
}

/* ---- Wavefronts that have yielded ---- */

/* A restart context is read from memory.  False: it must stay, until the answer is there, or it can be asked for. */
static bool take_restart(struct control_processor *c, struct control_flight *flight)
{
	uint64_t context = 0, entry;

	assert(c->dispatcher.first_arrived <= c->dispatcher.arrived.count);
	assert(c->lone.flight == flight);
	if (c->dispatcher.first_arrived == c->dispatcher.arrived.count) {
		result(c, flight->insn, 0);
		return true;
	}
	entry = c->dispatcher.arrived.at[c->dispatcher.first_arrived];
	if (!flight->step) {
		flight->step = control_ask(c, entry);
		c->lone.wake_at = flight->step ? 0 : c->cycle + 1;
		return false;
	}
	if (!flight->answered)
		return false;
	flight->answered = false;
	memcpy(&context, c->line + entry % l1_line_bytes(&c->l1), sizeof context);
	c->dispatcher.first_arrived++;
	*vector_push(c->arena, &c->dispatcher.freed) = entry;
	*vector_push(c->arena, &c->dispatcher.held) = context;
	result(c, flight->insn, context);
	return true;
}

static bool restart(struct control_processor *c, const struct insn *i)
{
	uint64_t context = argument(c, i, 0);

	assert(c->dispatcher.held.count <= c->counters.yields);
	for (uint32_t k = 0; k < c->dispatcher.held.count; k++)
		if (c->dispatcher.held.at[k] == context) {
			c->dispatcher.held.at[k] = c->dispatcher.held.at[--c->dispatcher.held.count];
			*vector_push(c->arena, &c->dispatcher.restarts) = context;
			return true;
		}
	control_fault(c, i, FAULT_firmware,
		"restart of 0x%llx: no yielded wavefront that firmware has taken and not restarted has this restart "
		"context",
		(unsigned long long)context);
	return false;
}

/* ---- Waiting ---- */

/* False: it must stay, until the answer is there or it is time to ask again. */
static bool wait_change(struct control_processor *c, struct control_flight *flight)
{
	uint64_t address = argument(c, flight->insn, 0);
	uint32_t old = (uint32_t)argument(c, flight->insn, 1), now;

	assert(flight->lone);
	assert(c->lone.flight == flight);
	if (!flight->step && (address % 4 || !space_find(c->machine->space, address, 4))) {
		control_fault(c, flight->insn, FAULT_address,
			"__lockstep_wait_change of 0x%llx: expected a word of global memory",
			(unsigned long long)address);
		return false;
	}
	if (!flight->step || (c->lone.wake_at && c->lone.wake_at <= c->cycle)) {
		if (!flight->step)
			c->lone.since = c->cycle;
		if (!control_ask(c, address)) {
			c->lone.wake_at = c->cycle + 1;
			flight->step = 1;
			return false;
		}
		flight->step = 1;
		c->lone.wake_at = 0;
		c->counters.polls++;
		return false;
	}
	if (!flight->answered)
		return false;
	flight->answered = false;
	memcpy(&now, c->line + address % l1_line_bytes(&c->l1), sizeof now);
	c->is_polling = now == old;
	if (now == old) {
		c->lone.wake_at = c->cycle + c->machine->model->control_poll;
		return false;
	}
	c->counters.wait_cycles += c->cycle - c->lone.since;
	result(c, flight->insn, now);
	return true;
}

/* ---- Calls ---- */

uint64_t control_begin_call(struct control_processor *c, struct window_entry *entry)
{
	uint32_t call = control_flight(c, entry->number)->insn->component;

	assert(control_flight(c, entry->number)->insn->kind == INSN_FIRMWARE);
	if ((call == FIRMWARE_DISPATCH || call == FIRMWARE_RESTART) && c->stores_out)
		return WINDOW_NOT_YET;
	if (call == FIRMWARE_WAIT) /* all others reach the dispatcher's registers */
		return c->cycle + 1;
	return c->cycle + 1 + c->machine->model->control_port;
}

bool control_leave_call(struct control_processor *c, struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);

	assert(flight->insn->kind == INSN_FIRMWARE);
	assert(flight->on);
	switch (flight->insn->component) {
	case FIRMWARE_DISPATCH: return dispatch(c, flight->insn);
	case FIRMWARE_FREE: return free_contexts(c, flight->insn);
	case FIRMWARE_OUTSTANDING: return outstanding(c, flight->insn);
	case FIRMWARE_TAKE: return take_restart(c, flight);
	case FIRMWARE_RESTART: return restart(c, flight->insn);
	default: return wait_change(c, flight);
	}
}
