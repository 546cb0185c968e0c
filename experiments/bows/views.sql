-- What figures show, in their order and by their names there.

CREATE VIEW three(policy, number, label) AS VALUES ('lrr', 1, 'LRR'), ('gto', 2, 'GTO'), ('cawa', 3, 'CAWA');

CREATE VIEW six(policy, number, label) AS VALUES
	('lrr', 1, 'LRR'), ('lrr+bows', 2, 'LRR + BOWS'), ('gto', 3, 'GTO'), ('gto+bows', 4, 'GTO + BOWS'), ('cawa', 5, 'CAWA'),
	('cawa+bows', 6, 'CAWA + BOWS');

CREATE VIEW limits(policy, number, label) AS VALUES
	('gto', 1, 'GTO'), ('bows-0', 2, '0'), ('bows-500', 3, '500'), ('bows-1000', 4, '1000'), ('bows-3000', 5, '3000'),
	('bows-5000', 6, '5000'), ('gto+bows', 7, 'adaptive');

CREATE VIEW parts(policy, number, label) AS VALUES
	('gto+queue', 1, 'queue alone'), ('gto+delay', 2, 'delays alone'), ('gto+bows', 3, 'BOWS');

CREATE VIEW modulo(policy, number, label) AS VALUES
	('modulo-0', 1, '0'), ('modulo-500', 2, '500'), ('modulo-1000', 3, '1000'), ('modulo-3000', 4, '3000'), ('modulo-5000', 5, '5000'),
	('modulo-adaptive', 6, 'adaptive');

-- The kernels of "plain" that are of Rodinia's kind, fourteen as in the paper.
CREATE VIEW rodinia(benchmark) AS VALUES
	('backprop'), ('bfs'), ('gaussian'), ('heartwall'), ('hotspot'), ('kmeans'), ('lavamd'), ('lud'), ('merge_sort'), ('nn'),
	('pathfinder'), ('srad'), ('streamcluster'), ('wavefront');

-- The paper's Table I; its last column has 0 (once -) where no loop is taken for a spin loop.
CREATE VIEW table_1(policy, parameters, tsdr, dpr, fsdr, false_dpr) AS VALUES
	('ddos xor-8', 'XOR, m=k=8, t=4, l=8', 1, 0.041, 0, 0),
	('ddos xor-4', 'XOR, m=k=4', 1, 0.041, 0.016, 0.006),
	('ddos xor-3', 'XOR, m=k=3', 0.983, 0.074, 0.012, 0.008),
	('ddos xor-2', 'XOR, m=k=2', 1, 0.042, 0.078, 0.062),
	('ddos modulo-8', 'MODULO, m=k=8', 1, 0.041, 0.104, 0.001),
	('ddos modulo-4', 'MODULO, m=k=4', 1, 0.041, 0.17, 0.014),
	('ddos t-2', 't=2, m=k=4', 1, 0.03, 0.027, 0.016),
	('ddos t-8', 't=8, m=k=4', 1, 0.075, 0.002, 0.002),
	('ddos t-12', 't=12, m=k=4', 0.992, 0.105, 0.002, 0.003),
	('ddos l-1', 'l=1', 0, 0, 0, 0),
	('ddos l-2', 'l=2', 0, 0, 0, 0),
	('ddos l-4', 'l=4', 0.625, 0.032, 0, 0),
	('ddos shared-8', 'shared by turns, m=k=8', 0.642, 0.211, 0.026, 0.003),
	('ddos shared-4', 'shared by turns, m=k=4', 0.642, 0.211, 0.033, 0.023);

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
SELECT benchmark, number, program, gpu, policy, variation, 1 AS part_number, 'lock acquired' AS part, [sync__lock_acquire_success.sum] AS lanes FROM runs
UNION ALL SELECT benchmark, number, program, gpu, policy, variation, 2, 'held by another warp', [sync__lock_fail_other_warp.sum] FROM runs
UNION ALL SELECT benchmark, number, program, gpu, policy, variation, 3, 'held in the same warp', [sync__lock_fail_same_warp.sum] FROM runs
UNION ALL SELECT benchmark, number, program, gpu, policy, variation, 4, 'wait over', [sync__wait_success.sum] FROM runs
UNION ALL SELECT benchmark, number, program, gpu, policy, variation, 5, 'wait goes on', [sync__wait_fail.sum] FROM runs;

-- Without the ways to end that none of them had.
CREATE VIEW attempts_made AS
SELECT * FROM attempts WHERE part IN (SELECT part FROM attempts GROUP BY part HAVING sum(lanes) > 0);

CREATE VIEW attempt_totals AS
SELECT benchmark, gpu, policy, variation, 1.0 * sum(lanes) AS lanes FROM attempts GROUP BY benchmark, gpu, policy, variation;

-- Failures for each lock that was taken.
CREATE VIEW lock_failures AS
SELECT benchmark, gpu, policy, variation,
       1.0 * ([sync__lock_fail_other_warp.sum] + [sync__lock_fail_same_warp.sum]) / [sync__lock_acquire_success.sum] AS rate
FROM runs WHERE [sync__lock_acquire_success.sum] > 0;

CREATE VIEW failures_between_warps AS
SELECT benchmark, gpu, policy, variation, 1.0 * [sync__lock_fail_other_warp.sum] / ([sync__lock_fail_other_warp.sum] + [sync__lock_fail_same_warp.sum]) AS share
FROM runs WHERE [sync__lock_fail_other_warp.sum] + [sync__lock_fail_same_warp.sum] > 0;

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
       1.0 * [sync__spin_detection_cycles.sum] / nullif([sync__spin_found_cycles.sum], 0) AS dpr,
       1.0 * [sync__other_detection_cycles.sum] / nullif([sync__other_found_cycles.sum], 0) AS false_dpr
FROM runs WHERE variation = '';

CREATE VIEW detection_means AS
SELECT policy, avg(tsdr) AS tsdr, avg(dpr) AS dpr, avg(fsdr) AS fsdr, avg(false_dpr) AS false_dpr
FROM detection WHERE gpu = 'gtx480' GROUP BY policy;

CREATE VIEW energy_pairs AS
SELECT r.benchmark, r.number, r.gpu, r.policy, p.number AS policy_number, b.policy AS base,
       1.0 * r.[energy__total.sum] / b.[energy__total.sum] AS energy
FROM runs r JOIN policies p USING (policy) JOIN runs b USING (benchmark, gpu, variation, seed)
WHERE r.program <> 'plain' AND r.variation = '';

-- Table III: bits of storage in a core, from what was configured.
CREATE VIEW costs(part, bits, paper) AS
WITH field AS (SELECT configuration AS c FROM points JOIN entries USING (point) WHERE policy = 'ddos xor-8' AND configuration IS NOT NULL LIMIT 1),
     core AS (SELECT c ->> '$."core.threads"' / (c ->> '$."core.warp_size"') AS warps, c ->> '$."spin.table"' AS entries,
                     c ->> '$."spin.threshold"' AS threshold, c ->> '$."spin.history"' AS history, c ->> '$."spin.path_bits"' AS path,
                     c ->> '$."spin.value_bits"' AS value, c ->> '$."backoff.maximum"' AS maximum FROM field)
SELECT 'prediction table', CAST(entries * (32 + floor(log2(threshold)) + 1) AS INTEGER), 560 FROM core
UNION ALL SELECT 'history registers', warps * history * (path + 2 * value), 9216 FROM core
UNION ALL SELECT 'pending delays', CAST(warps * (floor(log2(maximum)) + 1) AS INTEGER), 672 FROM core;
