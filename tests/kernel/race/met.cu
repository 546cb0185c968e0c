// Messages whose fences and barriers order them.
// launch all_sc: --kernel all_sc --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch all_membar: --kernel all_membar --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch one_releases: --kernel one_releases --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch all_and_one: --kernel all_and_one --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch release_and_acquire: --kernel release_and_acquire --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch release_and_fence: --kernel release_and_fence --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
#include "met.h"

MESSAGE(all_sc, fence_sc, no_fence, set, relaxed, fence_sc, no_fence)
MESSAGE(all_membar, __threadfence, no_fence, set, relaxed, no_fence, __threadfence)
MESSAGE(one_releases, no_fence, fence_acq_rel, set, relaxed, fence_acq_rel, no_fence)
MESSAGE(all_and_one, fence_acq_rel, fence_acq_rel, set, acquire, no_fence, no_fence)
MESSAGE(release_and_acquire, no_fence, no_fence, release, acquire, no_fence, no_fence)
MESSAGE(release_and_fence, fence_sc, no_fence, release, relaxed, fence_acq_rel, no_fence)
