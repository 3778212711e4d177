-- A store may be mirrored in a memory framework (docs/backends.md). What is to be told to it stands
-- in `outbox`, what it holds in `kept`, under which key; neither holds any content. `origin` begins
-- the keys that this store makes, so that two stores never write over each other.

CREATE TABLE mirrors (
    tenant INTEGER PRIMARY KEY REFERENCES tenants (number),
    keeper TEXT NOT NULL,
    vectors TEXT NOT NULL,
    origin TEXT NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE outbox (
    pk INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL REFERENCES tenants (number)
);
CREATE INDEX outbox_of_tenant ON outbox (tenant, pk);

CREATE TABLE kept (
    pk INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL REFERENCES tenants (number),
    key TEXT NOT NULL
);
CREATE UNIQUE INDEX kept_by_key ON kept (tenant, key);
