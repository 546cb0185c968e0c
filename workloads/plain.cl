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

/* LU decomposition in tiles of 16 x 16, in place: first a tile of the diagonal, a row a thread. */
#define LUD_TILE 16
kernel void lud_diagonal(global float *matrix, uint side, uint first)
{
	local float tile[LUD_TILE][LUD_TILE];
	uint x = get_local_id(0);
	for (uint row = 0; row < LUD_TILE; row++)
		tile[row][x] = matrix[(first + row) * side + first + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 0; step + 1 < LUD_TILE; step++) {
		if (x > step) {
			tile[x][step] /= tile[step][step];
			for (uint column = step + 1; column < LUD_TILE; column++)
				tile[x][column] -= tile[x][step] * tile[step][column];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint row = 0; row < LUD_TILE; row++)
		matrix[(first + row) * side + first + x] = tile[row][x];
}

/* Then the tiles beside it and below it: a column of one a thread, and a row of the other. */
kernel void lud_perimeter(global float *matrix, uint side, uint first)
{
	local float diagonal[LUD_TILE][LUD_TILE];
	uint x = get_local_id(0) % LUD_TILE, other = first + (get_group_id(0) + 1) * LUD_TILE;
	for (uint row = get_local_id(0) / LUD_TILE; row < LUD_TILE; row += 2)
		diagonal[row][x] = matrix[(first + row) * side + first + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) < LUD_TILE) {
		global float *column = matrix + first * side + other + x;
		for (uint row = 1; row < LUD_TILE; row++)
			for (uint k = 0; k < row; k++)
				column[row * side] -= diagonal[row][k] * column[k * side];
	} else {
		global float *row = matrix + (other + x) * side + first;
		for (uint column = 0; column < LUD_TILE; column++) {
			for (uint k = 0; k < column; k++)
				row[column] -= row[k] * diagonal[k][column];
			row[column] /= diagonal[column][column];
		}
	}
}

/* And what the two take off all tiles behind them. */
kernel void lud_internal(global float *matrix, uint side, uint first)
{
	local float left[LUD_TILE][LUD_TILE], above[LUD_TILE][LUD_TILE];
	uint x = get_local_id(0), y = get_local_id(1);
	uint column = first + LUD_TILE + get_global_id(0), row = first + LUD_TILE + get_global_id(1);
	left[y][x] = matrix[row * side + first + x];
	above[y][x] = matrix[(first + y) * side + column];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0;
	for (uint k = 0; k < LUD_TILE; k++)
		sum += left[y][k] * above[k][x];
	matrix[row * side + column] -= sum;
}

/* ---- Grids ---- */

/* Element (row, column), of the nearest edge where there is none. */
float at(global const float *grid, int row, int column, int side)
{
	return grid[clamp(row, 0, side - 1) * side + clamp(column, 0, side - 1)];
}

/* Some steps at once: a tile of 16 x 16 has a border of so many elements that others compute, too. */
kernel void hotspot(global const float *heat, global const float *power, global float *next, uint side, int steps)
{
	local float tile[2][16][16];
	int x = get_local_id(0), y = get_local_id(1), n = (int)side, inner = 16 - 2 * steps;
	int column = (int)get_group_id(0) * inner + x - steps, row = (int)get_group_id(1) * inner + y - steps;
	int west = column > 0 ? max(x - 1, 0) : x, east = column < n - 1 ? min(x + 1, 15) : x;
	int north = row > 0 ? max(y - 1, 0) : y, south = row < n - 1 ? min(y + 1, 15) : y;
	float source = 0.05f * at(power, row, column, n);
	tile[0][y][x] = at(heat, row, column, n);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 0; step < steps; step++) {
		local float(*now)[16] = tile[step % 2];
		float here = now[y][x], around = now[north][x] + now[south][x] + now[y][west] + now[y][east];
		tile[1 - step % 2][y][x] = here + 0.1f * (around - 4 * here) + source;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	bool is_inner = x >= steps && x < 16 - steps && y >= steps && y < 16 - steps;
	if (is_inner && row < n && column < n)
		next[row * n + column] = tile[steps % 2][y][x];
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

/* The cheapest way down to each element of a row, some rows at once: a work-group of 32 has PATH_ROWS columns on both sides that others
 * compute, too. */
#define PATH_GROUP 32
#define PATH_ROWS 4
kernel void pathfinder(global const int *costs, global const int *sums, global int *next, uint side, uint row, uint rows)
{
	local int line[2][PATH_GROUP];
	int x = get_local_id(0), n = (int)side, column = (int)get_group_id(0) * (PATH_GROUP - 2 * PATH_ROWS) + x - PATH_ROWS;
	int west = column > 0 ? max(x - 1, 0) : x, east = column < n - 1 ? min(x + 1, PATH_GROUP - 1) : x;
	int place = clamp(column, 0, n - 1);
	line[0][x] = sums[place];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < rows; k++) {
		local int *now = line[k % 2];
		line[1 - k % 2][x] = min(now[x], min(now[west], now[east])) + costs[(row + k) * side + place];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (x >= PATH_ROWS && x < PATH_GROUP - PATH_ROWS && column < n)
		next[column] = line[rows % 2][x];
}

/* A matrix of alignment scores with side + 1 rows: tiles of 16 x 16 that lie on a diagonal of tiles, each by its own anti-diagonals. */
#define WAVE 16
kernel void wavefront(global const int *alike, global int *scores, uint side, uint diagonal, uint first, int gap)
{
	local int tile[WAVE + 1][WAVE + 1];
	uint x = get_local_id(0), tile_row = first + get_group_id(0), pitch = side + 1;
	uint row = tile_row * WAVE, column = (diagonal - tile_row) * WAVE;
	tile[x + 1][0] = scores[(row + x + 1) * pitch + column];
	tile[0][x + 1] = scores[row * pitch + column + x + 1];
	if (x == 0)
		tile[0][0] = scores[row * pitch + column];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = 0; d < 2 * WAVE - 1; d++) {
		uint y = d - x;
		if (x <= d && y < WAVE) {
			int aside = max(tile[x][y + 1], tile[x + 1][y]) - gap;
			tile[x + 1][y + 1] = max(tile[x][y] + alike[(row + x) * side + column + y], aside);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint k = 0; k < WAVE; k++)
		scores[(row + k + 1) * pitch + column + x + 1] = tile[k + 1][x + 1];
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
