"""``text2mem schema``."""

from __future__ import annotations

import json

import click

from text2mem import resources

KINDS = ["ir", "result", "registry", "policy", "evolution", "lowered"]


@click.command("schema")
@click.argument("which", type=click.Choice(KINDS), default="ir")
@click.option("--strict", is_flag=True, help="Lowered to OpenAI's strict subset.")
def command(which: str, strict: bool) -> None:
    """Print the JSON Schema of programs (ir), of results, of documents, or what a model is given.

    The documents are registries, policies of typed memory, and evolutions of its schema.
    With `lowered`, stderr lists the rules that a decoder does not enforce and the validator does.
    """
    if which != "lowered":
        click.echo(resources.read_text("schema", f"{which}.v1.schema.json"), nl=False)
        return
    from text2mem.planner.lowering import lower_program

    lowered = lower_program(strict=strict)
    click.echo(json.dumps(lowered.schema, indent=2, ensure_ascii=False))
    for rule in lowered.moved:
        click.echo(f"left to the validator: {rule}", err=True)
