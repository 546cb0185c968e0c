/* Sentences on kernels that were compiled, and not taken from pinned PTX. */
#include "experiment/unpinned.h"

struct names unpinned_said(struct arena *arena, sqlite3 *db)
{
	struct diagnostic ignored = {0};
	struct answer a = database_ask(arena, db,
		"SELECT group_concat(program, ', '), unpinned FROM (SELECT DISTINCT program, unpinned FROM points"
		" WHERE unpinned IS NOT NULL ORDER BY program) GROUP BY unpinned ORDER BY unpinned",
		(struct place){0}, &ignored);
	struct names said = {0};
	for (uint32_t k = 0; a.kind == ANSWER_VALUES && k < a.rows; k++)
		*vector_push(arena, &said) = arena_printf(arena,
			"The kernels of %s are not the pinned ones of the stated results. They were compiled by %s.",
			a.values[2 * k], a.values[2 * k + 1]);
	return said;
}
