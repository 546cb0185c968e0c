-- What was measured, without the rows of left_out.csv; what the models give; both together, and how far they are apart.

CREATE TABLE measured AS
WITH all_rows AS (
	SELECT gpu, primitive, stride_words AS stride, type, blocks AS groups, threads_per_block AS threads, cycles_per_op AS cycles FROM sync
	UNION ALL SELECT gpu, primitive, stride_words, type, blocks, threads_per_block, cycles_per_op FROM grids
	UNION ALL SELECT gpu, primitive, stride_words, type, blocks, threads_per_block, cycles_per_op FROM h200
	UNION ALL SELECT gpu, primitive, stride_words, type, blocks, threads_per_block, cycles_per_op FROM published)
SELECT a.*, replace(replace(a.primitive, 'array_pass_v2', 'array_pass'), 'scalar_pass_v2', 'scalar_pass') AS same
FROM all_rows a WHERE cycles > 0 AND NOT EXISTS (SELECT 1 FROM left_out l WHERE (l.gpu IS NULL OR l.gpu = a.gpu)
	AND (l.primitive IS NULL OR l.primitive = a.primitive) AND a.threads >= coalesce(l.threads, 0) AND a.groups >= coalesce(l.groups, 0)
	AND coalesce(a.stride, 0) >= coalesce(l.stride, 0)
	AND coalesce(a.stride, 0) * a.threads * a.groups * CASE WHEN a.type IN ('ull', 'double') THEN 8 ELSE 4 END >= coalesce(l.bytes, 0));
CREATE INDEX by_name ON measured(gpu, same, type, groups, threads, stride);

-- The rows that the programs printed: nine fields, the last of them the hash.
CREATE TABLE simulated AS
WITH RECURSIVE lines(gpu, line, rest) AS (
	SELECT gpu, '', output || char(10) FROM points WHERE outcome = 'passed'
	UNION ALL SELECT gpu, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM lines WHERE rest <> ''),
fields AS (SELECT gpu, '["' || replace(line, ',', '","') || '"]' AS f FROM lines WHERE line LIKE gpu || ',%')
SELECT gpu, json_extract(f, '$[1]') AS primitive, CAST(nullif(json_extract(f, '$[2]'), '') AS REAL) AS stride, json_extract(f, '$[3]') AS type,
	CAST(json_extract(f, '$[4]') AS REAL) AS groups, CAST(json_extract(f, '$[5]') AS REAL) AS threads, CAST(json_extract(f, '$[6]') AS REAL) AS cycles,
	CAST(json_extract(f, '$[8]') AS INTEGER) AS hash FROM fields WHERE json_array_length(f) = 9;

-- `error` is by how much the larger is above the smaller, in percent of the smaller.  Two rows of the table are one of ours: "pass" and "pass_v2" are the same loop.
CREATE TABLE compared AS
SELECT m.gpu, m.primitive, m.stride, m.type, m.groups, m.threads, m.cycles AS measured, max(s.cycles, 0.01) AS simulated,
	max(s.cycles, 0.01) / m.cycles AS ratio, 100 * (max(max(s.cycles, 0.01) / m.cycles, m.cycles / max(s.cycles, 0.01)) - 1) AS error,
	CASE s.hash % 2 WHEN 0 THEN 'fit' ELSE 'held out' END AS half,
	CASE WHEN (m.primitive LIKE 'stream_read%' OR m.primitive LIKE 'stream_write%') AND m.groups >= 80 AND m.threads = 1024 THEN 'bandwidth'
		WHEN m.gpu <> 'h200' AND m.groups NOT IN (1, 40, 108, 128) THEN 'other grids'
		WHEN m.primitive LIKE 'chase%' OR m.primitive LIKE 'stream%' THEN 'memory' WHEN m.primitive LIKE '%\_rate' ESCAPE '\' OR m.primitive LIKE '%\_chain' ESCAPE '\'
		AND m.primitive NOT LIKE 'match%' AND m.primitive NOT LIKE 'vote%' AND m.primitive NOT LIKE 'atomic%' THEN 'arithmetic' ELSE 'synchronisation' END AS part
FROM simulated s JOIN measured m ON m.gpu = s.gpu AND m.same = replace(replace(s.primitive, 'array_pass_v2', 'array_pass'), 'scalar_pass_v2', 'scalar_pass')
	AND m.type = s.type AND m.groups = s.groups AND m.threads = s.threads AND m.stride IS s.stride;

CREATE VIEW ranked AS
SELECT *, row_number() OVER (PARTITION BY gpu, part, half ORDER BY error) AS of_half, count(*) OVER (PARTITION BY gpu, part, half) AS in_half,
	row_number() OVER (PARTITION BY gpu, part ORDER BY error) AS of_all, count(*) OVER (PARTITION BY gpu, part) AS in_all,
	row_number() OVER (PARTITION BY gpu, primitive ORDER BY error) AS of_primitive, count(*) OVER (PARTITION BY gpu, primitive) AS in_primitive,
	row_number() OVER (PARTITION BY gpu, primitive ORDER BY ratio) AS by_ratio FROM compared;

CREATE VIEW halves AS
SELECT gpu, part, half, count(*) AS points, max(CASE WHEN of_half = (in_half + 1) / 2 THEN error END) AS median, max(CASE WHEN of_half = (9 * in_half + 9) / 10 THEN error END) AS ninetieth,
	100.0 * sum(error <= 10) / count(*) AS within_10, 100.0 * sum(error <= 100) / count(*) AS within_factor_2 FROM ranked GROUP BY gpu, part, half
UNION ALL SELECT gpu, part, 'both', count(*), max(CASE WHEN of_all = (in_all + 1) / 2 THEN error END), max(CASE WHEN of_all = (9 * in_all + 9) / 10 THEN error END),
	100.0 * sum(error <= 10) / count(*), 100.0 * sum(error <= 100) / count(*) FROM ranked GROUP BY gpu, part;

CREATE VIEW by_primitive AS
SELECT gpu, part, primitive, count(*) AS points, max(CASE WHEN by_ratio = (in_primitive + 1) / 2 THEN ratio END) AS ratio,
	max(CASE WHEN of_primitive = (in_primitive + 1) / 2 THEN error END) AS median, max(CASE WHEN of_primitive = (9 * in_primitive + 9) / 10 THEN error END) AS ninetieth, max(error) AS worst
FROM ranked GROUP BY gpu, part, primitive;

-- For the pictures: measured and simulated as lines, of own words those 1 and 32 elements apart.
CREATE VIEW drawn AS
SELECT gpu, primitive, threads, type || ',' || CAST(groups AS INTEGER) || ' measured' || coalesce(',' || CAST(stride AS INTEGER), '') AS panel, measured AS cycles FROM compared WHERE coalesce(stride, 1) IN (1, 32)
UNION ALL SELECT gpu, primitive, threads, type || ',' || CAST(groups AS INTEGER) || ' simulated' || coalesce(',' || CAST(stride AS INTEGER), ''), simulated FROM compared WHERE coalesce(stride, 1) IN (1, 32);
