/* A litmus test of PTX: a few threads of a few instructions, and a condition on what they leave behind.
 *
 * litmus_read makes one from the text of a file, as docs/litmus.md describes the format; litmus_model (model.h) says
 * what it may leave by the memory model, litmus_play (play.h) what it leaves on the simulated GPU. */
#ifndef LOCKSTEP_LITMUS_TEST_H
#define LOCKSTEP_LITMUS_TEST_H

#include "util/diagnostic.h"
#include "util/vector.h"

enum litmus_kind {
	LITMUS_LOAD,
	LITMUS_STORE,
	LITMUS_ATOM,
	LITMUS_FENCE,
	LITMUS_PROXY_FENCE,
	LITMUS_BARRIER,
	LITMUS_LOCAL,
	LITMUS_BRANCH
};

/* By which way memory is accessed; ALIAS: of a fence alone. */
enum litmus_proxy { LITMUS_GENERIC, LITMUS_SURFACE, LITMUS_TEXTURE, LITMUS_CONSTANT, LITMUS_ALIAS };

/* Of a fence: ACQ_REL or SC. */
enum litmus_order {
	LITMUS_WEAK,
	LITMUS_VOLATILE, /* a relaxed one of the whole system */
	LITMUS_RELAXED,
	LITMUS_ACQUIRE,
	LITMUS_RELEASE,
	LITMUS_ACQ_REL,
	LITMUS_SC
};

enum litmus_scope { LITMUS_CTA, LITMUS_GPU, LITMUS_SYS };

/* Of local arithmetic and of atomics. */
enum litmus_operation {
	LITMUS_MOVE, /* atomics: exch */
	LITMUS_ADD,
	LITMUS_SUB,
	LITMUS_MUL,
	LITMUS_AND,
	LITMUS_OR,
	LITMUS_XOR,
	LITMUS_MIN,
	LITMUS_MAX,
	LITMUS_CAS
};

enum litmus_comparison { LITMUS_EQ, LITMUS_NE, LITMUS_LT, LITMUS_LE, LITMUS_GT, LITMUS_GE };

/* A register of the thread, or a constant. */
struct litmus_operand {
	bool is_register;
	int32_t value; /* the constant, or the register's number */
};

#define LITMUS_NO_REGISTER UINT32_MAX

/* Its operands by kind: store a; atom a, and cas: compares with a, stores b; local a, b; branch: compares a with b;
 * barrier a: its number. */
struct litmus_instruction {
	enum litmus_kind kind;
	enum litmus_order order;
	enum litmus_scope scope;
	enum litmus_operation operation;
	enum litmus_comparison comparison;
	uint32_t target;   /* register; LITMUS_NO_REGISTER: none, as of red */
	uint32_t location; /* of load, store and atom */
	uint32_t address;  /* of these: the number of the location's generic address, of which it may have several */
	enum litmus_proxy proxy; /* of these, and of a proxy fence */
	struct litmus_operand a, b;
	bool membar;     /* a fence.sc, written so: GPUs before Volta do not do the same for both */
	bool arrives;    /* a barrier.arrive: does not wait */
	uint32_t quorum; /* of a barrier: the threads that a round needs; 0: those of the CTA that name it */
	uint32_t jump;   /* of a branch: the instruction that it goes to */
	struct place place;
};

struct litmus_register {
	const char *name;
	int32_t initial;
	bool loaded; /* a load or an atomic writes it */
};

struct litmus_thread {
	uint32_t cta, gpu;
	VECTOR(struct litmus_register) registers;
	VECTOR(struct litmus_instruction) code;
};

struct litmus_location {
	const char *name;
	int32_t initial;
};

/* What a location is called; "y @ generic aliases x" is another address of x, "s @ surface aliases x" the same one. */
struct litmus_name {
	const char *name;
	uint32_t location, address;
};

#define LITMUS_IN_MEMORY UINT32_MAX

/* A part of the end that is judged: a register of a thread, or the last value of a location. */
struct litmus_variable {
	uint32_t thread; /* LITMUS_IN_MEMORY: a location */
	uint32_t index;
};

/* Of a comparison: one of the test's variables, or a constant. */
struct litmus_term {
	bool is_variable;
	uint32_t variable;
	int32_t value;
};

struct litmus_condition {
	enum { LITMUS_COMPARE, LITMUS_NOT, LITMUS_BOTH, LITMUS_EITHER } kind;
	const struct litmus_condition *left, *right;
	enum litmus_comparison comparison;
	struct litmus_term terms[2];
};

/* EXISTS: some end that is allowed fulfils the condition; NEVER: none does; ALWAYS: all do. */
enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NEVER, LITMUS_ALWAYS };

struct litmus_test {
	const char *file, *name;
	VECTOR(struct litmus_location) locations;
	VECTOR(struct litmus_name) names;
	VECTOR(struct litmus_thread) threads;
	bool loops;   /* some branch goes back */
	bool proxies; /* a location has several names, or is accessed by another way than the generic one */
	enum litmus_quantifier quantifier;
	const struct litmus_condition *condition;
	const char *condition_text; /* as written, blanks made one */
	/* Every register that is loaded, then what else the condition or `locations` names. */
	VECTOR(struct litmus_variable) variables;
};

#define LITMUS_THREADS 8
#define LITMUS_VARIABLES 24
#define LITMUS_LOCATIONS 8
#define LITMUS_NAMES 16        /* of all locations */
#define LITMUS_REGISTERS 32    /* of a thread */
#define LITMUS_INSTRUCTIONS 32 /* of a thread */
#define LITMUS_BARRIERS 16
#define LITMUS_QUORUM 1025 /* beyond what a CTA may have */

/* Null and one line "FILE:LINE:COL: ..." when it is no such test, or has what is not supported. */
struct litmus_test *litmus_read(struct arena *arena, const char *file, const char *text, struct diagnostic *diagnostic);

/* "P0:r1" or "x". */
const char *litmus_variable_name(
	struct arena *arena, const struct litmus_test *test, const struct litmus_variable *variable);

/* Whether an end, its values in the order of `variables`, fulfils the condition. */
bool litmus_fulfils(const struct litmus_condition *condition, const int32_t *values);
bool litmus_compare(enum litmus_comparison comparison, int32_t left, int32_t right);

static inline bool litmus_is_strong(const struct litmus_instruction *i)
{
	return i->kind == LITMUS_FENCE || i->order != LITMUS_WEAK;
}

#endif
