/* Copies of rectangles with pitches and offsets, against loops over bytes; their errors; what may not be read, written
 * or mapped. OpenCL 3.0, 5.2.2 to 5.2.4 (buffer objects) and appendix on overlap. */
#include "check.h"

#include <stdint.h>

enum { BYTES = 1024 };

struct rectangle {
	size_t region[3], from[3], to[3], from_row, from_slice, to_row, to_slice;
};

static const struct rectangle good[] = {
	{{7, 1, 1}, {3, 0, 0}, {5, 0, 0}, 0, 0, 0, 0},
	{{7, 3, 1}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0},  /* rows that touch */
	{{5, 3, 2}, {1, 2, 3}, {0, 0, 0}, 0, 0, 0, 0},  /* and slices */
	{{5, 3, 2}, {1, 1, 1}, {2, 1, 0}, 9, 0, 11, 0}, /* slices of region[1] rows */
	{{5, 3, 2}, {1, 1, 1}, {2, 1, 2}, 9, 45, 11, 66}, {{5, 3, 4}, {0, 0, 0}, {0, 0, 0}, 5, 20, 8, 24},
	{{1, 1, 3}, {2, 0, 0}, {0, 2, 0}, 1, 7, 3, 9},
	{{16, 8, 8}, {0, 0, 0}, {0, 0, 0}, 16, 128, 16, 128}, /* all there is */
};

static size_t place(const size_t at[3], size_t x, size_t y, size_t z, size_t row, size_t slice, const size_t region[3])
{
	row = row ? row : region[0];
	slice = slice ? slice : row * region[1];
	return (at[2] + z) * slice + (at[1] + y) * row + at[0] + x;
}

/* As 5.2.2 describes it. */
static void copy_by_hand(const struct rectangle *r, uint8_t *to, const uint8_t *from)
{
	for (size_t z = 0; z < r->region[2]; z++)
		for (size_t y = 0; y < r->region[1]; y++)
			for (size_t x = 0; x < r->region[0]; x++)
				to[place(r->to, x, y, z, r->to_row, r->to_slice, r->region)] =
					from[place(r->from, x, y, z, r->from_row, r->from_slice, r->region)];
}

static cl_int write_rectangle(const struct test *t, const struct rectangle *r, cl_mem to, const uint8_t *from)
{
	return clEnqueueWriteBufferRect(t->queue, to, CL_TRUE, r->to, r->from, r->region, r->to_row, r->to_slice,
		r->from_row, r->from_slice, from, 0, NULL, NULL);
}

static cl_int read_rectangle(const struct test *t, const struct rectangle *r, uint8_t *to, cl_mem from)
{
	return clEnqueueReadBufferRect(t->queue, from, CL_TRUE, r->from, r->to, r->region, r->from_row, r->from_slice,
		r->to_row, r->to_slice, to, 0, NULL, NULL);
}

static cl_int copy_rectangle(const struct test *t, const struct rectangle *r, cl_mem to, cl_mem from)
{
	return clEnqueueCopyBufferRect(t->queue, from, to, r->from, r->to, r->region, r->from_row, r->from_slice,
		r->to_row, r->to_slice, 0, NULL, NULL);
}

static void rectangles(const struct test *t)
{
	uint8_t source[BYTES], target[BYTES], expected[BYTES], got[BYTES];

	for (int k = 0; k < BYTES; k++) {
		source[k] = (uint8_t)(k * 7 + k / 256);
		target[k] = (uint8_t)(255 - k % 251);
	}
	cl_mem from = test_buffer(t, BYTES, source);
	for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
		cl_mem to = test_buffer(t, BYTES, target), again = test_buffer(t, BYTES, target);

		memcpy(expected, target, BYTES);
		copy_by_hand(&good[k], expected, source);
		OK(write_rectangle(t, &good[k], to, source));
		test_read(t, to, BYTES, got);
		CHECK(!memcmp(got, expected, BYTES));
		OK(copy_rectangle(t, &good[k], again, from));
		test_read(t, again, BYTES, got);
		CHECK(!memcmp(got, expected, BYTES));
		memcpy(got, target, BYTES);
		OK(read_rectangle(t, &good[k], got, from));
		CHECK(!memcmp(got, expected, BYTES));
		OK(clReleaseMemObject(to));
		OK(clReleaseMemObject(again));
	}
	OK(clReleaseMemObject(from));
}

