-- The tables of docs/postgres.md. Every key begins with the tenant. Flags are 0 and 1, instants and JSON
-- are text as in SQLite, so that the same statements and the same code read them.

CREATE TABLE tenants (
    tenant TEXT COLLATE "C" PRIMARY KEY,
    next_id BIGINT NOT NULL DEFAULT 1,
    -- How the words of its index were cut, 0 before there is one; how many memories it holds, and terms.
    words INTEGER NOT NULL DEFAULT 0,
    documents BIGINT NOT NULL DEFAULT 0,
    terms BIGINT NOT NULL DEFAULT 0,
    -- Whose vectors it has; how often one was made, and how often one was changed or removed.
    vector_model TEXT COLLATE "C",
    vector_threshold DOUBLE PRECISION,
    vector_dimension INTEGER,
    vectors_made BIGINT NOT NULL DEFAULT 0,
    vectors_changed BIGINT NOT NULL DEFAULT 0,
    -- Something was erased since the tables were last vacuumed.
    erasing BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE memories (
    tenant TEXT COLLATE "C" NOT NULL,
    -- the id, as the statements that are shared with SQLite name it
    pk BIGINT NOT NULL,
    id BIGINT NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C",
    tags TEXT COLLATE "C" NOT NULL,
    facets TEXT COLLATE "C" NOT NULL,
    time TEXT COLLATE "C",
    subject TEXT COLLATE "C",
    location TEXT COLLATE "C",
    topic TEXT COLLATE "C",
    source TEXT COLLATE "C",
    weight DOUBLE PRECISION NOT NULL,
    archived SMALLINT NOT NULL,
    deleted SMALLINT NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL,
    expire_at TEXT COLLATE "C",
    expire_action TEXT COLLATE "C",
    remind_rrule TEXT COLLATE "C",
    remind_until TEXT COLLATE "C",
    remind_next TEXT COLLATE "C",
    remind_start TEXT COLLATE "C",
    remind_tz TEXT COLLATE "C",
    lock_mode TEXT COLLATE "C",
    lock_policy TEXT COLLATE "C" NOT NULL,
    lock_reason TEXT COLLATE "C",
    lock_expires TEXT COLLATE "C",
    owner TEXT COLLATE "C",
    read_perm_level TEXT COLLATE "C",
    write_perm_level TEXT COLLATE "C",
    read_whitelist TEXT COLLATE "C" NOT NULL,
    read_blacklist TEXT COLLATE "C" NOT NULL,
    write_whitelist TEXT COLLATE "C" NOT NULL,
    write_blacklist TEXT COLLATE "C" NOT NULL,
    lineage_parents TEXT COLLATE "C" NOT NULL,
    lineage_children TEXT COLLATE "C" NOT NULL,
    lineage_facets TEXT COLLATE "C" NOT NULL,
    attribute TEXT COLLATE "C",
    value TEXT COLLATE "C",
    valid_from TEXT COLLATE "C",
    valid_to TEXT COLLATE "C",
    supersedes TEXT COLLATE "C",
    confidence DOUBLE PRECISION,
    source_episode_id TEXT COLLATE "C",
    retention_policy TEXT COLLATE "C",
    pending SMALLINT NOT NULL DEFAULT 0,
    sources TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    skip_embedding SMALLINT NOT NULL DEFAULT 0,
    schema_version INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL,
    fact_key TEXT COLLATE "C",
    demoted_until TEXT COLLATE "C",
    demoted_from TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    subject_key TEXT COLLATE "C",
    -- What time ranges and orderings go by.
    at TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (COALESCE(time, created_at)) STORED,
    -- Out of sight of an ordinary read, but for versions that begin or end in the future.
    hidden SMALLINT NOT NULL GENERATED ALWAYS AS (
        CASE WHEN deleted = 1 OR archived = 1 OR pending = 1
            OR (attribute IS NOT NULL AND valid_to IS NOT NULL) THEN 1 ELSE 0 END
    ) STORED,
    PRIMARY KEY (tenant, pk),
    CHECK (pk = id)
);

CREATE INDEX memories_by_time ON memories (tenant, hidden, at DESC, id);
CREATE INDEX memories_by_type ON memories (tenant, type, hidden, at DESC, id)
    WHERE type IS NOT NULL;
CREATE INDEX memories_by_topic ON memories (tenant, topic, hidden, at DESC, id)
    WHERE topic IS NOT NULL;
CREATE INDEX memories_by_location ON memories (tenant, location, hidden, at DESC, id)
    WHERE location IS NOT NULL;
CREATE INDEX memories_by_subject ON memories (tenant, subject_key, hidden, at DESC, id)
    WHERE subject_key IS NOT NULL;
CREATE INDEX memories_by_expiry ON memories (tenant, expire_at)
    WHERE expire_at IS NOT NULL AND deleted = 0;
CREATE INDEX memories_to_erase ON memories (tenant, expire_at)
    WHERE expire_at IS NOT NULL AND deleted = 1 AND expire_action IN ('hard_delete', 'anonymize');
CREATE INDEX memories_by_reminder ON memories (tenant, remind_next)
    WHERE remind_next IS NOT NULL AND deleted = 0;
CREATE INDEX memories_by_demotion ON memories (tenant, demoted_until)
    WHERE demoted_until IS NOT NULL;
CREATE INDEX memories_by_fact ON memories (tenant, subject_key, attribute, valid_from)
    WHERE attribute IS NOT NULL;
CREATE INDEX memories_by_start ON memories (tenant, valid_from) WHERE valid_from IS NOT NULL;
CREATE INDEX memories_by_end ON memories (tenant, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX memories_pending ON memories (tenant, id) WHERE pending = 1 AND deleted = 0;

-- At most one current value, which may be longer than an index takes; the trigger says the same of every other instant.
CREATE UNIQUE INDEX memories_current ON memories (tenant, subject_key, attribute, md5(fact_key))
    WHERE attribute IS NOT NULL AND valid_to IS NULL AND deleted = 0 AND pending = 0;

CREATE FUNCTION fact_overlap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Whoever else writes to this time line has committed before it is looked at.
    PERFORM pg_advisory_xact_lock(hashtextextended(
        concat_ws(chr(31), NEW.tenant, NEW.subject_key, NEW.attribute, NEW.fact_key), 0
    ));
    IF EXISTS (
        SELECT 1 FROM memories AS o
        WHERE o.tenant = NEW.tenant AND o.subject_key = NEW.subject_key
            AND o.attribute = NEW.attribute AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk
            AND o.deleted = 0 AND o.pending = 0
            AND (o.valid_to IS NULL
                OR (o.valid_to > o.valid_from AND o.valid_to > NEW.valid_from))
            AND (NEW.valid_to IS NULL OR o.valid_from < NEW.valid_to)
    ) THEN
        RAISE EXCEPTION 'fact-overlap' USING ERRCODE = 'exclusion_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER memories_fact_inserted AFTER INSERT ON memories FOR EACH ROW
WHEN (NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from))
EXECUTE FUNCTION fact_overlap();

CREATE TRIGGER memories_fact_changed
AFTER UPDATE OF subject_key, attribute, fact_key, valid_from, valid_to, deleted, pending
ON memories FOR EACH ROW
WHEN (NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from))
EXECUTE FUNCTION fact_overlap();

