/* Kernels without synchronisation between work-groups, of the kinds that Rodinia has (paper 2 runs Rodinia to see what is taken for
 * spinning though nothing spins).  n is a number of elements, side that of a square matrix. */

/* ---- Matrices ---- */

/* A neuron a work-group of 64: its inputs times its weights, summed up in halves. */
kernel void backprop(global const float *inputs, global const float *weights, global float *outputs, uint side)
{
	local float sums[64];
	uint lane = get_local_id(0), neuron = get_group_id(0);
	float sum = 0;
	for (uint k = lane; k < side; k += 64)
		sum += inputs[k] * weights[neuron * side + k];
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint distance = 32; distance > 0; distance /= 2) {
		if (lane < distance)
			sums[lane] += sums[lane + distance];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		outputs[neuron] = 1 / (1 + exp(-sums[0]));
}

kernel void gaussian_multipliers(global const float *matrix, global float *multipliers, uint side, uint step)
{
	uint row = get_global_id(0);
	if (row > step && row < side)
		multipliers[row] = matrix[row * side + step] / matrix[step * side + step];
}

kernel void gaussian_rows(global float *matrix, global float *right, global const float *multipliers, uint side, uint step)
{
	uint column = get_global_id(0), row = get_global_id(1);
	if (row <= step || column < step)
		return;
	matrix[row * side + column] -= multipliers[row] * matrix[step * side + column];
	if (column == step)
		right[row] -= multipliers[row] * right[step];
}

/* Column `step` of the lower triangle. */
kernel void lud_column(global float *matrix, uint side, uint step)
{
	uint row = get_global_id(0);
	if (row > step && row < side)
		matrix[row * side + step] /= matrix[step * side + step];
}

/* What the lower column and the upper row take off the rest, in tiles of 16 x 16. */
kernel void lud_rest(global float *matrix, uint side, uint step)
{
	local float lower[16], upper[16];
	uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
	if (x == 0)
		lower[y] = matrix[row * side + step];
	if (y == 0)
		upper[x] = matrix[step * side + column];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (row > step && column > step)
		matrix[row * side + column] -= lower[y] * upper[x];
}

/* ---- Grids ---- */

/* Element (row, column), of the nearest edge where there is none. */
float at(global const float *grid, int row, int column, int side)
{
	return grid[clamp(row, 0, side - 1) * side + clamp(column, 0, side - 1)];
}

kernel void hotspot(global const float *heat, global const float *power, global float *next, uint side)
{
	int column = get_global_id(0), row = get_global_id(1), n = (int)side;
	float here = at(heat, row, column, n);
	float around = at(heat, row - 1, column, n) + at(heat, row + 1, column, n) + at(heat, row, column - 1, n) +
		       at(heat, row, column + 1, n);
	next[row * n + column] = here + 0.1f * (around - 4 * here) + 0.05f * power[row * n + column];
}

kernel void srad_coefficients(global const float *image, global float *coefficients, uint side, float speckle)
{
	int column = get_global_id(0), row = get_global_id(1), n = (int)side;
	float here = at(image, row, column, n);
	float north = at(image, row - 1, column, n) - here, south = at(image, row + 1, column, n) - here;
	float west = at(image, row, column - 1, n) - here, east = at(image, row, column + 1, n) - here;
	float gradient = (north * north + south * south + west * west + east * east) / (here * here);
	float laplacian = (north + south + west + east) / here, denominator = 1 + 0.25f * laplacian;
	float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (denominator * denominator);
	float coefficient = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
	coefficients[row * n + column] = clamp(coefficient, 0.0f, 1.0f);
}

kernel void srad_update(global const float *image, global const float *coefficients, global float *next, uint side)
{
	int column = get_global_id(0), row = get_global_id(1), n = (int)side;
	float here = at(image, row, column, n), c = at(coefficients, row, column, n);
	float flow = c * (at(image, row - 1, column, n) - here) + at(coefficients, row + 1, column, n) * (at(image, row + 1, column, n) - here) +
		     c * (at(image, row, column - 1, n) - here) + at(coefficients, row, column + 1, n) * (at(image, row, column + 1, n) - here);
	next[row * n + column] = here + 0.125f * flow;
}

/* The cheapest way down to each element of a row. */
kernel void pathfinder(global const int *costs, global const int *sums, global int *next, uint side, uint row)
{
	uint column = get_global_id(0);
	int least = sums[column];
	if (column > 0)
		least = min(least, sums[column - 1]);
	if (column + 1 < side)
		least = min(least, sums[column + 1]);
	next[column] = least + costs[row * side + column];
}

/* An anti-diagonal of a matrix of alignment scores with side + 1 rows. */
kernel void wavefront(global const int *alike, global int *scores, uint side, uint diagonal, uint first, uint last, int gap)
{
	uint row = first + get_global_id(0), column = diagonal - row, pitch = side + 1;
	if (row > last)
		return;
	int aside = max(scores[row * pitch + column + 1], scores[(row + 1) * pitch + column]) - gap;
	scores[(row + 1) * pitch + column + 1] = max(scores[row * pitch + column] + alike[row * side + column], aside);
}

/* ---- Points ---- */

kernel void kmeans(global const float *points, global const float *centres, global int *nearest, uint n, uint clusters, uint features)
{
	uint point = get_global_id(0);
	int best = 0;
	float least = FLT_MAX;
	for (uint c = 0; c < clusters; c++) {
		float distance = 0;
		for (uint f = 0; f < features; f++) {
			float apart = points[f * n + point] - centres[c * features + f];
			distance += apart * apart;
		}
		if (distance < least) {
			least = distance;
			best = (int)c;
		}
	}
	nearest[point] = best;
}

