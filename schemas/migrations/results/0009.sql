-- Objects that are fetched over lanes without a browser.
CREATE TABLE fetch_cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  object TEXT NOT NULL,
  lane TEXT NOT NULL,
  tls TEXT NOT NULL,
  ip INTEGER NOT NULL,
  link TEXT,
  link_profile TEXT
);
CREATE UNIQUE INDEX fetch_cell_place ON fetch_cell (sweep, object, lane, tls, ip, ifnull(link, ''));

CREATE TABLE fetch (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES fetch_cell (id) ON DELETE CASCADE,
  block INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL,
  record TEXT,
  cost TEXT,
  UNIQUE (cell, block, attempt)
);
CREATE UNIQUE INDEX fetch_valid_once ON fetch (cell, block) WHERE status = 'valid';
