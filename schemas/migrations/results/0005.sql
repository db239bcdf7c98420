-- Whether trial loads decided to set the clock of a recording's loads.
CREATE TABLE pinned_page (
  recording_digest TEXT PRIMARY KEY,
  moment TEXT,
  decided_at TEXT NOT NULL
);