kernel void nn(global const float2 *places, global float *distances, float x, float y)
{
	uint k = get_global_id(0);
	float across = places[k].x - x, up = places[k].y - y;
	distances[k] = sqrt(across * across + up * up);
}

/* A box of 32 particles a work-group, in a row of boxes; forces come from the box and its two neighbours. */
kernel void lavamd(global const float4 *particles, global float4 *forces)
{
	local float4 others[32];
	uint lane = get_local_id(0), box = get_group_id(0), boxes = get_num_groups(0);
	float4 me = particles[box * 32 + lane], sum = 0;
	for (int aside = -1; aside <= 1; aside++) {
		int from = (int)box + aside;
		if (from < 0 || from >= (int)boxes)
			continue;
		barrier(CLK_LOCAL_MEM_FENCE);
		others[lane] = particles[from * 32 + lane];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < 32; k++) {
			float4 apart = me - others[k];
			float near = others[k].w * exp(-(apart.x * apart.x + apart.y * apart.y + apart.z * apart.z));
			sum += (float4)(near * apart.x, near * apart.y, near * apart.z, near);
		}
	}
	forces[box * 32 + lane] = sum;
}

/* What each point would save if it went to the candidate. */
kernel void streamcluster(global const float *points, global const float *costs, global float *savings, uint n, uint features, uint candidate)
{
	uint point = get_global_id(0);
	float distance = 0;
	for (uint f = 0; f < features; f++) {
		float apart = points[f * n + point] - points[f * n + candidate];
		distance += apart * apart;
	}
	savings[point] = distance < costs[point] ? costs[point] - distance : 0;
}

/* ---- Sequences ---- */

/* The neighbours of all nodes of a level; all who write to one node write the same. */
kernel void bfs(global const int *starts, global const int *neighbours, global int *levels, global int *changed, int level)
{
	uint node = get_global_id(0);
	if (levels[node] != level)
		return;
	for (int k = starts[node]; k < starts[node + 1]; k++)
		if (levels[neighbours[k]] < 0) {
			levels[neighbours[k]] = level + 1;
			*changed = 1;
		}
}

/* Least and greatest of the keys that a thread has: every so many'th, as many as there are threads. */
kernel void merge_range(global const int *keys, global int *least, global int *greatest, uint n)
{
	uint thread = get_global_id(0);
	int low = INT_MAX, high = INT_MIN;
	for (uint k = thread; k < n; k += get_global_size(0)) {
		low = min(low, keys[k]);
		high = max(high, keys[k]);
	}
	least[thread] = low;
	greatest[thread] = high;
}

/* Pairs of sorted runs of `width` keys; the loop over pairs goes on by the keys of all threads, a power of two. */
kernel void merge_sort(global const int *from, global int *to, uint n, uint width)
{
	uint stride = 2 * width * get_global_size(0);
	for (uint start = 2 * width * get_global_id(0); start < n; start += stride) {
		uint middle = start + width, end = middle + width, a = start, b = middle;
		for (uint k = start; k < end; k++) {
			bool left = a < middle && (b == end || from[a] <= from[b]);
			to[k] = left ? from[a] : from[b];
			a += left;
			b += !left;
		}
	}
}

#define HEARTWALL_GROUP 512

/* A window a work-group: how well the template fits there.  Each thread has every 512th pixel. */
kernel void heartwall(global const float *image, global const float *template, global float *fits, uint side, uint pixels)
{
	local float sums[HEARTWALL_GROUP];
	uint lane = get_local_id(0), window = get_group_id(0);
	float sum = 0;
	for (uint p = lane; p < pixels; p += HEARTWALL_GROUP)
		sum += image[window * side + p] * template[p];
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint distance = HEARTWALL_GROUP / 2; distance > 0; distance /= 2) {
		if (lane < distance)
			sums[lane] += sums[lane + distance];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		fits[window] = sums[0];
}

#define BINS 64

/* Every thread of 64 counts into a copy of its own; then each adds up one bin of all copies. */
kernel void histogram(global const int *keys, global int *counts, uint each)
{
	local ushort copies[BINS][64];
	uint lane = get_local_id(0), first = get_group_id(0) * 64 * each;
	for (uint bin = 0; bin < BINS; bin++)
		copies[bin][lane] = 0;
	for (uint k = lane; k < 64 * each; k += 64)
		copies[keys[first + k] % BINS][lane]++;
	barrier(CLK_LOCAL_MEM_FENCE);
	int count = 0;
	for (uint k = 0; k < 64; k++)
		count += copies[lane][(lane + k) % 64];
	counts[get_group_id(0) * BINS + lane] = count;
}

/* Sums up to each element within a work-group of 128, and the sum of the group. */
kernel void prefix_groups(global const int *values, global int *sums, global int *totals)
{
	local int parts[2][128];
	uint lane = get_local_id(0), from = 0;
	parts[0][lane] = values[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint distance = 1; distance < 128; distance *= 2) {
		parts[1 - from][lane] = parts[from][lane] + (lane >= distance ? parts[from][lane - distance] : 0);
		from = 1 - from;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	sums[get_global_id(0)] = parts[from][lane];
	if (lane == 127)
		totals[get_group_id(0)] = parts[from][lane];
}

kernel void prefix_add(global int *sums, global const int *totals)
{
	int before = 0;
	for (uint k = 0; k < get_group_id(0); k++)
		before += totals[k];
	sums[get_global_id(0)] += before;
}
