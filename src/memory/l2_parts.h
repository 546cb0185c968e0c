/* An L2 of two parts (l2.parts), each near to half of the cores.
 *
 * A line lies in one slice, as in an L2 of one part, and all requests for it take effect there.  Its answer to a load
 * or an atomic of a far core is l2.far cycles longer on its way, whether DRAM had to be asked or not.  That to a store
 * is not.
 *
 * The part of the far cores keeps a copy of a line that one of them has loaded: the answer to a load of a copy is no
 * longer on its way.  A copy ends with an atomic on the line, and with a store by a near core; a far core writes into
 * the copy, too. A copy is a matter of time alone: its bytes are those of the line, so a load never finds an old value.
 * No answer to a load overtakes one that was accepted earlier, of the same line: it waits until the copy has come.
 *
 * What the parts send each other of stores and atomics takes the time of a link (l2.link), of which each slice has its
 * share: a far request waits until the last one has come through, and those behind it wait too.
 *
 * A copy takes a way of the line's own set, while a GPU has it in the other part.  If the cores of both parts load
 * alike, each part is as full as it is there; if those of one part alone do, the far part is full here, and the near
 * one there. */
#ifndef LOCKSTEP_MEMORY_L2_PARTS_H
#define LOCKSTEP_MEMORY_L2_PARTS_H

#include "memory/l2.h"
#include "memory/message.h"
#include "model/model.h"

#include <assert.h>

#define L2_COPY_COMES UINT64_MAX

struct l2_parts {
	const struct gpu_model *model;
	uint32_t part;            /* of the slice */
	uint64_t *copies;         /* when that at a place of the L2 has come; L2_COPY_COMES: not known yet */
	uint64_t link_free;       /* when the link lets the next store or atomic of the other part through */
	uint32_t link_hundredths; /* of a cycle, beyond it */
};

/* The tag of a line's copy: no line has it. */
static inline uint64_t l2_copy_of(uint64_t line)
{
	assert(!(line & 1));
	return line | 1;
}

/* Cores that share a port are of one part, and take turns; likewise channels whose units of l2.interleave make
 * l2.part_bytes. */
static inline uint32_t l2_part_of_core(const struct gpu_model *model, uint32_t core)
{
	assert(core < model->core_count);
	assert(model->l2_parts);
	return core / model->crossbar_cores % model->l2_parts;
}
uint32_t l2_part_of_slice(const struct gpu_model *model, uint32_t slice);

/* Of a slice; null where the L2 has one part. */
struct l2_parts *l2_parts_create(struct arena *arena, const struct gpu_model *model, uint32_t slice);

/* Whether the sender of a request, or the receiver of a reply, is a core of the other part. */
static inline bool l2_parts_is_far(const struct l2_parts *parts, uint32_t address)
{
	return address < parts->model->core_count && l2_part_of_core(parts->model, address) != parts->part;
}

/* Whether a request of a far core, other than a load, may come over the link between the parts at cycle `now`; and that
 * it comes, with so many flits. */
static inline bool l2_parts_may_cross(const struct l2_parts *parts, const struct message *m, uint64_t now)
{
	assert(parts->model->l2_parts > 1);
	return parts->link_free <= now || m->kind == MESSAGE_LOAD || !l2_parts_is_far(parts, m->source);
}
void l2_parts_cross(struct l2_parts *parts, const struct message *m, uint32_t flits, uint64_t now);

/* When a reply to a far core arrives that would arrive at `time` at a near one; `copy`: where its line's copy is, or
 * L2_NONE. */
uint64_t l2_parts_arrival(struct l2_parts *parts, const struct message *reply, uint32_t copy, uint64_t time);

#endif
