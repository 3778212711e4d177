-- Which program an undo took back, as schema/sql/0010_undone.sql says.

ALTER TABLE journal ADD COLUMN undoes TEXT;
CREATE INDEX journal_undone ON journal (tenant, undoes) WHERE undoes IS NOT NULL;
