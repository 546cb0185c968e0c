/* Calls that are rows of tables: those that copy and fill, copy_calls.def, and those of short_calls.def. */
#include "host/cuda/array.h"
#include "host/cuda/graph.h"

#define PAIR(name, result, ...)                                                                                        \
	cudaError_t name(__VA_ARGS__)                                                                                  \
	{                                                                                                              \
		const struct way way = {#name, NULL, true};                                                            \
		return error_note(result);                                                                             \
	}                                                                                                              \
	cudaError_t name##Async(__VA_ARGS__, cudaStream_t stream)                                                      \
	{                                                                                                              \
		const struct way way = {#name "Async", stream, false};                                                 \
		return error_note(result);                                                                             \
	}
#define COPY(name, result, ...)                                                                                        \
	PAIR(name, result, __VA_ARGS__)                                                                                \
	cudaError_t name##_ptds(__VA_ARGS__)                                                                           \
	{                                                                                                              \
		const struct way way = {#name "Async", cudaStreamPerThread, false};                                    \
		cudaError_t error = error_note(result);                                                                \
		return error ? error : cudaStreamSynchronize(cudaStreamPerThread);                                     \
	}                                                                                                              \
	cudaError_t name##Async_ptsz(__VA_ARGS__, cudaStream_t stream)                                                 \
	{                                                                                                              \
		const struct way way = {#name "Async", own_or(stream), false};                                         \
		return error_note(result);                                                                             \
	}
#include "host/cuda/copy_calls.def"

#define SHORT(name, parameters, result)                                                                                \
	cudaError_t name parameters                                                                                    \
	{                                                                                                              \
		return result;                                                                                         \
	}
#include "host/cuda/short_calls.def"
