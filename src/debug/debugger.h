/* A launch under a debugger: it stops before an instruction of a warp, and goes on forwards or backwards.
 *
 * A run repeats exactly, so every moment of it can be visited again.  The debugger keeps images of all memory of the
 * simulator (util/pages.h) at some moments of a launch.  To go back it puts the image before that moment in place, and
 * lets the launch run again up to there.
 *
 * A *position* is how many instructions warps have issued since the launch began, in the order in which one host
 * thread simulates them: at position N the N-th is about to be carried out.  Positions are only for the debugger: cores
 * are simulated one after another for a quantum each, so their clocks differ by up to a quantum at any position. */
#ifndef LOCKSTEP_DEBUG_DEBUGGER_H
#define LOCKSTEP_DEBUG_DEBUGGER_H

#include "lockstep.h"
#include "machine/state/gpu.h"

struct debugger;

/* `front` is whom it asks for commands, and stays.  Arenas are recorded already.  Not in an arena; never null. */
struct debugger *debugger_create(struct gpu *gpu, const struct lockstep_debug *front);
void debugger_destroy(struct debugger *debugger);
/* As gpu_finish (gpu/launches.h), but that it stops and goes on as its commands say. */
bool debugger_finish(struct debugger *debugger, struct gpu_result *result);
/* As gpu_give_up: the launch stops where it hangs, and may go back: then it goes on, to be finished after all. */
void debugger_give_up(struct debugger *debugger);
/* The k-th command's name; null past the last. */
const char *debugger_command(size_t k);

#endif
