"""``text2mem migrate``: move a store to another backend."""

from __future__ import annotations

from contextlib import ExitStack, closing

import click

from text2mem.cli import options, show
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext


@click.command("migrate")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@options.tenant_option
@options.output_options
@click.pass_context
def command(ctx: click.Context, source: str, target: str, tenant: str) -> None:
    """Bring the memories, facts, journal and lineage of FROM into TO, under the same ids.

    TO is a store that is not there yet, or that an interrupted migration has begun. Memories of a
    framework that text2mem has never opened are imported as they are. `text2mem reindex` makes the
    vectors.
    """
    from text2mem.adapters.mirrored.place import foreign_keeper
    from text2mem.adapters.registry import open_adapter
    from text2mem.mirroring import import_items, migrate

    options.require_store(source)
    files = [(name, options.store_path(name)) for name in (source, target)]
    left, arrives = (path.resolve() if path else name for name, path in files)
    if target in ("memory:", ":memory:") or left == arrives:
        raise ConfigurationError(
            f"nothing would be kept by a move to {target}", hint="name another file, or a server"
        )
    context = ExecutionContext(tenant=tenant)
    with ExitStack() as stack:
        keeper = foreign_keeper(source, tenant)
        if keeper is not None:
            stack.callback(keeper.close)
        into = stack.enter_context(closing(open_adapter(target, tenant=tenant)))
        if keeper is not None:
            report = {"imported": len(import_items(keeper, into, context)), "from": keeper.name}
        else:
            origin = stack.enter_context(closing(open_adapter(source, tenant=tenant)))
            report = migrate(origin, into, context).as_dict()
    show.row(report, "  ".join(f"{name}={value}" for name, value in report.items()))
    if report.get("same") is False:
        show.complain("the stores do not hold the same", "keep the old one, and report this")
        ctx.exit(1)
