-- Which program an undo took back, by its trace.

ALTER TABLE journal ADD COLUMN undoes TEXT;
CREATE INDEX journal_undone ON journal (tenant, undoes) WHERE undoes IS NOT NULL;
