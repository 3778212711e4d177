-- A subject is a name, and names are compared folded: "Mira" and "mira" are one. Facts that stood
-- under two spellings come onto one time line, on which each ends where the next one begins, at the
-- latest.

DROP TRIGGER memories_fact_inserted;
DROP TRIGGER memories_fact_changed;
DROP INDEX memories_current;
DROP INDEX memories_by_fact;
DROP INDEX memories_by_subject;

-- The subject as names are compared.
ALTER TABLE memories ADD COLUMN subject_key TEXT;

UPDATE memories SET subject_key = subject_key(subject) WHERE subject IS NOT NULL;

CREATE TEMP TABLE met AS
SELECT pk, following FROM (
    SELECT pk, valid_to, lead(valid_from) OVER (
        PARTITION BY tenant, subject_key, attribute, fact_key ORDER BY valid_from, id
    ) AS following
    FROM memories
    WHERE attribute IS NOT NULL AND deleted = 0 AND pending = 0
        AND (valid_to IS NULL OR valid_to > valid_from)
)
WHERE following < ifnull(valid_to, '9999');

UPDATE memory_tags SET hidden = 1 WHERE pk IN (SELECT pk FROM met);

UPDATE memories SET valid_to = (SELECT following FROM met WHERE met.pk = memories.pk)
WHERE pk IN (SELECT pk FROM met);

UPDATE beliefs SET retracted_at = present()
WHERE retracted_at IS NULL AND pk IN (SELECT pk FROM met);

INSERT INTO beliefs (
    pk, subject, attribute, value, valid_from, valid_to, pending, deleted, recorded_at
)
SELECT pk, subject, attribute, value, valid_from, valid_to, pending, deleted, present()
FROM memories WHERE pk IN (SELECT pk FROM met);

DROP TABLE met;

CREATE INDEX memories_by_subject ON memories (tenant, subject_key, hidden, at DESC, id)
    WHERE subject_key IS NOT NULL;
CREATE INDEX memories_by_fact ON memories (tenant, subject_key, attribute, fact_key, valid_from)
    WHERE attribute IS NOT NULL;

-- At most one current value; the triggers say the same of every other instant.
CREATE UNIQUE INDEX memories_current ON memories (tenant, subject_key, attribute, fact_key)
    WHERE attribute IS NOT NULL AND valid_to IS NULL AND deleted = 0 AND pending = 0;

CREATE TRIGGER memories_fact_inserted AFTER INSERT ON memories
WHEN NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from)
BEGIN
    SELECT RAISE(ABORT, 'fact-overlap') FROM memories AS o
    WHERE o.tenant = NEW.tenant AND o.subject_key = NEW.subject_key AND o.attribute = NEW.attribute
        AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk AND o.deleted = 0 AND o.pending = 0
        AND (o.valid_to IS NULL OR (o.valid_to > o.valid_from AND o.valid_to > NEW.valid_from))
        AND (NEW.valid_to IS NULL OR o.valid_from < NEW.valid_to);
END;

CREATE TRIGGER memories_fact_changed
AFTER UPDATE OF subject_key, attribute, fact_key, valid_from, valid_to, deleted, pending ON memories
WHEN NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from)
BEGIN
    SELECT RAISE(ABORT, 'fact-overlap') FROM memories AS o
    WHERE o.tenant = NEW.tenant AND o.subject_key = NEW.subject_key AND o.attribute = NEW.attribute
        AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk AND o.deleted = 0 AND o.pending = 0
        AND (o.valid_to IS NULL OR (o.valid_to > o.valid_from AND o.valid_to > NEW.valid_from))
        AND (NEW.valid_to IS NULL OR o.valid_from < NEW.valid_to);
END;
