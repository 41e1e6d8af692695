"""Phrases about attacks and conditions: whose, with what, at whom; by leaders and the list, the moment, the player."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.systems.wh40k.unit_rules.tokens import (
    BUT,
    KEYWORDS,
    KIND,
    WHO,
    Token,
    if_,
    if_whose,
    kind_of,
    matched,
    names,
    names_of,
    phrases,
    says,
    weapon_names,
    who,
    whose,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_TARGET, _ENEMY = Token("target"), Token("that", "enemy")
_kind, _of_kind = matched("kind", of="kind", read=kind_of), matched("against", of="kind", read=kind_of)
_attacks = matched("event", "attack", of="kind", read=kind_of)


def _attacked(match: re.Match[str]) -> Sequence[Token]:
    side = "allocation" if "allocated" in match[0].casefold() else "defence"
    return (Token("event", side, kind_of(match["kind"])),)


_own, _against = says(_attacks, who), says(_attacked, who)
_with = matched("weapons", of="weapon", read=weapon_names)
_friends, _named = (matched("who", whom, of="kw", read=names_of) for whom in ("friends", "named"))
_keyword = names("target_keyword")
_state = matched("if", "state", of="state", read=lambda text: (text,))
_strength_at_most = matched("if", "strength_at_most", of="n", read=lambda text: (text,))
_barred = matched("barred", of="but", read=names_of)
_phase, _phase_of, _until = matched("phase", of=0), matched("phase", of="phase"), matched("until", of="until")


def _weapons(match: re.Match[str]) -> Sequence[Token]:
    ability = match.groupdict().get("ability")
    if ability and ability.casefold() not in {"all", "any", "other", "those", "these"}:
        return *_own(match), Token("weapons", (ability.casefold(),))
    return _own(match)


def _own_weapon(match: re.Match[str]) -> Sequence[Token]:
    names = weapon_names(match["weapon"])
    if re.search(r"\bmodels?$", match["weapon"], re.IGNORECASE):
        return (Token("who", "named", names_of(match["weapon"])),)
    kind = next((kind for kind in ("ranged", "melee", "psychic") if names[0] == f"{kind} weapons"), "")
    if kind or names[0] in {"weapons", "ranged attacks", "melee attacks", "attacks"}:
        kind = kind or names[0].partition(" ")[0].replace("weapons", "any").replace("attacks", "any")
        return Token("event", "attack", kind), *who(match)
    return Token("event", "attack", "any"), *who(match), Token("weapons", names)


def _target(match: re.Match[str]) -> Sequence[Token]:
    found = [_TARGET]
    group = match.groupdict()
    if group.get("kw") and group["kw"].casefold() in _STATES:
        found.append(Token("if", "state", (group["kw"],)))
    elif group.get("kw"):
        found.append(Token("if", "target_keyword", names_of(group["kw"])))
    if group.get("but"):
        found.append(Token("if", "target_not_keyword", names_of(group["but"])))
    if group.get("flies"):
        kind = "target_not_keyword" if "not" in group["flies"] else "target_keyword"
        found.append(Token("if", kind, ("Fly",)))
    return found


#: States of a target that stand where keywords stand.
_STATES = frozenset(("spotted", "guided", "riven", "afflicted", "suppressed", "marked"))


def _losses(match: re.Match[str]) -> Sequence[Token]:
    half = "half" in match[0].casefold()
    return (Token("if", "losses", ("below half-strength" if half else "below Starting Strength",)),)


def _wounds_left(match: re.Match[str]) -> Sequence[Token]:
    return (Token("if", "losses", (f"at {match['left']} wounds",)),)


def _excluded(match: re.Match[str]) -> Sequence[Token]:
    excluded = Token("excluding", names_of(match["but"]))
    return (_TARGET, excluded) if match["targets"] else (excluded,)


def _aura(match: re.Match[str]) -> Sequence[Token]:
    barred = tuple(f"not {name}" for name in names_of(match["but"] or ""))
    return Token("who", "aura", names_of(match["kw"] or match["kw2"] or "") + barred), Token("if", "aura", ())


def _equipped(match: re.Match[str]) -> Sequence[Token]:
    names = weapon_names(match["weapon"])
    if re.search(r"\bor\b", match["weapon"]):
        return (Token("if", "wargear", names),)
    return tuple(Token("if", "wargear", (name,)) for name in names)


def _result(match: re.Match[str]) -> Sequence[Token]:
    on = match[0].partition(" D6")[2] or (match[0] if match[0].casefold().startswith("on") else "")
    return (Token("if", "roll", tuple(re.findall(r"\d\S*", on))),)


def _shot(match: re.Match[str]) -> Sequence[Token]:
    text = match[0].casefold()
    return *whose(match), Token("phase", "fought" if "fought" in text else "shot" if "shot" in text else "")


def _select(match: re.Match[str]) -> Sequence[Token]:
    return (Token("select", (match["side"] or "").casefold(), match[0]),)


_KW = rf"(?P<kw>{KEYWORDS})"
_AT = r"(?:that |which )?(?:targets?|targeting|against) "
_IS = r"(?:that |which )?(?:is |are )?"
_ENDS = r"(?= against | in | that | which | when | while | until | if | and | by |,|\.|;|$| have | has | scores?| targets? )"
_PHASE = r"(?:fight|shooting|command|movement|charge|battle round|phase|declare battle formations step|turn|first battle round|battle)"

PHRASES = (
    *phrases(
        {
            _own: (
                rf"each time {WHO} (?:makes?|resolves?) (?:an? |its |their )?{KIND}attacks?\b",
                rf"(?:when|while|if) {WHO} (?:makes?|is making|are making|making|is resolving|resolves?) (?:an? |its |their )?{KIND}attacks?\b",
                rf"(?:each time )?(?:an? |the |for )?{KIND}attacks? (?:is |are )?made by {WHO}",
                rf"(?P<kind>ranged|melee|psychic) weapons (?:that )?(?:are )?equipped by {WHO}",
                rf"(?:all )?{KIND}(?:attacks|weapons) (?:of|made by|equipped by) {WHO}",
                rf"each time {WHO} targets (?:an? )?(?:enemy )?unit with (?:an? )?{KIND}attacks?",
                rf"(?P<kind>ranged|melee|psychic) weapons in {WHO}",
            ),
            _kind: (
                rf"(?:when|while) (?:making|resolving) (?:its |those |these )?{KIND}attacks?",
                rf"makes? (?:an? )?{KIND}attacks?",
                rf"(?:that|its|their) {KIND}weapons?\b",
            ),
            _against: (
                rf"(?:each time|when|if|while) (?:an? |such an? |one or more )?{KIND}attacks? (?:that )?(?:is |are )?(?:targets?|targeting|made against|made at|allocated to|made that targets) {WHO}",
                rf"{KIND}attacks? (?:that targets?|made against|targeting|which targets?) {WHO}",
                rf"after (?:an? )?{KIND}attack (?:has been|is) allocated to {WHO}",
                rf"each time (?:an? )?(?:enemy )?model makes (?:an? )?{KIND}attack (?:that targets|targeting|against) {WHO}",
            ),
            _weapons: rf"(?:(?P<ability>\w+) )?(?P<kind>)weapons (?:that )?(?:are )?equipped by {WHO}",
            _own_weapon: (
                rf"{WHO}'s (?P<weapon>(?:ranged|melee|psychic)? ?(?:weapons|attacks))\b",
                rf"{WHO}'s (?P<weapon>[\w'\- ]+?)(?= (?:has|have) )",
            ),
            _attacks: r"(?P<kind>ranged|melee) weapons (?:it|this model) is equipped with",
            _of_kind: r"against (?P<kind>ranged|melee|psychic) attacks?(?: only)?",
            says(): (
                r"against (?:all|that|those|such|this|ranged and melee) attacks?",
                r"(?:that|those|these|such|the|this) attacks?\b(?!'s)",
                r"\(see [^()]{1,60}\)",
                r"and (?:the |that |its )?saving throw (?:is|has been|was) failed",
                rf"before (?:it|{WHO}) makes an? (?:normal )?move",
                r"(?:if|while) (?:your army includes )?one or more models with this ability(?: are on the battlefield)?|if your army includes one or more models with this ability",
                r"(?:the same |each |that |an? )(?:enemy |friendly )?(?:unit|model) can only be (?:selected|affected|targeted|chosen)[^.;]{0,80}",
                r"(?:while|when|after) resolving (?:that attack|those attacks|its attacks|that stratagem|these attacks)",
            ),
            says(Token("pain", "mortal")): r"against mortal wounds",
            says(Token("same weapons"), _kind): rf"(?:those|these|such) {KIND}weapons?\b",
            says(_attacks, _friends, if_("disembarked")): (
                rf"each time an? (?:friendly )?(?:(?P<kw>{KEYWORDS}) )?(?:model|unit)(?: from your army)? that disembarked from (?:this|an?) (?:{KEYWORDS}|transport)(?: this turn| this phase)? makes an? {KIND}attack",
            ),
            says(_own, _TARGET, _keyword): (
                rf"each time (?:an? )?{KIND}attack made by {WHO} is allocated to (?:an? )?(?:enemy )?(?P<kw>{KEYWORDS}) (?:model|unit)",
            ),
            says(_state, _ENEMY): (
                r"(?:that|the) (?:enemy )?unit is (?P<state>[a-z-]+)(?=[.;]|$)",
                r"while an? (?:enemy )?unit is (?P<state>[\w-]+)",
            ),
            says(_against, if_("damage_1")): (
                rf"each time (?:an? )?{KIND}attack with a damage characteristic of 1 is allocated to {WHO}",
            ),
            says(_against, _strength_at_most): (
                rf"each time (?:an? )?{KIND}attack with a strength characteristic of (?P<n>\d+) or (?:less|lower) is allocated to {WHO}",
            ),
            says(Token("event", "attack", "any"), _with): (
                r"its (?P<weapon>[\w'\- ]+?)(?= (?:has|have) (?:the|an?|\[))",
            ),
            _with: (
                rf"with (?:an? |its |the |this model's |their |one of its )?(?P<weapon>[\w'\- ]+?){_ENDS}",
                rf"made with (?:an? |its |the |this model's )?(?P<weapon>[\w'\- ]+?){_ENDS}",
            ),
            _target: (
                rf"{_AT}(?:an? |one or more |any )?(?:enemy )?units? that (?P<flies>can(?:not| not)? fly)",
                rf"{_AT}(?:an? |one or more |any )?(?:enemy )?(?:models? in (?:an? )?)?(?!your\b|its\b|that\b|the\b|this\b|one\b){_KW}(?: units?| models?| targets?)*{BUT}",
                rf"{_AT}(?:an? |one or more |any )?(?:enemy )?(?:units?|targets?|models?){BUT}",
                rf"if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets?)?(?: is| of that attack is)? (?:an? )?(?:enemy )?{_KW}(?: units?| models?)?{BUT}",
            ),
            says(_TARGET, if_("target_not_keyword", "Fly")): (
                rf"{_AT}(?:an? |one or more |any )?(?:enemy )?units? \(excluding units that (?:(?P<no>can) fly)\)",
            ),
            says(_keyword, _TARGET, if_("closest")): (
                rf"{_AT}the closest (?:eligible |visible )*(?:enemy )?{_KW} (?:unit|target)",
            ),
            says(_TARGET, if_("closest")): (
                rf"{_AT}the closest (?:eligible |visible )*(?:enemy )?(?:target|unit)",
            ),
            says(_TARGET, if_("target_battle_shocked")): (
                rf"{_AT}(?:an? |one or more )?(?:enemy )?battle-shocked (?:enemy )?units?",
            ),
            says(_TARGET, if_("marked")): (
                rf"{_AT}(?:its|it's|your|this model's|this unit's|their) (?:[\w']+ ){{0,3}}(?:target|quarry|prey|mark|victim|foe)",
            ),
            says(_TARGET, Token("marked")): (
                rf"{_AT}(?:that|one of those|those|the selected|such an?)(?: enemy)? (?:units?|models?|targets?)",
            ),
            says(_TARGET, _state): (
                rf"{_AT}an? (?:enemy )?unit with (?:an?|one or more|\d+ or more) (?P<state>[\w' -]{{1,40}}?) (?:tokens?|counters?|markers?)",
                r"(?:targets?|against) an? (?P<state>riven|afflicted|spotted|marked|suppressed) (?:enemy )?unit",
            ),
            says(_TARGET): (
                r"if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets| is)? (?:an? )?(?:enemy )?unit",
                r"if (?:the target of that attack|that attack's target|the target|that target|that enemy unit)(?= is | has | does | contains | can )",
            ),
            _excluded: rf"\((?:excluding|except) (?:units with the |units that are |(?P<targets>attacks that target )|an? )?(?P<but>{KEYWORDS})(?: units?| models?| keywords?)*\)",
            _losses: rf"{_IS}below (?:its |their )?(?:half-strength|starting strength|half strength)(?: or (?:is )?below (?:its )?half-strength)?",
            says(whose, _losses): (
                rf"(?:while|if) {WHO} (?:is|are) below (?:its |their )?(?:half-strength|starting strength)",
            ),
            says(whose, _wounds_left): (
                rf"(?:while|if) {WHO} has (?P<left>\d+(?:-\d+)?|\d+ or (?:less|fewer)) wounds? remaining",
            ),
            says(names("leading"), Token("that", "led")): (
                r"(?:while|if|when) (?:this model|this unit|the bearer|this model's unit) (?:is leading|leads) (?:an? |this |another )?(?:unit|(?P<kw>[A-Z][\w' ]+) unit)",
            ),
            says(names("led_by"), Token("that", "led")): (
                rf"(?:while|if) (?:an? |one or more )?(?:friendly )?{_KW}(?: models?)? (?:is|are) leading (?:this|the bearer's) unit",
            ),
            _equipped: r"(?:while|if) (?:this model|the bearer|this unit) is equipped with (?:an? |one or more |the )?(?P<weapon>[\w'\- ]+?)(?=,)",
            _result: r"roll (?:one|a) D6|on an? \d\+?(?:-\d)?",
            _aura: rf"(?:while|if) (?:an? |one or more )?(?:other )?(?:friendly (?:(?P<kw>{KEYWORDS}) )?(?:units?|models?)|(?P<kw2>{KEYWORDS}) (?:units?|models?)(?: from your army)?){BUT} (?:is|are) (?:wholly )?within \d+\" of (?:and visible to )?{WHO}",
            says(if_("enemy_near"), _ENEMY, _barred): (
                rf"(?:while|if) an enemy unit{BUT} is within (?:\d+\"|engagement range) of (?:this model|this unit|the bearer|this model's unit|one or more [\w' ]+)",
            ),
            says(Token("choose")): (
                rf"{WHO} gains? a bonus depending on [^.;]{{1,80}}, as shown below",
                r"you can spend [^.;]{1,40} to activate one of the following(?: abilities)?",
                r"select one of the (?:\w+ )?abilities (?:below|listed below)|select one of these abilities",
                r"(?:you can )?select one of the following(?: abilities)?(?: (?:for|to apply to) (?:models in )?(?:this unit|that unit|this model)(?: to (?:gain|have))?)?",
            ),
            says(_attacked, _friends): (
                rf"each time (?:an? )?{KIND}attacks? (?:is|are) allocated to (?:an? )?(?:model|{_KW} model from your army)(?=,)",
            ),
            says(Token("event", "defence", "any"), who): (
                rf"each time (?:an? )?(?:invulnerable |armour )?saving throw is made for {WHO}",
            ),
            says(Token("who", "model", ())): (
                r"(?:after|each time|when) a (?:hit|wound) roll(?:, (?:a )?(?:wound|damage) roll)?(?:,? or (?:a )?saving throw)? is made for this (?:model|unit)",
            ),
            _named: rf"(?:an? |the )?{_KW}(?: models?)? (?=(?:has|have) (?:an? |the |\[|feel|stealth|[+-]))",
            _phase: rf"(?:just )?(?:at the (?:start|end) of|in|during) (?:the first|either player's|the same|your opponent's|each player's|the|your|each|any|that)(?: next)? (?P<phase>{_PHASE})(?: phases?)?(?: (?:and|or) (?:the )?fight phase)?(?! roll)",
            says(whose, _phase_of): (
                rf"(?:each time|when|after|if) {WHO} (?:is|was|has been|are) (?P<phase>selected to (?:shoot or fight|fight or shoot|shoot|fight))",
                rf"(?:when|each time) you select {WHO} (?P<phase>to (?:shoot or fight|fight or shoot|shoot|fight))",
            ),
            says(whose, Token("phase", "shoot or fight")): (rf"each time {WHO} shoots? or fights?",),
            _shot: rf"(?:after|each time|when) {WHO} (?:has|have) (?:shot|fought|resolved its attacks|finished making its attacks)",
            _until: r"until the (?:end|start) of (?:your next|your opponent's next|the next|the|your|that|your opponent's) (?P<until>[\w-]+(?: phase)?)",
            says(Token("until", "phase")): (
                r"until (?:that attack is|those attacks are|that phase|those attacks have been) resolved",
            ),
            _select: r"(?:you can |you must )?(?:select|choose) (?:one|an?|up to \w+|two)(?: other)? (?P<side>enemy|friendly)?[^.;:]*?(?=,? until | to be |,? and roll |, then roll |\.|$)",
            who: (
                rf"(?:after|when) making a (?:hit|wound) roll[^.;]{{0,60}}? (?:made )?for {WHO}",
                rf"{WHO}",
            ),
            "closest": r"(?:if the target of that attack )?is the closest (?:eligible )?(?:enemy )?(?:target|unit)",
            ("state", "Empowered"): r"while empowered",
            ("target_keyword", "Fly"): r"(?:that |which )?can fly",
            "objective": rf"{_IS}(?:not )?(?:with)?in range of (?:an? |one or more |any |the )?objective markers?(?: (?:that )?(?:you|your opponent|they)(?: do not| does not)? controls?)?(?: outside your deployment zone)?",
            "target_intact": (rf"{_IS}(?:at|not below) (?:its|their) starting strength",),
            "target_half_left": r"(?:that |which )?(?:is|are) not below (?:its |their )?half-strength",
            "target_battle_shocked": rf"{_IS}battle-shocked",
            "half_range": rf"{_IS}within half range(?: of this model| of that weapon)?",
            "distance": (
                rf"{_IS}(?:not )?within (?:\d+\"|engagement range)(?: (?:of|and visible to|horizontally of)(?: and visible to)?(?: one or more)?(?: other)?(?: {WHO}| {KEYWORDS} (?:models?|units?)(?: from your army)?)?)?",
                rf"(?:while|if) (?:{WHO}|an? {KEYWORDS} (?:unit|model) from your army) is within \d+\" of (?:one or more )?(?:other )?(?:friendly )?(?:{KEYWORDS} )?(?:models?|units?)(?: from your army)?",
            ),
            "stronger": (
                r"(?:if |and )?(?:the )?strength characteristic of (?:that|the|this) attack is (?:greater|higher) than (?:the )?(?:toughness characteristic of )?(?:that unit|this unit|your unit|this model|the bearer|it|that model|the target|the bearer's unit|this model's unit|its)?(?:'s)?(?: ?toughness(?: characteristic)?)?",
            ),
            "weaker": r"(?:the|that attack's) strength characteristic of (?:that|this|the) attack is (?:less|lower) than (?:the toughness characteristic of )?(?:that unit|the target)?(?:'s toughness(?: characteristic)?)?",
            "charged": (
                r"(?:if|while) (?:this model|it|this unit|that unit|the bearer|this model's unit|that model|a model in this unit|WHO)? ?made a charge move (?:this turn|in the same turn)",
                r"(?:in|during) (?:a|any|the) turn in which (?:it|this model|that model|this unit|that unit|its unit|the bearer|their unit|this model's unit|that model's unit|they) (?:made|makes|ended|completed) a charge move",
            ),
            "disembarked": rf"(?:that )?(?:has |have )?disembarked from (?:an? |this |that )(?:{KEYWORDS}|transport)(?: this turn| this phase)?",
            "once": r"(?:once|twice) per (?:battle|turn|battle round|phase)(?:, per army| for each [\w' ]+? (?:this unit|this model|the bearer)(?:'s unit)? has)?",
            "use": (
                r"if (?:it|you|they|this unit|this model) (?:does|do|did)(?: so)?|if used|if so",
                r"you can declare (?:that )?(?:it|this unit|this model) will [\w' -]{1,60}",
                rf"one (?:{KEYWORDS} )?(?:model|unit)?(?: from your army)?(?: with this ability) can use (?:it|this ability)",
            ),
            "test": (
                r"if passed|if (?:that|the) (?:[\w-]+ )?test is passed|if successful",
                rf"take a (?:leadership|battle-shock) test(?: for {WHO})?",
            ),
            "token": rf"you can spend \d+ (?:[\w-]+ ){{1,3}}(?:tokens?|points?|dice) to (?:empower {WHO}|do so)|if you (?:do|spend)",
            ("state", "Waaagh!"): r"(?:if|while) the waaagh! is active for (?:your army|this unit)",
            "state": (
                r"while (?:this model|this unit) is on the battlefield",
                r"(?:that |which )?(?:is|are|has been|was) (?:suppressed|afflicted|riven|spotted|pinned|marked|guided|tainted|hunted|snared|wounded)",
            ),
            "on_critical_hit": r"on an? critical hit|if an? critical hit is scored(?: for that attack)?",
            "on_critical_wound": r"on an? critical wound|if an? critical wound is scored(?: for that attack)?",
            "hidden": rf"if that model is not fully visible to every model in the attacking unit because of (?:this (?:fortification|model|unit)|this {KEYWORDS} model)",
            "overwatch": r"each time you (?:target|select) this unit (?:with|for) the fire overwatch stratagem|each time this (?:unit|model) (?:is targeted with|shoots? using) the fire overwatch stratagem|(?:when|while) (?:resolving|using) (?:the fire overwatch|that) stratagem|when this unit fires overwatch",
            "marked": r"to be (?:its|this unit's|this model's|your|their) (?:[\w']+ ){0,3}(?:target|quarry|prey|mark|victim|foe)",
        }
    ),
    *phrases(
        {
            "objective": rf"(?:while|if) {WHO} (?:is )?(?:not )?within range of (?:an? |one or more |that |the selected )?objective markers?(?: (?:that )?you(?: do not)? control)?",
            "charged": rf"(?:each time|if|when|after) {WHO} (?:ends|makes|has made|ended|completes) a charge move",
            "stationary": rf"(?:each time|if|while) {WHO} (?:remains|remained|has remained) stationary(?: this turn| in your movement phase)?",
            "advanced": rf"(?:each time|if|when) {WHO} (?:advances|advanced)(?: this turn)?",
            "disembarked": rf"(?:if|while|in a turn in which) {WHO} (?:has )?disembarked from (?:an? |this )(?:{KEYWORDS}|transport)(?: this turn)?",
            "set_up": rf"(?:if|each time|when|in (?:a|the) turn (?:in which|that)) {WHO} (?:was|is|has been|were) set[- ]up(?: on the battlefield)?(?: this turn)?",
            "use": rf"(?:you|{WHO}) (?:can|may) use this (?:ability|part of this ability|battle trait)",
            "state": rf"(?:while|if) {WHO} (?:is|are) (?:empowered|affected by [\w' -]+)",
            "moment": rf"(?:each time|when|after|if) {WHO} (?:ends|makes|has made|starts or ends|finishes) an? (?:(?:normal|advance|fall back|consolidation|pile-in),? ?(?:or )?)*move",
            ("state", "Dark Pact"): rf"(?:each time|when|if) {WHO} makes a dark pact",
        },
        if_whose,
    ),
    *phrases(
        {
            "contains": (
                rf"and contains (?:an? |one or more )?{_KW}(?: models?)?",
                rf"(?:while|if) (?:this unit|this model's unit|that unit|it|the bearer's unit) contains (?:an? |one or more |at least one |the )?(?:other )?{_KW}(?: models?)?",
            ),
            "target_not_keyword": rf"(?:that|which|does|if it) (?:do |does )?not (?:have|contain) (?:the |any )?{_KW}(?: keywords?| models?)?",
        },
        names,
    ),
)
