"""Structured messages, read field by field: results of tools, and events.

One field names the subject; fields that are declared or in use, and a few that are always
attributes, are its facts. Listings and free text yield nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ir.written_dates import read_date
from text2mem.ledger.candidate import Candidate, Known, Reading
from text2mem.ledger.episode import Episode

# fmt: off
_SUBJECTS = (
    "subject", "主体", "对象", "customer", "client", "客户", "顾客", "user", "用户", "member",
    "会员", "patient", "病人", "患者", "employee", "员工", "person", "contact", "联系人", "ticket",
    "工单", "order", "订单", "订单号", "issue", "incident", "事故", "case", "invoice", "发票",
    "shipment", "parcel", "包裹", "booking", "reservation", "预订", "repository", "repo", "仓库",
    "代码库", "project", "项目", "package", "module", "service", "服务", "device", "设备",
    "machine", "server", "account", "账户", "账号", "group", "小组", "team", "团队", "class",
    "班级", "company", "公司", "organisation", "organization", "store", "门店", "店铺", "product",
    "商品", "course", "课程", "name", "姓名", "名称", "id", "编号",
)
_PROJECTS = frozenset((
    "repository", "repo", "仓库", "代码库", "project", "项目", "package", "module",
))
_SINCE = (
    "effective", "effective_from", "effective_date", "valid_from", "since", "starts", "start_date",
    "as_of", "changed_at", "updated_at", "生效日", "生效日期", "生效时间", "起始日", "开始日期",
    "changed_on", "from_date", "effective_on", "时间", "发生时间", "更新时间", "变更时间",
    "timestamp", "occurred_at", "time", "at",
)
_UNTIL = (
    "valid_to", "valid_until", "until", "expires", "expires_at", "ends", "end_date", "失效日",
    "截止", "有效期至",
)
_NESTED = frozenset((
    "settings", "config", "configuration", "options", "preferences", "attributes", "properties",
    "details", "profile", "data", "fields", "changes", "new", "payload", "body", "object", "record",
    "attrs", "current", "after", "values", "updates", "updated", "contact", "resource", "item",
    "配置", "设置", "选项", "偏好", "属性", "详情", "资料", "信息", "变更",
))
_NEVER = frozenset((
    "event", "事件", "type", "类型", "command", "命令", "stdout", "stderr", "输出", "exit",
    "exit_code", "退出码", "message", "消息", "text", "body", "正文", "content", "内容", "留言",
    "comment", "评论", "备注", "note", "notes", "description", "描述", "log", "日志", "query",
    "查询", "result", "results", "结果", "error", "错误", "url", "request_id", "trace_id",
    "session", "session_id", "source", "ok", "success", "count", "total", "数量", "page", "limit",
    "duration", "took_ms", "commit", "sha", "diff", "summary", "摘要", "title", "subject_line",
    "html", "raw", "path", "file", "文件", "tool", "action", "动作", "by", "操作人", "reason",
    "原因", "id", "编号", "uuid", "temperature", "weather", "天气", "price", "价格", "route",
    "balance",
))
_ALWAYS = frozenset((
    "status", "state", "状态", "plan", "tier", "seats", "owner", "负责人", "default_branch",
    "默认分支", "priority", "优先级", "assignee", "email", "phone", "address", "city", "会员等级",
    "等级", "积分", "points", "level", "邮箱", "电话", "地址", "城市", "组会地点", "组会时间",
    "port", "端口", "language", "语言", "deadline", "截止日期", "shipping_address",
    "delivery_address", "收货地址", "package_manager", "test_command", "line_length", "timezone",
    "时区", "role", "职位", "部门", "department", "license", "maintainer", "visibility",
    "severity", "on_call", "database", "数据库", "account_manager", "birthday", "生日",
))
_CONTACT = frozenset((
    "邮箱", "电话", "地址", "收货地址", "手机", "手机号", "email", "phone", "address",
    "首选联系方式",
))
_TASK = frozenset((
    "status", "state", "状态", "priority", "优先级", "assignee",
))
_PROFILE = frozenset((
    "城市", "公司", "职位", "生日", "语言", "姓名", "部门",
))
# fmt: on
_LONGEST = 120
_SUFFIXES = (
    "_owner",
    "_manager",
    "_email",
    "_phone",
    "_address",
    "_plan",
    "_status",
    "_limit",
    "_branch",
    "_version",
    "_command",
    "_level",
    "_tier",
    "_timezone",
    "_language",
    "_deadline",
    "_preference",
    "_quota",
    "_port",
)
_DATES = re.compile(
    r"(?:renewal|expiry|expiration|due|delivery|release|departure|return|arrival|appointment|"
    r"checkup|review|launch|go_live|closing|move|exam)_(?:date|day)$|^(?:due|renews|renews_on)$"
)
_IDS = frozenset(
    (
        "request_id",
        "trace_id",
        "session_id",
        "event_id",
        "message_id",
        "correlation_id",
        "tenant_id",
        "webhook_id",
        "delivery_id",
        "span_id",
        "batch_id",
        "job_id",
        "run_id",
        "file_name",
        "host_name",
        "parent_id",
        "thread_id",
        "channel_id",
    )
)
_NAMED = frozenset(("name", "姓名", "id", "编号"))
_FIELD = ("field", "attribute", "key", "setting", "property", "column", "字段", "属性", "项目名")
_TO = ("to", "new", "new_value", "after", "value", "now", "current", "新值", "改为", "值")
_ORDERS = re.compile(
    r"\b(?:system|assistant|ignore (?:all|previous)|delete (?:all|every)|instructions?)\s*:|"
    r"ignore (?:all |the )?previous|"
    r"忽略(?:以上|之前)|删除所有",
    re.IGNORECASE,
)


def read(episode: Episode, known: Known) -> Reading:
    """The facts that the fields of a message hold."""
    said = episode.message.structured or {}
    found = _subject(said)
    if found is None:  # "data": {"incident": …}: what is named within
        inner = next((v for k, v in said.items() if fold(str(k)) in _NESTED and
                      isinstance(v, Mapping) and _subject(v) is not None), None)  # fmt: skip
        found = _subject(inner) if inner else None
        if inner is None or found is None:
            return Reading(nothing=_why(said))
        said = {**{k: v for k, v in said.items() if v is not inner}, **inner}
    said = _changed(said)
    key, name = found
    message = _Message(episode, known, fold(name), fold(key) in _PROJECTS)
    since = (*_SINCE, "date", "日期") if episode.role == "event" else _SINCE
    begins, ends = message.instant(said, since), message.instant(said, _UNTIL)
    candidates = tuple(message.candidates(said, key, begins, ends))
    return Reading(candidates=candidates, nothing=None if candidates else _why(said))


def _subject(said: Mapping[str, Any]) -> tuple[str, str] | None:
    """The field that names what a message is about, and the name."""
    keys = {fold(str(key)): str(key) for key in said}
    for each in _SUBJECTS:
        key = keys.get(fold(each)) or keys.get(f"{each}_id") or keys.get(f"{each}_name")
        if key is None:
            continue
        value = said[key]
        if isinstance(value, Mapping):
            inner = next((value[k] for k in ("name", "姓名", "id", "编号") if value.get(k)), None)
            value = inner
        if isinstance(value, int) and not isinstance(value, bool):
            value = f"{each} {value}"
        if isinstance(value, str) and 0 < len(value.strip()) <= 80 and "\n" not in value:
            return key, value.strip()
    return _by_event(said)


def _by_event(said: Mapping[str, Any]) -> tuple[str, str] | None:
    """The subject by the kind of event, "ride.assigned", else the first identifier or name."""
    kind = next((v for k, v in said.items() if fold(str(k)) in ("event", "type", "kind", "topic")
                 and isinstance(v, str)), "")  # fmt: skip
    noun = fold(re.split(r"[._:/\s-]", kind)[0]) if kind else ""
    for key, value in said.items():
        name = fold(str(key))
        if name in _IDS or isinstance(value, bool) or not isinstance(value, str | int):
            continue
        if name == noun or (name.endswith(("_id", "_name", "_number")) and len(name) > 5):
            text = f"{re.sub('_(?:id|number)$', '', name)} {value}" if _number(value) else value
            if 0 < len(str(text).strip()) <= 80 and "\n" not in str(text):
                return str(key), str(text).strip()
    return None


def _number(value: str | int) -> bool:
    return isinstance(value, int) or value.strip().isdigit()


def _changed(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """A change told as a field and its new value, "field": "plan", "to": "Pro", as that field."""
    names = {fold(str(key)): str(key) for key in said}
    field = next((said[names[f]] for f in _FIELD if f in names), None)
    new = next((names[t] for t in _TO if t in names), None)
    if not isinstance(field, str) or new is None or isinstance(said[new], Mapping | list):
        return said
    dropped = {
        names[n] for n in (*_FIELD, *_TO, "from", "old", "old_value", "before") if n in names
    }
    return {**{k: v for k, v in said.items() if k not in dropped}, field: said[new]}


class _Message:
    """A structured message with its subject."""

    def __init__(self, episode: Episode, known: Known, subject: str, project: bool) -> None:
        self._episode = episode
        self._known = known
        self._subject = subject
        self._project = project
        held = {r.attribute for r in known.facts(subject=subject) if r.attribute}
        self._used = {fold(name) for name in (*held, *known.attributes())}

    def candidates(
        self, said: Mapping[str, Any], key: str, begins: datetime | None, ends: datetime | None
    ) -> Iterator[Candidate]:
        """One for each value of a field that is an attribute."""
        for field, value in said.items():
            name = fold(str(field))
            if field == key and isinstance(value, Mapping):
                rest = {k: v for k, v in value.items() if fold(str(k)) not in _NAMED}
                yield from self.candidates(rest, "", begins, ends)
            if field == key or name in map(fold, (*_SINCE, *_UNTIL)) or name in ("date", "日期"):
                continue
            if isinstance(value, Mapping) and (name in _NESTED or self._is_attribute(name)):
                yield from self.candidates(value, "", begins, ends)
            elif isinstance(value, Mapping) or not self._is_attribute(name):
                continue
            elif isinstance(value, list):
                many = self._known.registry.attribute(str(field)).cardinality == "many"
                for item in value if many else ():
                    yield from self._candidate(str(field), item, begins, ends)
            else:
                yield from self._candidate(str(field), value, begins, ends)

    def _candidate(
        self, field: str, value: Any, begins: datetime | None, ends: datetime | None
    ) -> Iterator[Candidate]:
        if value is None or not isinstance(value, str | int | float | bool):
            return
        if isinstance(value, str) and (
            not value.strip() or len(value) > _LONGEST or "\n" in value or _ORDERS.search(value)
        ):
            return
        known = self._known.registry.attribute(field)
        text = self._episode.text
        quoted = f"{json.dumps(field, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        start = max(text.find(quoted), 0)
        yield Candidate(
            subject=self._subject, attribute=known.name, value=value, type=self._type(known.name),
            valid_from=begins, valid_to=ends, confidence=0.95, quote=(start, start + len(quoted)),
        )  # fmt: skip

    def _is_attribute(self, name: str) -> bool:
        if name in _NEVER and name not in self._used:
            return False
        return (
            name in _ALWAYS
            or name in self._used
            or name.endswith(_SUFFIXES)
            or bool(_DATES.search(name))
            or self._known.registry.attribute(name).declared
        )

    def _type(self, attribute: str) -> str:
        name = fold(attribute)
        if name in _TASK and not self._project:
            return "task"
        if name in _CONTACT or name.endswith(("_email", "_phone", "_address")):
            return "contact"
        if name in _PROFILE:
            return "profile"
        return "project" if self._project else "fact"

    def instant(self, said: Mapping[str, Any], names: tuple[str, ...]) -> datetime | None:
        """The instant of the first of these fields that holds one; a day is its first second."""
        fields = {fold(str(key)): value for key, value in said.items()}
        for name in names:
            value = fields.get(name)
            if not isinstance(value, str):
                continue
            try:
                at = datetime.fromisoformat(value.strip())
            except ValueError:
                day = read_date(value)
                if day is None:
                    continue
                at = datetime(day.year, day.month, day.day)
            at = at if at.tzinfo else at.replace(tzinfo=self._episode.tz)
            return at.astimezone(UTC).replace(microsecond=0)
        return None


def _why(said: Mapping[str, Any]) -> str:
    """Why a message says nothing: an order within data, or a listing of the moment."""
    return "injection" if _ORDERS.search(json.dumps(said, ensure_ascii=False)) else "transient"
