"""Phrases about attacks and their conditions: whose attacks, with what, at whom, when.

A phrase is tried where a word begins, and says one token or several; the reader makes effects of them. Phrases are
wordings of the core rules and of datasheets, recognised and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mathhammer.systems.wh40k.unit_rules.subjects import KEYWORDS, WHO, names_of, subject, weapon_names

__all__ = ["CONDITIONS", "Make", "Phrase", "Token", "compiled", "needle"]


class Token(NamedTuple):
    """What a phrase says: its kind, and values."""

    kind: str
    value: object = None
    more: object = None


Make = Callable[[re.Match[str]], "Sequence[Token]"]


class Phrase:
    """A wording, compiled when a text first holds the words that it needs, and what it says."""

    __slots__ = ("_compiled", "make", "needle", "pattern")

    def __init__(self, pattern: str, make: Make) -> None:
        self.pattern, self.make = pattern, make
        self.needle = needle(pattern)
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str, place: int) -> re.Match[str] | None:
        """Match at a place; case does not matter but for names."""
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, re.IGNORECASE)
        return self._compiled.match(text, place)


def needle(pattern: str) -> str:
    """Return the longest text that whatever matches holds, in small letters; nothing where there is a choice.

    Examples
    --------
    >>> needle(r"(?:each time )?makes an? {_KIND}attack"), needle("a|b")
    ('makes a', '')
    """
    depth, plain, skip = 0, [], False
    for char in pattern:
        if skip:
            skip = False
            plain.append("\0")
        elif char == "\\":
            skip = True
        elif char in "([{":
            depth += 1
            plain.append("\0")
        elif char in ")]}":
            depth -= 1
        elif depth == 0:
            if char == "|":
                return ""
            if char in "?*+" and plain:
                plain[-1] = "\0"
            plain.append(char if char.isalpha() or char in " '-" else "\0")
    return max("".join(plain).split("\0"), key=len).casefold()


def compiled(table: Sequence[tuple[str, Make]]) -> tuple[Phrase, ...]:
    """Return the phrases of a table."""
    return tuple(Phrase(pattern, make) for pattern, make in table)


def _says(*tokens: Token) -> Make:
    return lambda _: tokens


def _if(kind: str, *value: str) -> Make:
    return lambda _: (Token("if", kind, value),)


def _kind(match: re.Match[str]) -> str:
    return (match["kind"] or "any").strip().casefold()


def _who(match: re.Match[str]) -> Token:
    return Token("who", *subject(match))


def _own(match: re.Match[str]) -> Sequence[Token]:
    return Token("event", "attack", _kind(match)), _who(match)


def _against(match: re.Match[str]) -> Sequence[Token]:
    return Token("event", "defence", _kind(match)), _who(match)


def _weapons(match: re.Match[str]) -> Sequence[Token]:
    ability = match.groupdict().get("ability")
    if ability and ability.casefold() not in {"all", "any", "other", "those", "these"}:
        return *_own(match), Token("weapons", (ability.casefold(),))
    return _own(match)


def _with(match: re.Match[str]) -> Sequence[Token]:
    return (Token("weapons", weapon_names(match["weapon"])),)


def _own_weapon(match: re.Match[str]) -> Sequence[Token]:
    names = weapon_names(match["weapon"])
    if re.search(r"\bmodels?$", match["weapon"], re.IGNORECASE):
        return (Token("who", "named", names_of(match["weapon"])),)
    kind = next((kind for kind in ("ranged", "melee", "psychic") if names[0] == f"{kind} weapons"), "")
    if kind or names[0] in {"weapons", "ranged attacks", "melee attacks", "attacks"}:
        kind = kind or names[0].partition(" ")[0].replace("weapons", "any").replace("attacks", "any")
        return Token("event", "attack", kind), _who(match)
    return Token("event", "attack", "any"), _who(match), Token("weapons", names)


def _target(match: re.Match[str]) -> Sequence[Token]:
    found = [Token("target")]
    group = match.groupdict()
    if group.get("kw") and group["kw"].casefold() in _STATES:
        found.append(Token("if", "state", (group["kw"],)))
    elif group.get("kw"):
        found.append(Token("if", "target_keyword", names_of(group["kw"])))
    if group.get("but"):
        found.append(Token("if", "target_not_keyword", names_of(group["but"])))
    if group.get("flies"):
        found.append(
            Token("if", "target_not_keyword" if "not" in group["flies"] else "target_keyword", ("Fly",))
        )
    return found


#: States of a target that stand where keywords stand.
_STATES = frozenset(("spotted", "guided", "riven", "afflicted", "suppressed", "marked"))


def _excluded(match: re.Match[str]) -> Sequence[Token]:
    return (Token("excluding", names_of(match["but"])),)


def _names(kind: str) -> Make:
    return lambda match: (Token("if", kind, names_of(match["kw"])),)


def _aura(match: re.Match[str]) -> Sequence[Token]:
    names = names_of(match["kw"] or match["kw2"] or "") + tuple(
        f"not {name}" for name in names_of(match["but"] or "")
    )
    return Token("who", "aura", names), Token("if", "aura", ())


def _named(match: re.Match[str]) -> Sequence[Token]:
    return (Token("who", "named", names_of(match["name"])),)


def _if_whose(kind: str, *value: str) -> Make:
    return lambda match: (Token("perhaps who", *subject(match)), Token("if", kind, value))


def _phase(match: re.Match[str]) -> Sequence[Token]:
    return Token("perhaps who", *subject(match)), Token("phase", match["phase"].casefold())


def _if_whose_phase(match: re.Match[str]) -> Sequence[Token]:
    return Token("perhaps who", *subject(match)), Token("phase", "shoot or fight")


def _shot(match: re.Match[str]) -> Sequence[Token]:
    text = match[0].casefold()
    return Token("perhaps who", *subject(match)), Token(
        "phase", "fought" if "fought" in text else "shot" if "shot" in text else ""
    )


def _led_by(match: re.Match[str]) -> Sequence[Token]:
    return (Token("if", "led_by", names_of(match["kw"])), Token("that", "led"))


_KIND = r"(?P<kind>ranged |melee |psychic )?"
_KW = rf"(?P<kw>{KEYWORDS})"
_BUT = rf"(?: ?\((?:excluding|except|that is not) (?:units with the |an? )?(?P<but>{KEYWORDS}(?:(?: units?| models?| keywords?)? (?:and|or) {KEYWORDS})?)(?: units?| models?| keywords?| attacks)*\))?"
_ENDS = r"(?= against | in | that | which | when | while | until | if | and | by |,|\.|;|$| have | has | scores?| targets? )"
_PHASE = r"(?:fight|shooting|command|movement|charge|battle round|phase|declare battle formations step|turn|first battle round|battle)"

CONDITIONS = compiled(
    (
        # Whose attacks.
        (rf"each time {WHO} (?:makes?|resolves?) (?:an? |its |their )?{_KIND}attacks?\b", _own),
        (
            rf"(?:when|while|if) {WHO} (?:makes?|is making|are making|making|is resolving|resolves?) (?:an? |its |their )?{_KIND}attacks?\b",
            _own,
        ),
        (
            rf"(?:when|while) (?:making|resolving) (?:its |those |these )?{_KIND}attacks?",
            lambda m: (Token("kind", _kind(m)),),
        ),
        (rf"makes? (?:an? )?{_KIND}attacks?", lambda m: (Token("kind", _kind(m)),)),
        (
            rf"(?:each time|when|if|while) (?:an? |such an? |one or more )?{_KIND}attacks? (?:that )?(?:is |are )?(?:targets?|targeting|made against|made at|allocated to|made that targets) {WHO}",
            _against,
        ),
        (rf"against {_KIND}attacks? (?:that targets?|made against|targeting|which targets?) {WHO}", _against),
        (rf"{_KIND}attacks? (?:that targets?|made against|targeting|which targets?) {WHO}", _against),
        (rf"after (?:an? )?{_KIND}attack (?:has been|is) allocated to {WHO}", _against),
        (rf"(?:each time )?(?:an? |the |for )?{_KIND}attacks? (?:is |are )?made by {WHO}", _own),
        (rf"(?P<kind>ranged|melee|psychic) weapons (?:that )?(?:are )?equipped by {WHO}", _own),
        (rf"(?:(?P<ability>\w+) )?(?P<kind>)weapons (?:that )?(?:are )?equipped by {WHO}", _weapons),
        (rf"{WHO}'s (?P<weapon>(?:ranged|melee|psychic)? ?(?:weapons|attacks))\b", _own_weapon),
        (rf"(?:all )?{_KIND}(?:attacks|weapons) (?:of|made by|equipped by) {WHO}", _own),
        (
            rf"each time (?:an? )?(?:enemy )?model makes (?:an? )?{_KIND}attack (?:that targets|targeting|against) {WHO}",
            _against,
        ),
        (rf"each time {WHO} targets (?:an? )?(?:enemy )?unit with (?:an? )?{_KIND}attacks?", _own),
        (
            r"against (?P<kind>ranged|melee|psychic) attacks?(?: only)?",
            lambda m: (Token("against", _kind(m)),),
        ),
        (r"against (?:all|that|those|such|this|ranged and melee) attacks?", _says()),
        (
            r"against mortal wounds and psychic attacks|against psychic attacks and mortal wounds",
            _says(Token("pain", "both")),
        ),
        (r"against mortal wounds", _says(Token("pain", "mortal"))),
        (
            r"(?:that|those|these|such|its|their) (?P<kind>ranged |melee |psychic )?weapons?\b",
            lambda m: (Token("kind", _kind(m)),),
        ),
        (r"(?:that|those|these|such|the|this) attacks?\b(?!'s)", _says()),
        (
            rf"each time an? (?:friendly )?(?:(?P<kw>{KEYWORDS}) )?(?:model|unit)(?: from your army)? that disembarked from (?:this|an?) (?:{KEYWORDS}|transport)(?: this turn| this phase)? makes an? {_KIND}attack",
            lambda m: (
                Token("event", "attack", _kind(m)),
                Token("who", "friends", names_of(m["kw"] or "")),
                Token("if", "disembarked", ()),
            ),
        ),
        (
            rf"each time (?:an? )?{_KIND}attack made by {WHO} is allocated to (?:an? )?(?:enemy )?(?P<kw>{KEYWORDS}) (?:model|unit)",
            lambda m: (*_own(m), Token("target"), Token("if", "target_keyword", names_of(m["kw"]))),
        ),
        (rf"and contains (?:an? |one or more )?{_KW}(?: models?)?", _names("contains")),
        (
            r"(?:that|the) (?:enemy )?unit is (?P<state>[a-z-]+)(?=[.;]|$)",
            lambda m: (Token("if", "state", (m["state"],)), Token("that", "enemy")),
        ),
        (rf"(?P<kind>ranged|melee|psychic) weapons in {WHO}", _own),
        (
            r"(?P<kind>ranged|melee) weapons (?:it|this model) is equipped with",
            lambda m: (Token("event", "attack", _kind(m)),),
        ),
        (
            r"(?:if the target of that attack )?is the closest (?:eligible )?(?:enemy )?(?:target|unit)",
            _if("closest"),
        ),
        (r"while empowered", _if("state", "Empowered")),
        (r"\(see [^()]{1,60}\)", _says()),
        (rf"each time {WHO} shoots? or fights?", _if_whose_phase),
        (
            rf"each time (?:an? )?{_KIND}attack with a (?:damage characteristic of (?P<one>1)|strength characteristic of (?P<n>\d+) or (?:less|lower)) is allocated to {WHO}",
            lambda m: (
                *_against(m),
                Token("if", "damage_1" if m["one"] else "strength_at_most", () if m["one"] else (m["n"],)),
            ),
        ),
        (
            r"its (?P<weapon>[\w'\- ]+?)(?= (?:has|have) (?:the|an?|\[))",
            lambda m: (Token("event", "attack", "any"), Token("weapons", weapon_names(m["weapon"]))),
        ),
        # With what.
        (
            rf"with (?:an? |its |the |this model's |their |one of its )?(?P<weapon>[\w'\- ]+?){_ENDS}",
            _with,
        ),
        (rf"made with (?:an? |its |the |this model's )?(?P<weapon>[\w'\- ]+?){_ENDS}", _with),
        # At whom.
        (
            r"(?:that |which )?(?:targets?|targeting|against) (?:an? |one or more |any )?(?:enemy )?units? that (?P<flies>can(?:not| not)? fly)",
            _target,
        ),
        (
            r"(?:that |which )?(?:targets?|targeting|against) (?:an? |one or more |any )?(?:enemy )?units? \(excluding units that (?:(?P<no>can) fly)\)",
            _says(Token("target"), Token("if", "target_not_keyword", ("Fly",))),
        ),
        (
            rf"(?:that |which )?(?:targets?|targeting|against) the closest (?:eligible |visible )*(?:enemy )?(?:target|unit|(?P<kw>{KEYWORDS}) (?:unit|target))",
            lambda m: (
                *((Token("if", "target_keyword", names_of(m["kw"])),) if m["kw"] else ()),
                Token("target"),
                Token("if", "closest", ()),
            ),
        ),
        (
            r"(?:that |which )?(?:targets?|targeting|against) (?:an? |one or more )?(?:enemy )?battle-shocked (?:enemy )?units?",
            _says(Token("target"), Token("if", "target_battle_shocked", ())),
        ),
        (
            rf"(?:that |which )?(?:targets?|targeting|against) (?:an? |one or more |any )?(?:enemy )?(?:models? in (?:an? )?)?(?!your\b|its\b|that\b|the\b|this\b|one\b){_KW}(?: units?| models?| targets?)*{_BUT}",
            _target,
        ),
        (
            rf"(?:that |which )?(?:targets?|targeting|against) (?:an? |one or more |any )?(?:enemy )?(?:units?|targets?|models?){_BUT}",
            _target,
        ),
        (
            r"(?:that |which )?(?:targets?|targeting|against) (?:its|it's|your|this model's|this unit's|their) (?:[\w']+ ){0,3}(?:target|quarry|prey|mark|victim|foe)",
            _says(Token("target"), Token("if", "marked", ())),
        ),
        (
            r"(?:that |which )?(?:targets?|targeting|against) (?:that|one of those|those|the selected|such an?)(?: enemy)? (?:units?|models?|targets?)",
            _says(Token("target"), Token("marked")),
        ),
        (
            rf"if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets?)?(?: is| of that attack is)? (?:an? )?(?:enemy )?{_KW}(?: units?| models?)?{_BUT}",
            _target,
        ),
        (
            r"if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets| is)? (?:an? )?(?:enemy )?unit",
            _says(Token("target")),
        ),
        (
            r"if (?:the target of that attack|that attack's target|the target|that target|that enemy unit)(?= is | has | does | contains | can )",
            _says(Token("target")),
        ),
        (
            rf"(?:that|which|does|if it) (?:do |does )?not (?:have|contain) (?:the |any )?{_KW}(?: keywords?| models?)?",
            _names("target_not_keyword"),
        ),
        (
            rf"\((?:excluding|except) (?:units with the |units that are |attacks that target |an? )?(?P<but>{KEYWORDS})(?: units?| models?| keywords?)*\)",
            _excluded,
        ),
        (r"\(excluding units that can fly\)", _says(Token("if", "target_not_keyword", ("Fly",)))),
        (r"(?:that |which )?can fly", _says(Token("if", "target_keyword", ("Fly",)))),
        (
            r"(?:that |which )?(?:is |are )?(?:not )?(?:with)?in range of (?:an? |one or more |any |the )?objective markers?(?: (?:that )?(?:you|your opponent|they)(?: do not| does not)? controls?)?(?: outside your deployment zone)?",
            _if("objective"),
        ),
        (
            rf"(?:while|if) {WHO} (?:is )?(?:not )?within range of (?:an? |one or more |that |the selected )?objective markers?(?: (?:that )?you(?: do not)? control)?",
            _if_whose("objective"),
        ),
        (
            r"(?:that |which )?(?:is |are )?(?:at|not below) (?:its|their) starting strength",
            _says(Token("if", "target_intact", ())),
        ),
        (
            r"(?:that |which )?(?:is |are )?below (?:its |their )?(?:half-strength|starting strength|half strength)(?: or (?:is )?below (?:its )?half-strength)?",
            lambda m: (
                Token(
                    "if",
                    "losses",
                    ("below half" if "half" in m[0].casefold() else "below starting strength",),
                ),
            ),
        ),
        (
            r"(?:that |which )?(?:is |are )?(?:battle-shocked|below starting strength)",
            _if("target_battle_shocked"),
        ),
        (
            r"(?:that |which )?(?:is |are )?within half range(?: of this model| of that weapon)?",
            _if("half_range"),
        ),
        (
            rf"(?:that |which )?(?:is |are )?(?:not )?within (?:\d+\"|engagement range)(?: (?:of|and visible to|horizontally of)(?: and visible to)?(?: one or more)?(?: other)?(?: {WHO}| {KEYWORDS} (?:models?|units?)(?: from your army)?)?)?",
            _if("distance"),
        ),
        (
            r"(?:if |and )?(?:the )?strength characteristic of (?:that|the|this) attack is (?:greater|higher) than (?:the )?(?:toughness characteristic of )?(?:that unit|this unit|this model|the bearer|it|that model|the target|the bearer's unit|this model's unit|its)?(?:'s)?(?: ?toughness(?: characteristic)?)?",
            _if("stronger"),
        ),
        (
            r"(?:if |and )?(?:that attack's strength|(?:that attack|it) has a strength)(?: characteristic)?(?: that)? is (?:greater|higher) than (?:that unit's|this unit's|the unit's|this model's|its) toughness(?: characteristic)?",
            _if("stronger"),
        ),
        (
            r"(?:the|that attack's) strength characteristic of (?:that|this|the) attack is (?:less|lower) than (?:the toughness characteristic of )?(?:that unit|the target)?(?:'s toughness(?: characteristic)?)?",
            _if("weaker"),
        ),
        (
            r"with a strength characteristic of (?P<n>\d+) or (?:less|lower)",
            lambda m: (Token("if", "strength_at_most", (m["n"],)),),
        ),
        (r"with a damage characteristic of 1\b", _if("damage_1")),
        # Leaders and the list.
        (
            r"(?:while|if|when) (?:this model|this unit|the bearer|this model's unit) (?:is leading|leads) (?:an? |this |another )?(?:unit|(?P<kw>[A-Z][\w' ]+) unit)",
            lambda m: (Token("if", "leading", names_of(m["kw"] or "")), Token("that", "led")),
        ),
        (
            rf"(?:while|if) (?:an? |one or more )?(?:friendly )?{_KW}(?: models?)? (?:is|are) leading (?:this|the bearer's) unit",
            _led_by,
        ),
        (
            rf"(?:while|if) (?:this unit|this model's unit) is (?:being )?led by (?:an? |one or more )?{_KW}(?: models?)?",
            _led_by,
        ),
        (
            rf"(?:while|if) (?:this unit|this model's unit|that unit|it|the bearer's unit) contains (?:an? |one or more |at least one |the )?(?:other )?{_KW}(?: models?)?",
            _names("contains"),
        ),
        (
            r"(?:while|if) (?:this model|the bearer|this unit) is equipped with (?:an? |one or more |the )?(?P<weapon>[\w'\- ]+?)(?=,)",
            lambda m: (Token("if", "wargear", weapon_names(m["weapon"])),),
        ),
        (
            r"(?:if|while) (?:this model|it|this unit|that unit|the bearer|this model's unit|that model|a model in this unit|WHO)? ?made a charge move (?:this turn|in the same turn)",
            _if("charged"),
        ),
        (
            r"(?:in|during) (?:a|any|the) turn in which (?:it|this model|that model|this unit|that unit|its unit|the bearer|their unit|this model's unit|that model's unit|they) (?:made|makes|ended|completed) a charge move",
            _if("charged"),
        ),
        (r"that made a charge move this turn", _if("charged")),
        (
            rf"(?:each time|if|when|after) {WHO} (?:ends|makes|has made|ended|completes) a charge move",
            _if_whose("charged"),
        ),
        (
            rf"(?:each time|if|while) {WHO} (?:remains|remained|has remained) stationary(?: this turn| in your movement phase)?",
            _if_whose("stationary"),
        ),
        (r"(?:and|if it) (?:remained|remains) stationary(?: this turn)?", _if("stationary")),
        (rf"(?:each time|if|when) {WHO} (?:advances|advanced)(?: this turn)?", _if_whose("advanced")),
        (
            rf"(?:that )?(?:has |have )?disembarked from (?:an? |this |that )(?:{KEYWORDS}|transport)(?: this turn| this phase)?",
            _if("disembarked"),
        ),
        (
            rf"(?:if|while|in a turn in which) {WHO} (?:has )?disembarked from (?:an? |this )(?:{KEYWORDS}|transport)(?: this turn)?",
            _if_whose("disembarked"),
        ),
        (
            rf"(?:if|each time|when|in (?:a|the) turn (?:in which|that)) {WHO} (?:was|is|has been|were) set[- ]up(?: on the battlefield)?(?: this turn)?",
            _if_whose("set_up"),
        ),
        (
            rf"(?:while|if) {WHO} has (?:\d+(?:-\d+)?|\d+ or (?:less|fewer)) wounds? remaining",
            _if_whose("losses"),
        ),
        (
            rf"(?:while|if) {WHO} (?:is|are) below (?:its |their )?(?:half-strength|starting strength)",
            _if_whose("losses"),
        ),
        (r"(?:while|if) this model has (?:lost|suffered) one or more wounds", _if("losses")),
        # The player, the moment.
        (
            r"(?:once|twice) per (?:battle|turn|battle round|phase)(?:, per army| for each [\w' ]+? (?:this unit|this model|the bearer)(?:'s unit)? has)?",
            _if("once"),
        ),
        (
            rf"(?:you|{WHO}) (?:can|may) use this (?:ability|part of this ability|battle trait)",
            _if_whose("use"),
        ),
        (r"if (?:it|you|they|this unit|this model) (?:does|do|did)(?: so)?|if used|if so", _if("use")),
        (r"if passed|if (?:that|the) (?:[\w-]+ )?test is passed|if successful", _if("test")),
        (rf"take a (?:leadership|battle-shock) test(?: for {WHO})?", _if("test")),
        (
            r"roll (?:one|a) D6|on an? \d\+?(?:-\d)?",
            lambda m: (
                Token(
                    "if",
                    "roll",
                    tuple(
                        re.findall(
                            r"\d\S*",
                            m[0].partition(" D6")[2] or (m[0] if m[0].casefold().startswith("on") else ""),
                        )
                    ),
                ),
            ),
        ),
        (
            rf"you can spend \d+ (?:[\w-]+ ){{1,3}}(?:tokens?|points?|dice) to (?:empower {WHO}|do so)|if you (?:do|spend)",
            _if("token"),
        ),
        (rf"(?:while|if) {WHO} (?:is|are) (?:empowered|affected by [\w' -]+)", _if_whose("state")),
        (r"(?:if|while) the waaagh! is active for your army", _if("state", "Waaagh!")),
        (
            rf"(?:while|if) (?:an? |one or more )?(?:other )?(?:friendly (?:(?P<kw>{KEYWORDS}) )?(?:units?|models?)|(?P<kw2>{KEYWORDS}) (?:units?|models?)(?: from your army)?){_BUT} (?:is|are) (?:wholly )?within \d+\" of (?:and visible to )?{WHO}",
            _aura,
        ),
        (
            rf"(?:while|if) (?:{WHO}|an? {KEYWORDS} (?:unit|model) from your army) is within \d+\" of (?:one or more )?(?:other )?(?:friendly )?(?:{KEYWORDS} )?(?:models?|units?)(?: from your army)?",
            _if("distance"),
        ),
        (
            r"(?:while|if) an enemy unit(?: \(excluding [^()]{1,80}\))? is within (?:\d+\"|engagement range) of (?:this model|this unit|the bearer|this model's unit|one or more [\w' ]+)",
            _says(Token("if", "enemy_near", ()), Token("that", "enemy")),
        ),
        (r"you can declare (?:that )?(?:it|this unit|this model) will [\w' -]{1,60}", _if("use")),
        (r"and (?:the |that |its )?saving throw (?:is|has been|was) failed", _says()),
        (
            rf"(?:each time|when|after|if) {WHO} (?:ends|makes|has made|starts or ends|finishes) an? (?:(?:normal|advance|fall back|consolidation|pile-in),? ?(?:or )?)*move",
            _if_whose("moment"),
        ),
        (rf"before (?:it|{WHO}) makes an? (?:normal )?move", _says()),
        (
            r"select one of the (?:\w+ )?abilities (?:below|listed below)|select one of these abilities",
            _says(Token("choose")),
        ),
        (r"while (?:this model|this unit) is on the battlefield", _if("state")),
        (rf"(?:each time|when|if) {WHO} makes a dark pact", _if_whose("state", "Dark Pact")),
        (
            r"on an? (?P<roll>critical (?:hit|wound))|if an? (?P<scored>critical (?:hit|wound)) is scored(?: for that attack)?",
            lambda m: (Token("if", f"on_{(m['roll'] or m['scored']).casefold().replace(' ', '_')}", ()),),
        ),
        (
            rf"if that model is not fully visible to every model in the attacking unit because of (?:this (?:fortification|model|unit)|this {KEYWORDS} model)",
            _if("hidden"),
        ),
        (r"(?:is allocated to|allocated to) a model(?=,)", _says(Token("who", "friends", ()))),
        (
            rf"each time (?:an? )?{_KIND}attacks? (?:is|are) allocated to (?:an? )?(?:model|(?P<name>{KEYWORDS}) model from your army)(?=,)",
            lambda m: (
                Token("event", "defence", _kind(m)),
                Token("who", "friends", names_of(m["name"] or "")),
            ),
        ),
        (
            r"(?:if|while) (?:your army includes )?one or more models with this ability(?: are on the battlefield)?|if your army includes one or more models with this ability",
            _says(),
        ),
        (
            rf"one (?:{KEYWORDS} )?(?:model|unit)?(?: from your army)?(?: with this ability) can use (?:it|this ability)",
            _if("use"),
        ),
        (
            r"(?:the same |each |that |an? )(?:enemy |friendly )?(?:unit|model) can only be (?:selected|affected|targeted|chosen)[^.;]{0,80}",
            _says(),
        ),
        (
            rf"each time (?:an? )?(?:invulnerable |armour )?saving throw is made for {WHO}",
            lambda m: (Token("event", "defence", "any"), _who(m)),
        ),
        (
            rf"(?:after|when) making a (?:hit|wound) roll[^.;]{{0,60}}? (?:made )?for {WHO}",
            lambda m: (_who(m),),
        ),
        (
            r"(?:after|each time|when) a (?:hit|wound) roll(?:, (?:a )?(?:wound|damage) roll)?(?:,? or (?:a )?saving throw)? is made for this (?:model|unit)",
            _says(Token("who", "model", ())),
        ),
        (rf"{WHO}'s (?P<weapon>[\w'\- ]+?)(?= (?:has|have) )", _own_weapon),
        (
            rf"(?:an? |the )?(?P<name>{KEYWORDS})(?: models?)? (?=(?:has|have) (?:an? |the |\[|feel|stealth|[+-]))",
            _named,
        ),
        (
            r"(?:that |which )?(?:is|are) not below (?:its |their )?(?:half-strength|starting strength)",
            lambda m: (
                Token("if", "target_half_left" if "half" in m[0].casefold() else "target_intact", ()),
            ),
        ),
        (
            rf"each time (?:an? )?{_KIND}attack made by {WHO} (?:is allocated to a model in|targets) that (?:enemy )?unit",
            lambda m: (*_own(m), Token("marked")),
        ),
        (
            r"(?:that |which )?(?:is|are|has been|was) (?:suppressed|afflicted|riven|spotted|pinned|marked|guided|tainted|hunted|snared|wounded)",
            _if("state"),
        ),
        (
            r"while an? (?:enemy )?unit is (?P<state>[\w-]+)",
            lambda m: (Token("if", "state", (m["state"],)), Token("that", "enemy")),
        ),
        (
            r"(?:targets?|against) an? (?P<state>riven|afflicted|spotted|marked|suppressed) (?:enemy )?unit",
            lambda m: (Token("target"), Token("if", "state", (m["state"],))),
        ),
        (
            r"each time you (?:target|select) this unit (?:with|for) the fire overwatch stratagem|each time this (?:unit|model) (?:is targeted with|shoots? using) the fire overwatch stratagem|(?:when|while) (?:resolving|using) (?:the fire overwatch|that) stratagem|when this unit fires overwatch",
            _if("overwatch"),
        ),
        # When: no conditions, but they tell the kind of attacks.
        (
            rf"(?:just )?(?:at the (?:start|end) of|in|during) (?:the first|either player's|the same|your opponent's|each player's|the|your|each|any|that)(?: next)? (?P<phase>{_PHASE})(?: phases?)?(?: (?:and|or) (?:the )?fight phase)?(?! roll)",
            lambda m: (Token("phase", m[0].casefold()),),
        ),
        (
            rf"(?:each time|when|after|if) {WHO} (?:is|was|has been|are) (?P<phase>selected to (?:shoot or fight|fight or shoot|shoot|fight))",
            _phase,
        ),
        (
            rf"(?:when|each time) you select {WHO} (?P<phase>to (?:shoot or fight|fight or shoot|shoot|fight))",
            _phase,
        ),
        (
            rf"(?:after|each time|when) {WHO} (?:has|have) (?:shot|fought|resolved its attacks|finished making its attacks)",
            _shot,
        ),
        (
            r"until the (?:end|start) of (?:your next|your opponent's next|the next|the|your|that|your opponent's) (?P<until>[\w-]+(?: phase)?)",
            lambda m: (Token("until", m["until"].casefold()),),
        ),
        (
            r"until (?:that attack is|those attacks are|that phase|those attacks have been) resolved",
            _says(Token("until", "phase")),
        ),
        (
            r"(?:while|when|after) resolving (?:that attack|those attacks|its attacks|that stratagem|these attacks)",
            _says(),
        ),
        (r"for the rest of the battle", _says()),
        # Choices.
        (
            r"(?:you can )?select one of the following(?: abilities)?(?: (?:for|to apply to) (?:models in )?(?:this unit|that unit|this model)(?: to (?:gain|have))?)?",
            _says(Token("choose")),
        ),
        (
            r"(?:you can |you must )?(?:select|choose) (?:one|an?|up to \w+|two)(?: other)? (?P<side>enemy|friendly)?[^.;:]*?(?=,? until | to be |,? and roll |, then roll |\.|$)",
            lambda m: (Token("select", (m["side"] or "").casefold(), m[0]),),
        ),
        (
            r"to be (?:its|this unit's|this model's|your|their) (?:[\w']+ ){0,3}(?:target|quarry|prey|mark|victim|foe)",
            _if("marked"),
        ),
        (rf"{WHO}", lambda m: (_who(m),)),
    )
)
