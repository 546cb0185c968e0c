/* Surfaces: coordinates to addresses.  What suld, sust and sured then do is what loads, stores and atomics do.
 *
 * The first direction counts in bytes, the others in texels.  Outside is what PTX calls out of bounds (PTX ISA, "Surface
 * Instructions"): .trap is a fault, .clamp goes to the nearest element of the access, .zero reads zeros and writes nothing. */
#include "machine/texture.h"

#include "machine/access.h"
#include "machine/drop.h"
#include "machine/launch.h"

#include <string.h>

struct surface_place {
	int64_t at[3]; /* bytes, row, slice or layer */
};

static struct surface_place place_of(const struct warp *w, const struct insn *i, const struct lockstep_image *image, uint32_t lane)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	uint32_t layered = i->modifiers.geometry == geometry_A1D || i->modifiers.geometry == geometry_A2D;
	struct surface_place place = { { 0 } };

	for (uint32_t k = 0; layered + k < extra->coordinate_count && k < image->dimensions; k++)
		place.at[k] = ((const int32_t *)warp_slot(w, extra->coordinates[layered + k]))[lane];
	if (layered)
		place.at[2] = ((const uint32_t *)warp_slot(w, extra->coordinates[0]))[lane];
	return place;
}

/* Brings a place inside; false when it was not. */
static bool clamp(struct surface_place *place, const struct lockstep_image *image, uint32_t bytes)
{
	const struct lockstep_image_level *level = &image->level[0];
	const int64_t last[3] = { (int64_t)level->width * image_texel_bytes(image) - bytes, (int64_t)level->height - 1, (int64_t)level->depth - 1 };
	bool was_inside = true;

	for (uint32_t k = 0; k < 3; k++) {
		int64_t at = place->at[k];

		was_inside &= at >= 0 && at <= last[k];
		place->at[k] = at > last[k] ? last[k] : at;
		place->at[k] = place->at[k] < 0 ? 0 : place->at[k];
	}
	return was_inside;
}

static void fault(struct core *core, struct resident *r, const struct insn *i, uint32_t lane, const struct lockstep_image *image,
		  const struct surface_place *place)
{
	const struct lockstep_image_level *level = &image->level[0];

	core_fault(core, r, i, lane, "surface", "access of %u bytes at byte %lld, row %lld, slice %lld: the surface has %llu bytes, %u rows, %u slices",
		   (uint32_t)i->access.bytes * i->access.elements, (long long)place->at[0], (long long)place->at[1], (long long)place->at[2],
		   (unsigned long long)level->width * image_texel_bytes(image), level->height, level->depth);
}

/* False: a finding, or the access is dropped. */
static bool find_address(uint64_t *address, bool *is_inside, struct core *core, struct resident *r, const struct insn *i, uint32_t lane)
{
	const struct lockstep_image *image = texture_image(core, r, i, lane, LOCKSTEP_SURFACE);
	uint32_t bytes = (uint32_t)i->access.bytes * i->access.elements;
	struct surface_place place, clamped;

	if (!image)
		return false;
	place = clamped = place_of(&r->warp, i, image, lane);
	*is_inside = clamp(&clamped, image, bytes);
	if (!*is_inside && i->modifiers.bounds != bounds_CLAMP && i->modifiers.bounds != bounds_ZERO) {
		if (!drop_again(r, i, "surface")) {
			fault(core, r, i, lane, image, &place);
			drop_take(core, r, i);
		}
		return false;
	}
	*is_inside |= i->modifiers.bounds == bounds_CLAMP;
	*address = image->level[0].address + (uint64_t)clamped.at[0] + (uint64_t)clamped.at[1] * image->level[0].row_bytes +
		   (uint64_t)clamped.at[2] * image->level[0].slice_bytes;
	return true;
}

lane_mask surface_addresses(uint64_t *address, struct core *core, struct resident *r, const struct insn *i, lane_mask lanes)
{
	lane_mask inside = 0;

	for (lane_mask rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctzll(rest);
		bool is_inside;

		if (find_address(&address[lane], &is_inside, core, r, i, lane))
			inside |= (lane_mask)is_inside << lane;
		else if (core->stopped)
			return 0;
	}
	return inside;
}
