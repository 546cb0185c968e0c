/* Commands of programs (json.def): what their files share. */
#ifndef LOCKSTEP_DEBUG_JSON_H
#define LOCKSTEP_DEBUG_JSON_H

#include "debug/engine.h"

#include <json-c/json.h>

/* Arguments: a missing number is `otherwise`, a missing word "". */
uint64_t json_number(json_object *from, const char *key, uint64_t otherwise);
const char *json_word(json_object *from, const char *key);
/* The warp that `group` and `warp` name, without them the focus; null, and words that say why. */
struct warp_slot *json_warp(struct debugger *d, json_object *from, struct core **core);

void json_put_number(json_object *to, const char *key, uint64_t value);
void json_put_text(json_object *to, const char *key, const char *value);
void json_put_flag(json_object *to, const char *key, bool value);
json_object *json_put_list(json_object *to, const char *key);
json_object *json_put_entry(json_object *list);
/* What has been printed for people, without the last newline; it is taken out of the answer. */
const char *json_take_words(struct debugger *d);

/* ---- json_code.c ---- */

/* The place of an instruction: pc, file, line, function; of "*PC" as words the line of the PTX. */
void json_put_code(struct debugger *d, json_object *to, const struct kernel *kernel, uint32_t pc, const char *words);
/* A line of a file, whose path is as the caller knows it, in the words of `break`; null, and words that say why. */
const char *json_line_words(struct debugger *d, const struct kernel *kernel, const char *file, uint64_t line);
bool answer_code(struct debugger *d, json_object *from, json_object *to);
bool answer_frames(struct debugger *d, json_object *from, json_object *to);

/* ---- json_state.c ---- */

bool answer_warps(struct debugger *d, json_object *from, json_object *to);
bool answer_lanes(struct debugger *d, json_object *from, json_object *to);
bool answer_locks(struct debugger *d, json_object *from, json_object *to);
bool answer_barriers(struct debugger *d, json_object *from, json_object *to);

/* ---- json_values.c ---- */

bool answer_parameters(struct debugger *d, json_object *from, json_object *to);
bool answer_registers(struct debugger *d, json_object *from, json_object *to);
bool answer_value(struct debugger *d, json_object *from, json_object *to);
bool answer_place(struct debugger *d, json_object *from, json_object *to);
bool answer_memory(struct debugger *d, json_object *from, json_object *to);

#endif
