/* `--check barriers`: tells the check for misuse of barriers and member masks (sync/sync.h) what warps do.
 *
 * An observer; gpu->observe has what is asked for, a struct syncs_asked.  A barrier's work-group belongs to a core, so
 * each core judges what happens on it; between quanta what was found goes to the GPU's list, core after core. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SYNC_H
#define LOCKSTEP_MACHINE_OBSERVE_SYNC_H

#include "sync/sync.h"

#endif
