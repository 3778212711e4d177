"""Between stores: what others have changed in a framework, and moves from one store to another."""

from text2mem.mirroring.migrating import Migrated, import_items, migrate
from text2mem.mirroring.syncing import Synced, sync

__all__ = ["Migrated", "Synced", "import_items", "migrate", "sync"]
