/* The state of the machine held against itself, by assert: what must be true between quanta, and what must be over when
 * a launch has completed.  A wrong count or a forgotten bit otherwise shows much later, as a hang or as cycles without
 * an explanation.
 *
 * Costs nothing in release builds.  The hostile build, whose queues and caches are small, audits after every quantum,
 * or round of turns. */
#ifndef LOCKSTEP_MACHINE_GPU_AUDIT_H
#define LOCKSTEP_MACHINE_GPU_AUDIT_H

struct launch;
struct machine;

#ifdef NDEBUG
static inline void audit_launch(const struct launch *launch)
{
	(void)launch;
}
static inline void audit_end(const struct machine *machine)
{
	(void)machine;
}
#else
/* The launch has completed: it has nothing on any core. */
void audit_launch(const struct launch *launch);
/* All launches have completed: nothing is on its way anywhere. */
void audit_end(const struct machine *machine);
#endif

#if defined(LOCKSTEP_HOSTILE) && !defined(NDEBUG)
/* Between quanta, or rounds of turns. */
void audit_round(const struct machine *machine);
#else
static inline void audit_round(const struct machine *machine)
{
	(void)machine;
}
#endif

#endif
