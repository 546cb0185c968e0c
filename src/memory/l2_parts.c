/* Which part of the L2 is near to which core, and when its copies come. */
#include "memory/l2_parts.h"

#include <assert.h>

uint32_t l2_part_of_slice(const struct gpu_model *model, uint32_t slice)
{
	uint32_t channel = slice / (model->slices / model->channels);

	assert(slice < model->slices);
	assert(model->l2_part_bytes >= model->slice_interleave);
	return channel / (model->l2_part_bytes / model->slice_interleave) % model->l2_parts;
}

struct l2_parts *l2_parts_create(struct arena *arena, const struct gpu_model *model, uint32_t slice)
{
	if (model->l2_parts <= 1)
		return NULL;
	struct l2_parts *parts = arena_new(arena, struct l2_parts);

	parts->model = model;
	parts->part = l2_part_of_slice(model, slice);
	assert(parts->part < model->l2_parts);
	parts->copies = arena_reserve(arena, (size_t)model->l2_sets * model->l2_ways * sizeof *parts->copies);
	return parts;
}

void l2_parts_cross(struct l2_parts *parts, const struct message *m, uint32_t flits, uint64_t now)
{
	uint32_t hundredths = flits * parts->model->l2_link;

	assert(flits);
	assert(m->kind != MESSAGE_LOAD);
	assert(l2_parts_may_cross(parts, m, now));
	if (!hundredths || !l2_parts_is_far(parts, m->source))
		return;
	hundredths += parts->link_free == now ? parts->link_hundredths : 0;
	parts->link_free = now + hundredths / 100;
	parts->link_hundredths = hundredths % 100;
}

uint64_t l2_parts_arrival(struct l2_parts *parts, const struct message *reply, uint32_t copy, uint64_t time)
{
	uint64_t far = time + parts->model->l2_far;

	assert(copy == L2_NONE || copy < parts->model->l2_sets * parts->model->l2_ways);
	if (reply->kind == MESSAGE_STORED)
		return time;
	if ((reply->kind != MESSAGE_LOADED && reply->kind != MESSAGE_MULTICAST) || copy == L2_NONE)
		return far;
	uint64_t *ready = &parts->copies[copy];

	if (*ready == L2_COPY_COMES)
		*ready = far;
	return *ready > time ? *ready : time;
}
