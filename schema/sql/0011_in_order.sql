-- The journal in its order: the last programs are read without sorting all of it.

CREATE INDEX journal_in_order ON journal (tenant, seq);
