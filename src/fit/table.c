/* The table of a card: CSV as workloads/silicon writes it. */
#include "fit/fit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NAME_COLUMNS 6
#define COLUMNS_MOST 16
/* Of the table of errors where --sample is not given, so that it takes minutes at most. */
#define POINTS_SHOWN 300 /* about */
#define BYTES_SHOWN (4u << 20)
#define THREADS_SHOWN 4096 /* of a point, in all its groups */

static const char *const columns[] = {
	"gpu", "primitive", "stride_words", "type", "blocks", "threads_per_block", "cycles_per_op"};
enum column { GPU, PRIMITIVE, STRIDE, TYPE, BLOCKS, THREADS, CYCLES, COLUMN_COUNT };

/* A line of the file, cut apart. */
struct row {
	struct place place; /* of a cell, when it is complained about */
	const char *line;
	const char *cells[COLUMNS_MOST];
	uint32_t starts[COLUMNS_MOST], count;
};

struct reader {
	struct fit *fit;
	struct diagnostic *diagnostic;
	VECTOR(const char *) cards;
	bool has_header;
};

static void split(struct arena *arena, const char *line, struct row *row)
{
	row->count = 0;
	for (const char *at = line; at && row->count < COLUMNS_MOST; row->count++) {
		size_t length = strcspn(at, ",");

		row->cells[row->count] = arena_copy(arena, at, length);
		row->starts[row->count] = (uint32_t)(at - line) + 1;
		at = at[length] ? at + length + 1 : NULL;
	}
}

static void refuse(struct reader *r, const struct row *row, uint32_t column, const char *expected)
{
	struct place place = row->place;
	bool is_there = column < row->count;

	place.column = is_there ? row->starts[column] : (uint32_t)strlen(row->line) + 1;
	diagnose(r->diagnostic, place, "%s%s%s in the column %s, expected %s", is_there ? "'" : "nothing",
		is_there ? row->cells[column] : "", is_there ? "'" : "", columns[column], expected);
}

static void read_header(struct reader *r, const struct row *row)
{
	for (uint32_t k = 0; k < COLUMN_COUNT; k++) {
		if (k < row->count && !strcmp(row->cells[k], columns[k]))
			continue;
		struct place place = row->place;
		place.column = k < row->count ? row->starts[k] : (uint32_t)strlen(row->line) + 1;
		diagnose(r->diagnostic, place,
			"no column '%s', expected a header as workloads/silicon writes it: "
			"gpu,primitive,stride_words,type,"
			"blocks,threads_per_block,cycles_per_op",
			columns[k]);
		return;
	}
	r->has_header = true;
}

static bool read_number(struct reader *r, const struct row *row, enum column column, uint64_t most, uint32_t *value)
{
	uint64_t number;

	if (text_to_u64(row->cells[column], &number) && number >= 1 && number <= most) {
		*value = (uint32_t)number;
		return true;
	}
	refuse(r, row, column, arena_printf(r->fit->arena, "a number from 1 to %" PRIu64, most));
	return false;
}

/* "chase_l2:1048576": what, and how many bytes. */
static bool read_primitive(struct reader *r, const struct row *row, struct fit_point *point)
{
	const char *cell = row->cells[PRIMITIVE], *colon = strchr(cell, ':');
	uint64_t bytes = 0;
	bool good =
		*cell && *cell != ':' && (!colon || (text_to_u64(colon + 1, &bytes) && bytes && bytes <= UINT32_MAX));

	point->primitive = colon ? arena_copy(r->fit->arena, cell, (size_t)(colon - cell)) : cell;
	point->footprint = (uint32_t)bytes;
	if (!good)
		refuse(r, row, PRIMITIVE, "a primitive of `silicon --list`, of some with :BYTES");
	return good;
}

/* FNV-1a of 32 bits (Fowler, Noll, Vo), as workloads/silicon prints it. */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619;
	return hash;
}

