-- Tenants by number, memories addressed by (number, id) in one integer, and the ledger.
-- What 0001 held is copied; its word index and its journal are rewritten by the program, which also
-- knows what the registry calls an attribute (declared_name) and which values exclude each other.

ALTER TABLE tenants RENAME TO old_tenants;
ALTER TABLE memories RENAME TO old_memories;
ALTER TABLE journal RENAME TO old_journal;
DROP VIEW memory;
DROP INDEX memories_by_time;
DROP INDEX memories_by_expiry;
DROP INDEX memories_by_fact;
DROP INDEX journal_by_trace;
DROP INDEX journal_by_memory;

CREATE TABLE tenants (
    number INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL UNIQUE,
    next_id INTEGER NOT NULL DEFAULT 1,
    -- How the words of its index were cut, 0 before there is one.
    words INTEGER NOT NULL DEFAULT 0,
    -- Whose vectors it has; how often one was made, and how often one was changed or removed.
    vector_model TEXT,
    vector_threshold REAL,
    vector_dimension INTEGER,
    vectors_made INTEGER NOT NULL DEFAULT 0,
    vectors_changed INTEGER NOT NULL DEFAULT 0,
    -- Something was erased, and the file may still hold its bytes.
    erasing INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE memories (
    -- tenant * 2^40 + id
    pk INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL REFERENCES tenants (number),
    id INTEGER NOT NULL,
    text TEXT NOT NULL,
    payload TEXT NOT NULL,
    type TEXT,
    tags TEXT NOT NULL,
    facets TEXT NOT NULL,
    time TEXT,
    subject TEXT,
    location TEXT,
    topic TEXT,
    source TEXT,
    weight REAL NOT NULL,
    archived INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    expire_at TEXT,
    expire_action TEXT,
    remind_rrule TEXT,
    remind_until TEXT,
    remind_next TEXT,
    remind_start TEXT,
    remind_tz TEXT,
    lock_mode TEXT,
    lock_policy TEXT NOT NULL,
    lock_reason TEXT,
    lock_expires TEXT,
    owner TEXT,
    read_perm_level TEXT,
    write_perm_level TEXT,
    read_whitelist TEXT NOT NULL,
    read_blacklist TEXT NOT NULL,
    write_whitelist TEXT NOT NULL,
    write_blacklist TEXT NOT NULL,
    lineage_parents TEXT NOT NULL,
    lineage_children TEXT NOT NULL,
    lineage_facets TEXT NOT NULL,
    attribute TEXT,
    value TEXT,
    valid_from TEXT,
    valid_to TEXT,
    supersedes TEXT,
    confidence REAL,
    source_episode_id TEXT,
    retention_policy TEXT,
    pending INTEGER NOT NULL DEFAULT 0,
    sources TEXT NOT NULL DEFAULT '[]',
    skip_embedding INTEGER NOT NULL DEFAULT 0,
    schema_version INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL,
    -- Which values of a fact exclude each other: '' where there is one at a time, else the value.
    fact_key TEXT,
    -- What time ranges and orderings go by.
    at TEXT NOT NULL GENERATED ALWAYS AS (COALESCE(time, created_at)) STORED,
    -- Out of sight of an ordinary read, but for versions that begin or end in the future.
    hidden INTEGER NOT NULL GENERATED ALWAYS AS (
        deleted OR archived OR pending OR (attribute IS NOT NULL AND valid_to IS NOT NULL)
    ) STORED
);

INSERT INTO tenants (number, tenant, next_id)
SELECT row_number() OVER (ORDER BY tenant), tenant, next_id FROM old_tenants;

INSERT INTO memories (
    pk, tenant, id, text, payload, type, tags, facets, time, subject, location, topic, source,
    weight, archived, deleted, created_at, updated_at, expire_at, expire_action, remind_rrule,
    remind_until, remind_next, remind_start, remind_tz, lock_mode, lock_policy, lock_reason,
    lock_expires, owner, read_perm_level, write_perm_level, read_whitelist, read_blacklist,
    write_whitelist, write_blacklist, lineage_parents, lineage_children, lineage_facets, attribute,
    value, valid_from, valid_to, supersedes, confidence, source_episode_id, retention_policy,
    version, fact_key
)
SELECT
    t.number * 1099511627776 + m.id, t.number, m.id, text, payload, type, tags, facets, time,
    subject, location, topic, source, weight, archived, deleted, created_at, updated_at, expire_at,
    expire_action, remind_rrule, remind_until, remind_next,
    iif(remind_rrule IS NULL, NULL, updated_at), iif(remind_rrule IS NULL, NULL, 'UTC'),
    lock_mode, lock_policy, lock_reason, lock_expires, owner, read_perm_level, write_perm_level,
    read_whitelist, read_blacklist, write_whitelist, write_blacklist, lineage_parents,
    lineage_children, lineage_facets, declared_name(attribute), value, valid_from,
    -- No two versions of a fact hold at once: each ends where the next one begins, at the latest.
    CASE WHEN attribute IS NULL OR deleted THEN valid_to ELSE nullif(min(
        ifnull(valid_to, '9999'),
        ifnull(lead(valid_from) OVER (
            PARTITION BY
                t.number, subject, declared_name(attribute), fact_key(attribute, value),
                attribute IS NULL OR deleted
            ORDER BY valid_from, m.id
        ), '9999')
    ), '9999') END,
    supersedes, confidence, source_episode_id, retention_policy, version,
    fact_key(attribute, value)
FROM old_memories AS m JOIN old_tenants AS o USING (tenant) JOIN tenants AS t USING (tenant);

CREATE INDEX memories_by_time ON memories (tenant, hidden, at DESC, id);
CREATE INDEX memories_by_type ON memories (tenant, type, hidden, at DESC, id)
    WHERE type IS NOT NULL;
CREATE INDEX memories_by_subject ON memories (tenant, subject, hidden, at DESC, id)
    WHERE subject IS NOT NULL;
CREATE INDEX memories_by_topic ON memories (tenant, topic, hidden, at DESC, id)
    WHERE topic IS NOT NULL;
CREATE INDEX memories_by_location ON memories (tenant, location, hidden, at DESC, id)
    WHERE location IS NOT NULL;
CREATE INDEX memories_by_expiry ON memories (tenant, expire_at)
    WHERE expire_at IS NOT NULL AND deleted = 0;
CREATE INDEX memories_by_reminder ON memories (tenant, remind_next)
    WHERE remind_next IS NOT NULL AND deleted = 0;
CREATE INDEX memories_by_fact ON memories (tenant, subject, attribute, fact_key, valid_from)
    WHERE attribute IS NOT NULL;
CREATE INDEX memories_by_start ON memories (tenant, valid_from) WHERE valid_from IS NOT NULL;
CREATE INDEX memories_by_end ON memories (tenant, valid_to) WHERE valid_to IS NOT NULL;

-- At most one current value; the triggers say the same of every other instant.
CREATE UNIQUE INDEX memories_current ON memories (tenant, subject, attribute, fact_key)
    WHERE attribute IS NOT NULL AND valid_to IS NULL AND deleted = 0 AND pending = 0;

CREATE TRIGGER memories_fact_inserted AFTER INSERT ON memories
WHEN NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from)
BEGIN
    SELECT RAISE(ABORT, 'fact-overlap') FROM memories AS o
    WHERE o.tenant = NEW.tenant AND o.subject = NEW.subject AND o.attribute = NEW.attribute
        AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk AND o.deleted = 0 AND o.pending = 0
        AND (o.valid_to IS NULL OR (o.valid_to > o.valid_from AND o.valid_to > NEW.valid_from))
        AND (NEW.valid_to IS NULL OR o.valid_from < NEW.valid_to);
