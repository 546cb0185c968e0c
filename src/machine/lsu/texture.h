/* Textures and surfaces: what the load-store unit and its parts know of them. */
#ifndef LOCKSTEP_MACHINE_LSU_TEXTURE_H
#define LOCKSTEP_MACHINE_LSU_TEXTURE_H

#include "machine/state/core.h"
#include "memory/image.h"

/* Room for the fetches of a kernel that reads textures. */
void texture_prepare(struct core *core, struct arena *arena);

/* One lane's handle, in s[0]. */
static inline uint64_t texture_handle(const struct warp *w, const struct insn *i, uint32_t lane)
{
	return slot_value(w, i->s[0], i->s_bytes[0], lane);
}
/* The image of one lane's handle; null, and a finding: it is none of this use. */
const struct lockstep_image *texture_image(
	struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, enum lockstep_image_use use);

/* Issues a load, store or atomic of a surface.  Lanes outside, where that is no fault, read zeros and write nothing. */
void surface_issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);

#endif
