/* A launch in a file, from which another process goes on with it.
 *
 * The file has the pages of all arenas (util/pages.h), which refer to each other, and to what is constant in the
 * executable, by addresses.  So only a process of the same executable can read it, that has made the same GPU and
 * launch by the same steps; the executable must lie at fixed addresses (it is linked so).  The file is checked as a
 * whole before anything is changed. */
#ifndef LOCKSTEP_DEBUG_CHECKPOINT_H
#define LOCKSTEP_DEBUG_CHECKPOINT_H

#include "lockstep.h"
#include "machine/state/gpu.h"
#include "util/diagnostic.h"

struct checkpoint;

/* What the GPU's first launch is to be kept in, and go on from.  Not in an arena; never null. */
struct checkpoint *checkpoint_create(struct gpu *gpu, const struct lockstep_checkpoint *what);
void checkpoint_destroy(struct checkpoint *checkpoint);
/* The launch has been started, and has not begun to run; `launch` is a digest of all that it depends on.  If it is to
 * go on from a file, it is as that says from now on.  False and an error. */
bool checkpoint_begin(struct checkpoint *checkpoint, const uint8_t launch[16], struct diagnostic *diagnostic);
/* As gpu_finish (gpu/launches.h), but that the launch is kept on the way. */
bool checkpoint_finish(struct checkpoint *checkpoint, struct gpu_result *result);
/* False and an error: what was to be kept was not. */
bool checkpoint_end(const struct checkpoint *checkpoint, struct diagnostic *diagnostic);

#endif
