"""Keywords as the rules print them, ``AUTOMATIC 3, IGNORE ARMOUR, +1 INJURY DICE``; editions, and disputed points."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.fields.kinds import Boolean, Checked, Field
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.systems.asked import Question, ResultT
from mathhammer.systems.text_format import read_rulings
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.sequence.rulings import Rulings

#: Keywords without a number that touch a roll or a result computed here.
_ROLLS = (
    *("BLOCK", "CONCENTRATED ATTACK", "COVER", "CRITICAL", "DANGEROUS", "DEADLY", "DEMONIC", "FEAR", "FIRE"),
    *("FLAMETHROWER", "FLYING", "FUMBLE", "GAS", "GOLEM", "IGNORE ARMOUR", "IGNORE ARMOUR ON CRITICAL"),
    *("IGNORE ARMOUR ON DOWN", "IMPERVIOUS", "INFECTION MARKERS", "LEADER", "ONCE A GAME", "PISTOL", "RISKY"),
    *("ABSOLUTE FAITH", "SHOTGUN", "SHRAPNEL", "SKIRMISHER", "STRONG", "TAKEN DOWN", "TALISMAN", "TOUGH"),
    # Modifiers of Success Rolls (Trench Crusade rules 1.0.2, Keywords, IGNORE [MODIFIER]).
    *(f"IGNORE {name}" for name in ("BLOCK", "COVER", "DEFENDED OBSTACLE", "DIVING CHARGE", "DOWN")),
    *(f"IGNORE {name}" for name in ("ELEVATED POSITION", "FEAR", "LONG RANGE", "OFF-HAND WEAPON")),
)
#: Keywords that place a Blood Marker after the Injury Roll.
MARKING = ("FIRE", "GAS", "SHRAPNEL")
#: Keywords that change no roll of an attack on one model, and what they do instead.
NO_EFFECT = {
    **dict.fromkeys(
        ("BLACK GRAIL", "HERETIC", "NEW ANTIOCH", "PILGRIM", "SULTANATE", "THE COURT"), "names the faction"
    ),
    **dict.fromkeys(("ARTIFICIAL", "ELITE"), "is a tag"),
    **dict.fromkeys(("DIFFICULT TERRAIN", "IMPASSABLE TERRAIN"), "hinders a move"),
    **dict.fromkeys(("DANGEROUS TERRAIN", "MINED"), "is a roll of its own"),
    **dict.fromkeys(("CUMBERSOME", "HELD"), "says what hands it takes"),
    "ASSAULT": "may shoot and then charge or fight",
    "BLAST": "other models under it are attacks of their own",
    "CONSUMABLE": "is lost after the game",
    "DEPLOYABLE": "is set up on the table",
    "FIRETEAM": "allows a joint Activation",
    "HEAVY": "limits what may be carried and done",
    "INFILTRATOR": "is about deployment",
    "RELOAD": "ends the Activation after the attack",
    "SCATTER": "where a failed attack lands is another roll",
}
#: Keywords with a number, and those that have one or stand for 1.
_VALUED = ("AUTOMATIC", "BLAST", "BLESSED", "CLEAVE", "REGENERATE")
_OPTIONAL = ("ARMOUR PIERCING",)
_KNOWN = tuple(sorted({*_ROLLS, *NO_EFFECT, *_VALUED, *_OPTIONAL}))
#: The books print hyphens here and there, ``IGNORES`` for ``IGNORE``, and names of rules (Warbands; Battlekit).
_SPELLINGS = {name.replace("-", " "): name for name in _KNOWN}
_SPELLINGS |= {"IGNORE OFF HAND": "IGNORE OFF-HAND WEAPON", "IGNORE RANGE": "IGNORE LONG RANGE"}
_SPELLINGS |= dict.fromkeys(("BLESSED ICON", "UNHOLY TRINKET"), "TALISMAN")
_RULES = {
    "BALLISTIC BOX": "SHRAPNEL",
    "BALLISTIC BOX ARMOUR": "SHRAPNEL",
    "FIRE SHIELD": "FIRE",
    "ABIOTIC LIFE": "GAS",
}
#: Keywords that include a NEGATE (Trench Crusade rules 1.0.2, Keywords, DEMONIC, GOLEM, STRONG).
_NEGATED_BY = {"FIRE": "DEMONIC", "GAS": "GOLEM", "FEAR": "GOLEM", "HEAVY": "STRONG"}
_SIGNED = re.compile(
    r"([+-]\s*\d{1,9})\s+(DICE|INJURY DICE(?: AT SHORT RANGE| AGAINST (?:FIRE|GAS|SHRAPNEL))?|INJURY MODIFIERS?)"
)
_NUMBERED = re.compile(r"(?P<name>[A-Z ]+?)\s*\(?\s*(?P<value>\d{1,9})\s*[\"”″'’]{0,2}\s*\)?")
_BRACKETED = re.compile(r"(?P<name>AMMUNITION|DANGEROUS TERRAIN)\s*\((?P<inner>[^()]+)\)")
MAXIMUM_NUMBER = 50
MAXIMUM_KEYWORDS = 100


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword.

    Examples
    --------
    >>> str(Keyword("BLAST", 3)), str(Keyword("INJURY DICE", 1))
    ('BLAST 3', '+1 INJURY DICE')
    """

    #: In capitals: ``"AUTOMATIC"``; ``"DICE"``, ``"INJURY DICE"``, ``"INJURY MODIFIER"``; ``"NEGATE GAS"``.
    name: str
    #: The number that goes with it.
    value: int | None = None

    def __post_init__(self) -> None:
        validation.text(self.name, "name of a keyword")
        if self.value is not None:
            name = f"the number of {shown(self.name)}"
            validation.set_whole(self, "value", name, -MAXIMUM_NUMBER, MAXIMUM_NUMBER)

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        if self.name.startswith(("DICE", "INJURY ")):
            return f"{self.value:+d} {self.name}"
        return f"{self.name} {self.value}"


