/* OpenCL programs for comparisons with other implementations: OpenCL C 1.2, one binary for all, every result checked.
 *
 *     programs NAME [SIZE]     NAME: vecadd matmul fma hash stencil collatz branches launches answer
 *
 * The checks are cheap beside the kernels, since the whole process is what is timed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
	"kernel void vecadd(global const float *a, global const float *b, global float *c)\n"
	"{\n"
	"  size_t i = get_global_id(0);\n"
	"  c[i] = a[i] + b[i];\n"
	"}\n"
	"kernel void matmul(global const float *a, global const float *b, global float *c, int n)\n"
	"{\n"
	"  int column = get_global_id(0), row = get_global_id(1);\n"
	"  float sum = 0;\n"
	"  for (int k = 0; k < n; k++)\n"
	"    sum = fma(a[row * n + k], b[k * n + column], sum);\n"
	"  c[row * n + column] = sum;\n"
	"}\n"
	"kernel void fmaloop(global float *out, float a, float b, int times)\n"
	"{\n"
	"  size_t i = get_global_id(0);\n"
	"  float x = (float)i;\n"
	"  for (int k = 0; k < times; k++)\n"
	"    x = fma(x, a, b);\n"
	"  out[i] = x;\n"
	"}\n"
	/* The lock is released in the same turn of the loop in which it was taken: a reconvergence stack can run
	 * that. */
	"kernel void insert(global const uint *keys, volatile global int *locks, volatile global int *heads, global "
	"int *next, uint mask)\n"
	"{\n"
	"  int i = get_global_id(0), done = 0;\n"
	"  uint bucket = keys[i] * 2654435761u >> 12 & mask;\n"
	"  while (!done) {\n"
	"    if (atomic_cmpxchg(&locks[bucket], 0, 1) == 0) {\n"
	"      next[i] = heads[bucket];\n"
	"      heads[bucket] = i;\n"
	"      mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
	"      atomic_xchg(&locks[bucket], 0);\n"
	"      done = 1;\n"
	"    }\n"
	"  }\n"
	"}\n"
	/* Five points, STENCIL_STEPS times in local memory: a barrier before and behind each step.  What is outside of
	 * a group's tile does not change, so the steps of a launch are those of 16 x 16 tiles, not of the whole. */
	"kernel void stencil(global const float *from, global float *to, int n, local float *tile)\n"
	"{\n"
	"  int x = get_local_id(0) + 1, y = get_local_id(1) + 1, gx = get_global_id(0), gy = get_global_id(1);\n"
	"  tile[y * 18 + x] = from[gy * n + gx];\n"
	"  if (x == 1) tile[y * 18] = gx > 0 ? from[gy * n + gx - 1] : 0;\n"
	"  if (x == 16) tile[y * 18 + 17] = gx < n - 1 ? from[gy * n + gx + 1] : 0;\n"
	"  if (y == 1) tile[x] = gy > 0 ? from[(gy - 1) * n + gx] : 0;\n"
	"  if (y == 16) tile[17 * 18 + x] = gy < n - 1 ? from[(gy + 1) * n + gx] : 0;\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (int k = 0; k < 16; k++) {\n"
	"    float sum = tile[y * 18 + x - 1] + tile[y * 18 + x + 1] + tile[(y - 1) * 18 + x] + tile[(y + 1) * 18 + "
	"x];\n"
	"    float mine = fma(sum - 4 * tile[y * 18 + x], 0.125f, tile[y * 18 + x]);\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    tile[y * 18 + x] = mine;\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  }\n"
	"  to[gy * n + gx] = tile[y * 18 + x];\n"
	"}\n"
	/* Each work-item leaves the loop at another time.  The selection within is no branch to a compiler. */
	"kernel void collatz(global uint *steps)\n"
	"{\n"
	"  uint i = get_global_id(0), x = i + 1, count = 0;\n"
	"  while (x != 1) {\n"
	"    if (x & 1)\n"
	"      x = 3 * x + 1;\n"
	"    else\n"
	"      x >>= 1;\n"
	"    count++;\n"
	"  }\n"
	"  steps[i] = count;\n"
	"}\n"
	/* The same with a loop in one side of the branch: both diverge. */
	"kernel void branches(global uint *steps)\n"
	"{\n"
	"  uint i = get_global_id(0), x = i + 1, count = 0;\n"
	"  while (x != 1) {\n"
	"    if (x & 1) {\n"
	"      x = 3 * x + 1;\n"
	"      count++;\n"
	"    } else {\n"
	"      do {\n"
	"        x >>= 1;\n"
	"        count++;\n"
	"      } while (!(x & 1));\n"
	"    }\n"
	"  }\n"
	"  steps[i] = count;\n"
	"}\n"
	"kernel void tick(global uint *count)\n"
	"{\n"
	"  count[get_global_id(0)]++;\n"
	"}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void need(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "programs: not so: %s\n", what);
	exit(1);
}
#define NEED(condition) need(condition, #condition)

