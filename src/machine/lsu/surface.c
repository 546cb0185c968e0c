/* Surfaces: coordinates to addresses.  What suld, sust and sured then do is what loads, stores and atomics do.
 *
 * The first direction counts in bytes, the others in texels.  Outside is what PTX calls out of bounds (PTX ISA,
 * "Surface Instructions"): .trap is a fault, .clamp goes to the nearest element of the access, .zero reads zeros and
 * writes nothing.
 *
 * sust.p also counts the first direction in texels, and converts what it writes. */
#include "machine/core/drop.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/texel.h"
#include "machine/lsu/texture.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* sust.p, whose lanes write a texel each: as many bytes as its image says. */
static bool is_formatted(const struct insn *i)
{
	return i->op == OP_sust_formatted;
}

struct surface_place {
	int64_t at[3]; /* bytes, row, slice or layer */
};

/* What a lane accesses. */
static uint32_t bytes_of(const struct insn *i, const struct lockstep_image *image)
{
	assert(i->access.space == space_SURFACE);
	return is_formatted(i) ? image_texel_bytes(image) : (uint32_t)i->access.bytes * i->access.elements;
}

static struct surface_place place_of(
	const struct warp *w, const struct insn *i, const struct lockstep_image *image, uint32_t lane)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	uint32_t layered = i->modifiers.geometry == geometry_A1D || i->modifiers.geometry == geometry_A2D;
	struct surface_place place = {{0}};

	assert(layered <= extra->coordinate_count);
	assert(image->dimensions <= 3);
	for (uint32_t k = 0; layered + k < extra->coordinate_count && k < image->dimensions; k++)
		place.at[k] = (int32_t)slot_value(w, extra->coordinates[layered + k], 4, lane);
	if (is_formatted(i))
		place.at[0] *= image_texel_bytes(image);
	if (layered)
		place.at[2] = (int64_t)slot_value(w, extra->coordinates[0], 4, lane);
	return place;
}

/* Brings a place inside; false when it was not. */
static bool clamp(struct surface_place *place, const struct lockstep_image *image, uint32_t bytes)
{
	const struct lockstep_image_level *level = &image->level[0];
	const int64_t last[3] = {(int64_t)level->width * image_texel_bytes(image) - bytes, (int64_t)level->height - 1,
		(int64_t)level->depth - 1};
	bool was_inside = true;

	assert(level->width && level->height && level->depth);
	for (uint32_t k = 0; k < 3; k++) {
		int64_t at = place->at[k];

		was_inside &= at >= 0 && at <= last[k];
		place->at[k] = at > last[k] ? last[k] : at;
		place->at[k] = place->at[k] < 0 ? 0 : place->at[k];
	}
	return was_inside;
}

static void fault(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane,
	const struct lockstep_image *image, const struct surface_place *place)
{
	const struct lockstep_image_level *level = &image->level[0];

	assert(image->use != LOCKSTEP_TEXTURE);
	core_fault(core, r, i, lane, FAULT_surface,
		"access of %u bytes at byte %" PRId64 ", row %" PRId64 ", slice %" PRId64 ": the surface has %" PRIu64
		" bytes, %u rows, %u slices",
		bytes_of(i, image), place->at[0], place->at[1], place->at[2],
		(uint64_t)level->width * image_texel_bytes(image), level->height, level->depth);
}

/* False: a finding, or the access is dropped. */
static bool find_address(
	uint64_t *address, bool *is_inside, struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane)
{
	const struct lockstep_image *image = texture_image(core, r, i, lane, LOCKSTEP_SURFACE);
	struct surface_place place, clamped;
	uint32_t bytes;

	if (!image)
		return false;
	bytes = bytes_of(i, image);
	place = clamped = place_of(&r->warp, i, image, lane);
	*is_inside = clamp(&clamped, image, bytes);
	if (!*is_inside && i->modifiers.bounds != bounds_CLAMP && i->modifiers.bounds != bounds_ZERO) {
		if (!drop_again(r, i, FAULT_surface)) {
			fault(core, r, i, lane, image, &place);
			drop_take(core, r, i);
		}
		return false;
	}
	*is_inside |= i->modifiers.bounds == bounds_CLAMP;
	*address = image->level[0].address + (uint64_t)clamped.at[0] +
		   (uint64_t)clamped.at[1] * image->level[0].row_bytes +
		   (uint64_t)clamped.at[2] * image->level[0].slice_bytes;
	return true;
}

/* Global addresses of the lanes' coordinates.  Returns the lanes that are inside, or brought inside by .clamp; the
 * others are left alone under .zero, and a finding under .trap, after which core->stopped is set unless they are
 * dropped (drop.h). */
