"""Syncing with a framework that mirrors a store, and migrating a store to another one."""

from text2mem.mirroring.migrating import Migrated, import_items, migrate
from text2mem.mirroring.syncing import Synced, sync

__all__ = ["Migrated", "Synced", "import_items", "migrate", "sync"]
