-- The program prints "discovered: N work-groups"; a run that was stopped as a hang prints none.
CREATE VIEW discovered AS
SELECT e.gpu, e.policy, e.variation, e.seed, p.outcome,
       CASE WHEN instr(p.output, 'discovered: ') THEN CAST(substr(p.output, instr(p.output, 'discovered: ') + 12) AS INTEGER) END AS found
FROM entries e JOIN points p USING (point) WHERE p.program = 'discover';

CREATE VIEW table_3 AS
SELECT gpu, substr(variation, 5) AS mutex, seed,
       coalesce(max(found) FILTER (WHERE variation LIKE '11,%'), 'hang') || ' ' || coalesce(max(found) FILTER (WHERE variation LIKE 'L1,%'), 'hang') || ' ' ||
       coalesce(max(found) FILTER (WHERE variation LIKE '1W,%'), 'hang') || ' ' || coalesce(max(found) FILTER (WHERE variation LIKE 'LW,%'), 'hang') AS numbers
FROM discovered WHERE policy = 'model' AND gpu <> 'cpu-4' GROUP BY gpu, substr(variation, 5), seed;

-- The program prints "one barrier: N ns"; where the groups are not resident together the launch hangs.
CREATE VIEW cost AS
SELECT e.gpu, substr(e.variation, 1, instr(e.variation, ',') - 1) AS barrier, CAST(substr(e.variation, instr(e.variation, ',') + 2) AS INTEGER) AS groups,
       CASE WHEN instr(p.output, 'one barrier: ') THEN CAST(substr(p.output, instr(p.output, 'one barrier: ') + 13) AS REAL) END AS ns
FROM entries e JOIN points p USING (point) WHERE p.program = 'barriers';
