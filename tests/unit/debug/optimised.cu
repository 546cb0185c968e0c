/* As Lockstep compiles, but with debug information: no parameter has a place of its own.
 *
 *     clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -g -O1 -Xclang -disable-llvm-passes
 *              -Xclang -debug-info-kind=limited -S -emit-llvm optimised.cu -o optimised.ll
 *     clang-14 -x ir -target nvptx64-nvidia-cuda -O1 -S optimised.ll -o optimised.ptx
 */
extern "C" __attribute__((global)) void optimised(int *out, float factor, int n)
{
	out[0] = (int)(factor * 2) + n;
}
