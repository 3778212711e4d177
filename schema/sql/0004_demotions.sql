-- Demotions for a while: until when, and what comes back then: {"weight": …, "archived": …}.

ALTER TABLE memories ADD COLUMN demoted_until TEXT;
ALTER TABLE memories ADD COLUMN demoted_from TEXT NOT NULL DEFAULT '{}';

CREATE INDEX memories_by_demotion ON memories (tenant, demoted_until)
    WHERE demoted_until IS NOT NULL;
