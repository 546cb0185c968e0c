/* 2-way light out-of-order, a slim window: paper 5, section 8.3 and Table 5. */
#include "policy/control/out_of_order.h"

OUT_OF_ORDER(light_ooo_2, "light-ooo-2", "2-way light out-of-order, a slim window (paper 5, Table 5)");
