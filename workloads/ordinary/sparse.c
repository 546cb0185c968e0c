/* Sparse matrices and graphs, their rows compressed. */
#include "ordinary.h"

#include <stdlib.h>

/* Row k has the entries starts[k] to starts[k + 1]. */
struct sparse {
	unsigned rows, entries;
	uint32_t *starts, *columns;
};

enum { ROW_MEAN = 16, UNSEEN = ~0u };

/* Each row has 1 to 31 entries, in any columns: 16 in the mean. */
static struct sparse random_sparse(unsigned rows)
{
	struct sparse m = {.rows = rows};
	uint64_t state = 3;
	m.starts = job_memory((rows + 1) * sizeof *m.starts);
	for (unsigned k = 0; k < rows; k++) {
		m.starts[k] = m.entries;
		m.entries += 1 + job_random(&state) % (2 * ROW_MEAN - 1);
	}
	m.starts[rows] = m.entries;
	m.columns = job_memory(m.entries * sizeof *m.columns);
	for (unsigned k = 0; k < m.entries; k++)
		m.columns[k] = job_random(&state) % rows;
	return m;
}

static void free_sparse(struct sparse *m)
{
	free(m->starts);
	free(m->columns);
}

/* Small whole numbers have exact sums. */
static void random_vector(float *at, unsigned count, uint64_t state)
{
	for (unsigned k = 0; k < count; k++)
		at[k] = (float)(job_random(&state) % 16);
}

static bool is_sparse_product(const struct sparse *m, const float *y, const float *values, const float *x)
{
	for (unsigned row = 0; row < m->rows; row++) {
		float sum = 0;
		for (unsigned k = m->starts[row]; k < m->starts[row + 1]; k++)
			sum += values[k] * x[m->columns[k]];
		if (y[row] < sum || y[row] > sum)
			return false;
	}
	return true;
}

/* `rows_a_group`: of 256 threads. */
static void run_spmv(struct job *job, const char *kernel, unsigned rows_a_group)
{
	struct sparse m = random_sparse(job->n);
	size_t of_values = m.entries * sizeof(float), of_x = m.rows * sizeof(float);
	float *values = job_memory(of_values), *x = job_memory(of_x), *y = job_memory(of_x);
	random_vector(values, m.entries, 1);
	random_vector(x, m.rows, 2);
	device_address starts = job_buffer(m.starts, (m.rows + 1) * sizeof *m.starts);
	device_address columns = job_buffer(m.columns, m.entries * sizeof *m.columns);
	device_address at_values = job_buffer(values, of_values), at_x = job_buffer(x, of_x);
	device_address at_y = job_buffer(NULL, of_x);
	struct driver_shape shape = {(m.rows + rows_a_group - 1) / rows_a_group, 1, 256, 1, 0};
	job_launch(job, kernel, &shape, (void *[]){&at_y, &starts, &columns, &at_values, &at_x, &m.rows});
	job->figure = 2.0 * m.entries / job->nanoseconds;
	driver_read(y, at_y, of_x);
	job->right = is_sparse_product(&m, y, values, x);
	free(values);
	free(x);
	free(y);
	free_sparse(&m);
}

void run_spmv_scalar(struct job *job)
{
	run_spmv(job, "spmv_scalar", 256);
}
void run_spmv_vector(struct job *job)
{
	run_spmv(job, "spmv_vector", 8);
}

/* Depths from node 0; the edges of the nodes that are reached. */
static unsigned search(const struct sparse *m, uint32_t *depths)
{
	uint32_t *queue = job_memory(m->rows * sizeof *queue);
	unsigned edges = 0, count = 1;
	for (unsigned k = 0; k < m->rows; k++)
		depths[k] = UNSEEN;
	queue[0] = depths[0] = 0;
	for (unsigned k = 0; k < count; k++) {
		uint32_t node = queue[k];
		for (unsigned edge = m->starts[node]; edge < m->starts[node + 1]; edge++, edges++) {
			uint32_t to = m->columns[edge];
			if (depths[to] != UNSEEN)
				continue;
			depths[to] = depths[node] + 1;
			queue[count++] = to;
		}
	}
	free(queue);
	return edges;
}

/* The host reads how large the next frontier is between two levels, which does not count. */
void run_bfs(struct job *job)
{
	struct sparse m = random_sparse(job->n);
	size_t bytes = m.rows * sizeof(uint32_t);
	uint32_t *expected = job_memory(bytes), *depths = job_memory(bytes), size = 1, zero = 0;
	unsigned edges = search(&m, expected);
	for (unsigned k = 0; k < m.rows; k++)
		depths[k] = k ? UNSEEN : 0;
	device_address starts = job_buffer(m.starts, (m.rows + 1) * sizeof *m.starts);
	device_address columns = job_buffer(m.columns, m.entries * sizeof *m.columns);
	device_address at_depths = job_buffer(depths, bytes), count = job_buffer(NULL, sizeof size);
	device_address frontiers[2] = {job_buffer(NULL, bytes), job_buffer(NULL, bytes)};
	driver_write(frontiers[0], &zero, sizeof zero);
	for (unsigned depth = 1; size; depth++) {
		struct driver_shape shape = {(size + 255) / 256, 1, 256, 1, 0};
		device_address *from = &frontiers[(depth - 1) % 2], *to = &frontiers[depth % 2];
		driver_write(count, &zero, sizeof zero);
		job_launch_once(
			job, "bfs", &shape, (void *[]){to, &count, from, &at_depths, &starts, &columns, &size, &depth});
		driver_read(&size, count, sizeof size);
	}
	job->figure = edges / job->nanoseconds;
	driver_read(depths, at_depths, bytes);
	for (unsigned k = 0; k < m.rows; k++)
		job->right = job->right && depths[k] == expected[k];
	free(expected);
	free(depths);
	free_sparse(&m);
}