static lane_mask find_addresses(
	uint64_t *address, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	lane_mask inside = 0;

	assert(lanes);
	EACH_LANE(l, lanes) {
		bool is_inside;

		if (find_address(&address[l], &is_inside, core, r, i, (uint32_t)l))
			inside |= (lane_mask)is_inside << l;
		else if (core->stopped)
			return 0;
	}
	return inside;
}

/* --- Formatted stores --- */

/* What a lane stores, in its part of an operation's data. */
struct stored_texel {
	uint8_t data[TEXEL_BYTES];
	uint8_t bytes;
};

_Static_assert(sizeof(struct stored_texel) <= ACCESS_DATA_BYTES, "no room for a lane's texel");

static struct stored_texel *stored_by(uint8_t *data, uint32_t lane)
{
	return (struct stored_texel *)(data + lane * ACCESS_DATA_BYTES);
}

/* Keeps the texels of lanes that have addresses. */
static void capture_texels(
	const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t *data)
{
	const struct warp *w = &r->warp;
	const slot_ref *slot = i->access.elements > 1 ? w->kernel->extras[i->extra].vector : &i->s[1];
	const struct lockstep_image *image = NULL;
	uint64_t handle = 0;

	assert(i->access.elements <= 4);
	EACH_LANE(l, lanes) {
		uint32_t component[4] = {0};

		if (!image || texture_handle(w, i, (uint32_t)l) != handle) {
			handle = texture_handle(w, i, (uint32_t)l);
			image = image_find(core->machine->images, handle);
		}
		assert(image);
		for (uint32_t k = 0; k < i->access.elements; k++)
			component[k] = slot[k] == SLOT_NONE ? 0 : ((const uint32_t *)slot_at(w, slot[k]))[l];
		stored_by(data, (uint32_t)l)->bytes = (uint8_t)image_texel_bytes(image);
		texel_write(image, component, stored_by(data, (uint32_t)l)->data);
	}
}

static uint32_t gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	uint32_t sectors = 0;

	assert(lanes && !(lanes & ~op->lanes));
	payload->mask[0] = payload->mask[1] = 0;
	EACH_LANE(l, lanes) {
		const struct stored_texel *texel = stored_by(op->data, (uint32_t)l);
		uint32_t offset = (uint32_t)(op->address[l] - line);

		assert(offset + texel->bytes <= LINE_BYTES);
		memcpy(payload->data + offset, texel->data, texel->bytes);
		payload->mask[offset / 64] |= ((1ull << texel->bytes) - 1) << offset % 64;
		sectors |= 1u << offset / 32;
	}
	return (uint32_t)__builtin_popcount(sectors) * 32;
}

static void store_texels_at_once(struct core *core, struct operation *op)
{
	assert(core->machine->mode->at_once && !op->pending);
	EACH_LANE(l, op->lanes) {
		const struct stored_texel *texel = stored_by(op->data, (uint32_t)l);

		access_will_write(core, op->address[l], texel->bytes);
		memcpy(space_host(core->machine->space, op->address[l]), texel->data, texel->bytes);
	}
	observe_access(core, op->slot, op->insn, op->lanes, space_GLOBAL, op->address);
	observe_effect(core, op->slot, EFFECT_IMAGE);
	observe_written(core, op->slot, op->address, op->lanes, NULL);
	load_store_free(core, op);
}

/* A formatted store is a store that has its texels in op->data. */
static const struct memory_kind memory_formatted = {
	.noun = "store",
	.queue = load_store_enter,
	.execute = store_texels_at_once,
	.count = store_count,
	.send = through_l1_store,
	.gather = gather,
};

/* Its images were checked: the texels are allocated, and aligned. */
static void issue_formatted(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	struct operation *op;

	assert(is_formatted(i) && lanes);
	if (observer_hears(core, OBSERVE_moves, r->bit))
		EACH_LANE(l, lanes)
			observe_moves(core, r, i, (uint32_t)l, space_GLOBAL, address[l],
				bytes_of(i, texture_image(core, r, i, (uint32_t)l, LOCKSTEP_SURFACE)), true);
	op = load_store_take(core, r, i, lanes, space_GLOBAL);
	op->kind = &memory_formatted;
	memcpy(op->address, address, r->warp.lanes * sizeof *address);
	capture_texels(core, r, i, lanes, op->data);
	load_store_start(core, op);
}

void surface_issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];
	lane_mask inside = find_addresses(address, core, r, i, lanes);

	assert(!(inside & ~lanes));
	if (core->stopped)
		return;
	if (memory_kinds[i->kind]->only_loads && inside != lanes)
		access_zero(r, i, lanes & ~inside);
	if (!inside)
		return;
	if (is_formatted(i)) {
		issue_formatted(core, r, i, inside, address);
		return;
	}
	load_store_issue_at(core, r, i, inside, space_GLOBAL, address);
}
