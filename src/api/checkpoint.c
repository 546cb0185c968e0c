/* Checkpoints of a GPU that writes one, or goes on from one (lockstep_options.checkpoint). */
#include "debug/checkpoint.h"

#include "api/api.h"
#include "util/digest.h"
#include "util/pages.h"

#include <string.h>
#include <time.h>

static void open_checkpoint(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	const struct lockstep_options *o = &lockstep->gpu.options;
	const char *other = o->debug ? "a debugger" : o->trace ? "a timeline (trace)" : NULL;

	if (!o->checkpoint)
		return;
	if (o->plugins && o->plugins[0])
		other = "plug-ins, whose addresses differ from process to process,";
	if (other)
		diagnose(diagnostic, (struct place){0}, "a checkpoint and %s do not go together: expected one of them",
			other);
	else
		lockstep->checkpoint = checkpoint_create(&lockstep->gpu, o->checkpoint);
}

static void close_checkpoint(struct lockstep *lockstep)
{
	checkpoint_destroy(lockstep->checkpoint);
}

const struct result_part result_part_checkpoint = {.open = open_checkpoint, .close = close_checkpoint};

/* All that the launch depends on, as far as the caller chose it. */
static void digest_launch(const struct lockstep *lockstep, const struct lockstep_launch *launch, uint8_t bytes[16])
{
	const struct lockstep_options *o = &lockstep->gpu.options;
	const uint64_t numbers[] = {o->mode, o->seed, o->hang_after, o->explain_limit, o->on_fault, o->weak, o->check,
		o->footprints, o->profile, o->samples, o->schedules, launch->shared_bytes};
	struct arena arena = {0};
	struct digest digest;
	struct lockstep_field field;

	digest_begin(&digest, &arena);
	digest_add(&digest, numbers, sizeof numbers);
	digest_add_text(&digest, launch->module->origin->ptx);
	digest_add_text(&digest, launch->kernel);
	digest_add(&digest, launch->grid, sizeof launch->grid);
	digest_add(&digest, launch->block, sizeof launch->block);
	digest_add(&digest, launch->cluster, sizeof launch->cluster);
	digest_add(&digest, launch->parameters, launch->parameter_bytes);
	for (size_t k = 0; lockstep_configuration(lockstep, k, &field); k++) {
		digest_add_text(&digest, field.path);
		digest_add_text(&digest, field.text);
		digest_add(&digest, &field.number, sizeof field.number);
	}
	for (size_t k = 0; o->observe && o->observe[k]; k++)
		digest_add_text(&digest, o->observe[k]);
	digest_end(&digest);
	memcpy(bytes, digest.bytes, sizeof digest.bytes);
	arena_free(&arena);
}

bool api_restore(struct lockstep *lockstep, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	struct diagnostic diagnostic = {0};
	struct checkpoint *own = lockstep->checkpoint; /* in no arena */
	bool apart = pages_apart(true);
	uint8_t digest[16];

	digest_launch(lockstep, launch, digest);
	pages_apart(apart);
	if (!checkpoint_begin(own, digest, &diagnostic))
		return api_fail(error, &diagnostic);
	lockstep->checkpoint = own;
	for (uint32_t k = 0; k < lockstep->running.count; k++) /* by the clock of this process */
		clock_gettime(CLOCK_MONOTONIC, &lockstep->running.at[k]->start);
	return true;
}

bool lockstep_end_checkpoint(struct lockstep *lockstep, struct lockstep_error *error)
{
	struct diagnostic diagnostic = {0};

	return !lockstep->checkpoint || checkpoint_end(lockstep->checkpoint, &diagnostic) ||
	       api_fail(error, &diagnostic);
}
