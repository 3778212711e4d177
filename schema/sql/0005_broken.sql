-- Fields of memories that could not be read, as they were found: what stands in their place is the
-- field's default. They go with their memory when it is erased.
-- Numbers that are not finite, which versions before this one took, are mended by the program.

CREATE TABLE broken (
    pk INTEGER NOT NULL,
    tenant INTEGER NOT NULL REFERENCES tenants (number),
    field TEXT NOT NULL,
    held BLOB,
    at TEXT NOT NULL,
    PRIMARY KEY (pk, field)
) WITHOUT ROWID;
