// A kernel that launches another: CUDA dynamic parallelism.  By nvcc 13.0:
//     nvcc -rdc=true -fatbin -gencode arch=compute_75,code=compute_75 -o launching.fatbin launching.cu
__global__ void child(int *to)
{
	*to = 5;
}

extern "C" __global__ void parent(int *to)
{
	child<<<1, 1>>>(to);
}
