/* Where the windows of the other address spaces lie among generic addresses, for cvta and isspacep.
 * The same numbers as in memory/address_space.h, which this layer may not include; a unit test holds them together. */
#ifndef LOCKSTEP_WARP_WINDOWS_H
#define LOCKSTEP_WARP_WINDOWS_H

#define PARAMETER_WINDOW 0x00800000u
#define SHARED_WINDOW 0x01000000u
#define LOCAL_WINDOW 0x02000000u
#define GLOBAL_WINDOW 0x10000000u
#define WINDOW_SIZE 0x01000000u
#define PARAMETER_WINDOW_SIZE 0x00010000u
/* In the window of shared memory a group's own comes first; after it, in the order of their ranks, that of each group
 * of its cluster, this many bytes apart. */
#define SHARED_PART 0x00080000u

#endif
