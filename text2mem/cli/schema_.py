"""``text2mem schema``: print a JSON Schema."""

from __future__ import annotations

import json

import click

from text2mem import resources

KINDS = ["ir", "result", "registry", "policy", "evolution", "draft"]


@click.command("schema")
@click.argument("which", type=click.Choice(KINDS), default="ir")
@click.option("--strict", is_flag=True, help="Of draft: lowered to OpenAI's strict subset.")
def command(which: str, strict: bool) -> None:
    """Print the JSON Schema of programs (ir), of results, of documents, or what a model is given.

    The documents are registries, policies of typed memory, and evolutions of its schema.
    `draft` is what a model is asked to write.
    """
    if strict and which != "draft":
        raise click.UsageError("--strict is of `draft` alone: nothing else is given to a model")
    if which != "draft":
        click.echo(resources.read_text("schema", f"{which}.v1.schema.json"), nl=False)
        return
    from text2mem.planner.draft import draft_schema
    from text2mem.planner.lowering import strict as closed

    schema = closed(draft_schema()) if strict else draft_schema()
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
