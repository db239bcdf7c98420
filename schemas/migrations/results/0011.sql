-- One table each of cells, attempts, observations and documents, whatever is measured.
-- moved_value holds what stood in a column for each metric (cli/results/store/metric_columns.ts).

-- Cells and attempts were numbered for each kind of sweep. Where there are several kinds, the later ones' numbers move up.
CREATE TABLE moved (kind TEXT PRIMARY KEY, cells INTEGER NOT NULL, attempts INTEGER NOT NULL);
INSERT INTO moved SELECT 'flows', (SELECT ifnull(max(id), 0) FROM cell), (SELECT ifnull(max(id), 0) FROM load);
INSERT INTO moved SELECT 'fetches',
  cells + (SELECT ifnull(max(id), 0) FROM flow_cell), attempts + (SELECT ifnull(max(id), 0) FROM flow_run) FROM moved WHERE kind = 'flows';
INSERT INTO moved SELECT 'commands',
  cells + (SELECT ifnull(max(id), 0) FROM fetch_cell), attempts + (SELECT ifnull(max(id), 0) FROM fetch) FROM moved WHERE kind = 'fetches';

DROP INDEX cell_place;
ALTER TABLE cell RENAME TO page_cell;

CREATE TABLE cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  lane TEXT,
  link TEXT,
  link_profile TEXT,
  factors TEXT NOT NULL DEFAULT '{}',
  recording_digest TEXT,
  pinned INTEGER,
  moment TEXT,
  host INTEGER REFERENCES host (id) ON DELETE SET NULL,
  place INTEGER,
  finished_at TEXT
);
CREATE INDEX cell_place ON cell (subject, link, lane);
CREATE UNIQUE INDEX cell_once ON cell (sweep, subject, ifnull(link, ''), ifnull(lane, ''), factors);

CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
  filmed INTEGER NOT NULL DEFAULT 0 CHECK (filmed IN (0, 1)),
  block INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  position INTEGER,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,
  started_at TEXT NOT NULL,
  wall_ms REAL,
  UNIQUE (cell, filmed, block, attempt)
);
CREATE UNIQUE INDEX attempt_valid_once ON attempt (cell, block) WHERE status = 'valid' AND filmed = 0;

CREATE TABLE observation (
  attempt INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
  metric TEXT NOT NULL,
  value REAL,
  text TEXT,
  PRIMARY KEY (attempt, metric)
) WITHOUT ROWID;

CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  place INTEGER NOT NULL DEFAULT 0,
  time_ms REAL,
  content BLOB NOT NULL,
  UNIQUE (attempt, name, place)
);

INSERT INTO cell (id, sweep, subject, lane, link, link_profile, recording_digest, pinned, moment, host, place, finished_at)
  SELECT id, sweep, page, lane, link, link_profile, recording_digest,
    CASE WHEN cell_pinning.cell IS NULL THEN NULL ELSE moment IS NOT NULL END, moment, host, place, finished_at
  FROM page_cell LEFT JOIN cell_pinning ON cell_pinning.cell = page_cell.id LEFT JOIN cell_host ON cell_host.cell = page_cell.id
  ORDER BY id;
INSERT INTO cell (id, sweep, subject, lane, link, link_profile, host, place, finished_at)
  SELECT id + cells, sweep, mix, lane, link, link_profile, host, place, finished_at
  FROM flow_cell JOIN moved ON kind = 'flows' LEFT JOIN flow_cell_host ON flow_cell_host.cell = flow_cell.id ORDER BY id;
INSERT INTO cell (id, sweep, subject, lane, link, link_profile, factors)
  SELECT id + cells, sweep, object, lane, link, link_profile, json_object('tls', tls, 'ip', ip)
  FROM fetch_cell JOIN moved ON kind = 'fetches' ORDER BY id;
INSERT INTO cell (id, sweep, subject, link, link_profile)
  SELECT id + cells, sweep, subject, link, link_profile FROM measured_cell JOIN moved ON kind = 'commands' ORDER BY id;

INSERT INTO attempt (id, cell, block, attempt, position, status, reasons, started_at, wall_ms)
  SELECT id, cell, block, attempt, position, status, reasons, started_at, wall_ms FROM load ORDER BY id;
