-- A store may be mirrored in a memory framework, as schema/sql/0008_outbox.sql says.

CREATE TABLE mirrors (
    tenant TEXT COLLATE "C" PRIMARY KEY,
    keeper TEXT COLLATE "C" NOT NULL,
    vectors TEXT COLLATE "C" NOT NULL,
    origin TEXT COLLATE "C" NOT NULL,
    removed BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE outbox (
    tenant TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    PRIMARY KEY (tenant, pk)
);

CREATE TABLE kept (
    tenant TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, pk)
);
CREATE UNIQUE INDEX kept_by_key ON kept (tenant, key);

DO $$
DECLARE
    name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY['mirrors', 'outbox', 'kept'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY of_the_tenant ON %I '
            'USING (tenant = (SELECT current_setting(''text2mem.tenant'', true)))', name
        );
    END LOOP;
END
$$;
