/* The debugger of a program under `lockstep debug run`: its commands come from that command, its answers go there. */
#ifndef LOCKSTEP_HOST_DEBUG_H
#define LOCKSTEP_HOST_DEBUG_H

#include "host/actors.h"
#include "lockstep.h"

/* For the process's GPU; null: no debugger.  Called once.  `may_act` is commands_may_act (command.h). */
const struct lockstep_debug *debug_link_open(bool (*may_act)(struct actors_seen *seen));
/* The application uses the GPU, by anything but waiting for it. */
void debug_link_acts(void);
/* It has a pointer to memory of the GPU, and may write there without a call. */
void debug_link_shares(void);

#endif
