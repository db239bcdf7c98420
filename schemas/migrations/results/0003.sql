-- How much of its recording each load asked for.
CREATE TABLE load_coverage (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  coverage_requests REAL NOT NULL,
  coverage_bytes REAL NOT NULL,
  recorded_requests INTEGER NOT NULL,
  recorded_bytes INTEGER NOT NULL,
  beyond_reports INTEGER NOT NULL,
  beyond_other INTEGER NOT NULL,
  beyond_failed INTEGER NOT NULL
);
