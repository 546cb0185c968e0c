-- The rows that the programs printed, beside the published figures.

-- launch_nanoseconds: of the launches in a row's time.  There are two where one kernel adds up, or goes on with, what another has left.
CREATE TABLE simulated AS
WITH RECURSIVE lines(point, line, rest) AS (
	SELECT point, '', output || char(10) FROM points WHERE outcome = 'passed'
	UNION ALL SELECT point, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM lines WHERE rest <> ''),
fields AS (SELECT DISTINCT l.point, e.variation, p.configuration, '["' || replace(line, ',', '","') || '"]' AS f FROM lines l JOIN entries e ON e.point = l.point JOIN points p ON p.point = l.point WHERE line LIKE '%,right')
SELECT json_extract(f, '$[0]') AS card, CASE WHEN variation LIKE '% ' || json_extract(f, '$[0]') THEN substr(variation, 1, length(variation) - length(json_extract(f, '$[0]')) - 1) ELSE variation END AS point,
	CAST(json_extract(f, '$[2]') AS INTEGER) AS n, CAST(json_extract(f, '$[4]') AS REAL) AS nanoseconds, CAST(json_extract(f, '$[5]') AS REAL) AS figure, json_extract(f, '$[6]') AS unit,
	1e6 * (configuration ->> '$."dispatch.launch_latency"') / (configuration ->> '$."clock.core"') * CASE WHEN json_extract(f, '$[1]') IN ('reduction', 'histogram', 'convolution') THEN 2 ELSE 1 END AS launch_nanoseconds FROM fields;

-- What is published is of a longer run where `run` is shorter: the launch does not count in it, so it is taken out of ours; of a `rate` the program has taken it out.
-- `error` is by how much the larger is above the smaller, in percent of the smaller; from a range, how far it is outside.
CREATE TABLE compared AS
WITH both AS (SELECT r.*, s.n, s.figure * CASE r.run WHEN 'shorter' THEN s.nanoseconds / (s.nanoseconds - s.launch_nanoseconds) ELSE 1 END AS simulated
	FROM reference r JOIN simulated s ON s.card = r.card AND s.point = r.point AND s.unit = r.unit)
SELECT card, point, unit, n, simulated, figure AS published, low, high, simulated / figure AS ratio, 100 * max(0, simulated / coalesce(high, figure) - 1, coalesce(low, figure) / simulated - 1) AS error, sure, title, url FROM both;

CREATE VIEW ranked AS
SELECT *, row_number() OVER (PARTITION BY card ORDER BY error, point) AS place, row_number() OVER (PARTITION BY card ORDER BY error DESC, point) AS from_worst, count(*) OVER (PARTITION BY card) AS of FROM compared;

CREATE VIEW cards AS
SELECT card, count(*) AS points, avg(CASE WHEN place IN ((of + 1) / 2, (of + 2) / 2) THEN error END) AS median, max(error) AS worst, max(CASE WHEN from_worst = 1 THEN point END) AS worst_point, sum(error > 40) AS over_40
FROM ranked GROUP BY card;
