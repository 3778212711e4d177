-- Versions of a time line do not overlap, so a new one overlaps another only if it overlaps the last
-- one that begins before its end. Only that one is looked at, however long the line is.

DROP TRIGGER memories_fact_inserted;
DROP TRIGGER memories_fact_changed;

CREATE TRIGGER memories_fact_inserted AFTER INSERT ON memories
WHEN NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from)
BEGIN
    SELECT RAISE(ABORT, 'fact-overlap') FROM (
        SELECT o.valid_to FROM memories AS o
        WHERE o.tenant = NEW.tenant AND o.subject_key = NEW.subject_key
            AND o.attribute = NEW.attribute AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk
            AND o.deleted = 0 AND o.pending = 0
            AND (o.valid_to IS NULL OR o.valid_to > o.valid_from)
            AND o.valid_from < ifnull(NEW.valid_to, '~')
        ORDER BY o.valid_from DESC LIMIT 1
    ) AS last
    WHERE last.valid_to IS NULL OR last.valid_to > NEW.valid_from;
END;

CREATE TRIGGER memories_fact_changed
AFTER UPDATE OF subject_key, attribute, fact_key, valid_from, valid_to, deleted, pending ON memories
WHEN NEW.attribute IS NOT NULL AND NEW.deleted = 0 AND NEW.pending = 0
    AND (NEW.valid_to IS NULL OR NEW.valid_to > NEW.valid_from)
BEGIN
    SELECT RAISE(ABORT, 'fact-overlap') FROM (
        SELECT o.valid_to FROM memories AS o
        WHERE o.tenant = NEW.tenant AND o.subject_key = NEW.subject_key
            AND o.attribute = NEW.attribute AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk
            AND o.deleted = 0 AND o.pending = 0
            AND (o.valid_to IS NULL OR o.valid_to > o.valid_from)
            AND o.valid_from < ifnull(NEW.valid_to, '~')
        ORDER BY o.valid_from DESC LIMIT 1
    ) AS last
    WHERE last.valid_to IS NULL OR last.valid_to > NEW.valid_from;
END;

-- The words of the programs that touched an erased memory, without a look at the other changes.
CREATE INDEX journal_said ON journal (tenant, trace_id) WHERE said IS NOT NULL;
