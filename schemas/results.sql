-- The results: HOME/results.db. One writer at a time through cli/results, any number of readers.
-- A sweep has cells, a cell attempts, an attempt observations and documents, whatever is measured (cli/results/store/README.md).
-- An attempt is written in one transaction with what it left, and never changed afterwards.
-- A planned run is (cell, block); it is done with its first valid attempt, or when its attempts are used up.
-- New files are made from this one; schemas/migrations/results brings earlier ones to it (see schemas/migrations/README.md).
PRAGMA application_id = 1953655154;
PRAGMA user_version = 11;

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
  kind TEXT NOT NULL DEFAULT 'pages'  -- of what it is: 'pages', 'flows', 'fetches' or 'commands'
);
CREATE INDEX sweep_plan_digest ON sweep (plan_digest);

-- What each of a sweep's links was measured to be on a machine that ran attempts of it.
CREATE TABLE link_test (
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  machine TEXT NOT NULL,
  link TEXT NOT NULL,             -- short form, canonical
  measured_at TEXT NOT NULL,      -- ISO 8601, UTC
  test TEXT NOT NULL,             -- JSON: a link of schemas/selftest.schema.json
  PRIMARY KEY (sweep, machine, link)
);

-- Who ran a sweep's cells, if several machines share it (trilane cell, trilane merge).
CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  facts TEXT NOT NULL,            -- JSON object: the machine, and the versions of what it ran, of each all that were seen
  flags TEXT NOT NULL,            -- JSON array of strings: in what it is unlike the other hosts; empty: in nothing
  UNIQUE (sweep, name)
);

-- What a sweep compares: a subject over a lane, on a link.
CREATE TABLE cell (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,          -- what is measured: name of the recording, of the mix of flows or of the command; an object's URL
  lane TEXT,                      -- NULL: none, as of flows without a page and of commands
  link TEXT,                      -- short form, canonical; NULL: the network as it is
  link_profile TEXT,              -- JSON by schemas/link-profile.schema.json; NULL as above
  factors TEXT NOT NULL DEFAULT '{}', -- JSON object: what else distinguishes it within the sweep, of fetches tls and ip
  recording_digest TEXT,          -- of the recording when the sweep began: no attempt with another one joins; NULL: there is none, or it was not noted
  pinned INTEGER,                 -- 1: the clock of its loads is set, with their random numbers seeded; 0: not; NULL: not noted
  moment TEXT,                    -- ISO 8601, UTC: to which it is set; NULL: to none
  host INTEGER REFERENCES host (id) ON DELETE SET NULL, -- who ran it; NULL: not noted. What is compared within blocks ran on one host
  place INTEGER,                  -- number in the plan, from 1, that trilane cell is given
  finished_at TEXT                -- in merged results: when its shard was; NULL: it was not, or see the sweep's
);
CREATE INDEX cell_place ON cell (subject, link, lane);
CREATE UNIQUE INDEX cell_once ON cell (sweep, subject, ifnull(link, ''), ifnull(lane, ''), factors);

-- Every attempt at a run of a cell. A fetch that failed is an outcome and is not tried again; one that is invalid, because the
-- machine disturbed it, is, as loads are.
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
  filmed INTEGER NOT NULL DEFAULT 0 CHECK (filmed IN (0, 1)), -- 1: a further load that was filmed (--films), which takes time: in no average
  block INTEGER NOT NULL,         -- repetition, from 0: everything on a link that is compared runs once in it; the number of a filmed load
  attempt INTEGER NOT NULL,       -- from 0
  position INTEGER,               -- place in the sweep's planned order, from 0; NULL: a filmed load
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid', 'failed')),
  reasons TEXT NOT NULL,          -- JSON array of strings; empty for a valid one
  started_at TEXT NOT NULL,       -- ISO 8601, UTC
  wall_ms REAL,                   -- NULL: a filmed load
  UNIQUE (cell, filmed, block, attempt)
);
-- Two runners can never both add a valid attempt in the same place.
CREATE UNIQUE INDEX attempt_valid_once ON attempt (cell, block) WHERE status = 'valid' AND filmed = 0;

-- What was computed of an attempt when it was stored, so that a report need not read every document. A metric without a row is
-- unavailable, or came later; the page load says why.
CREATE TABLE observation (
  attempt INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
  metric TEXT NOT NULL,           -- by schemas/metrics.schema.json, or a fact of the load (cli/results/store/load_observations.ts)
  value REAL,                     -- NULL: it is a text
  text TEXT,                      -- NULL: it is a number
  PRIMARY KEY (attempt, metric)
) WITHOUT ROWID;

-- What an attempt left.
CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
  name TEXT NOT NULL,             -- of the schema that it follows, as flow-result; or unmatched, series, frame (cli/results/store/README.md)
  place INTEGER NOT NULL DEFAULT 0, -- among those of its name, from 0
  time_ms REAL,                   -- of a frame of a film: since navigationStart, shown until the next one; NULL: it has no time
  content BLOB NOT NULL,          -- JSON as text, or bytes: page-load is gzip of JSON, frame a JPEG
  UNIQUE (attempt, name, place)
);

-- What trial loads showed of a recording before its first loads: whether these have their clock set and their random numbers
-- seeded (cli/load/pin_decision.ts), and whether they count. Made once, so that all its loads are alike.
CREATE TABLE recording_trial (
  recording_digest TEXT PRIMARY KEY,
  moment TEXT,                    -- ISO 8601, UTC: to which the clock of its loads is set; NULL: it is left as it is
  outside TEXT NOT NULL,          -- JSON array of strings: why such loads would be invalid for what they ask for; empty: they would not
  tried_at TEXT NOT NULL          -- ISO 8601, UTC
);
