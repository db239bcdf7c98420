-- Which machine ran which cells of a sweep of flows.
CREATE TABLE flow_cell_host (
  cell INTEGER PRIMARY KEY REFERENCES flow_cell (id) ON DELETE CASCADE,
  host INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  finished_at TEXT
);
