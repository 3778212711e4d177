-- Which program an undo took back, as schema/sql/0010_undone.sql says.

ALTER TABLE journal ADD COLUMN undoes TEXT;
