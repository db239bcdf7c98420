-- Sweeps of flows: mixes of bulk flows on links, and their runs.
ALTER TABLE sweep ADD COLUMN kind TEXT NOT NULL DEFAULT 'pages';
CREATE TABLE flow_cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  mix TEXT NOT NULL,
  link TEXT NOT NULL,
  link_profile TEXT NOT NULL,
  lane TEXT
);
CREATE UNIQUE INDEX flow_cell_place ON flow_cell (sweep, mix, link, ifnull(lane, ''));

CREATE TABLE flow_run (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES flow_cell (id) ON DELETE CASCADE,
  block INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL,
  result TEXT,
  series BLOB,
  page_load BLOB,
  UNIQUE (cell, block, attempt)
);
CREATE UNIQUE INDEX flow_run_valid_once ON flow_run (cell, block) WHERE status = 'valid';
