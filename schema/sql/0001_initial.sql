-- The first schema: memories, their tags, the word index, the journal.

CREATE TABLE tenants (
    tenant TEXT PRIMARY KEY,
    next_id INTEGER NOT NULL,
    -- What ranking needs to know of the word index: a tenant's scores tell nothing of another's.
    documents INTEGER NOT NULL DEFAULT 0,
    terms INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE memories (
    pk INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
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
    version INTEGER NOT NULL,
    -- What time ranges and orderings go by.
    at TEXT NOT NULL GENERATED ALWAYS AS (COALESCE(time, created_at)) STORED,
    UNIQUE (tenant, id)
);

CREATE INDEX memories_by_time ON memories (tenant, at DESC, id);
CREATE INDEX memories_by_expiry ON memories (tenant, expire_at) WHERE expire_at IS NOT NULL;
CREATE INDEX memories_by_fact ON memories (tenant, subject, attribute, valid_from)
    WHERE attribute IS NOT NULL;

CREATE TABLE memory_tags (
    tenant TEXT NOT NULL,
    tag TEXT NOT NULL,
    pk INTEGER NOT NULL REFERENCES memories (pk),
    PRIMARY KEY (tenant, tag, pk)
) WITHOUT ROWID;

CREATE INDEX memory_tags_by_memory ON memory_tags (pk);

-- Terms are cut by the program, so the tokenizer only splits at blanks.
CREATE VIRTUAL TABLE memory_terms USING fts5 (
    terms, tokenize = 'unicode61 remove_diacritics 0'
);

CREATE TABLE journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    op TEXT NOT NULL,
    at TEXT NOT NULL,
    actor TEXT,
    id INTEGER NOT NULL,
    before TEXT,
    after TEXT
);

CREATE INDEX journal_by_trace ON journal (tenant, trace_id);
CREATE INDEX journal_by_memory ON journal (tenant, id);

-- The columns that the published corpora's assertions name. Plain columns keep their affinity.
CREATE VIEW memory AS
SELECT
    CAST(id AS TEXT) AS id, text, type, subject, time, location, topic, tags, facets, weight,
    source, expire_at, expire_action, lock_mode, lock_policy, lock_expires,
    remind_rrule AS auto_frequency, lineage_parents, lineage_children, read_perm_level,
    write_perm_level, deleted, tenant
FROM memories;
