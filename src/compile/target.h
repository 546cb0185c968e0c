/* What the simulated GPU is to OpenCL C: words for clang, each list ended by null.  The names of extensions and
 * features are those of features.def. */
#ifndef LOCKSTEP_COMPILE_TARGET_H
#define LOCKSTEP_COMPILE_TARGET_H

/* The machine that PTX is made for, of OpenCL C and CUDA C alike: in a list of words. */
#define TARGET_MACHINE_WORDS                                                                                           \
	"-Xclang", "-target-cpu", "-Xclang", "sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx63"

extern const char *const target_words[];      /* language, target, and the extensions that clang itself must know of */
extern const char *const target_macros[];     /* other extensions */
extern const char *const target_features_3[]; /* OpenCL C 3.0's optional features that are macros only */
/* Extensions that a device of OpenCL 1.2 cannot have, since they build on 2.0 and later; and what
 * to add to the above for kernels of such a device. */
extern const char *const target_newer_extensions[];
extern const char *const target_words_1_2[];

#endif
