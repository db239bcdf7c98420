-- The results: HOME/results.db. One writer at a time through cli/results, any number of readers.
-- One attempt at a load is one row, written in one transaction, never changed afterwards.
-- A planned load is (cell, block); it is done with its first valid attempt, or when its attempts are used up.
-- New files are made from this one; schemas/migrations/results brings earlier ones to it (see schemas/migrations/README.md).
PRAGMA application_id = 1953655154;
PRAGMA user_version = 10;

CREATE TABLE sweep (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: reports are named after it
  name TEXT NOT NULL,
  plan TEXT NOT NULL,             -- JSON by schemas/sweep-plan.schema.json, or of flows by flow-plan.schema.json, of fetches by fetch-plan.schema.json, of commands by command-plan.schema.json, with every default filled in
  plan_digest TEXT NOT NULL,      -- SHA-256 (hex) of what decides the loads: an unfinished sweep of it is gone on with
  created_at TEXT NOT NULL,       -- ISO 8601, UTC
  finished_at TEXT,               -- NULL: unfinished
  seed INTEGER NOT NULL,
  command TEXT NOT NULL,          -- JSON array: the command line that began it
  environment TEXT NOT NULL,      -- JSON object: the machine and versions that it began on
  owner TEXT,                     -- JSON: the process that runs it now; NULL: none
  kind TEXT NOT NULL DEFAULT 'pages'  -- 'pages': cells and loads hang on it; 'flows': flow_cell and flow_run; 'fetches': fetch_cell and fetch; others: measured_cell and measured_run
);
CREATE INDEX sweep_plan_digest ON sweep (plan_digest);

CREATE TABLE cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  page TEXT NOT NULL,             -- name of the recording
  recording_digest TEXT NOT NULL, -- of the recording when the sweep began: no load of another one joins
  lane TEXT NOT NULL,
  link TEXT NOT NULL,             -- short form, canonical
  link_profile TEXT NOT NULL,     -- JSON by schemas/link-profile.schema.json
  UNIQUE (sweep, page, link, lane)
);
CREATE INDEX cell_place ON cell (page, link, lane);

CREATE TABLE load (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
  block INTEGER NOT NULL,         -- repetition, from 0: every lane of a page and link runs once in it
  attempt INTEGER NOT NULL,       -- from 0
  position INTEGER NOT NULL,      -- place in the sweep's planned order, from 0
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,          -- JSON array of strings; empty for a valid load
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL,
  plt_ms REAL,                    -- NULL here and below: unavailable, the page load in har says why
  ttfb_ms REAL,
  dcl_ms REAL,
  fcp_ms REAL,
  lcp_ms REAL,
  requests INTEGER,
  bytes INTEGER,
  connections INTEGER,
  matched INTEGER,
  fuzzy INTEGER,
  missed INTEGER,
  failed INTEGER,
  off_lane INTEGER,
  har BLOB NOT NULL,              -- gzip of the page load, JSON by schemas/page-load.schema.json
  UNIQUE (cell, block, attempt)
);
-- Two runners can never both add a valid load in the same place.
CREATE UNIQUE INDEX load_valid_once ON load (cell, block) WHERE status = 'valid';

-- What each of a sweep's links was measured to be on a machine that ran loads of it.
CREATE TABLE link_test (
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  machine TEXT NOT NULL,
  link TEXT NOT NULL,             -- short form, canonical
  measured_at TEXT NOT NULL,      -- ISO 8601, UTC
  test TEXT NOT NULL,             -- JSON: a link of schemas/selftest.schema.json
  PRIMARY KEY (sweep, machine, link)
);

-- The requests of each load that were not matched exactly.
CREATE TABLE unmatched (
  load INTEGER NOT NULL REFERENCES load (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,         -- among the page's requests, from 0
  method TEXT NOT NULL,
  url TEXT NOT NULL,              -- as asked for
  outcome TEXT NOT NULL CHECK (outcome IN ('fuzzy', 'missed')),
  recorded_url TEXT,              -- what was given instead; NULL: nothing recorded
  difference TEXT,                -- what the two differ in: 'body', 'port', 'query' or 'path'; NULL as above
  likeness REAL,                  -- of their queries or paths, 0 to 1; NULL as above
  PRIMARY KEY (load, place)
);

-- Of a cell one load that was filmed (--films). It is no row of load: filming takes time.
CREATE TABLE film (
  cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,          -- JSON array of strings; empty for a valid load
  plt_ms REAL,                    -- its own; NULL: unavailable
  filmed_at TEXT NOT NULL         -- ISO 8601, UTC
);

-- What the page showed from time_ms on, until the next one.
CREATE TABLE film_frame (
  cell INTEGER NOT NULL REFERENCES film (cell) ON DELETE CASCADE,
  place INTEGER NOT NULL,         -- among the film's frames, from 0
  time_ms REAL NOT NULL,          -- since navigationStart
  jpeg BLOB NOT NULL,
  PRIMARY KEY (cell, place)
);

-- Who ran a sweep's cells, where several machines share it (trilane cell, trilane merge).
CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  facts TEXT NOT NULL,            -- JSON object: the machine, and the versions of what it ran, of each all that were seen
  flags TEXT NOT NULL,            -- JSON array of strings: in what it is unlike the other hosts; empty: in nothing
  UNIQUE (sweep, name)
);

