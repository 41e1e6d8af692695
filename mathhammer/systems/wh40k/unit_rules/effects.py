"""Phrases of what a rule does to the dice of attacks, and of what it does besides, which has no effect on them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.unit_rules.tokens import WHO, Make, Token, phrases, says, subject, weapon_names

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHARACTERISTICS = {
    word: name
    for name, words in {
        "attacks": ("attack", "attacks", "a"),
        "strength": ("strength", "s"),
        "ap": ("armour penetration", "ap"),
        "damage": ("damage", "d"),
        "skill": ("ballistic skill", "bs", "weapon skill", "ws"),
        "toughness": ("toughness", "t"),
        "save": ("save", "sv"),
        "wounds": ("wounds", "w"),
    }.items()
    for word in words
}
_CHAR = r"(?:attacks?|strength|armour penetration|damage|ballistic skill|weapon skill|toughness|save|wounds)"
_CHARS = rf"(?P<chars>{_CHAR}(?:(?:, (?:and )?| and ){_CHAR})*)"
_SHORT = r"(?P<short>(?:AP|BS|WS|Sv|A|S|D|T|W)(?: and (?:AP|BS|WS|Sv|A|S|D|T|W)\b)?)"
_ROLLS = r"(?P<rolls>(?:hit|wound)(?: roll)?(?:(?: and |, )(?:to )?(?:the )?(?:hit|wound)(?: roll)?)*)"
_MADE = rf"(?: made (?:for|by) (?:(?:that|those|these|its|their) attacks?|{WHO}(?:'s attacks)?)(?: with [\w'\- ]+?(?=,|\.|$| that | and ))?)?"
_OF = r"(?: of (?P<of>[^.;,()]{1,90}?)(?= by \d| and |,|\.|;|$| while | when | until | that (?:are|is|were|have|target)| which | if | as | instead| \())?"
_WHOSE = r"(?P<whose>this model's |the bearer's |this unit's |its )"
# Compiled when a text first needs one: all of them would take longer than the rest of the import.
_OF_SAME = r"(?:that|those|this|the|such|its|their|these) (?:ranged |melee )?(?:attacks?|weapons?)(?:'s?)?(?: equipped by .*)?|such an attack|it"
_OF_WEAPONS = (
    rf"(?:the |all |any )?(?:ranged and melee |melee and ranged |(?P<kind>ranged |melee |psychic ))?"
    rf"(?:weapons?|attacks)(?: (?:equipped|made) by {WHO})?"
)
_OF_EQUIPPED = rf"(?P<weapon>[\w'\- ]+?) equipped by {WHO}"
_OF_NAMED = rf"{WHO}'s (?P<weapon>[\w'\- ]+)|(?:its|their|his|her) (?P<its>[\w'\- ]+)"


def _numbered(match: re.Match[str]) -> int:
    return int(match["n"])


def _rolls(sign: int) -> Make:
    def make(match: re.Match[str]) -> Sequence[Token]:
        value = sign * int(match["n"])
        rolls = [roll for roll in ("hit", "wound") if roll in match["rolls"].casefold()]
        return tuple(Token("effect", roll, value) for roll in rolls)

    return make


def _signed_rolls(match: re.Match[str]) -> Sequence[Token]:
    return _rolls(-1 if match["sign"] in "-–" else 1)(match)


def _rerolls(value: str) -> Make:
    def make(match: re.Match[str]) -> Sequence[Token]:
        # What follows "made for" names no roll.
        text = match[0].casefold().partition(" made ")[0]
        rolls = [roll for roll in ("hit", "wound", "damage") if f"{roll} roll" in text]
        names = {"hit": "reroll_hits", "wound": "reroll_wounds", "damage": "reroll_damage"}
        return tuple(Token("effect", names[roll], value) for roll in rolls)

    return make


def _one_of(match: re.Match[str]) -> Sequence[Token]:
    return (Token("effect", "reroll_one", match[0].casefold()),)


def _critical(match: re.Match[str]) -> Sequence[Token]:
    group = match.groupdict()
    text = match[0].casefold()
    roll = "critical_wound" if "wound roll" in text or "critical wound" in text else "critical_hit"
    face = int(group.get("n") or 2)
    value: int | str = f"successful {face}+" if "successful" in text and face > 1 else face
    return (Token("effect", roll, value),)


def _abilities(match: re.Match[str]) -> Sequence[Token]:
    texts = re.findall(r"\[([^\[\]]{1,60})\]", match["abilities"]) or [match["abilities"]]
    found = []
    for text in texts:
        for part in re.split(r",| and | or ", text):
            name = part.strip(" []").removesuffix(" ability").strip()
            if not name:
                continue
            try:
                keywords = parse_keywords(name, on_unknown="error")
            except MathhammerError:
                return ()
            found += [Token("effect", "keyword", str(keyword)) for keyword in keywords]
    if re.search(r"\bor\b", match["abilities"]):
        return tuple(part for token in found for part in (Token("choice", str(token.more)), token))
    return tuple(found)


def _of(match: re.Match[str]) -> tuple[Token, ...] | None:  # noqa: PLR0911 - one return for each wording
    """Return what limits a characteristic: the weapons or models of which it is; nothing where that is not known."""
    text = (match.groupdict().get("of") or "").strip()
    whose = (match.groupdict().get("whose") or "").casefold()
    if whose and whose != "its ":
        return (Token("last who", "unit" if "unit" in whose else "model", ()),)
    if re.match(r"(?:those|these|such) weapons?\b", text, re.IGNORECASE):
        return (Token("last same"),)
    if not text and "of" in match.groupdict():
        return (Token("unlimited"),)
    if not text or re.fullmatch(_OF_SAME, text, re.IGNORECASE):
        return ()
    if found := re.fullmatch(_OF_WEAPONS, text, re.IGNORECASE):
        of_kind = (found["kind"] or "").strip().casefold()
        whose = (Token("last who", *subject(found)),) if "equipped" in text or "made by" in text else ()
        return *((Token("last kind", of_kind),) if of_kind else ()), *whose
    if found := re.fullmatch(_OF_NAMED, text, re.IGNORECASE):
        whose = (Token("last who", "model", ()) if found["its"] else Token("last who", *subject(found)),)
        names = weapon_names(found["weapon"] or found["its"])
        if kind := re.fullmatch(r"(?:(melee|ranged|psychic) )?weapons", names[0]):
            return Token("last kind", kind[1] or ""), *whose
        return Token("last weapons", names), *whose
    if found := re.fullmatch(_OF_EQUIPPED, text, re.IGNORECASE):
        return Token("last weapons", weapon_names(found["weapon"])), Token("last who", *subject(found))
    if found := re.fullmatch(WHO, text, re.IGNORECASE):
        return (Token("last who", *subject(found)),)
    return None


def _names(match: re.Match[str]) -> list[str]:
    group = match.groupdict()
    names = re.split(r",| and ", (group.get("short") or match["chars"]).casefold())
    found = (_CHARACTERISTICS[name.strip()] for name in names if name.strip())
    return list(dict.fromkeys(found))  # Ballistic and Weapon Skill are one characteristic of a weapon


def _characteristic(operation: str, sign: int = 1, number: int | None = None) -> Make:
    def make(match: re.Match[str]) -> Sequence[Token]:
        value = sign * int(match["n"]) if number is None else number
        limits = _of(match)
        tokens: list[Token] = []
        for name in _names(match) if limits is not None else ():
            token = Token(operation, name, value)
            if operation == "add" and value and name in {"ap", "skill", "save"}:
                token = Token("improve" if value > 0 else "worsen", name, abs(value))
            tokens += [token, *(limits or ())]
        return tuple(tokens)

    return make


def _short(match: re.Match[str]) -> Sequence[Token]:
    return _characteristic("add", -1 if match["sign"] in "-–" else 1)(match)


def _number(kind: str) -> Make:
    return lambda match: (Token("effect", kind, _numbered(match)),)


def _pain(match: re.Match[str]) -> Sequence[Token]:
    text = match[0].casefold()
    against = {name for name in ("mortal", "psychic") if name in text}
    return (
        Token(
            "effect",
            "feel_no_pain",
            (_numbered(match), "".join(sorted(against)) if len(against) < 2 else "both"),
        ),
    )


def _effect(kind: str, value: object = None) -> Make:
    return says(Token("effect", kind, value))


def _ignored(match: re.Match[str]) -> Sequence[Token]:
    text = match[0].casefold()
    words = {"hit roll": "hit", "wound roll": "wound", "ballistic skill": "skill", "weapon skill": "skill"}
    words |= {"strength": "strength", "attacks char": "attacks", "armour pen": "ap", "damage": "damage"}
    found = {name for word, name in words.items() if word in text}
    if "characteristics of" in text and not found - {"hit", "wound"}:
        found |= {"skill", "strength", "attacks", "ap", "damage"}
    return (Token("effect", "ignore_modifiers", ",".join(sorted(found))),) if found else ()


_NUMBER = r"(?P<n>\d{1,2})"
_FEEL = r"(?: against (?:(?P<psy>psychic attacks?)|(?P<mort>mortal wounds))(?: and (?:against )?(?:psychic attacks?|mortal wounds))?)?"
_ABILITIES = r"(?P<abilities>(?:\[[^\[\]]{1,60}\](?: (?:ability|abilities))?(?:,? (?:and |or )?(?:the )?(?=\[))?)+)(?: ?(?:ability|abilities))?"
_BARE = (
    r"(?P<abilities>(?:(?:sustained hits (?:\d|D3|D6)|lethal hits|devastating wounds|ignores cover|lance|precision|"
    r"twin-linked|heavy|assault|torrent|hazardous|rapid fire \d|melta \d|anti-[\w-]+ \d\+|indirect fire|blast)"
    r"(?:,? (?:and |or )?(?:the )?)?)+) (?:ability|abilities)"
)

EFFECTS = phrases(
    {
        _rolls(1): rf"add {_NUMBER} to (?:the |that |its |their |any )?{_ROLLS}{_MADE}",
        _rolls(-1): rf"subtract {_NUMBER} from (?:the |that |its |their |any )?{_ROLLS}{_MADE}",
        _signed_rolls: rf"(?:a )?(?P<sign>[+-]){_NUMBER} to (?:the )?{_ROLLS}{_MADE}",
        _rerolls("ones"): (
            rf"re-roll (?:an? |any |all )?(?P<rolls>(?:hit|wound|damage) roll)s? of 1(?: and (?:can )?re-roll (?:an? |any )?(?:wound|hit) roll of 1)?{_MADE}",
        ),
        _rerolls("failed"): (
            rf"re-roll (?:the |any |all |all failed |failed |that |those )?(?P<rolls>(?:hit|wound) roll(?:s)?(?: and (?:re-roll )?(?:the |any )?(?:wound|hit) roll)?)s?(?! of| or | to | result){_MADE}",
        ),
        _rerolls("free"): rf"re-roll (?:the |any |all |that )?(?P<rolls>damage roll)(?! of){_MADE}",
        _one_of: rf"re-roll (?:one|a single) (?:hit|wound|damage) roll(?:, (?:or )?(?:one |the )?(?:hit|wound|damage|saving throw|save) ?(?:roll)?)* or (?:one )?(?:hit roll|wound roll|damage roll|saving throw)(?: or one saving throw)?{_MADE}",
        _rerolls("one"): rf"re-roll one (?P<rolls>hit roll|wound roll|damage roll){_MADE}",
        _effect("reroll_saves_invulnerable", "failed"): (
            r"re-roll invulnerable saving throws(?: made for [\w' ]+)?",
        ),
        _effect("reroll_saves", "ones"): (
            rf"re-roll (?:a saving throw|saving throws|save rolls?) of 1(?: made for {WHO})?",
        ),
        _effect("reroll_attacks", "free"): (
            r"re-roll (?:the )?(?:dice|roll|rolls|result|die)s? (?:made |rolled )?(?:to determine|when determining|for) (?:the )?(?:number of attacks|random characteristics?)[^,.;]{0,60}",
        ),
        _critical: (
            rf"(?:an? |any |each |every )?(?:successful )?(?:unmodified )?(?:successful )?(?:hit|wound) roll(?: made for that attack| made for those attacks)? of {_NUMBER}\+ (?:for (?:that attack|those attacks|such an attack) )?scores? a critical (?:hit|wound)",
            rf"(?:an? )?critical (?:hit|wound) is scored on (?:an? |any |each )?(?:successful )?(?:unmodified )?(?:successful )?(?:hit|wound) roll of {_NUMBER}\+(?: instead of only on an? (?:unmodified )?(?:hit|wound)?(?: roll of)? ?6)?",
            rf"(?:scores? |score )?(?:an? )?critical (?:hit|wound)s? on (?:an? )?(?:successful )?(?:unmodified )?(?:successful )?(?:(?:hit|wound) roll of |rolls? of )?{_NUMBER}\+",
            r"(?:each|every|an?y?) successful (?:unmodified )?(?P<w>hit|wound) roll(?: made for [\w' ]+?)? scores a critical (?:hit|wound)",
        ),
        _abilities: (
            rf"(?:have |has |have the |has the |gains? |gain the |gains the |with )?(?:the )?{_ABILITIES}",
            rf"(?:have |has |gains? )(?:the )?{_BARE}",
        ),
        _characteristic("add"): (
            rf"add {_NUMBER} to (?:the |that attack's |{_WHOSE}|their )?{_CHARS} characteristics?{_OF}",
        ),
        _characteristic("add", -1): (
            rf"subtract {_NUMBER} from (?:the |that attack's |{_WHOSE}|their )?{_CHARS} characteristics?{_OF}",
        ),
        _characteristic("add"): (
            rf"improve (?:the |that attack's |{_WHOSE}|their )?{_CHARS} characteristics?{_OF} by {_NUMBER}",
        ),
        _characteristic("add", -1): (
            rf"worsen (?:the |that |that attack's |{_WHOSE}|their )?{_CHARS} characteristics?{_OF} by {_NUMBER}",
        ),
        _short: rf"(?:have |has |with )?(?P<sign>[+-]){_NUMBER} {_SHORT}\b(?! characteristic)",
        _characteristic("set"): rf"(?:have |has |with )?(?:an? )?{_NUMBER}\+ (?P<short>Sv|BS|WS)\b",
        _characteristic(
            "multiply", number=2
        ): rf"double (?:the |its |this model's )?{_CHARS} characteristics?{_OF}",
        _characteristic(
            "multiply", number=3
        ): rf"triple (?:the |its |this model's )?{_CHARS} characteristics?{_OF}",
        _effect("half_damage"): r"halve (?:the |that attack's )damage characteristic(?: of that attack)?",
        _number("damage_to"): (
            rf"change (?:the |that attack's |its )damage characteristic(?: of that attack)? to {_NUMBER}",
        ),
        _characteristic("set"): (
            rf"(?:have|has) an? {_CHARS} characteristics? of -?{_NUMBER}\+?",
            rf"and an? {_CHARS} characteristics? of -?{_NUMBER}\+?",
        ),
        _number("invulnerable"): (
            rf"(?:have |has )?(?:an? )?{_NUMBER}\+ (?:invulnerable save|InSv\b)",
            rf"(?:have |has )?an? invulnerable save(?: characteristic)? of {_NUMBER}\+",
        ),
        _pain: (
            rf"(?:have |has )?(?:the |an? )?feel no pain (?:ability )?(?:of )?{_NUMBER}\+(?: ability)?{_FEEL}",
            rf"(?:have |has )?an? {_NUMBER}\+ feel no pain(?: ability)?{_FEEL}",
            rf"(?:have |has |with )?(?:the )?feel no pain {_NUMBER}\+(?: ability)?{_FEEL}",
        ),
        _effect("cover"): (
            r"(?:have|has) (?:the )?benefit of cover(?: against (?:that attack|those attacks|it|them))?",
        ),
        _effect("stealth"): r"(?:have|has) (?:the )?stealth(?: ability)?",
        _effect("no_cover"): (
            r"(?:cannot|can not|can't|does not|do not) (?:have|has|gain|receive|benefit from)? ?the benefits? of cover(?: against (?:that attack|those attacks|it))?",
        ),
        _ignored: r"(?:can )?ignores? (?:any or all|any|all)(?: of the)? modifiers to (?:the following: )?(?:(?:that attack's|the|its|their|any or all modifiers to|characteristics|of that attack|this model's|that unit's|those attacks|that attack|this unit's|weapon skill|ballistic skill|strength|attacks|armour penetration|damage|characteristics?|hit roll|wound roll|that weapon|any or all modifiers|all modifiers|modifiers|and/or|and|or|,|/|of|made for|to)[, ]*)+",
        _effect("ignore_engaged"): (
            r"(?:do|does) not suffer (?:the|any) penalt(?:y|ies) to (?:its |their |the )?hit roll for [\w' ]{1,90}?engagement range(?: of [\w' ]{1,40}?)?(?=[.,;]|$)",
        ),
        _number("invulnerable"): r"this (?:invulnerable )?save is improved to (?P<n>\d)\+",
        _number("overwatch"): r"hits are (?:only )?scored on (?:an? )?unmodified hit roll of (?P<n>\d)\+",
        _number("save_modifier"): (
            rf"(?:add|gains?) {_NUMBER} to (?:any )?(?:armour )?saving throws?(?: made (?:against|for) (?:that|those) attacks?)?",
        ),
        _effect("set_to_6"): (
            r"change (?:the result of )?that roll to an? (?:unmodified )?6",
            r"change the result of one [^.;]{1,160}? to an unmodified 6",
        ),
    }
)

_ROLL_NAMES = r"(?:advance|charge|battle-shock|leadership|hazard(?:ous)?|desperate escape|deadly demise|d6)"
#: What rules do besides; it is passed over, as it has no effect on dice of attacks.
OTHERS = phrases(
    {
        says(): (
            rf"(?:you )?(?:can )?re-roll (?:the |an? |that |any )?{_ROLL_NAMES}(?: (?:and|or) {_ROLL_NAMES})*(?: rolls?| tests?)?(?: and {_ROLL_NAMES} rolls?)?(?: (?:made |taken )?for {WHO})?",
            rf"(?:add|subtract) (?:\d|D3|D6) (?:to|from) (?:the |that |any )?{_ROLL_NAMES}(?: (?:and|or) {_ROLL_NAMES})*(?: rolls?| tests?)?(?: (?:made |taken )?for {WHO})?",
            rf"(?:add|subtract) (?:\d+|\d?D3|\d?D6)\"? (?:to|from) (?:the |its |this model's )?(?:move|objective control|leadership|oc)(?:,? and (?:move|objective control|leadership))? characteristics?(?: of {WHO})?",
            r"(?:add|subtract) \d+\" (?:to|from) the range characteristic of [\w' ]+?(?=,| and |\.|$)",
            r"(?:improve|worsen) (?:the |its )?(?:leadership|move|objective control) characteristic(?: of [\w' ]+?)? by \d\"?",
            r"(?:have|has|and) an? (?:move|objective control|leadership)(?: and (?:move|objective control))? characteristic of \d+[\"+]?",
            r"(?:have|has) (?:the )?(?:fights first|fight first|infiltrators|deep strike|lone operative|scouts \d+\"|deadly demise \w+|firing deck \d+|hover)(?:,? (?:and )?(?:the )?(?:fights first|infiltrators|deep strike|lone operative|scouts \d+\"))*(?: abilit(?:y|ies))?",
            rf"(?:(?:{WHO}) )?(?:is|are) eligible to (?:shoot|declare a charge|charge|shoot and declare a charge)(?: and (?:shoot|declare a charge))* in a turn in which (?:it|they) (?:advanced|fell back)(?: or (?:fell back|advanced))?",
            rf"(?:(?:{WHO}) )?can (?:shoot|declare a charge)[^.,;]* in a turn in which (?:it|they) (?:advanced|fell back)(?: or (?:fell back|advanced))?",
            rf"(?:(?:{WHO}) )?cannot be (?:targeted by|selected as the target of) ranged attacks unless the attacking model is within \d+\"",
            r"(?:that enemy unit|each enemy unit within [^.,;]{1,60}|the target) must take a battle-shock test(?:, subtracting \d from (?:that test|the result))?",
            r"(?:you )?(?:can )?ignore any or all modifiers to (?:that unit's|this unit's|this model's|its) move characteristic[^.;]{0,80}?(?=, and each|\.|;|$)",
            r"(?:this unit|this model|it) does not have the fights first ability(?:,? but instead,?)?",
            r"(?:this model|this unit|it) can target enemy units within engagement range of (?:it|this model|this unit)(?: \([^()]{1,120}\))?",
            rf"(?:{WHO} )?(?:regains|can regain) (?:up to )?(?:\d|D3|D6) lost wounds?",
            r"(?:you )?(?:gain|get) \d+ ?CP",
            rf"(?:and )?you can target {WHO} with [^.;]{{0,60}}?stratagems? (?:for \d+ ?CP|even (?:if|while) [^.;]{{1,60}}?)(?=,|\.|;|$)",
            rf"(?:{WHO} )?suffers (?:\d|D3|D6|D3\+\d)(?: mortal wounds?| fewer)?(?: for each [^.,;]{{1,60}})?",
        )
    }
)
