-- What instruments measure that have no tables of their own, as commands.
CREATE TABLE measured_cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  link TEXT,
  link_profile TEXT
);
CREATE UNIQUE INDEX measured_cell_place ON measured_cell (sweep, subject, ifnull(link, ''));

CREATE TABLE measured_run (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES measured_cell (id) ON DELETE CASCADE,
  block INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL,
  record TEXT,
  UNIQUE (cell, block, attempt)
);
CREATE UNIQUE INDEX measured_run_valid_once ON measured_run (cell, block) WHERE status = 'valid';
