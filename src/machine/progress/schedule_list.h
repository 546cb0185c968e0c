/* Schedules written down: "1,0*3,(2,1)" are a step of work-group 1, three of group 0, and then a step of group 2 and
 * one of group 1 over and over.  "0.2*3" are three steps of warp 2 of group 0; without a part of the group they are
 * steps of the warp that is next.  "0.c1" is the end of an asynchronous copy of group 0: of all that it has begun and
 * that are not over, the second.  "0.2/1" is a step of warp 2 by another of its paths: the first one behind that which
 * runs, as its divergence model has them in order.
 *
 * "L2*8,L1" is about launches that run together: eight work-groups of launch 2 take the first free places, and then one
 * of launch 1. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_SCHEDULE_LIST_H
#define LOCKSTEP_MACHINE_PROGRESS_SCHEDULE_LIST_H

#include "util/arena.h"
#include "util/diagnostic.h"

#include <stdbool.h>
#include <stdint.h>

/* Parts of a group that take steps. */
#define PART_TURN 0u /* the warp that is next */
#define PART_WARP(k) (1u + (k))
#define PART_COPY 0x80000000u /* + k: that copy */
/* Warp k takes a step by the path-th (from 1) of its other paths that can run. */
#define PART_PATH(k, path) (0x20000000u | (path) << PART_PATH_SHIFT | (k))
#define PART_PATH_SHIFT 16
#define PART_PATHS 64u /* the warps of a group and the paths of a warp are no more */
/* Of no group: the run's `group` is the number of a launch, from 0, which takes places for so many groups. */
#define PART_LAUNCH 0x40000000u

/* Whether the part is another path of a warp; which warp's, and which path. */
static inline bool part_is_path(uint32_t part)
{
	return (part & ~0x1fffffffu) == PART_PATH(0, 0);
}
static inline uint32_t part_path_warp(uint32_t part)
{
	return part & ((1u << PART_PATH_SHIFT) - 1);
}
static inline uint32_t part_path(uint32_t part)
{
	return (part & ~PART_PATH(0, 0)) >> PART_PATH_SHIFT;
}

/* So many steps of one part of a group. */
struct schedule_run {
	uint32_t group, count, part;
};

/* From run `loop` on over and over; loop == count: nothing is. */
struct schedule_list {
	const struct schedule_run *runs;
	uint32_t count, loop;
};

/* Whether it is about launches: all its runs are, or none. */
static inline bool schedule_list_is_placement(const struct schedule_list *list)
{
	return list->count && list->runs[0].part == PART_LAUNCH;
}

/* False and an error when the text is none, or names a group beyond the highest number that a grid can have. */
bool schedule_list_read(
	struct arena *arena, const char *text, struct schedule_list *list, struct diagnostic *diagnostic);
const char *schedule_list_text(struct arena *arena, const struct schedule_list *list);

#endif
