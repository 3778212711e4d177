-- Episodes that wait to be read, facts that wait to be sure, and what was heard where.

CREATE TABLE queue (
    -- the episode's; it goes when the episode is erased
    pk INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL REFERENCES tenants (number),
    queued_at TEXT NOT NULL,
    due_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- who is at work on it, and until when nobody else may be
    lease TEXT,
    leased_until TEXT,
    -- what went wrong the last time, in the program's own words, never in the episode's
    error TEXT,
    -- given up
    dead INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX queue_by_due ON queue (tenant, dead, due_at, pk);

CREATE INDEX memories_pending ON memories (tenant, id) WHERE pending = 1 AND deleted = 0;

-- What is deleted and still has to be erased when its time has come.
CREATE INDEX memories_to_erase ON memories (tenant, expire_at)
    WHERE expire_at IS NOT NULL AND deleted = 1 AND expire_action IN ('hard_delete', 'anonymize');

-- Which facts an episode is a source of.
CREATE TABLE heard (
    tenant INTEGER NOT NULL,
    episode TEXT NOT NULL,
    pk INTEGER NOT NULL,
    PRIMARY KEY (tenant, episode, pk)
) WITHOUT ROWID;

INSERT OR IGNORE INTO heard (tenant, episode, pk)
SELECT m.tenant, json_extract(source.value, '$.episode'), m.pk
FROM memories AS m, json_each(m.sources) AS source
WHERE m.attribute IS NOT NULL AND json_extract(source.value, '$.episode') IS NOT NULL;
