/* Instructions that decode inserts: special registers, addresses in the stack frame, arguments into a callee's frame
 * and results out of it.
 *
 * A callee's frame begins where the caller's ends, in the register file as on the stack, so both copies run in the
 * caller's frame with offsets that reach beyond its end.  The machine refuses a call that is too deep only after its
 * arguments are written; what would fall off the end of local memory is therefore dropped here. */
#include "warp/frame.h"
#include "warp/warp.h"

#include <string.h>

/* ---- Special registers ---- */

static uint32_t thread_component(const struct warp *w, uint32_t lane, uint32_t component)
{
	const uint32_t *block = w->launch->block;
	uint32_t flat = w->first_thread + lane;
	switch (component) {
	case 0: return flat % block[0];
	case 1: return flat / block[0] % block[1];
	case 2: return flat / block[0] / block[1];
	default: return 0;
	}
}

static uint64_t nanoseconds(const struct warp *w)
{
	const struct launch_values *launch = w->launch;
	if (!launch->nanoseconds_denominator)
		return w->now;
	return (uint64_t)((unsigned __int128)w->now * launch->nanoseconds_numerator / launch->nanoseconds_denominator);
}

uint64_t frame_special(const struct warp *w, uint32_t lane, enum ptx_special special, uint32_t component)
{
	/* masks have 32 bits: a warp of 64 lanes is two halves, see lanes/lanes.h */
	uint64_t bit = 1ull << (lane & 31);
	switch (special) {
	case SPECIAL_TID: return thread_component(w, lane, component);
	case SPECIAL_CTAID: return component < 3 ? w->group[component] : 0;
	case SPECIAL_CLUSTERID: return component < 3 ? w->group[component] / w->launch->cluster[component] : 0;
	case SPECIAL_CLUSTER_CTAID: return component < 3 ? w->group[component] % w->launch->cluster[component] : 0;
	case SPECIAL_CLUSTER_CTARANK: return launch_cluster_rank(w->launch, w->group);
	case SPECIAL_LANEID: return lane;
	case SPECIAL_LANEMASK_EQ: return bit;
	case SPECIAL_LANEMASK_LT: return bit - 1;
	case SPECIAL_LANEMASK_LE: return bit | (bit - 1);
	case SPECIAL_LANEMASK_GE: return (uint32_t) ~(bit - 1);
	case SPECIAL_LANEMASK_GT: return (uint32_t) ~(bit | (bit - 1));
	case SPECIAL_WARPID: return w->slot;
	case SPECIAL_SMID: return w->core;
	case SPECIAL_CLOCK: return w->now & 0xffffffffu;
	case SPECIAL_CLOCK_HI: return w->now >> 32;
	case SPECIAL_CLOCK64: return w->now;
	case SPECIAL_GLOBALTIMER: return nanoseconds(w);
	case SPECIAL_GLOBALTIMER_LO: return nanoseconds(w) & 0xffffffffu;
	case SPECIAL_GLOBALTIMER_HI: return nanoseconds(w) >> 32;
	default: return 0; /* %pm: no performance monitor counts */
	}
}

static void exec_read_special(struct warp *w, const struct insn *i, lane_mask active)
{
	if (i->special == SPECIAL_IS_EXPLICIT_CLUSTER && i->pd != NO_PREDICATE)
		write_predicate(w, i->pd, active, w->launch->explicit_cluster ? active : 0);
	else
		EACH_LANE(l, active)
			slot_set_value(w, i->d, i->d_bytes, (uint32_t)l,
				frame_special(w, (uint32_t)l, (enum ptx_special)i->special, i->component));
}

static void exec_stack_address(struct warp *w, const struct insn *i, lane_mask active)
{
	EACH_LANE(l, active)
		slot_set_value(w, i->d, i->d_bytes, (uint32_t)l, w->stack_base + (uint64_t)i->offset);
}

/* ---- Call arguments and results ---- */

static void read_stack(const struct warp *w, uint32_t lane, uint32_t offset, uint8_t *bytes, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		bytes[k] = offset + k < w->local_bytes ? *local_byte(w, lane, offset + k) : 0;
}

static void write_stack(const struct warp *w, uint32_t lane, uint32_t offset, const uint8_t *bytes, uint32_t count)
{
	for (uint32_t k = 0; k < count && offset + k < w->local_bytes; k++)
		*local_byte(w, lane, offset + k) = bytes[k];
}

/* One lane's element of a slot of `width` bytes; 128-bit slots have their halves apart. */
static uint8_t *slot_element(const struct warp *w, slot_ref slot, uint32_t lane, uint32_t width, uint32_t half)
{
	uint8_t *base = slot_at(w, slot);
	return width == 4 ? base + (size_t)lane * 4 : base + ((size_t)half * w->lanes + lane) * 8;
}

static void read_slot(const struct warp *w, slot_ref slot, uint32_t lane, uint32_t width, uint8_t value[16])
{
	for (uint32_t half = 0; half < (width == 16 ? 2u : 1u); half++)
		memcpy(value + half * 8, slot_element(w, slot, lane, width, half), width == 4 ? 4 : 8);
}

static void write_slot(const struct warp *w, slot_ref slot, uint32_t lane, uint32_t width, const uint8_t value[16])
{
	for (uint32_t half = 0; half < (width == 16 ? 2u : 1u); half++)
		memcpy(slot_element(w, slot, lane, width, half), value + half * 8, width == 4 ? 4 : 8);
}

/* Blocks of any size go from stack to stack; a register holds at most 16 bytes. */
static void copy_lane(const struct warp *w, const struct call_copy *copy, uint32_t lane)
{
	for (uint32_t done = 0; done < copy->bytes; done += 16) {
		uint32_t count = copy->bytes - done < 16 ? copy->bytes - done : 16;
		uint8_t value[16] = {0};
		if (copy->from_stack)
			read_stack(w, lane, w->stack_base + copy->from + done, value, count);
		else
			read_slot(w, copy->from, lane, copy->from_bytes, value);
		if (copy->to_stack) {
			write_stack(w, lane, w->stack_base + copy->to + done, value, count);
		} else {
			memset(value + count, 0, sizeof value - count); /* narrow values are zero-extended */
			write_slot(w, copy->to, lane, copy->to_bytes, value);
		}
	}
}

static void copy_all(struct warp *w, const struct call_copy *copies, uint32_t count, lane_mask active)
{
	for (uint32_t k = 0; k < count; k++)
		EACH_LANE(l, active)
			copy_lane(w, &copies[k], (uint32_t)l);
}

static void exec_copy_arguments(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	copy_all(w, extra->arguments, extra->argument_count, active);
}

static void exec_copy_returns(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	copy_all(w, extra->returns, extra->return_count, active);
}

exec_function *frame_exec_lookup(const struct insn *insn)
{
	switch ((enum insn_inserted)insn->inserted) {
	case INSERTED_SPECIAL: return exec_read_special;
	case INSERTED_STACK_ADDRESS: return exec_stack_address;
	case INSERTED_ARGUMENTS: return exec_copy_arguments;
	case INSERTED_RETURNS: return exec_copy_returns;
	case INSERTED_NONE: break;
	}
	return NULL;
}
