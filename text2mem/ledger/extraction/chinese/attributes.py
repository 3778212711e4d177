"""Which attribute a noun means: one in use, a declared one, or the usual name of its concept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ir.registry import Attribute
from text2mem.ledger.extraction.chinese.concepts import NAMES, RELATIONS, Concept, concept_of
from text2mem.ledger.extraction.chinese.scene import Scene

_OF_DAYS = ("日期", "截止日期", "时间", "日", "截止时间")
_OF_TIMES = ("时间", "日期")
_IDLE = ("代码", "项目", "仓库", "接口", "服务", "系统")
"""What says of a noun only where it belongs."""
KINDS = (
    *"号码名人",
    "号码",
    "编号",
    "时间",
    "日期",
    "地点",
    "地址",
    "名称",
    "尺码",
    "方式",
    "语言",
)
"""What a noun is said without: 航班 for 航班号."""
_OF_PLACES = ("地点", "地址", "场地", "教室", "会议室")
_TAILS = tuple(
    name
    for name in NAMES
    if (kind := concept_of(name))
    and (not kind.personal or kind.type == "contact" or name == "生日")
)
"""Names that tell what an attribute is whose name ends with them."""


@dataclass(frozen=True, slots=True)
class Named:
    """An attribute as the store has it, and what kind of thing it is."""

    name: str
    declared: Attribute
    concept: Concept | None
    sure: bool

    @property
    def many(self) -> bool:
        """Whether a list is several values of it."""
        if self.declared.declared:
            return self.declared.cardinality == "many"
        return self.concept is not None and self.concept.many

    @property
    def personal(self) -> bool:
        """Whether persons have it."""
        return self.name in RELATIONS or (self.concept is not None and self.concept.personal)


def attribute(scene: Scene, noun: str, subject: str | None) -> Named:
    """The attribute that a noun means of a subject. ``sure``: it is known by that noun."""
    noun = RELATIONS.get(noun, noun)
    if (
        noun.startswith(_IDLE)
        and concept_of(noun) is None
        and (concept_of(noun[2:]) or fold(noun[2:]) in scene.attributes)
    ):
        noun = noun[2:]
    concept = concept_of(noun) or concept_of(noun.replace(" ", ""))
    bare = noun.replace(" ", "")
    names = dict.fromkeys((noun, bare, *(concept.names if concept else ())))
    tail = max((n for n in _TAILS if noun.endswith(n)), key=len, default=None)
    kind = concept or (concept_of(tail) if tail else None)
    english = concept.english if concept else ()
    own = {fold(f.attribute): f.attribute for f in _held(scene, subject) if f.attribute}
    if found := _first((*names, *english), own):
        return _named(scene, found, kind, sure=True)
    chinese = [name for name in names if not name.isascii() or name == noun]
    if found := _first(chinese, scene.attributes) or _declared(scene, chinese):
        return _named(scene, found, kind, sure=True)
    if concept is None and (near := _near(scene, noun, own)):
        return _named(scene, near, concept_of(near), sure=True)
    person = subject is not None and scene.is_person(subject)
    if concept is not None and (concept.personal or not person or noun not in RELATIONS.values()):
        name = noun if concept.names[0] == "组长" else concept.names[0]
        return _named(scene, name, concept, sure=True)
    return _named(scene, noun, kind, sure=noun in RELATIONS.values())


def of_event(scene: Scene, noun: str, subject: str | None, kind: str) -> Named:
    """The attribute of an event's ``day``, ``time`` or ``place``: 散伙饭 → 散伙饭日期."""
    endings = {"day": _OF_DAYS, "time": _OF_TIMES, "place": _OF_PLACES}[kind]
    exact = noun.endswith(endings) or (kind == "day" and noun.endswith("期"))
    names = [noun] if exact else [noun, *(noun + ending for ending in endings)]
    own = {fold(f.attribute): f.attribute for f in _held(scene, subject) if f.attribute}
    found = _first(names, own) or _first(names, scene.attributes) or _declared(scene, names)
    if not found and not exact:
        found = _starting(noun, endings, [*own.values(), *scene.attributes.values()])
    if not found and not exact:
        found = _stemmed(noun, endings, [*own.values(), *scene.attributes.values()])
    if found or exact:
        return attribute(scene, found or noun, subject)
    return _named(scene, names[1], concept_of(noun + endings[0]), sure=False)


def type_of(named: Named, *, person: bool) -> str:
    """The memory type of a fact."""
    name = named.name
    if name in RELATIONS.values() or name in RELATIONS:
        return "profile"
    if name.startswith(("首选", "preferred", "favo")) or name.endswith(("偏好", "preference")):
        return named.concept.type if named.concept else "preference"
    if named.concept is not None:
        return named.concept.type
    if name.endswith(("日期", "到期日")):
        return "event"
    return "fact" if person or name.endswith(("时间", "地点")) else "project"


def _held(scene: Scene, subject: str | None) -> Sequence[Record]:
    return scene.facts(subject) if subject else ()


def _first(names: Iterable[str], among: dict[str, str]) -> str | None:
    return next((among[fold(name)] for name in names if fold(name) in among), None)


def _declared(scene: Scene, names: Iterable[str]) -> str | None:
    """The first name that the registry declares, by itself or by a pattern of Chinese."""
    for name in names:
        found = scene.known.registry.attribute(name)
        if found.declared:
            return found.name
    return None


def _near(scene: Scene, noun: str, own: Mapping[str, str]) -> str | None:
    """The one attribute in use whose name ends with the noun: 截止日期 → 投稿截止日期."""
    folded = fold(noun)
    if len(folded) < 2 or folded.isascii():
        return None
    declared = {fold(name): name for name in scene.declared}
    for pool in (own, scene.attributes, declared):
        near = [name for name in pool if name.endswith(folded)]
        near = near or [n for n in pool if n.startswith(folded) and n[len(folded) :] in KINDS]
        if len(near) == 1:
            return pool[near[0]]
    return None


def _starting(noun: str, endings: tuple[str, ...], names: Iterable[str]) -> str | None:
    fits = [name for name in names if name.startswith(noun) and name.endswith(endings)]
    return fits[0] if fits else None


def _stemmed(noun: str, endings: tuple[str, ...], names: Iterable[str]) -> str | None:
    """排练时间 for 乐团排练."""
    stems = {name: re.sub(f"(?:{'|'.join(endings)})$", "", name) for name in names}
    fits = [n for n, stem in stems.items() if stem != n and len(stem) > 1 and noun.endswith(stem)]
    return fits[0] if fits else None


def _named(scene: Scene, name: str, concept: Concept | None, *, sure: bool) -> Named:
    declared = scene.known.registry.attribute(name)
    return Named(declared.name, declared, concept or concept_of(declared.name), sure)
