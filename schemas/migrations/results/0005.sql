-- What trial loads showed of recordings.
CREATE TABLE recording_trial (
  recording_digest TEXT PRIMARY KEY,
  moment TEXT,
  outside TEXT NOT NULL,
  tried_at TEXT NOT NULL
);