END;

CREATE TRIGGER memories_fact_changed
AFTER UPDATE OF subject, attribute, fact_key, valid_from, valid_to, deleted, pending ON memories
WHEN NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from)
BEGIN
    SELECT RAISE(ABORT, 'fact-overlap') FROM memories AS o
    WHERE o.tenant = NEW.tenant AND o.subject = NEW.subject AND o.attribute = NEW.attribute
        AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk AND o.deleted = 0 AND o.pending = 0
        AND (o.valid_to IS NULL OR (o.valid_to > o.valid_from AND o.valid_to > NEW.valid_from))
        AND (NEW.valid_to IS NULL OR o.valid_from < NEW.valid_to);
END;

-- What was believed, and when: a row is never rewritten, only retracted.
CREATE TABLE beliefs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    pk INTEGER NOT NULL,
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_to TEXT,
    pending INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    recorded_at TEXT NOT NULL,
    retracted_at TEXT
);

INSERT INTO beliefs (
    pk, subject, attribute, value, valid_from, valid_to, pending, deleted, recorded_at, retracted_at
)
SELECT
    pk, subject, attribute, value, valid_from, valid_to, 0, 0, created_at,
    iif(deleted, updated_at, NULL)
FROM memories WHERE attribute IS NOT NULL
UNION ALL
SELECT pk, subject, attribute, value, valid_from, valid_to, 0, 1, updated_at, NULL
FROM memories WHERE attribute IS NOT NULL AND deleted;

