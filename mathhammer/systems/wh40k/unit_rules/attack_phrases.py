"""Phrases about attacks: whose they are, with what, at whom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.systems.wh40k.unit_rules.subjects import KEYWORDS, WHO, names_of, subject, weapon_names
from mathhammer.systems.wh40k.unit_rules.tokens import (
    BUT,
    KIND,
    Token,
    compiled,
    if_,
    if_whose,
    kind_of,
    names,
    own,
    says,
    who,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def _against(match: re.Match[str]) -> Sequence[Token]:
    return Token("event", "defence", kind_of(match)), who(match)


def _weapons(match: re.Match[str]) -> Sequence[Token]:
    ability = match.groupdict().get("ability")
    if ability and ability.casefold() not in {"all", "any", "other", "those", "these"}:
        return *own(match), Token("weapons", (ability.casefold(),))
    return own(match)


def _with(match: re.Match[str]) -> Sequence[Token]:
    return (Token("weapons", weapon_names(match["weapon"])),)


def _own_weapon(match: re.Match[str]) -> Sequence[Token]:
    names = weapon_names(match["weapon"])
    if re.search(r"\bmodels?$", match["weapon"], re.IGNORECASE):
        return (Token("who", "named", names_of(match["weapon"])),)
    kind = next((kind for kind in ("ranged", "melee", "psychic") if names[0] == f"{kind} weapons"), "")
    if kind or names[0] in {"weapons", "ranged attacks", "melee attacks", "attacks"}:
        kind = kind or names[0].partition(" ")[0].replace("weapons", "any").replace("attacks", "any")
        return Token("event", "attack", kind), who(match)
    return Token("event", "attack", "any"), who(match), Token("weapons", names)


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


def _below(match: re.Match[str]) -> str:
    return "below half-strength" if "half" in match[0].casefold() else "below Starting Strength"


def _excluded(match: re.Match[str]) -> Sequence[Token]:
    excluded = Token("excluding", names_of(match["but"]))
    return (Token("target"), excluded) if match["targets"] else (excluded,)


def _if_whose_phase(match: re.Match[str]) -> Sequence[Token]:
    return Token("perhaps who", *subject(match)), Token("phase", "shoot or fight")


_KW = rf"(?P<kw>{KEYWORDS})"
_ENDS = r"(?= against | in | that | which | when | while | until | if | and | by |,|\.|;|$| have | has | scores?| targets? )"

ATTACKS = compiled(
    (
        # Whose attacks.
        (rf"each time {WHO} (?:makes?|resolves?) (?:an? |its |their )?{KIND}attacks?\b", own),
        (
            rf"(?:when|while|if) {WHO} (?:makes?|is making|are making|making|is resolving|resolves?) (?:an? |its |their )?{KIND}attacks?\b",
            own,
        ),
        (
            rf"(?:when|while) (?:making|resolving) (?:its |those |these )?{KIND}attacks?",
            lambda m: (Token("kind", kind_of(m)),),
        ),
        (rf"makes? (?:an? )?{KIND}attacks?", lambda m: (Token("kind", kind_of(m)),)),
        (
            rf"(?:each time|when|if|while) (?:an? |such an? |one or more )?{KIND}attacks? (?:that )?(?:is |are )?(?:targets?|targeting|made against|made at|allocated to|made that targets) {WHO}",
            _against,
        ),
        (rf"against {KIND}attacks? (?:that targets?|made against|targeting|which targets?) {WHO}", _against),
        (rf"{KIND}attacks? (?:that targets?|made against|targeting|which targets?) {WHO}", _against),
        (rf"after (?:an? )?{KIND}attack (?:has been|is) allocated to {WHO}", _against),
        (rf"(?:each time )?(?:an? |the |for )?{KIND}attacks? (?:is |are )?made by {WHO}", own),
        (rf"(?P<kind>ranged|melee|psychic) weapons (?:that )?(?:are )?equipped by {WHO}", own),
        (rf"(?:(?P<ability>\w+) )?(?P<kind>)weapons (?:that )?(?:are )?equipped by {WHO}", _weapons),
        (rf"{WHO}'s (?P<weapon>(?:ranged|melee|psychic)? ?(?:weapons|attacks))\b", _own_weapon),
        (rf"(?:all )?{KIND}(?:attacks|weapons) (?:of|made by|equipped by) {WHO}", own),
        (
            rf"each time (?:an? )?(?:enemy )?model makes (?:an? )?{KIND}attack (?:that targets|targeting|against) {WHO}",
            _against,
        ),
        (rf"each time {WHO} targets (?:an? )?(?:enemy )?unit with (?:an? )?{KIND}attacks?", own),
        (
            r"against (?P<kind>ranged|melee|psychic) attacks?(?: only)?",
            lambda m: (Token("against", kind_of(m)),),
        ),
        (r"against (?:all|that|those|such|this|ranged and melee) attacks?", says()),
        (
            r"against mortal wounds and psychic attacks|against psychic attacks and mortal wounds",
            says(Token("pain", "both")),
        ),
        (r"against mortal wounds", says(Token("pain", "mortal"))),
        (
            r"(?:that|(?P<same>those|these|such)|its|their) (?P<kind>ranged |melee |psychic )?weapons?\b",
            lambda m: (
                *((Token("same weapons"),) if m["same"] else ()),
                Token("kind", kind_of(m)),
            ),
        ),
        (r"(?:that|those|these|such|the|this) attacks?\b(?!'s)", says()),
        (
            rf"each time an? (?:friendly )?(?:(?P<kw>{KEYWORDS}) )?(?:model|unit)(?: from your army)? that disembarked from (?:this|an?) (?:{KEYWORDS}|transport)(?: this turn| this phase)? makes an? {KIND}attack",
            lambda m: (
                Token("event", "attack", kind_of(m)),
                Token("who", "friends", names_of(m["kw"] or "")),
                Token("if", "disembarked", ()),
            ),
        ),
        (
            rf"each time (?:an? )?{KIND}attack made by {WHO} is allocated to (?:an? )?(?:enemy )?(?P<kw>{KEYWORDS}) (?:model|unit)",
            lambda m: (*own(m), Token("target"), Token("if", "target_keyword", names_of(m["kw"]))),
        ),
        (rf"and contains (?:an? |one or more )?{_KW}(?: models?)?", names("contains")),
        (
            r"(?:that|the) (?:enemy )?unit is (?P<state>[a-z-]+)(?=[.;]|$)",
            lambda m: (Token("if", "state", (m["state"],)), Token("that", "enemy")),
        ),
        (rf"(?P<kind>ranged|melee|psychic) weapons in {WHO}", own),
        (
            r"(?P<kind>ranged|melee) weapons (?:it|this model) is equipped with",
            lambda m: (Token("event", "attack", kind_of(m)),),
        ),
        (
            r"(?:if the target of that attack )?is the closest (?:eligible )?(?:enemy )?(?:target|unit)",
            if_("closest"),
        ),
        (r"while empowered", if_("state", "Empowered")),
        (r"\(see [^()]{1,60}\)", says()),
        (rf"each time {WHO} shoots? or fights?", _if_whose_phase),
        (
            rf"each time (?:an? )?{KIND}attack with a (?:damage characteristic of (?P<one>1)|strength characteristic of (?P<n>\d+) or (?:less|lower)) is allocated to {WHO}",
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
        (rf"{WHO}'s (?P<weapon>[\w'\- ]+?)(?= (?:has|have) )", _own_weapon),
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
            says(Token("target"), Token("if", "target_not_keyword", ("Fly",))),
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
            says(Token("target"), Token("if", "target_battle_shocked", ())),
        ),
        (
            rf"(?:that |which )?(?:targets?|targeting|against) (?:an? |one or more |any )?(?:enemy )?(?:models? in (?:an? )?)?(?!your\b|its\b|that\b|the\b|this\b|one\b){_KW}(?: units?| models?| targets?)*{BUT}",
            _target,
        ),
        (
            rf"(?:that |which )?(?:targets?|targeting|against) (?:an? |one or more |any )?(?:enemy )?(?:units?|targets?|models?){BUT}",
            _target,
        ),
        (
            r"(?:that |which )?(?:targets?|targeting|against) (?:its|it's|your|this model's|this unit's|their) (?:[\w']+ ){0,3}(?:target|quarry|prey|mark|victim|foe)",
            says(Token("target"), Token("if", "marked", ())),
        ),
        (
            r"(?:that |which )?(?:targets?|targeting|against) (?:that|one of those|those|the selected|such an?)(?: enemy)? (?:units?|models?|targets?)",
            says(Token("target"), Token("marked")),
        ),
        (
            rf"if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets?)?(?: is| of that attack is)? (?:an? )?(?:enemy )?{_KW}(?: units?| models?)?{BUT}",
            _target,
        ),
        (
            r"if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets| is)? (?:an? )?(?:enemy )?unit",
            says(Token("target")),
        ),
        (
            r"if (?:the target of that attack|that attack's target|the target|that target|that enemy unit)(?= is | has | does | contains | can )",
            says(Token("target")),
        ),
        (
            rf"(?:that|which|does|if it) (?:do |does )?not (?:have|contain) (?:the |any )?{_KW}(?: keywords?| models?)?",
            names("target_not_keyword"),
        ),
        (
            rf"\((?:excluding|except) (?:units with the |units that are |(?P<targets>attacks that target )|an? )?(?P<but>{KEYWORDS})(?: units?| models?| keywords?)*\)",
            _excluded,
        ),
        (r"\(excluding units that can fly\)", says(Token("if", "target_not_keyword", ("Fly",)))),
        (r"(?:that |which )?can fly", says(Token("if", "target_keyword", ("Fly",)))),
        (
            r"(?:that |which )?(?:is |are )?(?:not )?(?:with)?in range of (?:an? |one or more |any |the )?objective markers?(?: (?:that )?(?:you|your opponent|they)(?: do not| does not)? controls?)?(?: outside your deployment zone)?",
            if_("objective"),
        ),
        (
            rf"(?:while|if) {WHO} (?:is )?(?:not )?within range of (?:an? |one or more |that |the selected )?objective markers?(?: (?:that )?you(?: do not)? control)?",
            if_whose("objective"),
        ),
        (
            r"(?:that |which )?(?:is |are )?(?:at|not below) (?:its|their) starting strength",
            says(Token("if", "target_intact", ())),
        ),
        (
            r"(?:that |which )?(?:is |are )?below (?:its |their )?(?:half-strength|starting strength|half strength)(?: or (?:is )?below (?:its )?half-strength)?",
            lambda m: (
                Token(
                    "if",
                    "losses",
                    (_below(m),),
                ),
            ),
        ),
        (
            r"(?:that |which )?(?:is |are )?(?:battle-shocked|below starting strength)",
            if_("target_battle_shocked"),
        ),
        (
            r"(?:that |which )?(?:is |are )?within half range(?: of this model| of that weapon)?",
            if_("half_range"),
        ),
        (
            rf"(?:that |which )?(?:is |are )?(?:not )?within (?:\d+\"|engagement range)(?: (?:of|and visible to|horizontally of)(?: and visible to)?(?: one or more)?(?: other)?(?: {WHO}| {KEYWORDS} (?:models?|units?)(?: from your army)?)?)?",
            if_("distance"),
        ),
        (
            r"(?:if |and )?(?:the )?strength characteristic of (?:that|the|this) attack is (?:greater|higher) than (?:the )?(?:toughness characteristic of )?(?:that unit|this unit|this model|the bearer|it|that model|the target|the bearer's unit|this model's unit|its)?(?:'s)?(?: ?toughness(?: characteristic)?)?",
            if_("stronger"),
        ),
        (
            r"(?:if |and )?(?:that attack's strength|(?:that attack|it) has a strength)(?: characteristic)?(?: that)? is (?:greater|higher) than (?:that unit's|this unit's|the unit's|this model's|its) toughness(?: characteristic)?",
            if_("stronger"),
        ),
        (
            r"(?:the|that attack's) strength characteristic of (?:that|this|the) attack is (?:less|lower) than (?:the toughness characteristic of )?(?:that unit|the target)?(?:'s toughness(?: characteristic)?)?",
            if_("weaker"),
        ),
        (
            r"with a strength characteristic of (?P<n>\d+) or (?:less|lower)",
            lambda m: (Token("if", "strength_at_most", (m["n"],)),),
        ),
        (r"with a damage characteristic of 1\b", if_("damage_1")),
    )
)