-- Lanes of a page on a link are compared pairwise, so that all of them ran on one host.
CREATE TABLE cell_host (
  cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE,
  host INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,         -- number of the page on the link in the plan, from 1: what trilane cell is given
  finished_at TEXT                -- in merged results: when its shard was; NULL: it was not, or see the sweep's
);

-- What further is told of a load, and computed of it once (cli/load/metrics), so that a report need not read every page load.
-- Metrics that came later have a column each, last: schemas/metrics.schema.json says which, and it is added when the file is opened
-- (cli/results/store/metric_columns.ts). Loads that were stored before this table was have no row.
CREATE TABLE load_metric (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  cls REAL,                       -- NULL here and below: unavailable, or of no meaning for this load
  tbt_ms REAL,
  browser_cpu_ms REAL,            -- from the navigation to the load event, as the next two
  server_cpu_ms REAL,
  shaper_cpu_ms REAL,
  network_ms REAL,                -- on the critical path; with the next one the page load time
  computation_ms REAL,
  optimal_ms REAL                 -- bytes over rate, and the round trips needed one after another
);

-- Every load that was filmed; the film of the first valid one of a cell is kept (film).
CREATE TABLE filmed_load (
  cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,        -- among the cell's filmed loads, from 0
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,          -- JSON array of strings; empty for a valid load
  plt_ms REAL,                    -- its own; NULL here and below: unavailable
  speed_index_ms REAL,
  visually_complete_85_ms REAL,
  visually_complete_95_ms REAL,
  visually_complete_100_ms REAL,
  filmed_at TEXT NOT NULL,        -- ISO 8601, UTC
  PRIMARY KEY (cell, number)
);

-- Which browser a load ran with. Loads that were stored before this table was have no row; their page loads say the version.
CREATE TABLE load_browser (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  browser_version TEXT NOT NULL,  -- as 156.0.7000.1; of another engine than Chromium with its name: Firefox 153.8.0
  browser_sha256 TEXT             -- of the program's file, in hexadecimal; NULL: not told
);

-- How much of its recording a load asked for (cli/load/metrics/coverage.ts). A load that failed, or was stored before this table was,
-- has no row.
CREATE TABLE load_coverage (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  coverage_requests REAL NOT NULL, -- share of the recorded requests that it asked for, 0 to 1
  coverage_bytes REAL NOT NULL,   -- the same of their bytes
  recorded_requests INTEGER NOT NULL, -- what a load is expected to ask for
  recorded_bytes INTEGER NOT NULL,
  beyond_reports INTEGER NOT NULL, -- here and below: requests that the recording has no answer to
  beyond_other INTEGER NOT NULL,
  beyond_failed INTEGER NOT NULL
);

-- What the machine may have added to a load, at most, beyond what the load has on a calm machine (cli/load/disturbance.ts). A
-- load that left no report of its link, or was stored before this table was, has no row.
CREATE TABLE load_disturbance (
  load INTEGER PRIMARY KEY REFERENCES load (id) ON DELETE CASCADE,
  disturbance_ms REAL NOT NULL,   -- the bound; the load counts up to tolerated_ms
  disturbance_link_ms REAL NOT NULL,  -- of it, at the link
  disturbance_cpu_ms REAL,           -- of it, without a CPU; NULL: the system does not tell
  tolerated_ms REAL NOT NULL
);

-- What trial loads showed of a recording before its first loads: whether these have their clock set and their random numbers
-- seeded (cli/load/pin_decision.ts), and whether they count. Made once, so that all its loads are alike.
CREATE TABLE recording_trial (
  recording_digest TEXT PRIMARY KEY,
  moment TEXT,                    -- ISO 8601, UTC: to which the clock of its loads is set; NULL: it is left as it is
  outside TEXT NOT NULL,          -- JSON array of strings: why such loads would be invalid for what they ask for; empty: they would not
  tried_at TEXT NOT NULL          -- ISO 8601, UTC
);

-- To which moment the clock of a cell's loads is set, with their random numbers seeded: decided before the sweep's first loads, and
-- kept for all of them. A cell whose loads were made before this table was has no row.
CREATE TABLE cell_pinning (
  cell INTEGER PRIMARY KEY REFERENCES cell (id) ON DELETE CASCADE,
  moment TEXT                     -- ISO 8601, UTC; NULL: the clock is left as it is
);

