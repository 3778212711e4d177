"""The backend on a Postgres server: the shared SQL, row-level security for tenants, pgvector."""
