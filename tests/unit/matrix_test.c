/* Where the elements of matrices are in memory (warp/matrix.h): a warp's pieces are the whole matrix, each byte of it
 * once, whatever its shape and type, by rows and by columns. */
#include "warp/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BASE 0x1000u
#define MOST 16384

static uint8_t times[MOST];

/* Counts how often each byte from BASE on is in a piece; returns the last one's place, plus one. */
static uint32_t cover(const struct matrix *x, uint64_t stride)
{
	uint64_t address[64];
	uint32_t end = 0;

	memset(times, 0, sizeof times);
	for (uint32_t lane = 0; lane < 64; lane++)
		address[lane] = BASE;
	for (uint32_t lane = 0; lane < 32; lane++)
		for (uint32_t nth = 0; nth < matrix_pieces(x); nth++) {
			struct matrix_piece p = matrix_piece(x, address, stride, lane, nth);

			assert_true(p.address >= BASE && p.address + p.bytes <= BASE + MOST);
			for (uint32_t b = 0; b < p.bytes; b++)
				times[p.address - BASE + b]++;
			end = p.address + p.bytes - BASE > end ? (uint32_t)(p.address + p.bytes - BASE) : end;
		}
	return end;
}

static const struct {
	const char *part, *shape, *type;
	uint32_t rows, columns, bits;
} rows[] = {
	{"a", "m16n16k16", "f16", 16, 16, 16},
	{"a", "m32n8k16", "f16", 32, 16, 16},
	{"a", "m8n32k16", "f16", 8, 16, 16},
	{"b", "m16n16k16", "f16", 16, 16, 16},
	{"b", "m32n8k16", "f16", 16, 8, 16},
	{"b", "m8n32k16", "f16", 16, 32, 16},
	{"c", "m16n16k16", "f32", 16, 16, 32},
	{"c", "m32n8k16", "f32", 32, 8, 32},
	{"c", "m8n32k16", "f32", 8, 32, 32},
	{"c", "m8n32k16", "f16", 8, 32, 16},
	{"a", "m8n32k16", "s8", 8, 16, 8},
	{"b", "m8n32k16", "u8", 16, 32, 8},
	{"b", "m32n8k16", "s8", 16, 8, 8},
	{"c", "m32n8k16", "s32", 32, 8, 32},
	{"a", "m16n16k8", "tf32", 16, 8, 32},
	{"b", "m16n16k8", "tf32", 8, 16, 32},
	{"c", "m16n16k8", "f32", 16, 16, 32},
	{"a", "m8n8k4", "f64", 8, 4, 64},
	{"b", "m8n8k4", "f64", 4, 8, 64},
	{"c", "m8n8k4", "f64", 8, 8, 64},
};

static void each_element_has_its_place(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (uint32_t by_columns = 0; by_columns < 2; by_columns++) {
			uint32_t inner = by_columns ? rows[k].rows : rows[k].columns,
				 outer = by_columns ? rows[k].columns : rows[k].rows, bytes = rows[k].bits / 8;
			char opcode[96];
			const char *wrong;
			struct matrix x;

			snprintf(opcode, sizeof opcode, "wmma.load.%s.sync.aligned.%s.%s.%s", rows[k].part,
				by_columns ? "col" : "row", rows[k].shape, rows[k].type);
			wrong = matrix_read(opcode, &x);
			if (wrong)
				fail_msg("%s: %s", opcode, wrong);
			assert_int_equal(matrix_stride(&x), inner);
			assert_int_equal(matrix_elements(&x, x.part) * 32, rows[k].rows * rows[k].columns);
			assert_int_equal(cover(&x, matrix_stride(&x)), inner * outer * bytes);
			for (uint32_t b = 0; b < inner * outer * bytes; b++)
				if (times[b] != 1)
					fail_msg("%s: byte %u %d times", opcode, b, times[b]);
			/* with a wider stride there is room behind each row or column */
			assert_int_equal(cover(&x, inner + 3), ((inner + 3) * (outer - 1) + inner) * bytes);
			for (uint32_t b = 0; b < ((inner + 3) * (outer - 1) + inner) * bytes; b++)
				if (times[b] != (b % ((inner + 3) * bytes) < inner * bytes))
					fail_msg("%s, stride %u: byte %u %d times", opcode, inner + 3, b, times[b]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_element_has_its_place)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
