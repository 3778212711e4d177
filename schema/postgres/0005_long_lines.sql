-- Versions of a time line do not overlap, so a new one overlaps another only if it overlaps the last
-- one that begins before its end. Only that one is looked at, however long the line is.

CREATE OR REPLACE FUNCTION fact_overlap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Whoever else writes to this time line has committed before it is looked at.
    PERFORM pg_advisory_xact_lock(hashtextextended(
        concat_ws(chr(31), NEW.tenant, NEW.subject_key, NEW.attribute, NEW.fact_key), 0
    ));
    IF EXISTS (
        SELECT 1 FROM (
            SELECT o.valid_to FROM memories AS o
            WHERE o.tenant = NEW.tenant AND o.subject_key = NEW.subject_key
                AND o.attribute = NEW.attribute AND o.fact_key = NEW.fact_key AND o.pk <> NEW.pk
                AND o.deleted = 0 AND o.pending = 0
                AND (o.valid_to IS NULL OR o.valid_to > o.valid_from)
                AND o.valid_from < coalesce(NEW.valid_to, '~')
            ORDER BY o.valid_from DESC LIMIT 1
        ) AS last
        WHERE last.valid_to IS NULL OR last.valid_to > NEW.valid_from
    ) THEN
        RAISE EXCEPTION 'fact-overlap' USING ERRCODE = 'exclusion_violation';
    END IF;
    RETURN NULL;
END
$$;

-- The words of the programs that touched an erased memory, without a look at the other changes.
CREATE INDEX journal_said ON journal (tenant, trace_id) WHERE said IS NOT NULL;
