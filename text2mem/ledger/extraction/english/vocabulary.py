"""Attributes by what they are about: one concept under all its names, and its memory type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from text2mem.ir.naming import fold, is_pattern, matches
from text2mem.ledger.candidate import Known
from text2mem.ledger.extraction.english.text import words

# fmt: off
_NAMES: Mapping[str, tuple[str, str]] = {
    # concept: its memory type, and its names, the one to take first where none is in use
    "city": ("profile", "city home_city residence hometown_city lives_in location"),
    "country": ("profile", "country country_of_residence"),
    "hometown": ("profile", "hometown place_of_origin origin"),
    "birthplace": ("profile", "birthplace place_of_birth"),
    "address": ("contact", "address home_address postal_address"),
    "delivery_address": ("contact", "delivery_address shipping_address"),
    "employer": ("profile", "employer company workplace organisation organization"),
    "job_title": ("profile", "job_title occupation profession job role position"),
    "role": ("profile", "role job_title position"),
    "team": ("profile", "team department"),
    "manager": ("profile", "manager boss line_manager"),
    "school": ("profile", "school university college"),
    "subject_of_study": ("profile", "field_of_study study_subject major subject_of_study"),
    "phone": ("contact", "phone phone_number mobile mobile_number mobile_phone telephone"),
    "email": ("contact", "email email_address mail"),
    "website": ("contact", "website homepage url"),
    "preferred_channel": ("contact", "preferred_channel preferred_contact contact_preference "
                          "preferred_contact_method preferred_contact_channel"),
    "birthday": ("profile", "birthday date_of_birth birth_date"),
    "age": ("profile", "age"),
    "allergies": ("profile", "allergies allergy allergic_to"),
    "diet": ("profile", "diet dietary_preference"),
    "medication": ("profile", "medication medications medicine"),
    "diagnosis": ("profile", "diagnosis condition conditions illness"),
    "blood_type": ("profile", "blood_type blood_group"),
    "likes": ("preference", "likes interests loves"),
    "dislikes": ("preference", "dislikes hates"),
    "hobbies": ("profile", "hobbies hobby interests likes"),
    "languages": ("profile", "languages language spoken_languages"),
    "instrument": ("profile", "instrument instruments"),
    "car": ("profile", "car vehicle"),
    "spouse": ("profile", "spouse husband wife partner"),
    "partner": ("profile", "partner spouse girlfriend boyfriend"),
    "children": ("profile", "children kids daughter son child"),
    "pets": ("profile", "pets pet dog cat"),
    "marital_status": ("profile", "marital_status"),
    "parking_spot": ("fact", "parking_spot parking parking_place car_location"),
    "shoe_size": ("profile", "shoe_size"),
    "name": ("profile", "name full_name"),
    "nickname": ("profile", "nickname"),
    "plan": ("fact", "plan subscription_plan subscription tier"),
    "seats": ("fact", "seats seat_count licences licenses"),
    "status": ("task", "status state"),
    "bank": ("profile", "bank"),
    "insurer": ("profile", "insurer insurance insurance_company health_insurance"),
    "answer_preference": ("preference", "answer_preference answer_style preferred_answer_style "
                          "response_preference response_style preferred_answers"),
    "answer_language": ("preference", "answer_language preferred_language response_language "
                        "reply_language"),
    "seat_preference": ("preference", "seat_preference preferred_seat"),
    "preferred_transport": ("preference", "preferred_transport transport_preference"),
    "preferred_drink": ("preference", "preferred_drink drink_preference"),
    "preferred_editor": ("preference", "preferred_editor editor editor_preference "
                         "favourite_editor favorite_editor"),
    "departure_date": ("event", "departure_date departure travel_date trip_departure trip_start"),
    "arrival_date": ("event", "arrival_date arrival"),
    "return_deadline": ("fact", "return_deadline return_date trip_end"),
    "return_date": ("event", "return_date return_deadline trip_end"),
    "wedding_date": ("event", "wedding_date wedding wedding_day"),
    "moving_date": ("event", "moving_date move_date"),
    "trip_budget": ("fact", "trip_budget budget travel_budget"),
    "budget": ("fact", "budget"),
    "destination": ("fact", "destination trip_destination"),
    # a repository or project
    "package_manager": ("project", "package_manager dependency_manager package_tool"),
    "test_command": ("project", "test_command tests_command test_cmd"),
    "build_command": ("project", "build_command"),
    "lint_command": ("project", "lint_command linter_command"),
    "format_command": ("project", "format_command"),
    "start_command": ("project", "start_command run_command dev_command"),
    "deploy_command": ("project", "deploy_command deployment_command"),
    "default_branch": ("project", "default_branch main_branch base_branch branch"),
    "line_length": ("project", "line_length max_line_length maximum_line_length line_limit"),
    "indentation": ("project", "indentation indent indent_style indent_width"),
    "port": ("project", "port server_port dev_port"),
    "database": ("project", "database db database_engine"),
    "ci": ("project", "ci ci_system ci_provider ci_service"),
    "linter": ("project", "linter"), "formatter": ("project", "formatter code_formatter"),
    "test_framework": ("project", "test_framework test_runner testing_framework"),
    "framework": ("project", "framework web_framework frontend_framework"),
    "programming_language": ("project", "programming_language language languages"),
    "python_version": ("project", "python_version"), "node_version": ("project", "node_version"),
    "issue_tracker": ("project", "issue_tracker tracker"),
    "chat_tool": ("project", "chat_tool chat"),
    "hosting": ("project", "hosting cloud_provider hosting_provider cloud host platform"),
    "license": ("project", "license licence"),
    "owner": ("project", "owner maintainer lead"),
    "release_owner": ("project", "release_owner release_manager owner"),
    "release_deadline": ("fact", "release_deadline release_date deadline"),
    "deadline": ("fact", "deadline due_date"),
    "commit_style": ("project", "commit_style commit_convention commit_message_style"),
    "merge_strategy": ("project", "merge_strategy merge_method"),
}
_NOUNS: Mapping[str, str] = {
    # what is said: the concept
    "phone": "phone", "phone number": "phone", "mobile": "phone", "mobile number": "phone",
    "cell": "phone", "cell phone": "phone", "cell number": "phone", "telephone": "phone",
    "telephone number": "phone", "number": "phone", "mobile phone": "phone",
    "phone no": "phone", "contact number": "phone", "landline": "phone",
    "email": "email", "e-mail": "email", "email address": "email", "mail": "email",
    "e-mail address": "email", "mail address": "email", "mail id": "email",
    "address": "address", "home address": "address", "postal address": "address",
    "street address": "address", "delivery address": "delivery_address",
    "shipping address": "delivery_address", "home town": "hometown", "hometown": "hometown",
    "city": "city", "home city": "city", "country": "country", "home": "city",
    "employer": "employer", "company": "employer", "workplace": "employer",
    "job": "job_title", "job title": "job_title", "profession": "job_title",
    "occupation": "job_title", "position": "job_title", "role": "role", "title": "job_title",
    "team": "team", "department": "team", "school": "school", "university": "school",
    "birthday": "birthday", "date of birth": "birthday", "birth date": "birthday", "age": "age",
    "allergy": "allergies", "allergies": "allergies", "diet": "diet", "medication": "medication",
    "medicine": "medication", "diagnosis": "diagnosis", "blood type": "blood_type",
    "blood group": "blood_type", "hobby": "hobbies", "hobbies": "hobbies",
    "language": "languages", "languages": "languages", "native language": "native_language",
    "mother tongue": "native_language", "car": "car", "instrument": "instrument",
    "name": "name", "full name": "name", "nickname": "nickname", "plan": "plan",
    "subscription": "plan", "tier": "plan", "seats": "seats", "status": "status",
    "bank": "bank", "insurance": "insurer", "insurer": "insurer", "website": "website",
    "homepage": "website", "budget": "budget", "shoe size": "shoe_size",
    "package manager": "package_manager", "test command": "test_command",
    "build command": "build_command", "default branch": "default_branch",
    "main branch": "default_branch", "base branch": "default_branch",
    "line length": "line_length", "line limit": "line_length", "max line length": "line_length",
    "maximum line length": "line_length", "indentation": "indentation", "port": "port",
    "database": "database", "db": "database", "ci": "ci", "linter": "linter",
    "formatter": "formatter", "test framework": "test_framework", "test runner": "test_framework",
    "web framework": "framework", "framework": "framework", "issue tracker": "issue_tracker",
    "license": "license", "licence": "license", "owner": "owner", "maintainer": "owner",
    "python version": "python_version", "node version": "node_version",
    "editor": "preferred_editor",
    "release owner": "release_owner", "release manager": "release_owner", "deadline": "deadline",
    "release date": "release_deadline", "release deadline": "release_deadline",
    "departure": "departure_date", "departure date": "departure_date",
    "return date": "return_date", "wedding": "wedding_date", "wedding day": "wedding_date",
    "parking spot": "parking_spot", "parking space": "parking_spot", "hosting": "hosting",
    "pronouns": "pronouns", "time zone": "timezone", "timezone": "timezone",
    "destination": "destination", "commit style": "commit_style",
    "merge strategy": "merge_strategy",
}
_PREFERENCE = re.compile(r"preferred_|favou?rite_|.*_preference$|.*_style$")
_PROFILE = re.compile(
    r".*(?:_size|_type|_name|birthday|anniversary|pronouns|nationality|religion|height|weight|"
    r"zodiac.*|degree|native_language|timezone)$"
)
_EVENT = re.compile(
    r".*(?:_date|_day|appointment|flight|freeze|meeting|interview|exam|concert|party|"
    r"trip|journey|surgery|checkup|check_up|ceremony|workshop|launch|demo)$"
)
# fmt: on
_DROPPED = re.compile(
    r"^(?:new|current|own|old|present|usual|actual|main|only|full|personal|private|next|latest|"
    r"work|exact|official|correct|right|real|present|all-time|absolute|very|ultimate|updated|"
    r"total|overall)\s+(?=\w)"
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of attributes, declared and in use."""

    known: Known

    def concept(self, concept: str, subject: str) -> str:
        """The name of a concept: in use for the subject, in use, declared, else its first."""
        _, names = _NAMES.get(concept, ("fact", concept))
        return self.first(names.split(), subject)

    def first(self, names: Iterable[str], subject: str) -> str:
        """Of several names the one in use for a subject, in use, declared; else the first."""
        wanted = list(names)
        for used in (self.of(subject), {fold(name) for name in self.known.attributes()}):
            for name in wanted:
                if name in used:
                    return name
        return next((name for name in wanted if self.declared(name, exact=True)), wanted[0])

    def of(self, subject: str) -> set[str]:
        """The attributes in use for a subject, folded."""
        return {fold(r.attribute) for r in self.known.facts(subject=subject) if r.attribute}

    def declared(self, name: str, *, exact: bool = False) -> bool:
        """Whether an attribute is declared, by its name or a pattern that is not all it is."""
        found = self.known.registry.attribute(name)
        if not found.declared:
            return False
        return not exact or any(
            fold(each) == fold(name)
            for each in self.known.registry.attributes
            if not is_pattern(each)
        )

    def noun(self, words: str, subject: str) -> tuple[str, bool]:
        """The attribute that a noun phrase names, and whether it is one that is known as such."""
        plain = re.sub(r"\s+", " ", words.lower().replace("'s", "")).strip()
        plain = re.sub(r"^(?:all-time|absolute|very|ultimate)\s+(?=favou?rite)", "", plain)
        snake = snake_case(plain)
        used = self.of(subject) | {fold(name) for name in self.known.attributes()}
        if snake in used:
            return snake, True
        stripped = plain
        while (shorter := _DROPPED.sub("", stripped)) != stripped:
            stripped = shorter
        concept = _NOUNS.get(plain) or _NOUNS.get(stripped)
        if concept:
            return self.concept(concept, subject), True
        if self.declared(snake, exact=True):
            return snake, True
        for each in sorted(self.of(subject)):  # "the donor card" of "blood_donor_card"
            parts = each.split("_")
            fits = each.endswith(f"_{snake}") or snake == parts[0]
            if len(snake) > 3 and len(parts) > 1 and fits:
                return each, True
        return snake, self.declared(snake) or snake in used

    def type_of(self, attribute: str, *, project: bool = False) -> str:
        """The memory type of an attribute's facts."""
        name = fold(attribute)
        for concept, (type_, names) in _NAMES.items():
            if name == concept or name in names.split()[:3]:
                return type_
        if name.endswith(("_phone", "_email", "_address", "_url")):
            return "contact"
        if name.endswith(("deadline", "due_date")):
            return "fact"
        if _PREFERENCE.match(name):
            return "preference"
        if _EVENT.match(name):
            return "event"
        if name in _TIES or _PROFILE.match(name):
            return "profile"
        return "project" if project else "fact"


_TIES = words(
    "mother father parents sister brother son daughter wife husband spouse partner cousin uncle "
    "aunt niece nephew friend landlord landlady manager dentist doctor neighbour roommate "
    "colleague "
    "grandmother grandfather accountant lawyer teacher coach therapist best_friend gp vet"
)


def snake_case(words: str) -> str:
    """A noun phrase as the name of an attribute."""
    words = re.sub(r"[^\w\s-]", "", words.lower())
    return fold(re.sub(r"^(?:the|my|our|a|an|his|her|their|its)\s+", "", words.strip()))


def covered(attribute: str, patterns: Iterable[str]) -> bool:
    """Whether names or patterns cover an attribute."""
    name = fold(attribute)
    return any(matches(fold(p), name) if is_pattern(p) else fold(p) == name for p in patterns)
