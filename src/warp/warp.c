/* Finding the functions for decoded instructions, and what the registers of a warp hold before its first one. */
#include "warp/warp.h"

#include "warp/frame.h"
#include "warp/memory.h"
#include "warp/variants.h"

#include <string.h>

/* Read by the lane loops: see lanes/lanes.h. */
#define BIT(l) (UINT32_C(1) << (l))
#define EIGHT(BIT, l) BIT(l), BIT(l + 1), BIT(l + 2), BIT(l + 3), BIT(l + 4), BIT(l + 5), BIT(l + 6), BIT(l + 7)
#define WIDE_BIT(l) (UINT64_C(1) << (l))
_Alignas(64) const uint32_t lane_bit[32] = {EIGHT(BIT, 0), EIGHT(BIT, 8), EIGHT(BIT, 16), EIGHT(BIT, 24)};
_Alignas(64) const uint64_t lane_bit_wide[32] = {
	EIGHT(WIDE_BIT, 0), EIGHT(WIDE_BIT, 8), EIGHT(WIDE_BIT, 16), EIGHT(WIDE_BIT, 24)};

/* ---- Functions ---- */

struct variant {
	chooser *lookup;
	const struct lane_memory *memory;
};

/* The best variant that this processor runs, for the warp size. */
static struct variant variant_for(uint32_t lanes)
{
#define TRY(name, size, usable)                                                                                        \
	if (lanes == (size) && (usable))                                                                               \
		return (struct variant){lanes_lookup_##name, &lane_memory_##name};
	LANE_VARIANTS(TRY)
#undef TRY
	return (struct variant){0};
}

exec_function *warp_exec_lookup(const struct insn *insn, const struct insn_extra *extra, uint32_t lanes)
{
	chooser *lookup = variant_for(lanes).lookup;

	if (insn->inserted)
		return frame_exec_lookup(insn);
	return lookup ? lookup(insn, extra) : NULL;
}

const struct lane_memory *warp_memory(uint32_t lanes)
{
	return variant_for(lanes).memory;
}

/* ---- Start ---- */

static uint64_t launch_special(const struct launch_values *launch, uint32_t lanes, uint8_t special, uint8_t component)
{
	uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
	switch (special) {
	case SPECIAL_NTID: return component < 3 ? launch->block[component] : 0;
	case SPECIAL_NCTAID: return component < 3 ? launch->grid[component] : 0;
	case SPECIAL_NCLUSTERID: return component < 3 ? launch->grid[component] / launch->cluster[component] : 0;
	case SPECIAL_CLUSTER_NCTAID: return component < 3 ? launch->cluster[component] : 0;
	case SPECIAL_CLUSTER_NCTARANK: return launch_cluster_size(launch);
	case SPECIAL_IS_EXPLICIT_CLUSTER: return launch->explicit_cluster;
	case SPECIAL_GRIDID: return launch->grid_id;
	case SPECIAL_NSMID: return launch->core_count;
	case SPECIAL_NWARPID: return launch->warps_per_core ? launch->warps_per_core : (threads + lanes - 1) / lanes;
	case SPECIAL_ENVREG: return component < 32 ? launch->envreg[component] : 0;
	case SPECIAL_DYNAMIC_SMEM_SIZE: return launch->dynamic_shared;
	case SPECIAL_TOTAL_SMEM_SIZE: return launch->total_shared;
	case SPECIAL_AGGR_SMEM_SIZE: return launch->total_shared + launch->reserved_shared;
	default: return 0;
	}
}

static void put(uint32_t *slot, uint32_t bytes, uint32_t lane, uint64_t value)
{
	if (bytes == 8)
		memcpy(slot + 2 * lane, &value, sizeof value);
	else
		slot[lane] = (uint32_t)value;
}

void warp_fill_launch_constants(const struct kernel *kernel, const struct launch_values *launch, uint32_t *constants)
{
	for (uint32_t k = 0; k < kernel->launch_constant_count; k++) {
		const struct launch_constant *constant = &kernel->launch_constants[k];
		uint64_t value = launch_special(launch, kernel->lanes, constant->special, constant->component);
		for (uint32_t lane = 0; lane < kernel->lanes; lane++)
			put(constants + constant->word, constant->bytes, lane, value);
	}
}

/* %tid, counted up from lane to lane, since a division for each costs more than all else that starts a warp. */
static void fill_thread(const struct warp *w, uint32_t *slot, uint32_t component)
{
	const uint32_t *block = w->launch->block;
	uint32_t at[3] = {w->first_thread % block[0], w->first_thread / block[0] % block[1],
		w->first_thread / block[0] / block[1]};
	if (component == 0 && at[0] + w->lanes <= block[0]) {
		w->memory->count_up(slot, at[0]);
		return;
	}
	for (uint32_t lane = 0; lane < w->lanes; lane++) {
		slot[lane] = at[component];
		if (++at[0] < block[0])
			continue;
		at[0] = 0;
		if (++at[1] < block[1])
			continue;
		at[1] = 0;
		at[2]++;
	}
}

static void fill_special(const struct warp *w, uint32_t *slot, const struct warp_constant *constant)
{
	for (uint32_t lane = 0; lane < w->lanes; lane++)
		put(slot, constant->bytes, lane,
			frame_special(w, lane, (enum ptx_special)constant->special, constant->component));
}

void warp_fill_start(struct warp *w)
{
	const struct kernel *kernel = w->kernel;
	for (uint32_t k = 0; k < kernel->warp_constant_count; k++) {
		const struct warp_constant *constant = &kernel->warp_constants[k];
		uint32_t *slot = (constant->word & SLOT_WIDE ? w->wide_registers : w->registers) +
				 (constant->word & SLOT_OFFSET);
		if (constant->special == SPECIAL_TID && constant->component < 3 && constant->bytes == 4)
			fill_thread(w, slot, constant->component);
		else if (constant->special == SPECIAL_CTAID && constant->component < 3 && constant->bytes == 4)
			w->memory->broadcast(slot, ~(lane_mask)0, w->group[constant->component]);
		else
			fill_special(w, slot, constant);
	}
}
