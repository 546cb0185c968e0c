/* What the memory of all arenas holds at one moment, kept and put back.
 *
 * After pages_record() arenas take their memory from one range of addresses, and from nowhere else.  So a copy of that
 * range's pages is all that the simulator knows: no unit has to say what its state is, and none can forget a part of
 * it.  An image (pages_take) shares with the images before it the pages that have not changed since.
 *
 * Whoever looks at a run from outside, and must remember what it saw when an image is put back, has its own arenas
 * apart (pages_apart).  Static variables that point into arenas, or count what they hold, are kept with them
 * (pages_keep_static).
 *
 * One thread uses these functions, and no other uses arenas meanwhile.  Linux: pages are found by /proc/self/pagemap.
 */
#ifndef LOCKSTEP_UTIL_PAGES_H
#define LOCKSTEP_UTIL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on arenas are recorded.  To be called once, before the arenas of what is to be kept.  False: the system does
 * not allow it. */
bool pages_record(void);
/* Whether arenas are recorded, on this thread, now. */
bool pages_are_recorded(void);
/* True: arenas that are begun on this thread from now on are apart: they are in no image.  Returns what it was.  What
 * an arena gets later is where its first block is. */
bool pages_apart(bool apart);
/* From now on a thread that has not called pages_apart is apart. */
void pages_others_apart(void);
/* A static variable that belongs to what arenas hold. */
void pages_keep_static(void *at, size_t size);

/* ---- For arena.c ---- */

/* Zeroed pages; null: there are none left.  Only while arenas are recorded. */
void *pages_map(size_t size);
/* Other memory of the process, of whole pages, that belongs to an arena: mapped where its user wants it. */
void pages_add(void *at, size_t size);
/* Gives back pages that pages_map gave.  False: it has not given them. */
bool pages_unmap(void *at, size_t size);

/* ---- Images ---- */

struct pages_image; /* private; in no arena */

/* What memory holds now. */
struct pages_image *pages_take(void);
/* Memory holds again what it held when the image was taken.  The image stays. */
void pages_put_back(struct pages_image *image);
void pages_drop(struct pages_image *image);
/* The same, out of the process: what memory holds now goes to `put`, piece by piece, which says whether it took it. */
bool pages_write(bool (*put)(void *context, const void *data, size_t size), void *context);
/* Memory holds what another process wrote, of the same executable, which made the same arenas at the same addresses up
 * to here.  False: that cannot be, or `get` has no more; then memory is not as it was, and the process of no use. */
bool pages_read(bool (*get)(void *context, void *data, size_t size), void *context);
/* Bytes that all images take together. */
size_t pages_taken(void);

#endif