/* ---- The host's side of OpenCL ---- */

static void find_device(void)
{
	cl_platform_id platform;
	NEED(!clGetPlatformIDs(1, &platform, NULL));
	NEED(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
}

static cl_kernel open_kernel(const char *name)
{
	const char *text = source;
	find_device();
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	NEED(context != NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	NEED(queue != NULL);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
	NEED(program != NULL);
	NEED(!clBuildProgram(program, 1, &device, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, name, NULL);
	NEED(kernel != NULL);
	return kernel;
}

static cl_mem buffer(size_t bytes, void *contents)
{
	cl_mem memory = clCreateBuffer(context, contents ? CL_MEM_COPY_HOST_PTR : 0, bytes, contents, NULL);
	NEED(memory != NULL);
	return memory;
}

static void *allocate(size_t bytes)
{
	void *at = malloc(bytes);
	NEED(at != NULL);
	return at;
}

static void set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	NEED(!clSetKernelArg(kernel, index, bytes, value));
}

static void launch(cl_kernel kernel, cl_uint dimensions, size_t x, size_t y, size_t local_x, size_t local_y)
{
	size_t global[] = {x, y}, local[] = {local_x, local_y};
	NEED(!clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL));
}

static void fetch(cl_mem memory, size_t bytes, void *to)
{
	NEED(!clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

/* ---- The programs ---- */

/* Several times the same, or the making and checking of the values on the host would be most of it. */
#define VECADD_LAUNCHES 8

static void run_vecadd(int n)
{
	cl_kernel kernel = open_kernel("vecadd");
	size_t bytes = (size_t)n * sizeof(float);
	float *a = allocate(bytes), *b = allocate(bytes), *c = allocate(bytes);
	for (int i = 0; i < n; i++) {
		a[i] = (float)i;
		b[i] = (float)(3 * i % 1000);
	}
	cl_mem memory[] = {buffer(bytes, a), buffer(bytes, b), buffer(bytes, NULL)};
	for (cl_uint k = 0; k < 3; k++)
		set(kernel, k, sizeof memory[k], &memory[k]);
	for (int k = 0; k < VECADD_LAUNCHES; k++)
		launch(kernel, 1, (size_t)n, 1, 256, 1);
	fetch(memory[2], bytes, c);
	for (int i = 0; i < n; i++)
		NEED(c[i] == a[i] + b[i]);
}

/* Row sums of the product, one by one: c 1 = a (b 1), exact as all values are small whole numbers. */
static void check_product(const float *a, const float *b, const float *c, int n)
{
	float *b_sum = allocate((size_t)n * sizeof(float));
	for (int i = 0; i < n; i++) {
		b_sum[i] = 0;
		for (int k = 0; k < n; k++)
			b_sum[i] += b[i * n + k];
	}
	for (int i = 0; i < n; i++) {
		float expected = 0, sum = 0;
		for (int k = 0; k < n; k++) {
			expected += a[i * n + k] * b_sum[k];
			sum += c[i * n + k];
		}
		NEED(sum == expected);
	}
	free(b_sum);
}

static void run_matmul(int n)
{
	cl_kernel kernel = open_kernel("matmul");
	size_t bytes = (size_t)n * (size_t)n * sizeof(float);
	float *a = allocate(bytes), *b = allocate(bytes), *c = allocate(bytes);
	for (int i = 0; i < n * n; i++) {
		a[i] = (float)(i % 7 - 3);
		b[i] = (float)(i % 5 - 2);
	}
	cl_mem memory[] = {buffer(bytes, a), buffer(bytes, b), buffer(bytes, NULL)};
	for (cl_uint k = 0; k < 3; k++)
		set(kernel, k, sizeof memory[k], &memory[k]);
	set(kernel, 3, sizeof n, &n);
	launch(kernel, 2, (size_t)n, (size_t)n, 16, 16);
	fetch(memory[2], bytes, c);
	check_product(a, b, c, n);
}

static void run_fma(int n)
{
	cl_kernel kernel = open_kernel("fmaloop");
	size_t bytes = (size_t)n * sizeof(float);
	float *out = allocate(bytes), a = 0.5f, b = 1;
	int times = 256;
	cl_mem memory = buffer(bytes, NULL);
	set(kernel, 0, sizeof memory, &memory);
	set(kernel, 1, sizeof a, &a);
	set(kernel, 2, sizeof b, &b);
	set(kernel, 3, sizeof times, &times);
	launch(kernel, 1, (size_t)n, 1, 256, 1);
	fetch(memory, bytes, out);
	for (int i = 0; i < n; i += 509) {
		float x = (float)i;
		for (int k = 0; k < times; k++)
			x = fmaf(x, a, b);
		NEED(out[i] == x);
	}
}

#define BUCKETS 1024u

/* Each key is in one list, that of its bucket.  A step of all lists at a time: each alone would wait for memory at
 * every step. */
static void check_lists(cl_int *heads, const cl_int *next, const cl_uint *keys, int n)
{
	int found = 0, before = -1;
	while (found != before) {
		before = found;
		for (cl_uint bucket = 0; bucket < BUCKETS; bucket++) {
			cl_int i = heads[bucket];
			if (i < 0)
				continue;
			NEED(i < n && found < n && (keys[i] * 2654435761u >> 12 & (BUCKETS - 1)) == bucket);
			found++;
			heads[bucket] = next[i];
		}
	}
	NEED(found == n);
}

static void run_hash(int n)
{
	cl_kernel kernel = open_kernel("insert");
	size_t bytes = (size_t)n * sizeof(cl_uint);
	cl_uint *keys = allocate(bytes), mask = BUCKETS - 1;
	cl_int *next = allocate(bytes), heads[BUCKETS], zero[BUCKETS] = {0};
	cl_ulong state = 12345;
	for (int i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		keys[i] = (cl_uint)(state >> 33);
	}
	memset(heads, -1, sizeof heads);
	cl_mem memory[] = {
		buffer(bytes, keys), buffer(sizeof zero, zero), buffer(sizeof heads, heads), buffer(bytes, NULL)};
	for (cl_uint k = 0; k < 4; k++)
		set(kernel, k, sizeof memory[k], &memory[k]);
	set(kernel, 4, sizeof mask, &mask);
	launch(kernel, 1, (size_t)n, 1, 256, 1);
	fetch(memory[2], sizeof heads, heads);
	fetch(memory[3], bytes, next);
	check_lists(heads, next, keys, n);
}

#define TILE 16
#define STENCIL_STEPS 16

/* One tile as the kernel does it, from `from` at its first element. */
static void step_tile(const float *from, int n, int tile_x, int tile_y, float tile[TILE + 2][TILE + 2])
{
	float next[TILE + 2][TILE + 2];
	for (int y = 0; y < TILE + 2; y++)
		for (int x = 0; x < TILE + 2; x++) {
			int at_x = tile_x + x - 1, at_y = tile_y + y - 1;
			bool is_in = at_x >= 0 && at_x < n && at_y >= 0 && at_y < n;
			tile[y][x] = is_in ? from[at_y * n + at_x] : 0;
		}
	for (int k = 0; k < STENCIL_STEPS; k++) {
		for (int y = 1; y <= TILE; y++)
			for (int x = 1; x <= TILE; x++) {
				float sum = tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x];
				next[y][x] = fmaf(sum - 4 * tile[y][x], 0.125f, tile[y][x]);
			}
		for (int y = 1; y <= TILE; y++)
			memcpy(&tile[y][1], &next[y][1], TILE * sizeof(float));
	}
}

static void run_stencil(int n)
{
	cl_kernel kernel = open_kernel("stencil");
	size_t bytes = (size_t)n * (size_t)n * sizeof(float);
	float *from = allocate(bytes), *to = allocate(bytes), tile[TILE + 2][TILE + 2];
	for (int i = 0; i < n * n; i++)
		from[i] = (float)(i * 7 % 1024);
	cl_mem memory[] = {buffer(bytes, from), buffer(bytes, NULL)};
	for (cl_uint k = 0; k < 2; k++)
		set(kernel, k, sizeof memory[k], &memory[k]);
	set(kernel, 2, sizeof n, &n);
	set(kernel, 3, sizeof tile, NULL);
	launch(kernel, 2, (size_t)n, (size_t)n, TILE, TILE);
	fetch(memory[1], bytes, to);
	for (int at = 0; at + TILE <= n; at += 7 * TILE) { /* some tiles on the diagonal */
		step_tile(from, n, at, at, tile);
		for (int y = 0; y < TILE; y++)
			for (int x = 0; x < TILE; x++)
				NEED(to[(at + y) * n + at + x] == tile[y + 1][x + 1]);
	}
}

static void run_steps(const char *name, int n)
{
	cl_kernel kernel = open_kernel(name);
	size_t bytes = (size_t)n * sizeof(cl_uint);
	cl_uint *steps = allocate(bytes);
	cl_mem memory = buffer(bytes, NULL);
	set(kernel, 0, sizeof memory, &memory);
	launch(kernel, 1, (size_t)n, 1, 256, 1);
	fetch(memory, bytes, steps);
	for (int i = 0; i < n; i += 61) {
		cl_uint count = 0; /* where x wraps, it comes to 1 all the same */
		for (cl_uint x = (cl_uint)i + 1; x != 1; x = x & 1 ? 3 * x + 1 : x >> 1)
			count++;
		NEED(steps[i] == count);
	}
}

static void run_collatz(int n)
{
	run_steps("collatz", n);
}

static void run_branches(int n)
{
	run_steps("branches", n);
}

/* Many launches that do next to nothing: what is left is the front end. */
static void run_launches(int n)
{
	cl_kernel kernel = open_kernel("tick");
	cl_uint count[64] = {0};
	cl_mem memory = buffer(sizeof count, count);
	set(kernel, 0, sizeof memory, &memory);
	for (int k = 0; k < n; k++)
		launch(kernel, 1, 64, 1, 64, 1);
	fetch(memory, sizeof count, count);
	for (int k = 0; k < 64; k++)
		NEED(count[k] == (cl_uint)n);
}

/* How soon there is an answer at all. */
static void run_answer(int n)
{
	(void)n;
	find_device();
}

static const struct program {
	const char *name;
	void (*run)(int size);
	int size;
} programs[] = {
	{"vecadd", run_vecadd, 1 << 20},
	{"matmul", run_matmul, 256},
	{"fma", run_fma, 1 << 16},
	{"hash", run_hash, 1 << 20},
	{"stencil", run_stencil, 768},
	{"collatz", run_collatz, 1 << 19},
	{"branches", run_branches, 1 << 17},
	{"launches", run_launches, 5000},
	{"answer", run_answer, 1},
};

int main(int count, char **words)
{
	for (size_t k = 0; count > 1 && k < sizeof programs / sizeof *programs; k++)
		if (!strcmp(words[1], programs[k].name)) {
			programs[k].run(count > 2 ? (int)strtol(words[2], NULL, 10) : programs[k].size);
			puts("passed");
			return 0;
		}
	fprintf(stderr, "usage: programs vecadd|matmul|fma|hash|stencil|collatz|branches|launches|answer [SIZE]\n");
	return 2;
}
