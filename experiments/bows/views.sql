-- Runs of the plain program's kernels are those without synchronisation; all others are the paper's benchmarks.

-- A run beside one of the same benchmark under another policy, `base`: ratios of its figures to those of the base.
CREATE VIEW pairs AS
SELECT r.benchmark, r.number, r.program, r.gpu, r.variation, r.x, r.policy, p.number AS policy_number, b.policy AS base,
       1.0 * r.cycles / b.cycles AS time,
       1.0 * r.warp_instructions / b.warp_instructions AS instructions,
       1.0 * r.thread_instructions / b.thread_instructions AS thread_instructions
FROM runs r JOIN policies p USING (policy) JOIN runs b USING (benchmark, gpu, variation, seed);

-- The paper's benchmarks at their own arguments.
CREATE VIEW sync_pairs AS SELECT * FROM pairs WHERE program <> 'plain' AND variation = '';

-- Attempts at locks and at leaving a waiting loop, and how they ended.
CREATE VIEW attempts AS
SELECT benchmark, number, gpu, policy, variation, 1 AS part_number, 'lock acquired' AS part, [sync__lock_acquire_success.sum] AS lanes FROM runs
UNION ALL SELECT benchmark, number, gpu, policy, variation, 2, 'held by another warp', [sync__lock_fail_other_warp.sum] FROM runs
UNION ALL SELECT benchmark, number, gpu, policy, variation, 3, 'held in the same warp', [sync__lock_fail_same_warp.sum] FROM runs
UNION ALL SELECT benchmark, number, gpu, policy, variation, 4, 'wait over', [sync__wait_success.sum] FROM runs
UNION ALL SELECT benchmark, number, gpu, policy, variation, 5, 'wait goes on', [sync__wait_fail.sum] FROM runs;

CREATE VIEW attempt_totals AS
SELECT benchmark, gpu, policy, variation, 1.0 * sum(lanes) AS lanes FROM attempts GROUP BY benchmark, gpu, policy, variation;

-- Failures for each lock that was taken.
CREATE VIEW lock_failures AS
SELECT benchmark, gpu, policy, variation,
       1.0 * ([sync__lock_fail_other_warp.sum] + [sync__lock_fail_same_warp.sum]) / [sync__lock_acquire_success.sum] AS rate
FROM runs WHERE [sync__lock_acquire_success.sum] > 0;

CREATE VIEW efficiency AS
SELECT benchmark, number, program, gpu, policy, variation, x, 100.0 * [smsp__thread_inst_executed.sum] / [smsp__lane_slots.sum] AS percent FROM runs;

-- What the load-store unit asked of the L1: what it answered itself, and what went on to memory.
CREATE VIEW transactions AS
SELECT benchmark, number, program, gpu, policy, variation,
       [l1tex__t_hits.sum] + [l1tex__t_misses_merged.sum] + [l1tex__m_packets.sum] AS transactions
FROM runs;

-- Of the detector, by kernel: shares of branches found, over all cores; NULL where there was none to find.
CREATE VIEW detection AS
SELECT benchmark, program, gpu, policy,
       1.0 * [sync__spin_loops_found.sum] / nullif([sync__spin_loops.sum], 0) AS tsdr,
       1.0 * [sync__other_loops_found.sum] / nullif([sync__other_loops.sum], 0) AS fsdr,
       1.0 * [sync__spin_detection_cycles.sum] / nullif([sync__spin_found_cycles.sum], 0) AS dpr
FROM runs WHERE variation = '';

CREATE VIEW detection_means AS
SELECT policy, avg(tsdr) AS tsdr, avg(dpr) AS dpr, avg(fsdr) AS fsdr FROM detection WHERE gpu = 'gtx480' GROUP BY policy;

CREATE VIEW energy_pairs AS
SELECT r.benchmark, r.number, r.gpu, r.policy, p.number AS policy_number, b.policy AS base,
       1.0 * r.[energy__total.sum] / b.[energy__total.sum] AS energy
FROM runs r JOIN policies p USING (policy) JOIN runs b USING (benchmark, gpu, variation, seed)
WHERE r.program <> 'plain' AND r.variation = '';
