/* A kernel of plain.cl, run and compared with the host. */
#ifndef LOCKSTEP_WORKLOADS_PLAIN_H
#define LOCKSTEP_WORKLOADS_PLAIN_H

#include "../common.h"

struct plain {
	const char *name; /* of what runs */
	struct gpu gpu;
	uint32_t side, items; /* powers of two, from 16 and from 512 on */
	uint64_t random;
};

/* New and random; the caller frees. */
float *plain_floats(struct plain *p, size_t count, float low, float high);
int32_t *plain_ints(struct plain *p, size_t count, uint32_t below);

/* Reads the buffer, compares (floats to a thousandth of the value, or of one), and frees buffer and `expected`. */
void plain_expect_floats(const struct plain *p, cl_mem buffer, float *expected, size_t count);
void plain_expect_ints(const struct plain *p, cl_mem buffer, int32_t *expected, size_t count);

/* plain/matrices.c */
void plain_backprop(struct plain *p);
void plain_gaussian(struct plain *p);
void plain_lud(struct plain *p);
/* plain/grids.c */
void plain_hotspot(struct plain *p);
void plain_srad(struct plain *p);
void plain_pathfinder(struct plain *p);
void plain_wavefront(struct plain *p);
/* plain/points.c */
void plain_kmeans(struct plain *p);
void plain_nn(struct plain *p);
void plain_lavamd(struct plain *p);
void plain_streamcluster(struct plain *p);
/* plain/sequences.c */
void plain_bfs(struct plain *p);
void plain_merge_sort(struct plain *p);
void plain_heartwall(struct plain *p);
void plain_histogram(struct plain *p);
void plain_prefix_sum(struct plain *p);

#endif