-- What a sweep of flows compares: a mix of flows on a link, and the lane of the page that is loaded amid them, where there is one.
CREATE TABLE flow_cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  mix TEXT NOT NULL,              -- its name
  link TEXT NOT NULL,             -- short form, canonical
  link_profile TEXT NOT NULL,     -- JSON by schemas/link-profile.schema.json
  lane TEXT                       -- NULL: no page
);
CREATE UNIQUE INDEX flow_cell_place ON flow_cell (sweep, mix, link, ifnull(lane, ''));

-- Every attempt at a flow run, written in one transaction, never changed afterwards. A planned run is (cell, block), as of loads.
CREATE TABLE flow_run (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES flow_cell (id) ON DELETE CASCADE,
  block INTEGER NOT NULL,         -- repetition, from 0: every mix on a link runs once in it
  attempt INTEGER NOT NULL,       -- from 0
  position INTEGER NOT NULL,      -- place in the sweep's planned order, from 0
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,          -- JSON array of strings; empty for a valid run
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL,
  result TEXT,                    -- JSON by schemas/flow-result.schema.json; NULL here and below: the run left too little
  series BLOB,                    -- its records, thinned (cli/instruments/flows/records/stored_records.ts)
  page_load BLOB,                 -- as har of a load; NULL: no page was loaded amid the flows
  UNIQUE (cell, block, attempt)
);
CREATE UNIQUE INDEX flow_run_valid_once ON flow_run (cell, block) WHERE status = 'valid';

-- As cell_host. Mixes and lanes on a link are compared within blocks, so that all of them ran on one host.
CREATE TABLE flow_cell_host (
  cell INTEGER PRIMARY KEY REFERENCES flow_cell (id) ON DELETE CASCADE,
  host INTEGER NOT NULL REFERENCES host (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,         -- number of the link in the plan, from 1: what trilane cell is given
  finished_at TEXT
);

-- What a sweep of fetches compares: an object over a lane, a version of TLS and one of IP, on a link or on the network as it is.
CREATE TABLE fetch_cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  object TEXT NOT NULL,           -- its URL
  lane TEXT NOT NULL,
  tls TEXT NOT NULL,              -- '1.2' or '1.3'
  ip INTEGER NOT NULL,            -- 4 or 6
  link TEXT,                      -- short form, canonical; NULL: the network as it is
  link_profile TEXT               -- JSON by schemas/link-profile.schema.json; NULL as above
);
CREATE UNIQUE INDEX fetch_cell_place ON fetch_cell (sweep, object, lane, tls, ip, ifnull(link, ''));

-- Every attempt at a fetch, written in one transaction, never changed afterwards. A planned fetch is (cell, block), as of loads. One that
-- failed is an outcome and is not tried again; one that is invalid, because the machine disturbed it, is.
CREATE TABLE fetch (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES fetch_cell (id) ON DELETE CASCADE,
  block INTEGER NOT NULL,         -- repetition, from 0: every object is fetched once over everything in it
  attempt INTEGER NOT NULL,       -- from 0
  position INTEGER NOT NULL,      -- place in the sweep's planned order, from 0
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,          -- JSON array of strings; empty for a valid fetch
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL,
  record TEXT,                    -- JSON by schemas/fetch-record.schema.json; NULL: the client left none
  cost TEXT,                      -- JSON by schemas/fetch-cost.schema.json: the server's share, system calls; NULL: neither was measured
  UNIQUE (cell, block, attempt)
);
CREATE UNIQUE INDEX fetch_valid_once ON fetch (cell, block) WHERE status = 'valid';

-- What a sweep of an instrument compares that has no tables of its own, and every attempt at a run, as of loads.
CREATE TABLE measured_cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,          -- what is measured: of commands ('commands') a command's name
  link TEXT,                      -- short form, canonical; NULL: the network as it is
  link_profile TEXT               -- JSON by schemas/link-profile.schema.json; NULL as above
);
CREATE UNIQUE INDEX measured_cell_place ON measured_cell (sweep, subject, ifnull(link, ''));

CREATE TABLE measured_run (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES measured_cell (id) ON DELETE CASCADE,
  block INTEGER NOT NULL,         -- repetition, from 0: every subject on a link runs once in it
  attempt INTEGER NOT NULL,       -- from 0
  position INTEGER NOT NULL,      -- place in the sweep's planned order, from 0
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,          -- JSON array of strings; empty for a valid run
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL,
  record TEXT,                    -- JSON, of commands by schemas/command-record.schema.json; NULL: the run left none
  UNIQUE (cell, block, attempt)
);
CREATE UNIQUE INDEX measured_run_valid_once ON measured_run (cell, block) WHERE status = 'valid';
