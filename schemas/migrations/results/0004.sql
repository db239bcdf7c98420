-- What the machine may have added to each load.
CREATE TABLE load_disturbance (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  disturbance_ms REAL NOT NULL,
  disturbance_link_ms REAL NOT NULL,
  disturbance_cpu_ms REAL,
  tolerated_ms REAL NOT NULL
);
