/* A profile for speedscope, https://www.speedscope.app/file-format-schema.json: each kernel a sampled profile, whose
 * stacks are the kernel, a line, an instruction, and what it did or was waited for; the weights are scheduler cycles.
 * Nothing is sampled: each stack is there once, with all its cycles. */
#include "report/members.h"
#include "report/profile.h"
#include "report/reports.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <string.h>

struct speedscope {
	struct arena *arena;
	json_object *frames, *samples, *weights; /* the last two of the kernel */
	uint64_t sum;                            /* of the weights */
};

static int add_frame(struct speedscope *s, const char *name, const struct profile_line *line)
{
	json_object *frame = add_object(s->frames);
	add_text(frame, "name", name);
	if (line && *line->file) {
		add_text(frame, "file", line->file);
		add_number(frame, "line", line->line);
	}
	return (int)json_object_array_length(s->frames) - 1;
}

static void add_sample(struct speedscope *s, int kernel, int line, int instruction, int what, uint64_t weight)
{
	const uint64_t stack[] = {(uint64_t)kernel, (uint64_t)line, (uint64_t)instruction, (uint64_t)what};
	json_object_array_add(s->samples, array_of_numbers(stack, sizeof stack / sizeof *stack));
	json_object_array_add(s->weights, json_object_new_uint64(weight));
	s->sum += weight;
}

static void write_kernel(struct speedscope *s, const struct profile_kernel *kernel, const int *reasons, int issuing)
{
	int k_frame = add_frame(s, demangle_short(s->arena, kernel->name), NULL);
	for (uint32_t l = 0; l < kernel->lines.count; l++) {
		const struct profile_line *line = &kernel->lines.at[l];
		int l_frame =
			add_frame(s, arena_printf(s->arena, "%s:%" PRIu64, basename(line->file), line->line), line);
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
	add_text(object, "type", "sampled");
	add_text(object, "name", demangle_short(s->arena, kernel->name));
	add_text(object, "unit", "none");
	add_number(object, "startValue", 0);
	add_number(object, "endValue", s->sum);
	add_member(object, "samples", s->samples);
	add_member(object, "weights", s->weights);
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
	add_member(shared, "frames", s.frames);
	add_text(file, "$schema", "https://www.speedscope.app/file-format-schema.json");
	add_member(file, "shared", shared);
	add_member(file, "profiles", profiles);
	add_text(file, "name", "scheduler cycles");
	add_number(file, "activeProfileIndex", 0);
	add_text(file, "exporter", "lockstep");
	report_print_as(out, file, JSON_C_TO_STRING_PLAIN);
	text_append(out, "\n", 1);
}
