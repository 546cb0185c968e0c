/* Arguments and results of the functions that the machine provides. */
#include "machine/lsu/library_call.h"

#include "machine/lsu/access.h"

#include <assert.h>

uint64_t library_argument(const struct warp *w, const struct call_copy *copy, uint32_t lane)
{
	uint64_t value = 0;

	assert(lane < w->lanes);
	assert(copy->from_stack || copy->from_bytes == 4 || copy->from_bytes == 8);
	if (!copy->from_stack)
		return slot_value(w, copy->from, copy->from_bytes, lane);
	access_local_read(w, lane, w->stack_base + copy->from, &value, copy->bytes < 8 ? copy->bytes : 8);
	return value;
}

void library_result(const struct warp *w, const struct insn_extra *extra, uint32_t lane, uint64_t value)
{
	const struct call_copy *copy = extra->returns;

	assert(lane < w->lanes);
	if (!extra->return_count)
		return;
	assert(copy->to_stack || copy->to_bytes == 4 || copy->to_bytes == 8);
	if (copy->to_stack)
		access_local_write(w, lane, w->stack_base + copy->to, &value, copy->bytes < 8 ? copy->bytes : 8);
	else
		slot_set_value(w, copy->to, copy->to_bytes, lane, value);
}