static bool read_point(struct reader *r, const struct row *row, struct fit_point *point)
{
	if (!read_primitive(r, row, point) ||
		(*row->cells[STRIDE] && !read_number(r, row, STRIDE, 65536, &point->stride)) ||
		!read_number(r, row, BLOCKS, 65535, &point->groups) ||
		!read_number(r, row, THREADS, 1024, &point->threads))
		return false;
	point->type = row->cells[TYPE];
	if (!*point->type)
		refuse(r, row, TYPE, "int, ull, float, double or vec");
	else if (!text_to_f64(row->cells[CYCLES], &point->measured) || !isfinite(point->measured))
		refuse(r, row, CYCLES, "a number of cycles");
	return !r->diagnostic->failed;
}

static void keep_card(struct reader *r, const char *card)
{
	for (uint32_t k = 0; k < r->cards.count; k++)
		if (!strcmp(r->cards.at[k], card))
			return;
	*vector_push(r->fit->arena, &r->cards) = card;
}

static void read_row(struct reader *r, const struct row *row)
{
	struct fit_point point = {0};
	struct fit *fit = r->fit;

	if (row->count < COLUMN_COUNT) {
		refuse(r, row, row->count, "a value");
		return;
	}
	if (!read_point(r, row, &point))
		return;
	keep_card(r, row->cells[GPU]);
	if (fit->card && strcmp(fit->card, row->cells[GPU]))
		return;
	if (!(point.measured > 0)) {
		fit->left_out++;
		return;
	}
	size_t length = row->starts[NAME_COLUMNS] - 2;
	point.name = arena_copy(fit->arena, row->line, length);
	point.held_out = hash_of(point.name) % 2;
	*vector_push(fit->arena, &fit->points) = point;
}

static void read_lines(struct reader *r, const char *text)
{
	struct row row = {.place = {.file = r->fit->file}};

	while (*text && !r->diagnostic->failed) {
		size_t length = strcspn(text, "\n"), kept = length;

		row.place.line++;
		while (kept && text[kept - 1] == '\r')
			kept--;
		row.line = arena_copy(r->fit->arena, text, kept);
		text += length + (text[length] == '\n');
		if (!kept || *row.line == '#')
			continue;
		split(r->fit->arena, row.line, &row);
		if (r->has_header)
			read_row(r, &row);
		else
			read_header(r, &row);
	}
}

/* That there are points, of one card. */
static void check(struct reader *r)
{
	struct fit *fit = r->fit;
	struct place place = {.file = fit->file};

	if (r->diagnostic->failed)
		return;
	if (!fit->points.count && fit->card && r->cards.count)
		text_refuse_unknown(r->diagnostic, place, "card", fit->card, r->cards.at, r->cards.count,
			text_alternatives(fit->arena, r->cards.at, r->cards.count));
	else if (!fit->points.count)
		diagnose(r->diagnostic, place, "no points, expected rows as workloads/silicon writes them");
	else if (r->cards.count > 1 && !fit->card)
		diagnose(r->diagnostic, place, "rows of %u cards, expected --card %s", r->cards.count,
			text_alternatives(fit->arena, r->cards.at, r->cards.count));
	else if (!fit->card)
		fit->card = r->cards.at[0];
}

/* Whether it is quick to simulate. */
static bool is_small(const struct fit_point *p)
{
	return p->groups * p->threads <= THREADS_SHOWN && p->footprint <= BYTES_SHOWN;
}

static void choose_sample(struct fit *fit)
{
	bool is_given = fit->sample > 0;
	uint32_t small = 0;

	for (uint32_t k = 0; k < fit->points.count; k++)
		small += is_small(&fit->points.at[k]);
	if (!is_given)
		fit->sample = small / POINTS_SHOWN + 1;
	for (uint32_t k = 0; k < fit->points.count; k++) {
		struct fit_point *p = &fit->points.at[k];

		p->sampled = (is_given || is_small(p)) && (hash_of(p->name) >> 8) % fit->sample == 0;
	}
}

bool fit_read(struct fit *fit, struct diagnostic *diagnostic)
{
	struct reader r = {.fit = fit, .diagnostic = diagnostic};
	size_t length;
	const char *text = text_read_file(fit->arena, fit->file, &length, diagnostic);

	if (!text)
		return false;
	read_lines(&r, text);
	check(&r);
	choose_sample(fit);
	return !diagnostic->failed;
}
