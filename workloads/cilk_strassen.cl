/* C += A * B by blocks (paper 5, 7.1).  A task is a pair of blocks: that of A in row `row` and column `middle` of blocks, and that of B in row
 * `middle` and column `column`; blocks are of side / 2^level. */
#include <lockstep_flow.h>

struct pair {
	uint row, column, middle;
};

/* A work-item's own product. */
void product(struct pair p, const global uint *a, const global uint *b, global uint *c, uint side, uint base)
{
	a += (p.row * side + p.middle) * base;
	b += (p.middle * side + p.column) * base;
	c += (p.row * side + p.column) * base;
	for (uint i = 0; i < base; i++)
		for (uint j = 0; j < base; j++) {
			uint sum = 0;
			for (uint k = 0; k < base; k++)
				sum += a[i * side + k] * b[k * side + j];
			atomic_add(&c[i * side + j], sum);
		}
}

kernel void multiply(global void *graph, uint node, uint level, uint offset, uint count, const global uint *a, const global uint *b,
	global uint *c, uint side, uint base)
{
	if (get_global_id(0) < count) {
		ch_channel here = fl_channel(graph, node, level);
		uint element = ch_deq(&here, offset + get_global_id(0));
		struct pair p = *(global struct pair *)ch_at(&here, element);
		ch_tfree(&here, element);
		if (side >> level <= base) {
			product(p, a, b, c, side, side >> level);
		} else {
			ch_channel below = fl_channel(graph, node, level + 1);
			uint first = fl_talloc(&below, 8);
			for (uint k = 0; k < 8; k++)
				*(global struct pair *)ch_at(&below, first + k) =
					(struct pair){2 * p.row + (k >> 2), 2 * p.column + (k >> 1 & 1), 2 * p.middle + (k & 1)};
			ch_enq(&below, first, 8);
		}
	}
}
