-- Before releases, version 1 gained tables, columns and an index without a number of its own: what a file lacks of them is made.

-- Numbers of sweeps are never given twice, as in the first files they were.
CREATE TABLE sweep_numbered (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  plan_digest TEXT NOT NULL,
  created_at TEXT NOT NULL,
  finished_at TEXT,
  seed INTEGER NOT NULL,
  command TEXT NOT NULL,
  environment TEXT NOT NULL,
  owner TEXT
);
INSERT INTO sweep_numbered SELECT * FROM sweep;
DELETE FROM sqlite_sequence
  WHERE name = 'sweep_numbered' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'sweep');
UPDATE sqlite_sequence SET name = 'sweep_numbered' WHERE name = 'sweep';
DROP TABLE sweep;
ALTER TABLE sweep_numbered RENAME TO sweep;
CREATE INDEX sweep_plan_digest ON sweep (plan_digest);

CREATE INDEX IF NOT EXISTS cell_place ON cell (page, link, lane);

CREATE TABLE IF NOT EXISTS link_test (
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  machine TEXT NOT NULL,
  link TEXT NOT NULL,
  measured_at TEXT NOT NULL,
  test TEXT NOT NULL,
  PRIMARY KEY (sweep, machine, link)
);

CREATE TABLE IF NOT EXISTS unmatched (
  load INTEGER NOT NULL REFERENCES load (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('fuzzy', 'missed')),
  recorded_url TEXT,
  difference TEXT,
  likeness REAL,
  PRIMARY KEY (load, place)
);

CREATE TABLE IF NOT EXISTS film (
  cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,
  plt_ms REAL,
  filmed_at TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS film_frame (
  cell INTEGER NOT NULL REFERENCES film (cell) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  time_ms REAL NOT NULL,
  jpeg BLOB NOT NULL,
  PRIMARY KEY (cell, place)
);

CREATE TABLE IF NOT EXISTS host (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  facts TEXT NOT NULL,
  flags TEXT NOT NULL,
  UNIQUE (sweep, name)
);

CREATE TABLE IF NOT EXISTS cell_host (
  cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE,
  host INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  finished_at TEXT
);

-- The first cell_host had no finished_at: where its own has no such column, the name means the outer one, NULL.
CREATE TABLE cell_host_finished (
  cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE,
  host INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  finished_at TEXT
);
INSERT INTO cell_host_finished
  SELECT placed.cell, placed.host, placed.place, (SELECT finished_at FROM cell_host WHERE cell = placed.cell)
  FROM (SELECT cell, host, place, NULL AS finished_at FROM cell_host) AS placed;
DROP TABLE cell_host;
ALTER TABLE cell_host_finished RENAME TO cell_host;

CREATE TABLE IF NOT EXISTS load_metric (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  cls REAL,
  tbt_ms REAL,
  browser_cpu_ms REAL,
  server_cpu_ms REAL,
  shaper_cpu_ms REAL,
  network_ms REAL,
  computation_ms REAL,
  optimal_ms REAL
);

CREATE TABLE IF NOT EXISTS filmed_load (
  cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,
  plt_ms REAL,
  speed_index_ms REAL,
  visually_complete_85_ms REAL,
  visually_complete_95_ms REAL,
  visually_complete_100_ms REAL,
  filmed_at TEXT NOT NULL,
  PRIMARY KEY (cell, number)
);

CREATE TABLE IF NOT EXISTS load_browser (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  browser_version TEXT NOT NULL,
  browser_sha256 TEXT
);