def parse_keywords(text: str) -> tuple[Keyword, ...]:
    """Read a line of keywords as the books print it; letter case and hyphens do not matter.

    Words for a faction or a rank and other keywords without effect on a roll are kept.

    Examples
    --------
    >>> [str(keyword) for keyword in parse_keywords('Automatic (3), blast 3", +1 injury dice, NEGATE GAS')]
    ['AUTOMATIC 3', 'BLAST 3', '+1 INJURY DICE', 'NEGATE GAS']

    Trench Crusade rules 1.0.2, Keywords; Warbands of Trench Crusade, Keywords.
    """
    given = validation.typed(text, "keywords", "such as 'HEAVY, BLAST 3'")
    plain = " ".join(given.upper().replace("−", "-").replace("\xa0", " ").split())
    return tuple(_parse(item.strip()) for item in plain.split(",") if item.strip() not in {"", "-"})


@lru_cache(maxsize=1024)
def _parse(item: str) -> Keyword:
    if signed := _SIGNED.fullmatch(item):
        return Keyword(signed[2].replace("MODIFIERS", "MODIFIER"), int(signed[1].replace(" ", "")))
    if item in _RULES:
        return Keyword(f"INJURY DICE AGAINST {_RULES[item]}", -1)
    if bracketed := _BRACKETED.fullmatch(item):
        return Keyword(f"{bracketed['name']} ({_parse(bracketed['inner'].strip())})")
    negated = item.removeprefix("NEGATE ")
    spelled = re.sub(r"^IGNORES ", "IGNORE ", negated.replace("-", " "))
    numbered = _NUMBERED.fullmatch(spelled)
    if numbered and numbered["name"] in (*_VALUED, *_OPTIONAL) and negated == item:
        return Keyword(numbered["name"], int(numbered["value"]))
    name = _SPELLINGS.get(spelled)
    if name is not None and negated != item:
        return Keyword(f"NEGATE {name}")
    if name in _VALUED:
        raise UnknownNameError(f"expected a number after the keyword {name}, as in '{name} 2'")
    if name is not None:
        return Keyword(name)
    near = get_close_matches(spelled, _KNOWN, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known keywords: {', '.join(_KNOWN)}, +1 DICE, NEGATE ..."
    raise UnknownNameError(f"expected a keyword of Trench Crusade, got {shown(item)}; {hint}")


class Bearer:
    """Base of what has keywords."""

    keywords: Any
    """Its keywords, with those that it is given."""

    def has(self, name: str) -> bool:
        """True if it has a keyword."""
        return any(keyword.name == name for keyword in self.keywords)

    def value(self, name: str) -> int:
        """Return the number of a keyword, summed; 0 without it."""
        return sum(keyword.value or 0 for keyword in self.keywords if keyword.name == name)

    def negates(self, name: str) -> bool:
        """True if it has NEGATE for a keyword, by itself or as part of another."""
        return self.has(f"NEGATE {name}") or self.has(_NEGATED_BY.get(name, ""))


def several(value: object, kinds: type | tuple[type, ...], expected: str, most: int) -> tuple[Any, ...]:
    """Return several values of one of the kinds; too many are refused as soon as they are counted."""
    given = islice(value, most + 1) if validation.is_several(value) else value
    items = validation.items(given, kinds, expected)
    if len(items) > most:
        raise TooLargeError(f"expected {expected}, at most {most} of them; got more")
    return items


class Keywords(Field[tuple[Keyword, ...], str | Iterable[Keyword]]):
    """Keywords as text, or read before."""

    accepts = "str | Iterable[Keyword]"
    usual = ()

    def read(self, value: Any) -> tuple[Keyword, ...]:
        """Return the keywords."""
        if isinstance(value, str):
            return parse_keywords(value)
        return several(value, Keyword, "the text of keywords, or Keywords that were read", MAXIMUM_KEYWORDS)

    def argument(self, value: Any) -> Any:
        """Return the text, where it reads back."""
        text = ", ".join(map(str, value))
        try:
            return text if parse_keywords(text) == value else value
        except MathhammerError:  # made of Keywords that no text names
            return value


EDITIONS = {
    "1.0.2": "Trench Crusade 1.0.2",
    "beta_2026_04": "Trench Crusade 1.0.2 with the Public Beta of April 2026",
}
"""The rulebook, and the same with the Public Beta of April 2026, which adds FUMBLE."""

_BOOK, _COMMENTARY = "Trench Crusade rules 1.0.2", "Rules Commentaries 1.0.2"

RULINGS = read_rulings(
    f"""
    Q2 modifier_cap: negatives-first, net
    INJURY MODIFIERS of both signs: are the negative ones capped at -3 before the positive ones are added?
    {_BOOK}, Injuries: the cap is on the total of the negative ones
    Q3 armour_piercing_and_cap: before-cap, after-cap
    Does ARMOUR PIERCING improve the armour's total before the cap at -3, or after a cap of the armour alone?
    {_BOOK}, Injuries: what is capped is what is added to the roll; other negative ones join before that cap
    Q4 deadly: every-roll, bloodbath-only
    How many dice count with DEADLY: 3 on every Injury Roll and 4 in a Bloodbath, or 4 in a Bloodbath only?
    {_BOOK}, Bloodbath; {_BOOK}, Keywords
    Q5 spare_markers: allowed, forbidden
    May Blood Markers beyond the price of a Bloodbath buy INJURY DICE on the same roll?
    {_BOOK}, Bloodbath: nothing forbids it
    Q9 down_own_rolls: not-morale, morale-too
    Which rolls of a Down model have -1 DICE?
    {_BOOK}, Down; the core section speaks of any rolls
    Q10 down_bonus: melee, all
    Which attacks have +1 INJURY DICE against a Down model?
    {_BOOK}, Down; the playtest rules 1.6.3 gave it to all
    Q11 critical_keyword: replaces, adds
    CRITICAL: does its +2 INJURY DICE replace the +1 of a critical success, or add to it?
    {_BOOK}, Keywords: in place of
    Q13 extra_markers: each-keyword, one
    FIRE, GAS and SHRAPNEL on one weapon: a Blood Marker for each, or one in all?
    {_BOOK}, Keywords: each says one more
    Q15 risky_failure: activation, attack
    A failed Risky Success Roll with AUTOMATIC, CLEAVE or two weapons: what does it end?
    {_BOOK}, Risky Success Rolls
    Q19 ignore_armour_and_abilities: armour-only, abilities-too
    Does IGNORE ARMOUR drop INJURY DICE and MODIFIERS of abilities too?
    {_BOOK}, Keywords: Armour Characteristic, Armour and Shields
    Q20 fear_against_fear: no-penalty, penalty
    Has an attacker with FEAR -1 DICE against a target with FEAR?
    {_BOOK}, Keywords, FEAR
    Q29 armour_piercing_and_impervious: other-items, all-items
    ARMOUR PIERCING against armour of which one item is IMPERVIOUS: what does it improve?
    {_BOOK}, Keywords, IMPERVIOUS
    Q30 impervious_dice: kept, dropped
    Does an IMPERVIOUS item keep its -INJURY DICE against IGNORE ARMOUR?
    {_BOOK}, Keywords, IMPERVIOUS: the item is untouched
    Q32 standfast_when_down: one, two
    Standfast changes the Down result of a model already Down: how many Blood Markers?
    {_COMMENTARY}, Keywords Q5: the result becomes Minor
    Q33 tough_in_bloodbath: yes, no
    Does TOUGH change the Out of Action of a Bloodbath?
    {_BOOK}, Keywords, TOUGH: nothing excludes it
    Q36 risky_failure_of_several: own, all
    A failed Risky Success Roll where several models attack: whose attacks does it end?
    {_BOOK}, Risky Success Rolls: that model's Activation; {_BOOK}, Keywords, FIRETEAM: a joint one for both
    """
)
"""The disputed points, with their defaults and sources."""


class Exact(Question[ResultT]):
    """What is asked in either arithmetic."""

    exact: Boolean = Boolean("Whether probabilities are ``sympy.Rational`` rather than ``float``.")


class InForce(Exact[ResultT]):
    """What is asked under disputed points."""

    rulings: Checked[Any, Mapping[str, str] | None] = Checked(
        partial(rulings_in_force, RULINGS), "Options for disputed points, by name.", default=None
    )

    @property
    def ruled(self) -> Rulings:
        """The option in force for each of them."""
        return rulings_in_force(RULINGS, self.rulings)


class InEdition(InForce[ResultT]):
    """What is asked under the rules of an edition."""

    edition: Checked[str, str] = Checked(
        partial(validation.one_of, options=EDITIONS, name="the edition"),
        '``"1.0.2"`` or ``"beta_2026_04"``.',
        default="1.0.2",
    )