/* Each side of each call refuses them: row and slice pitches, and where a rectangle ends. */
static const struct {
	size_t region[3], origin[3], row, slice;
	cl_int code;
} sides[] = {
	{{16, 8, 8}, {0, 0, 0}, 16, 128, CL_SUCCESS},
	{{16, 8, 8}, {1, 0, 0}, 16, 128, CL_INVALID_VALUE}, /* a byte more than there is */
	{{16, 8, 8}, {0, 1, 0}, 16, 128, CL_INVALID_VALUE},
	{{16, 8, 8}, {0, 0, 1}, 16, 128, CL_INVALID_VALUE},
	{{16, 2, 1}, {0, 0, 0}, 15, 0, CL_INVALID_VALUE},  /* less than a row */
	{{16, 2, 2}, {0, 0, 0}, 16, 16, CL_INVALID_VALUE}, /* less than a slice */
	{{16, 2, 2}, {0, 0, 0}, 16, 40, CL_INVALID_VALUE}, /* no whole rows */
	{{16, 2, 2}, {0, 0, 0}, 16, 48, CL_SUCCESS},
	{{0, 2, 2}, {0, 0, 0}, 16, 32, CL_INVALID_VALUE},
	{{16, 0, 2}, {0, 0, 0}, 16, 32, CL_INVALID_VALUE},
	{{16, 2, 0}, {0, 0, 0}, 16, 32, CL_INVALID_VALUE},
	{{1, 1, 2}, {0, 0, 0}, 1, SIZE_MAX, CL_INVALID_VALUE},
	{{1, 2, 1}, {0, 0, 0}, SIZE_MAX, SIZE_MAX, CL_INVALID_VALUE},
	{{1, 1, 1}, {0, SIZE_MAX, 0}, 2, 2, CL_INVALID_VALUE},
	{{1, 1, 1}, {SIZE_MAX, 0, 0}, 0, 0, CL_INVALID_VALUE},
	{{1, 1, 1}, {1023, 0, 0}, 0, 0, CL_SUCCESS},
	{{1, 1, 1}, {1024, 0, 0}, 0, 0, CL_INVALID_VALUE},
	{{1, 1, 1}, {0, 0, 1024}, 0, 0, CL_INVALID_VALUE},
};

