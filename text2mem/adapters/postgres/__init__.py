"""A Postgres server as a backend: the statements of ``sql``, a tenant a policy, pgvector."""
