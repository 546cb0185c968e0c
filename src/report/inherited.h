/* Fields of a GPU model that nobody has measured or published for its chip: those whose values are another model's. */
#ifndef LOCKSTEP_REPORT_INHERITED_H
#define LOCKSTEP_REPORT_INHERITED_H

#include "util/text.h"

struct arena;
struct json_object;
struct lockstep;

/* How many fields have sources of their own, by the sources' first words; and the others, by the model that they are
 * from.  Fields that set the simulator, such as policies, are not counted. */
void inherited_text(struct text *out, const struct lockstep *gpu);
/* {"own": {"sync": [FIELD...]}, "models": {"v100": [FIELD...]}} */
struct json_object *inherited_object(struct arena *arena, const struct lockstep *gpu);

#endif
