// Which of its versions runs: for each architecture another number.  Made by nvcc 13.0:
//     nvcc -fatbin -gencode arch=compute_90a,code=compute_90a -gencode arch=compute_75,code=compute_75
//         -gencode arch=compute_120f,code=compute_120f -gencode arch=compute_90,code=compute_90
//         -gencode arch=compute_80,code=compute_80 -o architectures.fatbin architectures.cu
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define SPECIFIC 1
#else
#define SPECIFIC 0
#endif

extern "C" __global__ void version(int *out)
{
#ifdef __CUDA_ARCH__
	*out = __CUDA_ARCH__ + SPECIFIC;
#endif
}
