/* Samplers. */
#include "host/opencl/objects.h"

uint64_t sampler_handle(cl_sampler sampler)
{
	uint64_t handle = sampler->is_normalized ? LOCKSTEP_SAMPLER_NORMALIZED : 0;
	handle |= sampler->filter == CL_FILTER_LINEAR ? LOCKSTEP_SAMPLER_LINEAR : LOCKSTEP_SAMPLER_NEAREST;
	switch (sampler->addressing) {
	case CL_ADDRESS_CLAMP_TO_EDGE: return handle | LOCKSTEP_SAMPLER_CLAMP;
	case CL_ADDRESS_CLAMP: return handle | LOCKSTEP_SAMPLER_BORDER;
	case CL_ADDRESS_REPEAT: return handle | LOCKSTEP_SAMPLER_WRAP;
	case CL_ADDRESS_MIRRORED_REPEAT: return handle | LOCKSTEP_SAMPLER_MIRROR;
	default: return handle | LOCKSTEP_SAMPLER_NONE;
	}
}

/* What a list of properties says; those that it does not name stay as they are. */
static cl_int read_properties(cl_sampler sampler, const cl_sampler_properties *properties)
{
	bool seen[3] = {false};
	for (const cl_sampler_properties *p = properties; p && *p; p += 2) {
		size_t which = p[0] == CL_SAMPLER_NORMALIZED_COORDS ? 0 : p[0] == CL_SAMPLER_ADDRESSING_MODE ? 1 : 2;
		if ((which == 2 && p[0] != CL_SAMPLER_FILTER_MODE) || seen[which])
			return CL_INVALID_VALUE;
		seen[which] = true;
		if (which == 0)
			sampler->is_normalized = (cl_bool)p[1];
		else if (which == 1)
			sampler->addressing = (cl_addressing_mode)p[1];
		else
			sampler->filter = (cl_filter_mode)p[1];
	}
	return CL_SUCCESS;
}

static cl_int check(const struct _cl_sampler *sampler)
{
	cl_addressing_mode mode = sampler->addressing;
	if (sampler->is_normalized != CL_TRUE && sampler->is_normalized != CL_FALSE)
		return CL_INVALID_VALUE;
	if (mode < CL_ADDRESS_NONE || mode > CL_ADDRESS_MIRRORED_REPEAT)
		return CL_INVALID_VALUE;
	return sampler->filter == CL_FILTER_NEAREST || sampler->filter == CL_FILTER_LINEAR ? CL_SUCCESS
											   : CL_INVALID_VALUE;
}

/* The properties given, or without them the state; `kept` is what the application can ask for again. */
static cl_sampler create(cl_context context, const cl_sampler_properties *kept, const struct _cl_sampler *state)
{
	cl_sampler sampler = object_new(OBJECT_SAMPLER, sizeof *sampler, NULL, context, kept);
	if (sampler) {
		sampler->is_normalized = state->is_normalized;
		sampler->addressing = state->addressing;
		sampler->filter = state->filter;
	}
	return sampler;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(
	cl_context context, const cl_sampler_properties *properties, cl_int *errcode_ret)
{
	struct _cl_sampler state = {
		.is_normalized = CL_TRUE, .addressing = CL_ADDRESS_CLAMP, .filter = CL_FILTER_NEAREST};
	cl_int why = object_is(context, OBJECT_CONTEXT) ? read_properties(&state, properties) : CL_INVALID_CONTEXT;
	if (!why)
		why = check(&state);
	return created(why ? NULL : create(context, properties, &state), why, errcode_ret);
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized,
	cl_addressing_mode addressing, cl_filter_mode filter, cl_int *errcode_ret)
{
	struct _cl_sampler state = {.is_normalized = normalized, .addressing = addressing, .filter = filter};
	cl_int why = object_is(context, OBJECT_CONTEXT) ? check(&state) : CL_INVALID_CONTEXT;
	return created(why ? NULL : create(context, NULL, &state), why, errcode_ret);
}

OBJECT_COUNTED(Sampler, cl_sampler, OBJECT_SAMPLER, CL_INVALID_SAMPLER)

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(sampler, OBJECT_SAMPLER))
		return CL_INVALID_SAMPLER;
	switch (param_name) {
	case CL_SAMPLER_REFERENCE_COUNT: return ANSWER(cl_uint, atomic_load(&sampler->object.references));
	case CL_SAMPLER_CONTEXT: return ANSWER(cl_context, sampler->object.context);
	case CL_SAMPLER_NORMALIZED_COORDS: return ANSWER(cl_bool, sampler->is_normalized);
	case CL_SAMPLER_ADDRESSING_MODE: return ANSWER(cl_addressing_mode, sampler->addressing);
	case CL_SAMPLER_FILTER_MODE: return ANSWER(cl_filter_mode, sampler->filter);
	case CL_SAMPLER_PROPERTIES: return ANSWER_PROPERTIES(sampler);
	default: return CL_INVALID_VALUE;
	}
}
