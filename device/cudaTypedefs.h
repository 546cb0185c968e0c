/* What lockstep has of cudaTypedefs.h, and the runtime's calls by which programs get such pointers; see cuda.h. */
#ifndef LOCKSTEP_CUDA_TYPEDEFS_H
#define LOCKSTEP_CUDA_TYPEDEFS_H

#include "cuda.h"

typedef __typeof__(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled_v12000, PFN_cuTensorMapEncodeTiled;
typedef __typeof__(&cuTensorMapEncodeIm2col) PFN_cuTensorMapEncodeIm2col_v12000, PFN_cuTensorMapEncodeIm2col;
typedef __typeof__(
	&cuTensorMapEncodeIm2colWide) PFN_cuTensorMapEncodeIm2colWide_v12080, PFN_cuTensorMapEncodeIm2colWide;
typedef __typeof__(&cuTensorMapReplaceAddress) PFN_cuTensorMapReplaceAddress_v12000, PFN_cuTensorMapReplaceAddress;

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
#define cudaEnableDefault 0
extern "C" {
__host__ cudaError_t cudaGetDriverEntryPoint(
	const char *, void **, unsigned long long, cudaDriverEntryPointQueryResult * = 0);
__host__ cudaError_t cudaGetDriverEntryPointByVersion(
	const char *, void **, unsigned, unsigned long long, cudaDriverEntryPointQueryResult * = 0);
}

#endif
