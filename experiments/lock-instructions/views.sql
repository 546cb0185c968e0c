-- The thesis's benchmarks under ways of synchronising: a policy, and a variation, which says what kernel ran.

-- In the order of figures, by their names there; stack: whether a reconvergence stack handles divergence, else each lane has its pc.
CREATE VIEW ways(number, policy, variation, label, stack) AS VALUES
	(1, 'stack', 'atomics', 'atomics', 1), (2, 'bows', 'atomics', 'atomics, BOWS', 1), (3, 'retry', 'locks', 'locks, retry', 1),
	(4, 'back-off', 'locks', 'retry, exponential back-off', 1), (5, 'queue', 'locks', 'locks, queue', 1),
	(6, 'retry', 'try', 'try-locks', 1),
	(7, 'independent', 'atomics', 'atomics', 0), (8, 'independent, none', 'locks', 'locks in software', 0),
	(9, 'independent, retry', 'locks', 'locks, retry', 0), (10, 'independent, queue', 'locks', 'locks, queue', 0);

-- Writes to memory.  The thesis counts a lock and an unlock as one each; so does this, for each lane and attempt, since no two of them share
-- a word.  Atomic operations count likewise, and a store one for each line.
CREATE VIEW work AS
SELECT benchmark, number, policy, variation, x, seed, cycles, [energy__total.sum] AS energy,
       [l1tex__t_lines_store.sum] + [sync__atomic_lanes.sum] + [sync__lock_requests.sum] + [sync__lock_releases.sum] AS writes
FROM runs;

-- A way beside atomics on the ordinary stack, seed by seed, then the geometric mean of all seeds that the way has.
CREATE VIEW over_atomics AS
SELECT w.benchmark, w.number, y.number AS way, y.label, y.stack, y.policy, y.variation,
       exp(avg(ln(1.0 * w.cycles / a.cycles))) AS time, exp(avg(ln(1.0 * w.energy / a.energy))) AS energy, exp(avg(ln(1.0 * w.writes / a.writes))) AS writes
FROM work w JOIN ways y USING (policy, variation) JOIN work a USING (benchmark, seed)
WHERE a.policy = 'stack' AND a.variation = 'atomics' GROUP BY w.benchmark, y.number;

-- Queues beside retries.
CREATE VIEW queue_over_retry AS
SELECT q.benchmark, q.number, exp(avg(ln(1.0 * q.cycles / r.cycles))) AS time, exp(avg(ln(1.0 * q.writes / r.writes))) AS writes
FROM work q JOIN work r USING (benchmark, variation, seed)
WHERE q.policy = 'queue' AND r.policy = 'retry' AND variation = 'locks' GROUP BY q.benchmark;

-- Critical sections of BarnesHut that insert nothing, which the program prints: "tb: 3 of 40 critical sections inserted nothing".
CREATE VIEW sections AS
SELECT r.benchmark, r.number, r.policy, r.variation, avg(CAST(substr(p.output, instr(p.output, 'tb: ') + 4) AS INTEGER)) AS in_vain,
       100 * avg(CAST(substr(p.output, instr(p.output, 'tb: ') + 4) AS REAL) / r.[sync__lock_releases.sum]) AS percent
FROM runs r JOIN points p USING (point)
WHERE instr(p.output, ' critical sections inserted nothing') > 0 GROUP BY r.benchmark, r.policy, r.variation;

-- BarnesHut-50K over its threads: those of the lock instructions, beside atomics with as many.
CREATE VIEW by_threads AS
SELECT coalesce(nullif(l.x, 0), 15360) AS threads, l.policy, exp(avg(ln(1.0 * l.cycles / a.cycles))) AS time, s.percent
FROM work l JOIN work a ON a.benchmark = l.benchmark AND a.seed = l.seed AND a.policy = 'stack'
          AND a.variation = replace(l.variation, 'locks', 'atomics')
     JOIN sections s ON s.benchmark = l.benchmark AND s.policy = l.policy AND s.variation = l.variation
WHERE l.benchmark = 'BarnesHut-50K' AND l.variation LIKE 'locks%' AND l.policy IN ('retry', 'queue') GROUP BY l.variation, l.policy;

-- Table 7.1; it calls the third BarnesHut-100K, too.
CREATE VIEW table_7_1(benchmark, paper) AS VALUES
	('BarnesHut-50K', 0.34), ('BarnesHut-100K', 0.63), ('BarnesHut-large', 1.77), ('Apriori', 0.006);

-- MB of queue records of 8 bytes: all that were made, and what they took at one time.
CREATE VIEW storage AS
SELECT benchmark, number, avg([sync__lock_queue_records.sum]) * 8 / (1 << 20) AS total, avg([sync__lock_queue_records.max]) * 8 / (1 << 20) AS most
FROM runs WHERE policy = 'queue' AND variation = 'locks' GROUP BY benchmark;

-- Figures 7.1 and 7.2 side by side.
CREATE VIEW slowdowns AS
SELECT o.benchmark, o.time, s.percent FROM over_atomics o JOIN sections s USING (benchmark, policy, variation)
WHERE policy = 'retry' AND variation = 'locks';
