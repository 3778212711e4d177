-- The newest facts, however many other memories are newer.

CREATE INDEX memories_facts ON memories (tenant, hidden, at DESC, id) WHERE attribute IS NOT NULL;
