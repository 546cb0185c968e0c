/* mapa, getctarank: addresses of the shared memory of the groups of a cluster (warp/windows.h).  An address means the
 * same to all groups of a cluster, so that one may hand it to another. */
#include "warp/choose.h"
#include "warp/windows.h"

static uint64_t address_in(const struct warp *w, const struct insn *i, lane_mask lane)
{
	return slot_value(w, i->s[0], ptx_types[i->type].bits / 8u, (uint32_t)lane);
}

static uint32_t rank_of(const struct warp *w, uint64_t in_window)
{
	return in_window < SHARED_PART ? launch_cluster_rank(w->launch, w->group)
				       : (uint32_t)(in_window / SHARED_PART) - 1;
}

/* Of a generic address the window's beginning; of one in .shared::cluster 0. */
static uint64_t base_of(const struct insn *i)
{
	return i->modifiers.space == space_NONE ? SHARED_WINDOW : 0;
}

#define LAST_PART (WINDOW_SIZE / SHARED_PART - 1)

/* A rank that the cluster has not gives an address in the window that no access can use; an address of other memory,
 * none at all. */
static uint64_t mapped(const struct warp *w, const struct insn *i, uint64_t address, uint32_t rank)
{
	uint64_t base = base_of(i), in_window = address - base;

	if (in_window >= WINDOW_SIZE)
		return 0;
	rank = rank < LAST_PART ? rank : LAST_PART - 1;
	in_window %= SHARED_PART;
	if (rank || launch_cluster_size(w->launch) > 1)
		in_window += (uint64_t)SHARED_PART * (rank + 1);
	return base + in_window;
}

static void exec_mapa(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *ranks = slot_at(w, i->s[1]);

	EACH_LANE(l, active)
		slot_set_value(w, i->d, ptx_types[i->type].bits / 8u, (uint32_t)l,
			mapped(w, i, address_in(w, i, l), ranks[l]));
}

static void exec_getctarank(struct warp *w, const struct insn *i, lane_mask active)
{
	uint32_t *to = slot_at(w, i->d);

	EACH_LANE(l, active)
		to[l] = rank_of(w, address_in(w, i, l) - base_of(i));
}

CHOOSE_ALWAYS(mapa)

CHOOSE_ALWAYS(getctarank)
