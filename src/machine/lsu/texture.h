/* Texture fetches: which texels a warp's lanes need, and what their registers get; and what surfaces share with
 * them. */
#ifndef LOCKSTEP_MACHINE_LSU_TEXTURE_H
#define LOCKSTEP_MACHINE_LSU_TEXTURE_H

#include "machine/state/core.h"
#include "memory/image.h"

/* Room for the fetches of a kernel that reads textures. */
void texture_prepare(struct core *core, struct arena *arena);

/* One lane's handle, in s[0]. */
static inline uint64_t texture_handle(const struct warp *w, const struct insn *i, uint32_t lane)
{
	const void *handles = slot_at(w, i->s[0]);

	return i->s_bytes[0] == 8 ? ((const uint64_t *)handles)[lane] : ((const uint32_t *)handles)[lane];
}
/* The image of one lane's handle; null, and a finding: it is none of this use. */
const struct lockstep_image *texture_image(
	struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, enum lockstep_image_use use);

#endif
