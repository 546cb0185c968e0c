/* A profile for speedscope, https://www.speedscope.app/file-format-schema.json: each kernel a sampled profile, whose
 * stacks are the kernel, a line, an instruction, and what it did or was waited for; the weights are scheduler cycles.
 * Nothing is sampled: each stack is there once, with all its cycles. */
#include "report/kernel_name.h"
#include "report/members.h"
#include "report/profile.h"

#include <inttypes.h>
#include <string.h>

struct speedscope {
	struct arena *arena;
	json_object *frames, *samples, *weights; /* the last two of the kernel */
	uint64_t sum;                            /* of the weights */
};

static int add_frame(struct speedscope *s, const char *name, const struct profile_line *line)
{
	json_object *frame = json_object_new_object();
	json_object_object_add(frame, "name", json_object_new_string(name));
	if (line && *line->file) {
		json_object_object_add(frame, "file", json_object_new_string(line->file));
		json_object_object_add(frame, "line", json_object_new_uint64(line->line));
	}
	json_object_array_add(s->frames, frame);
	return (int)json_object_array_length(s->frames) - 1;
}

static void add_sample(struct speedscope *s, int kernel, int line, int instruction, int what, uint64_t weight)
{
	const int stack[] = {kernel, line, instruction, what};
	json_object *sample = json_object_new_array();
	for (size_t k = 0; k < sizeof stack / sizeof *stack; k++)
		json_object_array_add(sample, json_object_new_int(stack[k]));
	json_object_array_add(s->samples, sample);
	json_object_array_add(s->weights, json_object_new_uint64(weight));
	s->sum += weight;
}

static const char *line_name(struct arena *arena, const struct profile_line *line)
{
	const char *slash = strrchr(line->file, '/');
	return arena_printf(arena, "%s:%" PRIu64, slash ? slash + 1 : line->file, line->line);
}

static void write_kernel(struct speedscope *s, const struct profile_kernel *kernel, const int *reasons, int issuing)
{
	int k_frame = add_frame(s, kernel_name_short(s->arena, kernel->name), NULL);
	for (uint32_t l = 0; l < kernel->lines.count; l++) {
		const struct profile_line *line = &kernel->lines.at[l];
		int l_frame = add_frame(s, line_name(s->arena, line), line);
		for (uint32_t i = 0; i < line->instructions.count; i++) {
			const struct profile_instruction *instruction = &line->instructions.at[i];
			int i_frame = add_frame(
				s, arena_printf(s->arena, "%" PRIu64 ": %s", instruction->pc, instruction->text), line);
			if (instruction->cost.issued)
				add_sample(s, k_frame, l_frame, i_frame, issuing, instruction->cost.issued);
			for (size_t r = 0; r < lockstep_profiled_stalls(); r++)
				if (instruction->cost.values[r])
					add_sample(
						s, k_frame, l_frame, i_frame, reasons[r], instruction->cost.values[r]);
		}
	}
}

static json_object *kernel_object(
	struct speedscope *s, const struct profile_kernel *kernel, const int *reasons, int issuing)
{
	json_object *object = json_object_new_object();
	s->samples = json_object_new_array();
	s->weights = json_object_new_array();
	s->sum = 0;
	write_kernel(s, kernel, reasons, issuing);
	json_object_object_add(object, "type", json_object_new_string("sampled"));
	json_object_object_add(object, "name", json_object_new_string(kernel_name_short(s->arena, kernel->name)));
	json_object_object_add(object, "unit", json_object_new_string("none"));
	json_object_object_add(object, "startValue", json_object_new_int(0));
	json_object_object_add(object, "endValue", json_object_new_uint64(s->sum));
	json_object_object_add(object, "samples", s->samples);
	json_object_object_add(object, "weights", s->weights);
	return object;
}

void profile_speedscope(struct text *out, const struct profile *profile)
{
	struct speedscope s = {.arena = out->arena, .frames = json_object_new_array()};
	json_object *file = json_object_new_object(), *shared = json_object_new_object();
	json_object *profiles = json_object_new_array();
	int reasons[PROFILE_COUNTERS], issuing = add_frame(&s, "issuing", NULL);
	char reason[PROFILE_REASON];
	for (size_t k = 0; k < lockstep_profiled_stalls(); k++)
		reasons[k] = add_frame(&s, arena_printf(s.arena, "stalled: %s", profile_reason(k, reason)), NULL);
	for (uint32_t k = 0; k < profile->kernels.count; k++)
		json_object_array_add(profiles, kernel_object(&s, &profile->kernels.at[k], reasons, issuing));
	json_object_object_add(shared, "frames", s.frames);
	json_object_object_add(
		file, "$schema", json_object_new_string("https://www.speedscope.app/file-format-schema.json"));
	json_object_object_add(file, "shared", shared);
	json_object_object_add(file, "profiles", profiles);
	json_object_object_add(file, "name", json_object_new_string("scheduler cycles"));
	json_object_object_add(file, "activeProfileIndex", json_object_new_int(0));
	json_object_object_add(file, "exporter", json_object_new_string("lockstep"));
	size_t length = 0;
	const char *text = json_object_to_json_string_length(
		file, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	text_append(out, text, length);
	text_append(out, "\n", 1);
	json_object_put(file);
}