static void sides_refused(const struct test *t)
{
	static const size_t zero[3];
	static uint8_t memory[BYTES];
	cl_mem a = test_buffer(t, BYTES, memory), b = test_buffer(t, BYTES, memory);

	for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
		const size_t *region = sides[k].region, *origin = sides[k].origin, row = sides[k].row,
			     slice = sides[k].slice;

		check_entry = (int)k;
		GIVES(sides[k].code, clEnqueueReadBufferRect(t->queue, a, CL_TRUE, origin, zero, region, row, slice, 0,
					     0, memory, 0, NULL, NULL));
		GIVES(sides[k].code, clEnqueueWriteBufferRect(t->queue, a, CL_TRUE, origin, zero, region, row, slice, 0,
					     0, memory, 0, NULL, NULL));
		GIVES(sides[k].code,
			clEnqueueCopyBufferRect(t->queue, a, b, origin, zero, region, row, slice, 0, 0, 0, NULL, NULL));
		GIVES(sides[k].code,
			clEnqueueCopyBufferRect(t->queue, b, a, zero, origin, region, 0, 0, row, slice, 0, NULL, NULL));
	}
	static const size_t two[3] = {4, 2, 2};
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadBufferRect(t->queue, a, CL_TRUE, zero, zero, two, 0, 0, 3, 0, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadBufferRect(t->queue, a, CL_TRUE, zero, zero, two, 0, 0, 4, 4, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadBufferRect(t->queue, a, CL_TRUE, zero, zero, two, 0, 0, 0, 0, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadBufferRect(t->queue, a, CL_TRUE, NULL, zero, two, 0, 0, 0, 0, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadBufferRect(t->queue, a, CL_TRUE, zero, NULL, two, 0, 0, 0, 0, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueReadBufferRect(t->queue, a, CL_TRUE, zero, zero, NULL, 0, 0, 0, 0, memory, 0, NULL, NULL));
	for (int k = 0; k < 3; k++) { /* "if any region array element is 0" */
		size_t empty[3] = {4, 2, 2};
		empty[k] = 0;
		check_entry = k;
		GIVES(CL_INVALID_VALUE, clEnqueueReadBufferRect(t->queue, a, CL_TRUE, zero, zero, empty, 0, 0, 0, 0,
						memory, 0, NULL, NULL));
		GIVES(CL_INVALID_VALUE, clEnqueueWriteBufferRect(t->queue, a, CL_TRUE, zero, zero, empty, 0, 0, 0, 0,
						memory, 0, NULL, NULL));
		GIVES(CL_INVALID_VALUE,
			clEnqueueCopyBufferRect(t->queue, a, b, zero, zero, empty, 0, 0, 0, 0, 0, NULL, NULL));
	}
	check_entry = 0;
	GIVES(CL_INVALID_VALUE, clEnqueueCopyBufferRect(t->queue, a, b, NULL, zero, two, 0, 0, 0, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueCopyBufferRect(t->queue, a, b, zero, NULL, two, 0, 0, 0, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueCopyBufferRect(t->queue, a, b, zero, zero, NULL, 0, 0, 0, 0, 0, NULL, NULL));
	OK(clReleaseMemObject(a));
	OK(clReleaseMemObject(b));
}

/* ---- Overlap ---- */

/* Whether a byte is in both, by marking them. */
static bool share_a_byte(const struct rectangle *r)
{
	uint8_t marks[BYTES] = {0}, ones[BYTES];
	struct rectangle to_source = *r;

	memset(ones, 1, sizeof ones);
	memcpy(to_source.to, r->from, sizeof r->from);
	to_source.to_row = r->from_row;
	to_source.to_slice = r->from_slice;
	copy_by_hand(&to_source, marks, ones);
	for (size_t z = 0; z < r->region[2]; z++)
		for (size_t y = 0; y < r->region[1]; y++)
			for (size_t x = 0; x < r->region[0]; x++)
				if (marks[place(r->to, x, y, z, r->to_row, r->to_slice, r->region)])
					return true;
	return false;
}

/* From the first byte of one side to behind its last one. */
static size_t extent(const struct rectangle *r, size_t row, size_t slice)
{
	return (r->region[2] - 1) * slice + (r->region[1] - 1) * row + r->region[0];
}

/* Two parts of a buffer, 128 bytes apart, whose rows and slices differ: refused where they share a byte, not where one
 * ends before the other begins; in between both are right. */
static void overlaps_of_parts(const struct test *t, cl_mem left, cl_mem right)
{
	static const size_t rows[] = {4, 6, 16}, slices[] = {2, 3};

	for (size_t k = 0; k < 36; k++)
		for (size_t at = 0; at < 80; at += 3)
			for (int to_left = 0; to_left < 2; to_left++) {
				struct rectangle r = {
					.region = {3, 2, 2}, .from_row = rows[k % 3], .to_row = rows[k / 3 % 3]};
				struct rectangle marked;
				bool is_apart;
				cl_int got;

				r.from_slice = r.from_row * slices[k / 9 % 2];
				r.to_slice = r.to_row * slices[k / 18];
				(to_left ? r.to : r.from)[0] = 128 - 40 + at;
				marked = r; /* in the whole buffer */
				(to_left ? marked.from : marked.to)[0] += 128;
				is_apart = to_left ? marked.to[0] + extent(&r, r.to_row, r.to_slice) <= 128
						   : marked.from[0] + extent(&r, r.from_row, r.from_slice) <= 128;
				is_apart |= (to_left ? 128 + extent(&r, r.from_row, r.from_slice)
						     : 128 + extent(&r, r.to_row, r.to_slice)) <= 88 + at;
				check_entry = (int)(k * 1000 + at * 10) + to_left;
				got = copy_rectangle(t, &r, to_left ? left : right, to_left ? right : left);
				CHECK(got == CL_SUCCESS || got == CL_MEM_COPY_OVERLAP);
				CHECK(!share_a_byte(&marked) || got == CL_MEM_COPY_OVERLAP);
				CHECK(!is_apart || got == CL_SUCCESS);
			}
}

/* Small rectangles at all small distances, in one buffer and in two parts of it. */
static void overlaps(const struct test *t)
{
	static const size_t regions[][3] = {{1, 1, 1}, {4, 1, 1}, {2, 2, 1}, {3, 2, 2}, {4, 3, 2}, {1, 3, 2}};
	cl_mem buffer = test_buffer(t, BYTES, NULL);
	cl_int why;

	for (size_t k = 0; k < sizeof regions / sizeof *regions; k++)
		for (size_t at = 0; at < 4 * 16; at++)
			for (size_t from = 0; from < 8; from += 3) {
				struct rectangle r = {.from = {from, 0, 0},
					.to = {at % 4, at / 4 % 4, at / 16},
					.from_row = 4,
					.from_slice = 16,
					.to_row = 4,
					.to_slice = 16};

				memcpy(r.region, regions[k], sizeof r.region);
				check_entry = (int)(k * 1000 + at * 10 + from);
				GIVES(share_a_byte(&r) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS,
					copy_rectangle(t, &r, buffer, buffer));
			}
	static const size_t zero[3], region[3] = {4, 2, 1};
	GIVES(CL_INVALID_VALUE,
		clEnqueueCopyBufferRect(t->queue, buffer, buffer, zero, zero, region, 8, 0, 16, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE,
		clEnqueueCopyBufferRect(t->queue, buffer, buffer, zero, zero, region, 8, 16, 8, 24, 0, NULL, NULL));
	cl_mem left = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 256}, &why);
	OK(why);
	cl_mem right = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 256}, &why);
	OK(why);
	overlaps_of_parts(t, left, right);
	GIVES(CL_SUCCESS, clEnqueueCopyBuffer(t->queue, left, right, 0, 0, 128, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(t->queue, left, right, 0, 0, 129, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(t->queue, right, left, 0, 127, 2, 0, NULL, NULL));
	GIVES(CL_SUCCESS, clEnqueueCopyBuffer(t->queue, buffer, buffer, 0, 10, 10, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(t->queue, buffer, buffer, 0, 9, 10, 0, NULL, NULL));
	GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(t->queue, buffer, buffer, 9, 0, 10, 0, NULL, NULL));
	OK(clFinish(t->queue));
	OK(clReleaseMemObject(left));
	OK(clReleaseMemObject(right));
	OK(clReleaseMemObject(buffer));
}

/* ---- Straight copies and fills ---- */

static void straight(const struct test *t)
{
	uint8_t memory[BYTES] = {0}, pattern[256] = {1, 2, 3, 4};
	cl_mem a = test_buffer(t, BYTES, memory), b = test_buffer(t, BYTES, memory);

	OK(clEnqueueReadBuffer(t->queue, a, CL_TRUE, BYTES - 4, 4, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(t->queue, a, CL_TRUE, BYTES - 4, 5, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(t->queue, a, CL_TRUE, BYTES + 1, 0, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(t->queue, a, CL_TRUE, 8, SIZE_MAX - 4, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(t->queue, a, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueWriteBuffer(t->queue, a, CL_TRUE, BYTES - 4, 5, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueWriteBuffer(t->queue, a, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueCopyBuffer(t->queue, a, b, BYTES - 4, 0, 5, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueCopyBuffer(t->queue, a, b, 0, BYTES - 4, 5, 0, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(t->queue, NULL, b, 0, 0, 4, 0, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(t->queue, a, NULL, 0, 0, 4, 0, NULL, NULL));
	for (size_t bytes = 0; bytes <= 256; bytes++) { /* 5.2.3: 1, 2, 4 ... 128 */
		bool is_power = bytes && bytes <= 128 && !(bytes & (bytes - 1));
		GIVES(is_power ? CL_SUCCESS : CL_INVALID_VALUE,
			clEnqueueFillBuffer(t->queue, b, pattern, bytes, 0, 256 * bytes % 1024, 0, NULL, NULL));
	}
	GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(t->queue, b, NULL, 4, 0, 16, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(t->queue, b, pattern, 4, 2, 16, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(t->queue, b, pattern, 4, 4, 18, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(t->queue, b, pattern, 4, BYTES - 8, 12, 0, NULL, NULL));
	OK(clEnqueueWriteBuffer(t->queue, b, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
	OK(clEnqueueFillBuffer(t->queue, b, pattern, 4, 8, 12, 0, NULL, NULL));
	test_read(t, b, BYTES, memory);
	for (size_t k = 0; k < BYTES; k++)
		CHECK(memory[k] == (k >= 8 && k < 20 ? k % 4 + 1 : 0));
	GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(t->queue, 0, &a, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(t->queue, 1, NULL, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(t->queue, 1, &a, 4, 0, NULL, NULL));
	cl_event migrated;
	cl_command_type type = 0;
	OK(clEnqueueMigrateMemObjects(t->queue, 2, (cl_mem[]){a, b}, 3, 0, NULL, &migrated));
	OK(clGetEventInfo(migrated, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	CHECK(type == CL_COMMAND_MIGRATE_MEM_OBJECTS);
	OK(clReleaseEvent(migrated));
	GIVES(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(t->queue, 2, (cl_mem[]){a, NULL}, 0, 0, NULL, NULL));
	OK(clFinish(t->queue));
	OK(clReleaseMemObject(a));
	OK(clReleaseMemObject(b));
}

/* ---- What the host may do (CL_MEM_HOST_...) ---- */

static cl_int map(const struct test *t, cl_mem buffer, cl_map_flags flags)
{
	cl_int why;
	void *pointer = clEnqueueMapBuffer(t->queue, buffer, CL_TRUE, flags, 0, 16, 0, NULL, NULL, &why);

	CHECK(!pointer == !!why);
	if (pointer)
		OK(clEnqueueUnmapMemObject(t->queue, buffer, pointer, 0, NULL, NULL));
	return why;
}

static void host_access(const struct test *t)
{
	static const struct {
		cl_mem_flags flags;
		cl_int read, write;
	} table[] = {
		{0, CL_SUCCESS, CL_SUCCESS},
		{CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION},
		{CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS},
		{CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION},
	};
	const struct rectangle r = {.region = {4, 2, 1}};
	uint8_t memory[64];
	cl_int why;

	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		const cl_int read = table[k].read, write = table[k].write;
		cl_mem buffer = clCreateBuffer(t->context, table[k].flags, 64, NULL, &why);

		OK(why);
		check_entry = (int)k;
		GIVES(read, clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, 16, memory, 0, NULL, NULL));
		GIVES(write, clEnqueueWriteBuffer(t->queue, buffer, CL_TRUE, 0, 16, memory, 0, NULL, NULL));
		GIVES(read, read_rectangle(t, &r, memory, buffer));
		GIVES(write, write_rectangle(t, &r, buffer, memory));
		GIVES(read, map(t, buffer, CL_MAP_READ));
		GIVES(write, map(t, buffer, CL_MAP_WRITE));
		GIVES(write, map(t, buffer, CL_MAP_WRITE_INVALIDATE_REGION));
		GIVES(read ? read : write, map(t, buffer, CL_MAP_READ | CL_MAP_WRITE));
		GIVES(CL_INVALID_VALUE, map(t, buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION));
		GIVES(CL_INVALID_VALUE, map(t, buffer, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
		GIVES(CL_INVALID_VALUE, map(t, buffer, 8));
		OK(clReleaseMemObject(buffer));
	}
	cl_mem buffer = test_buffer(t, 64, NULL);
	CHECK(!clEnqueueMapBuffer(t->queue, buffer, CL_TRUE, CL_MAP_READ, 60, 5, 0, NULL, NULL, &why) &&
		why == CL_INVALID_VALUE);
	CHECK(!clEnqueueMapBuffer(t->queue, buffer, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &why) &&
		why == CL_INVALID_VALUE);
	CHECK(!clEnqueueMapBuffer(t->queue, NULL, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &why) &&
		why == CL_INVALID_MEM_OBJECT);
	GIVES(CL_INVALID_VALUE, clEnqueueUnmapMemObject(t->queue, buffer, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, 4, memory, 0, NULL, NULL));
	GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, 4, memory, 1, NULL, NULL));
	OK(clReleaseMemObject(buffer));
}

int main(void)
{
	struct test t = test_open();

	rectangles(&t);
	sides_refused(&t);
	overlaps(&t);
	straight(&t);
	host_access(&t);
	test_close(&t);
	return 0;
}
