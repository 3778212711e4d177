-- Which program an undo took back, by its trace.

ALTER TABLE journal ADD COLUMN undoes TEXT;
