// The same where a fence counts for the accesses of its own thread alone.
// launch all_acq_rel: --kernel all_acq_rel --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch all_acq_rel_sc: --kernel all_acq_rel_sc --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch all_sc_acq_rel: --kernel all_sc_acq_rel --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch all_sc_acquire: --kernel all_sc_acquire --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch then_acq_rel: --kernel then_acq_rel --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch then_sc: --kernel then_sc --grid 2 --block 64 --check races --arg buf:box:u32:64:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
#include "met.h"

MESSAGE(all_acq_rel, fence_acq_rel, no_fence, set, relaxed, fence_acq_rel, no_fence)
MESSAGE(all_acq_rel_sc, fence_acq_rel, no_fence, set, relaxed, fence_sc, no_fence)
MESSAGE(all_sc_acq_rel, fence_sc, no_fence, set, relaxed, fence_acq_rel, no_fence)
MESSAGE(all_sc_acquire, fence_sc, no_fence, set, acquire, no_fence, no_fence)
MESSAGE(then_acq_rel, no_fence, fence_acq_rel, set, relaxed, no_fence, fence_acq_rel)
MESSAGE(then_sc, no_fence, fence_acq_rel, set, relaxed, no_fence, fence_sc)
