/* A session of the Debug Adapter Protocol: what its files share.
 *
 * The debugger asks for commands (struct lockstep_debug), and the client sends requests.  So a request becomes the line
 * of a command, and a function that takes the command's answer and responds: dap_ask(). */
#ifndef LOCKSTEP_CLI_DAP_H
#define LOCKSTEP_CLI_DAP_H

#include "cli/dap_wire.h"
#include "cli/options.h"

struct dap;

/* Takes the answer to a command: an object, or of commands for people a string. */
typedef void dap_finish(struct dap *dap, json_object *request, json_object *answer);

struct dap_asked {
	dap_finish *finish;   /* null: nothing is asked */
	json_object *request; /* owned; null: none */
};

struct dap {
	struct dap_wire wire;
	int64_t sent;           /* messages */
	json_object *launch;    /* the arguments of the request; null: none yet */
	bool has_begun;         /* the launch has stopped for the first time */
	bool quits, interrupts; /* the client wants the end; the run was stopped to look at what has come */
	bool pauses;            /* the client wants the run to stop */
	struct text line, answer;
	struct arena arena;           /* of both */
	struct dap_asked asked, goes; /* the command that runs; the run that was interrupted */
	const char *reason;           /* of the next stop, when it reaches what was asked for */
	json_object *stop;            /* where it has stopped, as json-stop says; null: nowhere yet */
	json_object *handles;         /* what numbers of frames and variables mean, until the run goes on */
	json_object *set;             /* numbers of breakpoints, by the request that set them */
	char said[1024];              /* the last line on standard error */
};

/* `lockstep debug --dap WHERE [kernel FILE ...]`; the exit status. */
int dap_serve(struct options *options, int count, struct diagnostic *diagnostic);

/* Carries out a request, which it takes. */
void dap_request(struct dap *dap, json_object *request);
/* Answers, with a body or null; or refuses. */
void dap_respond(struct dap *dap, json_object *request, json_object *body);
void dap_refuse(struct dap *dap, json_object *request, const char *why);
void dap_event(struct dap *dap, const char *name, json_object *body);
void dap_output(struct dap *dap, const char *category, const char *text, size_t length);
/* The next command is "NAME OBJECT", `object` being taken; null: NAME alone.  `request` is taken. */
void dap_ask(struct dap *dap, const char *name, json_object *object, dap_finish *finish, json_object *request);
/* Asks where the run is, and tells the client that it has stopped. */
void dap_tell_stop(struct dap *dap);
/* The launch has stopped for the first time: the client may set breakpoints. */
void dap_begin(struct dap *dap);

#endif
