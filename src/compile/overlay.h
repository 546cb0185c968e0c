/* Files that exist for the compiler only: an overlay of its file system whose contents lie in memory. */
#ifndef LOCKSTEP_COMPILE_OVERLAY_H
#define LOCKSTEP_COMPILE_OVERLAY_H

#include "compile/tools.h"

/* Zero-initialised but for `tool`. */
struct overlay {
	struct tool *tool;
	struct text entries;
};

/* A file FOLDER/NAME; `folder` is absolute and need not exist.  False when out of descriptors. */
bool overlay_add(struct overlay *overlay, const char *folder, const char *name, const char *text, size_t length);
/* Tells the tool, whose words must be clang's. */
bool overlay_end(struct overlay *overlay);

#endif