CREATE INDEX beliefs_by_memory ON beliefs (pk, recorded_at);
CREATE UNIQUE INDEX beliefs_held ON beliefs (pk) WHERE retracted_at IS NULL;

CREATE TRIGGER beliefs_are_append_only
BEFORE UPDATE OF
    pk, subject, attribute, value, valid_from, valid_to, pending, deleted, recorded_at
ON beliefs
BEGIN
    SELECT RAISE(ABORT, 'a belief is never rewritten');
END;

CREATE TRIGGER beliefs_are_retracted_once BEFORE UPDATE OF retracted_at ON beliefs
WHEN OLD.retracted_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a belief is retracted once');
END;

DROP TABLE memory_tags;

CREATE TABLE memory_tags (
    tenant INTEGER NOT NULL,
    tag TEXT NOT NULL,
    hidden INTEGER NOT NULL,
    at TEXT NOT NULL,
    pk INTEGER NOT NULL,
    PRIMARY KEY (tenant, tag, hidden, at DESC, pk)
) WITHOUT ROWID;

INSERT OR IGNORE INTO memory_tags (tenant, tag, hidden, at, pk)
SELECT m.tenant, tag.value, m.hidden, m.at, m.pk FROM memories AS m, json_each(m.tags) AS tag;

CREATE TABLE vectors (
    pk INTEGER PRIMARY KEY,
    -- float32, little-endian, of unit length
    vector BLOB NOT NULL
);

CREATE TABLE journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant INTEGER NOT NULL,
    trace_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    op TEXT NOT NULL,
    at TEXT NOT NULL,
    actor TEXT,
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- {field: [before, after]}; NULL where the content was erased
    changes TEXT
);

CREATE INDEX journal_by_trace ON journal (tenant, trace_id);
CREATE INDEX journal_by_memory ON journal (tenant, id);

CREATE TABLE registries (
    tenant INTEGER NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    PRIMARY KEY (tenant, version)
) WITHOUT ROWID;

-- The columns that the published corpora's assertions name. Plain columns keep their affinity.
CREATE VIEW memory AS
SELECT
    CAST(id AS TEXT) AS id, text, type, subject, time, location, topic, tags, facets, weight,
    source, expire_at, expire_action, lock_mode, lock_policy, lock_expires,
    remind_rrule AS auto_frequency, lineage_parents, lineage_children, read_perm_level,
    write_perm_level, deleted, tenants.tenant AS tenant
FROM memories JOIN tenants ON tenants.number = memories.tenant;
