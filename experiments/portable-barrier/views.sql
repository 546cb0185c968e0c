-- The program prints "discovered: N work-groups"; a run that was stopped as a hang prints none.
CREATE VIEW discovered AS
SELECT e.gpu, e.policy, e.variation, e.seed, p.outcome,
       CASE WHEN instr(p.output, 'discovered: ') THEN CAST(substr(p.output, instr(p.output, 'discovered: ') + 12) AS INTEGER) END AS found
FROM entries e JOIN points p USING (point) WHERE p.program = 'discover';

CREATE VIEW table_3 AS
SELECT gpu, substr(variation, 5) AS mutex, seed,
       coalesce(max(found) FILTER (WHERE variation LIKE '11,%'), 'hang') || ' ' || coalesce(max(found) FILTER (WHERE variation LIKE 'L1,%'), 'hang') || ' ' ||
       coalesce(max(found) FILTER (WHERE variation LIKE '1W,%'), 'hang') || ' ' || coalesce(max(found) FILTER (WHERE variation LIKE 'LW,%'), 'hang') AS numbers
FROM discovered WHERE policy = 'chip' GROUP BY gpu, substr(variation, 5), seed;

-- The program prints "one barrier: N ns"; where the groups are not resident together the launch hangs.
CREATE VIEW cost AS
SELECT e.gpu, substr(e.variation, 1, instr(e.variation, ',') - 1) AS barrier, CAST(substr(e.variation, instr(e.variation, ',') + 2) AS INTEGER) AS groups,
       CASE WHEN instr(p.output, 'one barrier: ') THEN CAST(substr(p.output, instr(p.output, 'one barrier: ') + 13) AS REAL) END AS ns
FROM entries e JOIN points p USING (point) WHERE p.program = 'barriers';

-- Table 3 of the paper: the occupancy bound, and what was discovered with the spin lock.
CREATE VIEW paper_spin(number, gpu, place, benchmark, bound, paper) AS VALUES (0, 'gtx980', 0, '11', 512, 24.9), (0, 'gtx980', 1, 'L1', 32, 4.0), (0, 'gtx980', 2, '1W', 32, 3.3), (0, 'gtx980', 3, 'LW', 32, 3.1), (1, 'quadro-k5200', 0, '11', 192, 10.1), (1, 'quadro-k5200', 1, 'L1', 12, 1.1), (1, 'quadro-k5200', 2, '1W', 24, 3.7), (1, 'quadro-k5200', 3, 'LW', 12, 2.3), (2, 'iris-6100', 0, '11', 96, 12.4), (2, 'iris-6100', 1, 'L1', 6, 3.8), (2, 'iris-6100', 2, '1W', 41, 8.2), (2, 'iris-6100', 3, 'LW', 6, 3.5), (3, 'hd-5500', 0, '11', 48, 8.1), (3, 'hd-5500', 1, 'L1', 3, 2.9), (3, 'hd-5500', 2, '1W', 21, 7.2), (3, 'hd-5500', 3, 'LW', 3, 2.7), (4, 'radeon-r9', 0, '11', 896, 39.9), (4, 'radeon-r9', 1, 'L1', 48, 7.3), (4, 'radeon-r9', 2, '1W', 224, 19.4), (4, 'radeon-r9', 3, 'LW', 48, 7.7), (5, 'radeon-r7', 0, '11', 256, 20.0), (5, 'radeon-r7', 1, 'L1', 16, 3.1), (5, 'radeon-r7', 2, '1W', 64, 9.2), (5, 'radeon-r7', 3, 'LW', 16, 4.6), (6, 'mali-t628-4', 0, '11', 256, 19.6), (6, 'mali-t628-4', 1, 'L1', 256, 18.3), (6, 'mali-t628-4', 2, '1W', 4, 3.2), (6, 'mali-t628-4', 3, 'LW', 4, 3.1), (7, 'mali-t628-2', 0, '11', 128, 11.2), (7, 'mali-t628-2', 1, 'L1', 128, 9.5), (7, 'mali-t628-2', 2, '1W', 2, 2.0), (7, 'mali-t628-2', 3, 'LW', 2, 2.0);

CREATE VIEW recall AS
SELECT p.number, p.gpu, p.place, p.benchmark, p.bound, p.paper, substr(d.variation, 5) AS mutex, d.seed, d.found
FROM discovered d JOIN paper_spin p ON p.gpu = d.gpu AND p.benchmark = substr(d.variation, 1, 2) WHERE d.policy = 'chip' AND d.variation NOT LIKE 'time%' AND d.found IS NOT NULL;

-- Milliseconds of the one launch of a point.
CREATE VIEW discovery_time AS
SELECT gpu, seed, max(ms) FILTER (WHERE variation = 'time, ticket') AS ticket, max(ms) FILTER (WHERE variation = 'time, spin') AS spin
FROM (SELECT r.gpu, r.seed, r.variation, 1000.0 * r.cycles / (p.configuration ->> '$."clock.core"') AS ms FROM runs r JOIN points p USING (point) WHERE r.variation LIKE 'time,%')
GROUP BY gpu, seed;