INSERT INTO attempt (id, cell, block, attempt, position, status, reasons, started_at, wall_ms)
  SELECT id + attempts, cell + cells, block, attempt, position, status, reasons, started_at, wall_ms
  FROM flow_run JOIN moved ON kind = 'flows' ORDER BY id;
INSERT INTO attempt (id, cell, block, attempt, position, status, reasons, started_at, wall_ms)
  SELECT id + attempts, cell + cells, block, attempt, position, status, reasons, started_at, wall_ms
  FROM fetch JOIN moved ON kind = 'fetches' ORDER BY id;
INSERT INTO attempt (id, cell, block, attempt, position, status, reasons, started_at, wall_ms)
  SELECT id + attempts, cell + cells, block, attempt, position, status, reasons, started_at, wall_ms
  FROM measured_run JOIN moved ON kind = 'commands' ORDER BY id;
INSERT INTO attempt (cell, filmed, block, attempt, status, reasons, started_at)
  SELECT cell, 1, number, 0, status, reasons, filmed_at FROM filmed_load ORDER BY cell, number;

INSERT INTO observation (attempt, metric, value, text)
  SELECT CASE WHEN number IS NULL THEN owner ELSE (SELECT id FROM attempt WHERE filmed = 1 AND cell = owner AND block = number) END,
    metric, CASE typeof(value) WHEN 'text' THEN NULL ELSE value END, CASE typeof(value) WHEN 'text' THEN value END
  FROM moved_value;

INSERT INTO document (attempt, name, content) SELECT id, 'page-load', har FROM load ORDER BY id;
INSERT INTO document (attempt, name, content)
  SELECT load, 'unmatched', json_group_array(json_object('place', place, 'method', method, 'url', url, 'outcome', outcome,
    'recorded_url', recorded_url, 'difference', difference, 'likeness', likeness) ORDER BY place)
  FROM unmatched GROUP BY load;
INSERT INTO document (attempt, name, content)
  SELECT id + attempts, 'flow-result', result FROM flow_run JOIN moved ON kind = 'flows' WHERE result IS NOT NULL ORDER BY id;
INSERT INTO document (attempt, name, content)
  SELECT id + attempts, 'series', series FROM flow_run JOIN moved ON kind = 'flows' WHERE series IS NOT NULL ORDER BY id;
INSERT INTO document (attempt, name, content)
  SELECT id + attempts, 'page-load', page_load FROM flow_run JOIN moved ON kind = 'flows' WHERE page_load IS NOT NULL ORDER BY id;
INSERT INTO document (attempt, name, content)
  SELECT id + attempts, 'fetch-record', record FROM fetch JOIN moved ON kind = 'fetches' WHERE record IS NOT NULL ORDER BY id;
INSERT INTO document (attempt, name, content)
  SELECT id + attempts, 'fetch-cost', cost FROM fetch JOIN moved ON kind = 'fetches' WHERE cost IS NOT NULL ORDER BY id;
INSERT INTO document (attempt, name, content)
  SELECT id + attempts, 'command-record', record FROM measured_run JOIN moved ON kind = 'commands' WHERE record IS NOT NULL ORDER BY id;
-- Each film is a filmed load's; metric_columns.ts added those that had none.
INSERT INTO document (attempt, name, place, time_ms, content)
  SELECT (SELECT id FROM attempt WHERE filmed = 1 AND cell = film.cell AND started_at = film.filmed_at ORDER BY block LIMIT 1), 'frame', place, time_ms, jpeg
  FROM film JOIN film_frame ON film_frame.cell = film.cell WHERE film.status = 'valid' ORDER BY film.cell, place;

DROP TABLE moved;
DROP TABLE moved_value;
DROP TABLE unmatched;
DROP TABLE film_frame;
DROP TABLE film;
DROP TABLE filmed_load;
DROP TABLE load_metric;
DROP TABLE load_browser;
DROP TABLE load_coverage;
DROP TABLE load_disturbance;
DROP TABLE cell_pinning;
DROP TABLE cell_host;
DROP TABLE flow_cell_host;
DROP TABLE load;
DROP TABLE page_cell;
DROP TABLE flow_run;
DROP TABLE flow_cell;
DROP TABLE fetch;
DROP TABLE fetch_cell;
DROP TABLE measured_run;
DROP TABLE measured_cell;
