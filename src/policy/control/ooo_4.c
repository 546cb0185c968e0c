/* 4-way out-of-order: paper 5, section 8.3 and Table 5. */
#include "policy/control/out_of_order.h"

OUT_OF_ORDER(ooo_4, "ooo-4", "4-way out-of-order (paper 5, Table 5)");