-- What was believed, and when: a row is never rewritten, only retracted.
CREATE TABLE beliefs (
    tenant TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    seq BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
    subject TEXT COLLATE "C" NOT NULL,
    attribute TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    valid_from TEXT COLLATE "C" NOT NULL,
    valid_to TEXT COLLATE "C",
    pending SMALLINT NOT NULL,
    deleted SMALLINT NOT NULL,
    recorded_at TEXT COLLATE "C" NOT NULL,
    retracted_at TEXT COLLATE "C",
    PRIMARY KEY (tenant, pk, seq)
);

CREATE UNIQUE INDEX beliefs_held ON beliefs (tenant, pk) WHERE retracted_at IS NULL;

CREATE FUNCTION belief_rewritten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a belief is never rewritten, and retracted once';
END
$$;

CREATE TRIGGER beliefs_are_append_only
BEFORE UPDATE OF
    tenant, pk, subject, attribute, value, valid_from, valid_to, pending, deleted, recorded_at
ON beliefs FOR EACH ROW EXECUTE FUNCTION belief_rewritten();

CREATE TRIGGER beliefs_are_retracted_once BEFORE UPDATE OF retracted_at ON beliefs
FOR EACH ROW WHEN (OLD.retracted_at IS NOT NULL) EXECUTE FUNCTION belief_rewritten();

