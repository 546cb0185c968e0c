/* 2-way out-of-order, like a low-power CPU: paper 5, section 8.3 and Table 5. */
#include "policy/control/out_of_order.h"

OUT_OF_ORDER(ooo_2, "ooo-2", "2-way out-of-order, like a low-power CPU (paper 5, Table 5)");
