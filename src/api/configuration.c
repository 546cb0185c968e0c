/* What there is: the fields of the configuration in use, GPU models, policies. */
#include "api/api.h"

#include "model/model.h"
#include "policy/policy.h"
#include "util/architecture.h"

#include <string.h>

bool lockstep_configuration(const struct lockstep *lockstep, size_t k, struct lockstep_field *field)
{
	const struct gpu_model *model = lockstep->gpu.model;

	if (k >= model_field_count + lockstep->scheduler_fields.count)
		return false;
	if (k >= model_field_count) {
		*field = lockstep->scheduler_fields.at[k - model_field_count];
		return true;
	}
	*field = (struct lockstep_field){.path = model_fields[k].path,
		.unit = model_fields[k].unit,
		.meaning = model_fields[k].meaning,
		.least = model_fields[k].minimum,
		.most = model_fields[k].maximum,
		.source = lockstep->sources ? lockstep->sources[k] : NULL};
	if (model_fields[k].is_name)
		field->text = model_text(model, (uint32_t)k);
	else
		field->number = model_value(model, (uint32_t)k);
	return true;
}

bool lockstep_configuration_is_changed(const struct lockstep *lockstep, size_t k)
{
	const struct gpu_model *model = lockstep->gpu.model, *file = lockstep->file;
	uint32_t field = (uint32_t)k;

	if (k >= model_field_count)
		return false;
	return model_fields[k].is_name ? strcmp(model_text(model, field), model_text(file, field)) != 0
				       : model_value(model, field) != model_value(file, field);
}

struct lockstep_field lockstep_field(const struct lockstep *lockstep, const char *path)
{
	struct lockstep_field field;

	for (size_t k = 0; lockstep_configuration(lockstep, k, &field); k++)
		if (!strcmp(field.path, path))
			return field;
	return (struct lockstep_field){.path = NULL};
}

const char *lockstep_gpu_name(size_t k)
{
	size_t count;
	const char *const *names = model_names(&count);

	return k < count ? names[k] : NULL;
}

const char *lockstep_gpu_for(const struct lockstep *lockstep, const char *target)
{
	const char *const *names, *best = NULL;
	struct diagnostic diagnostic = {0};
	struct architecture architecture;
	struct arena arena = {0};
	uint32_t lowest = UINT32_MAX, cores = 0;
	size_t count;

	names = model_names(&count);
	if (!architecture_read(target, &architecture) ||
		architecture_runs_on(architecture, lockstep->gpu.model->core_capability))
		return NULL;
	for (size_t k = 0; k < count; k++) {
		const struct gpu_model *model = model_load(&arena, names[k], NULL, &diagnostic);
		if (!model || model->core_capability > lowest ||
			(model->core_capability == lowest && model->core_count <= cores) ||
			!architecture_runs_on(architecture, model->core_capability))
			continue;
		lowest = model->core_capability;
		cores = model->core_count;
		best = names[k];
	}
	arena_free(&arena);
	return best;
}

bool lockstep_policy(size_t k, struct lockstep_policy *policy)
{
	for (enum policy_kind kind = 0; kind < POLICY_KIND_COUNT; kind++)
		for (size_t j = 0; policy_at(kind, j); j++)
			if (k-- == 0) {
				*policy = (struct lockstep_policy){.kind = policy_kind_name(kind),
					.name = policy_at(kind, j)->name,
					.summary = policy_at(kind, j)->summary};
				return true;
			}
	return false;
}
