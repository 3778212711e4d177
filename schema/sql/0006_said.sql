-- What was said to bring a program about stands beside its changes: for whoever said it, until one
-- of the memories that the program touched is erased.

ALTER TABLE journal ADD COLUMN said TEXT;
