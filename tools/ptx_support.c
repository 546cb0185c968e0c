/* Writes docs/ptx-support.md to standard output: the table of instructions (src/ptx/ops.def) for people.  Built as the
 * target `ptx-support`, which also puts the file into place. */
#include "ptx/matrix.h"
#include "ptx/ops.h"

#include <stdio.h>

static const char *const introduction =
	"# What PTX runs\n"
	"\n"
	"Made from `src/ptx/ops.def` by `ninja -C build/release ptx-support`; do not edit.\n"
	"\n"
	"A kernel is refused when it is launched, with all places and reasons, if it can reach an instruction, "
	"modifier or type that is\n"
	"not in these tables.  Other kernels of its module run.  A row lists its mnemonic with the words that select "
	"it, the words that may be added, and the "
	"types that may stand\n"
	"first.  Words that only tell hardware about performance (`.L1::evict_last`, `.L2::128B` ...) are accepted "
	"where memory is accessed\n"
	"and change nothing.  So are cache policies: what `createpolicy` makes is accepted with `.L2::cache_hint`, and "
	"has no effect "
	"on values or\n"
	"time, as no source tells how the L2 follows it.  Words of a row may exclude each other, or need each other, "
	"as the manual's syntax says.  "
	"An order\n"
	"excludes a cache operator, `.relaxed` needs a scope, `.and` a predicate: `src/ptx/rules.c` and "
	"`src/ptx/access.c` have\n"
	"these rules.\n"
	"Accepted as in old PTX: `div`, `rcp`, `sqrt` and `mad` of floats without a rounding (to nearest), `shfl` and "
	"`vote` without `.sync`.\n";

static const struct {
	uint32_t bit;
	const char *words;
} allowances[] = {
	{ALLOW_RND, ".rn .rz .rm .rp"},
	{ALLOW_RN, ".rn"},
	{ALLOW_RZ, ".rz"},
	{ALLOW_IRND, ".rni .rzi .rmi .rpi .rna"},
	{ALLOW_COMPARE, "*comparison*"},
	{ALLOW_BOOLEAN, ".and .or .xor"},
	{ALLOW_POLICY, "*eviction priority*, one or two"},
	{ALLOW_TENSOR, ".1d .2d .3d .4d .5d .tile .im2col .im2col_no_offs"},
	{ALLOW_SPACE, "*state space*"},
	{ALLOW_ORDER, "*memory order*"},
	{ALLOW_SCOPE, "*scope*"},
	{ALLOW_CACHE, "*cache operator*"},
	{ALLOW_VECTOR, ".v2 .v4 .v8"},
	{ALLOW_LIMIT, ".wrap .clamp"},
	{ALLOW_PERMUTE, "*prmt mode*"},
	{ALLOW_SECONDARY, ".add .min .max"},
	{ALLOW_TYPE2, "*second type*"},
	{ALLOW_TYPE3, "*second and third type*"},
};

static const char *const flags[] = {
#define FLAG(name, word) word,
#include "ptx/modifiers.def"
};

static void print_modifiers(const struct op_info *row)
{
	for (size_t k = 0; k < sizeof allowances / sizeof *allowances; k++)
		if (row->allow & allowances[k].bit)
			printf("%s ", allowances[k].words);
	for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
		if (row->flags >> k & 1)
			printf(".%s ", flags[k]);
}

static void print_types(const struct op_info *row)
{
	for (unsigned t = 1; t < TYPE_COUNT; t++)
		if (row->types >> t & 1)
			printf(".%s ", ptx_types[t].text);
}

/* `|` would end a table's cell. */
static void print_cell(const char *text)
{
	for (; *text; text++)
		if (*text == '|')
			fputs("\\|", stdout);
		else
			putchar(*text);
}

static void print_supported(void)
{
	puts("\n## Executed\n\n| instruction | may add | types | operands | one lane |\n|---|---|---|---|---|");
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct op_info *row = &ptx_ops[op];
		if (row->kind == OP_KIND_REFUSED)
			continue;
		printf("| `%s` | ", row->spelling);
		print_modifiers(row);
		printf("| ");
		print_types(row);
		printf("| ");
		print_cell(ptx_shapes[row->shape]);
		printf(" | ");
		if (row->kind == OP_KIND_LANE) {
			putchar('`');
			print_cell(row->meaning);
			putchar('`');
		}
		puts(" |");
	}
}

/* mma and wmma by the type of A and B. */
static void print_shapes(void)
{
	puts("\n## Shapes of matrices\n\n"
	     "`mma` takes `.row.col`; `m8n8k4` of `.f16`, Volta's, takes any two layouts. `ldmatrix` and `stmatrix` "
	     "take "
	     "`.m8n8` of `.b16`,\n`.x1`, `.x2` or `.x4`, with and without `.trans`. Not supported: `mma.sp`, `mma` of "
	     "floats of 8 bits "
	     "and less, scaled blocks.\n\n"
	     "| instruction | factors | sums | shapes |\n|---|---|---|---|");
	for (const struct matrix_shape *row = matrix_shapes; row->type; row++) {
		printf("| `%s` | .%s |", row->is_wmma ? "wmma" : "mma", matrix_type_name((enum matrix_type)row->type));
		for (unsigned sum = 1; sum < MATRIX_TYPES; sum++)
			if (matrix_is_sum((enum matrix_type)row->type, (enum matrix_type)sum))
				printf(" .%s", matrix_type_name((enum matrix_type)sum));
		printf(" |");
		for (unsigned k = 0; k < MATRIX_SHAPES && row->shape[k].m; k++)
			printf(" .m%un%uk%u", row->shape[k].m, row->shape[k].n, row->shape[k].k);
		puts(" |");
	}
	puts("\n`wgmma.mma_async` has the shapes `.m64nNkK`. K is 32 bytes of the factors. N is 8 to 256, in steps of "
	     "8; "
	     "of `.s8`, `.u8` and\n`.b1` in steps of 16 above 32. Of these factors, sums are:\n\n"
	     "| factors | K | sums |\n|---|---|---|\n"
	     "| .f16 | 16 | .f16 .f32 |\n| .bf16 | 16 | .f32 |\n| .tf32 | 8 | .f32 |\n"
	     "| .e4m3 .e5m2, in any pair | 32 | .f16 .f32 |\n| .s8 .u8, in any pair | 32 | .s32 |\n"
	     "| .b1, with .and.popc | 256 | .s32 |");
}

static void print_refused(void)
{
	puts("\n## Recognised and refused\n\n| instruction | first target | why |\n|---|---|---|");
	for (unsigned op = 1; op < OP_COUNT; op++)
		if (ptx_ops[op].kind == OP_KIND_REFUSED)
			printf("| `%s` | sm_%u | %s |\n", ptx_ops[op].spelling, ptx_ops[op].since, ptx_ops[op].meaning);
}

int main(void)
{
	fputs(introduction, stdout);
	print_supported();
	print_shapes();
	print_refused();
	return 0;
}
