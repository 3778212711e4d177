-- The newest facts, as schema/sql/0009_facts.sql says.

CREATE INDEX memories_facts ON memories (tenant, hidden, at DESC, id) WHERE attribute IS NOT NULL;
