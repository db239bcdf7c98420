-- The date of the page load. Ids are never given twice, as in the first archives they were.
CREATE TABLE recording_dated (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  source TEXT NOT NULL,
  created_at TEXT NOT NULL,
  digest TEXT NOT NULL,
  notes TEXT NOT NULL,
  recorded_at TEXT
);
INSERT INTO recording_dated SELECT *, NULL FROM recording;
DELETE FROM sqlite_sequence
  WHERE name = 'recording_dated' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'recording');
UPDATE sqlite_sequence SET name = 'recording_dated' WHERE name = 'recording';
DROP TABLE recording;
ALTER TABLE recording_dated RENAME TO recording;
