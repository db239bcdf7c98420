-- The archive of recordings: HOME/archive.db, with bodies as files HOME/bodies/<first 2 hex>/<sha256 hex>.
-- One writer: native-host/archive. trilane-replay reads it.
-- A body file is written aside, synced and renamed before the row that names it is committed, so a row never names
-- a body that is not whole. A body file that no row names is harmless and is removed by `archive.remove`.
-- New archives are made from this file; schemas/migrations/archive brings earlier ones to it (see schemas/migrations/README.md).
PRAGMA application_id = 1953655148;
PRAGMA user_version = 2;

CREATE TABLE recording (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: readers of several pages tell by it one that was replaced
  name TEXT NOT NULL UNIQUE,      -- what commands call it
  url TEXT NOT NULL,              -- the page's start URL
  source TEXT NOT NULL,           -- where it came from: 'har: Chrome 131', 'synth: carlucci-small'
  created_at TEXT NOT NULL,       -- ISO 8601, UTC
  digest TEXT NOT NULL,           -- SHA-256 (hex) over all exchanges in order; results refuse another digest
  notes TEXT NOT NULL,            -- JSON object: what the importer counted (filled, recompressed, skipped, ...)
  recorded_at TEXT                -- ISO 8601, UTC: when the page load began that was recorded; NULL: unknown
);

CREATE TABLE exchange (
  recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,           -- recorded order, from 0
  method TEXT NOT NULL,
  scheme TEXT NOT NULL CHECK (scheme IN ('http', 'https')),
  host TEXT NOT NULL,             -- lower case, without port
  port INTEGER NOT NULL,          -- as in the URL, else 80 or 443
  path TEXT NOT NULL,             -- with query, as on the wire
  request_headers TEXT NOT NULL,  -- JSON: [["name", "value"], ...], names in lower case
  request_body_sha256 TEXT,       -- NULL: none
  address TEXT NOT NULL,          -- server address to replay from
  status INTEGER NOT NULL,
  response_headers TEXT NOT NULL, -- JSON as above, without hop-by-hop headers; content-length only of an answer to HEAD
  body_sha256 TEXT,               -- of the bytes as on the wire; NULL: empty
  body_size INTEGER NOT NULL,     -- bytes, as on the wire
  body_origin TEXT NOT NULL CHECK (body_origin IN ('recorded', 'recompressed', 'filled', 'empty')),
  recorded TEXT NOT NULL,         -- JSON object: what the recording knew (protocol, type, mimeType, transferSize, timings, ...)
  PRIMARY KEY (recording, seq)
) WITHOUT ROWID;
CREATE INDEX exchange_body ON exchange (body_sha256);
CREATE INDEX exchange_request_body ON exchange (request_body_sha256);
