/* The table of divergence models, from list.def. */
#include "policy/diverge/diverge.h"

#define DIVERGENCE(choice) extern const struct divergence_model diverge_##choice;
#include "policy/diverge/list.def"
#undef DIVERGENCE

const struct divergence_model *const divergence_models[] = {
#define DIVERGENCE(choice) &diverge_##choice,
#include "policy/diverge/list.def"
#undef DIVERGENCE
	NULL,
};