CREATE TABLE memory_tags (
    tenant TEXT COLLATE "C" NOT NULL,
    tag TEXT COLLATE "C" NOT NULL,
    hidden SMALLINT NOT NULL,
    at TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    PRIMARY KEY (tenant, pk, tag)
);

CREATE INDEX memory_tags_by_time ON memory_tags (tenant, tag, hidden, at DESC, pk);

-- Terms as the program cuts them, with what BM25 needs: how often, and of how many.
CREATE TABLE terms (
    tenant TEXT COLLATE "C" NOT NULL,
    term TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    frequency INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (tenant, term, pk) INCLUDE (frequency, length)
);

CREATE INDEX terms_by_memory ON terms (tenant, pk);

CREATE TABLE vectors (
    tenant TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    -- of unit length
    vector vector NOT NULL,
    PRIMARY KEY (tenant, pk)
);

CREATE TABLE journal (
    tenant TEXT COLLATE "C" NOT NULL,
    -- the tenant's own number, from 1
    seq BIGINT NOT NULL,
    trace_id TEXT COLLATE "C" NOT NULL,
    step INTEGER NOT NULL,
    op TEXT COLLATE "C" NOT NULL,
    at TEXT COLLATE "C" NOT NULL,
    actor TEXT COLLATE "C",
    id BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    -- {field: [before, after]}; NULL where the content was erased
    changes TEXT COLLATE "C",
    -- What was said to bring it about, until one of the program's memories is erased.
    said TEXT COLLATE "C",
    PRIMARY KEY (tenant, seq)
);

CREATE FUNCTION journal_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Whoever writes as a tenant holds the lock of its row.
    NEW.seq := (SELECT coalesce(max(seq), 0) + 1 FROM journal WHERE tenant = NEW.tenant);
    RETURN NEW;
END
$$;

CREATE TRIGGER journal_is_numbered BEFORE INSERT ON journal
FOR EACH ROW EXECUTE FUNCTION journal_number();

CREATE INDEX journal_by_trace ON journal (tenant, trace_id);
CREATE INDEX journal_by_memory ON journal (tenant, id);

CREATE TABLE registries (
    tenant TEXT COLLATE "C" NOT NULL,
    version INTEGER NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    recorded_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, version)
);

CREATE TABLE queue (
    tenant TEXT COLLATE "C" NOT NULL,
    -- the episode's; it goes when the episode is erased
    pk BIGINT NOT NULL,
    queued_at TEXT COLLATE "C" NOT NULL,
    due_at TEXT COLLATE "C" NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- who is at work on it, and until when nobody else may be
    lease TEXT COLLATE "C",
    leased_until TEXT COLLATE "C",
    -- what went wrong the last time, in the program's own words, never in the episode's
    error TEXT COLLATE "C",
    -- given up
    dead SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, pk)
);

CREATE INDEX queue_by_due ON queue (tenant, dead, due_at, pk);

-- Which facts an episode is a source of.
CREATE TABLE heard (
    tenant TEXT COLLATE "C" NOT NULL,
    episode TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    PRIMARY KEY (tenant, episode, pk)
);

-- Fields of memories that could not be read, as they were found: their default stands in their place.
CREATE TABLE broken (
    tenant TEXT COLLATE "C" NOT NULL,
    pk BIGINT NOT NULL,
    field TEXT COLLATE "C" NOT NULL,
    held TEXT COLLATE "C",
    at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, pk, field)
);

-- A second wall behind the conditions of the statements: rows of the tenant that the transaction has
-- named, for the owner of the tables as for anybody else. Only a superuser, or a role with BYPASSRLS,
-- sees past it.
DO $$
DECLARE
    name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'tenants', 'memories', 'beliefs', 'memory_tags', 'terms', 'vectors', 'journal', 'registries',
        'queue', 'heard', 'broken'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY of_the_tenant ON %I '
            'USING (tenant = (SELECT current_setting(''text2mem.tenant'', true)))', name
        );
    END LOOP;
END
$$;
