/* What the simulated GPU is to OpenCL C: words for clang, each list ended by null.  The names of extensions and features
 * are those of features.def. */
#ifndef LOCKSTEP_COMPILE_TARGET_H
#define LOCKSTEP_COMPILE_TARGET_H

extern const char *const target_words[];      /* language, target, and the extensions that clang itself must know of */
extern const char *const target_macros[];     /* other extensions */
extern const char *const target_features_3[]; /* OpenCL C 3.0's optional features that are macros only */

#endif
