-- To which moment the clock of each cell's loads is set.
CREATE TABLE cell_pinning (
  cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE,
  moment TEXT
);
