-- Runs of the thesis's benchmarks, "BarnesHut" being its tree building.  A way of synchronising is a policy and a variation: which kernel ran.

-- In the order of figures, and by their names there.  Those on an ordinary or the locks' stack; then those with a pc for each lane.
CREATE VIEW ways(number, policy, variation, label, stack) AS VALUES
	(1, 'stack', 'atomics', 'atomics', 1), (2, 'bows', 'atomics', 'atomics, BOWS', 1), (3, 'retry', 'locks', 'locks, retry', 1),
	(4, 'back-off', 'locks', 'locks, exponential back-off', 1), (5, 'queue', 'locks', 'locks, queue', 1),
	(6, 'retry', 'try', 'try-locks', 1),
	(7, 'independent', 'atomics', 'atomics, independent', 0), (8, 'independent+none', 'locks', 'locks in software, independent', 0),
	(9, 'independent+retry', 'locks', 'locks, retry, independent', 0), (10, 'independent+queue', 'locks', 'locks, queue, independent', 0);

-- Means over seeds.  Of the kernels of a benchmark, `variation` being how it synchronises.
-- Writes to memory, as the thesis counts them, a lock and an unlock being one: a store is one for each line, an atomic operation and a lock
-- instruction one for each lane and attempt, since each is a request of its own.
CREATE VIEW means AS
SELECT r.benchmark, r.number, r.policy, r.variation, r.x, avg(r.cycles) AS cycles, avg(r.[energy__total.sum]) AS energy,
       avg(r.[l1tex__t_lines_store.sum] + r.[sync__atomic_lanes.sum] + r.[sync__lock_requests.sum] + r.[sync__lock_releases.sum]) AS writes,
       avg(r.[sync__lock_requests.sum]) AS requests, avg(r.[sync__lock_releases.sum]) AS sections,
       avg(r.[sync__lock_queue_records.sum]) AS records, avg(r.[sync__lock_queue_records.max]) AS most_records
FROM runs r GROUP BY r.benchmark, r.policy, r.variation;

-- Ratios of a way to atomics on the ordinary stack, with the same number of seeds in both.
CREATE VIEW over_atomics AS
SELECT m.benchmark, m.number, w.number AS way, w.label, w.stack, m.policy, m.variation,
       m.cycles / a.cycles AS time, m.energy / a.energy AS energy, m.writes / a.writes AS writes
FROM means m JOIN ways w USING (policy, variation) JOIN means a USING (benchmark)
WHERE a.policy = 'stack' AND a.variation = 'atomics';
