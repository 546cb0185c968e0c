// PTX for one architecture alone.  Made by nvcc 13.0:
//     nvcc -fatbin -gencode arch=compute_90a,code=compute_90a -o targets.fatbin targets.cu
extern "C" __global__ void nothing()
{
}
