"""Phrases about when a rule holds: by leaders and the list, by the moment and the player."""

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


def _aura(match: re.Match[str]) -> Sequence[Token]:
    names = names_of(match["kw"] or match["kw2"] or "") + tuple(
        f"not {name}" for name in names_of(match["but"] or "")
    )
    return Token("who", "aura", names), Token("if", "aura", ())


def _named(match: re.Match[str]) -> Sequence[Token]:
    return (Token("who", "named", names_of(match["name"])),)


def _phase(match: re.Match[str]) -> Sequence[Token]:
    return Token("perhaps who", *subject(match)), Token("phase", match["phase"].casefold())


def _shot(match: re.Match[str]) -> Sequence[Token]:
    text = match[0].casefold()
    return Token("perhaps who", *subject(match)), Token(
        "phase", "fought" if "fought" in text else "shot" if "shot" in text else ""
    )


def _equipped(match: re.Match[str]) -> Sequence[Token]:
    names = weapon_names(match["weapon"])
    if re.search(r"\bor\b", match["weapon"]):
        return (Token("if", "wargear", names),)
    return tuple(Token("if", "wargear", (name,)) for name in names)


def _led_by(match: re.Match[str]) -> Sequence[Token]:
    return (Token("if", "led_by", names_of(match["kw"])), Token("that", "led"))


_KW = rf"(?P<kw>{KEYWORDS})"
_PHASE = r"(?:fight|shooting|command|movement|charge|battle round|phase|declare battle formations step|turn|first battle round|battle)"

CONDITIONS = compiled(
    (
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
            names("contains"),
        ),
        (
            r"(?:while|if) (?:this model|the bearer|this unit) is equipped with (?:an? |one or more |the )?(?P<weapon>[\w'\- ]+?)(?=,)",
            _equipped,
        ),
        (
            r"(?:if|while) (?:this model|it|this unit|that unit|the bearer|this model's unit|that model|a model in this unit|WHO)? ?made a charge move (?:this turn|in the same turn)",
            if_("charged"),
        ),
        (
            r"(?:in|during) (?:a|any|the) turn in which (?:it|this model|that model|this unit|that unit|its unit|the bearer|their unit|this model's unit|that model's unit|they) (?:made|makes|ended|completed) a charge move",
            if_("charged"),
        ),
        (r"that made a charge move this turn", if_("charged")),
        (
            rf"(?:each time|if|when|after) {WHO} (?:ends|makes|has made|ended|completes) a charge move",
            if_whose("charged"),
        ),
        (
            rf"(?:each time|if|while) {WHO} (?:remains|remained|has remained) stationary(?: this turn| in your movement phase)?",
            if_whose("stationary"),
        ),
        (r"(?:and|if it) (?:remained|remains) stationary(?: this turn)?", if_("stationary")),
        (rf"(?:each time|if|when) {WHO} (?:advances|advanced)(?: this turn)?", if_whose("advanced")),
        (
            rf"(?:that )?(?:has |have )?disembarked from (?:an? |this |that )(?:{KEYWORDS}|transport)(?: this turn| this phase)?",
            if_("disembarked"),
        ),
        (
            rf"(?:if|while|in a turn in which) {WHO} (?:has )?disembarked from (?:an? |this )(?:{KEYWORDS}|transport)(?: this turn)?",
            if_whose("disembarked"),
        ),
        (
            rf"(?:if|each time|when|in (?:a|the) turn (?:in which|that)) {WHO} (?:was|is|has been|were) set[- ]up(?: on the battlefield)?(?: this turn)?",
            if_whose("set_up"),
        ),
        (
            rf"(?:while|if) {WHO} has (?P<left>\d+(?:-\d+)?|\d+ or (?:less|fewer)) wounds? remaining",
            lambda m: if_whose("losses", f"at {m['left']} wounds")(m),
        ),
        (
            rf"(?:while|if) {WHO} (?:is|are) below (?:its |their )?(?:(?P<half>half-strength)|starting strength)",
            lambda m: if_whose("losses", "below half-strength" if m["half"] else "below Starting Strength")(
                m
            ),
        ),
        (r"(?:while|if) this model has (?:lost|suffered) one or more wounds", if_("losses", "wounded")),
        # The player, the moment.
        (
            r"(?:once|twice) per (?:battle|turn|battle round|phase)(?:, per army| for each [\w' ]+? (?:this unit|this model|the bearer)(?:'s unit)? has)?",
            if_("once"),
        ),
        (
            rf"(?:you|{WHO}) (?:can|may) use this (?:ability|part of this ability|battle trait)",
            if_whose("use"),
        ),
        (r"if (?:it|you|they|this unit|this model) (?:does|do|did)(?: so)?|if used|if so", if_("use")),
        (r"if passed|if (?:that|the) (?:[\w-]+ )?test is passed|if successful", if_("test")),
        (rf"take a (?:leadership|battle-shock) test(?: for {WHO})?", if_("test")),
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
            if_("token"),
        ),
        (rf"(?:while|if) {WHO} (?:is|are) (?:empowered|affected by [\w' -]+)", if_whose("state")),
        (r"(?:if|while) the waaagh! is active for your army", if_("state", "Waaagh!")),
        (
            rf"(?:while|if) (?:an? |one or more )?(?:other )?(?:friendly (?:(?P<kw>{KEYWORDS}) )?(?:units?|models?)|(?P<kw2>{KEYWORDS}) (?:units?|models?)(?: from your army)?){BUT} (?:is|are) (?:wholly )?within \d+\" of (?:and visible to )?{WHO}",
            _aura,
        ),
        (
            rf"(?:while|if) (?:{WHO}|an? {KEYWORDS} (?:unit|model) from your army) is within \d+\" of (?:one or more )?(?:other )?(?:friendly )?(?:{KEYWORDS} )?(?:models?|units?)(?: from your army)?",
            if_("distance"),
        ),
        (
            rf"(?:while|if) an enemy unit{BUT} is within (?:\d+\"|engagement range) of (?:this model|this unit|the bearer|this model's unit|one or more [\w' ]+)",
            lambda m: (
                Token("if", "enemy_near", ()),
                Token("that", "enemy"),
                Token("barred", names_of(m["but"] or "")),
            ),
        ),
        (r"you can declare (?:that )?(?:it|this unit|this model) will [\w' -]{1,60}", if_("use")),
        (r"and (?:the |that |its )?saving throw (?:is|has been|was) failed", says()),
        (
            rf"(?:each time|when|after|if) {WHO} (?:ends|makes|has made|starts or ends|finishes) an? (?:(?:normal|advance|fall back|consolidation|pile-in),? ?(?:or )?)*move",
            if_whose("moment"),
        ),
        (rf"before (?:it|{WHO}) makes an? (?:normal )?move", says()),
        (
            r"select one of the (?:\w+ )?abilities (?:below|listed below)|select one of these abilities",
            says(Token("choose")),
        ),
        (r"while (?:this model|this unit) is on the battlefield", if_("state")),
        (rf"(?:each time|when|if) {WHO} makes a dark pact", if_whose("state", "Dark Pact")),
        (
            r"on an? (?P<roll>critical (?:hit|wound))|if an? (?P<scored>critical (?:hit|wound)) is scored(?: for that attack)?",
            lambda m: (Token("if", f"on_{(m['roll'] or m['scored']).casefold().replace(' ', '_')}", ()),),
        ),
        (
            rf"if that model is not fully visible to every model in the attacking unit because of (?:this (?:fortification|model|unit)|this {KEYWORDS} model)",
            if_("hidden"),
        ),
        (r"(?:is allocated to|allocated to) a model(?=,)", says(Token("who", "friends", ()))),
        (
            rf"each time (?:an? )?{KIND}attacks? (?:is|are) allocated to (?:an? )?(?:model|(?P<name>{KEYWORDS}) model from your army)(?=,)",
            lambda m: (
                Token("event", "defence", kind_of(m)),
                Token("who", "friends", names_of(m["name"] or "")),
            ),
        ),
        (
            r"(?:if|while) (?:your army includes )?one or more models with this ability(?: are on the battlefield)?|if your army includes one or more models with this ability",
            says(),
        ),
        (
            rf"one (?:{KEYWORDS} )?(?:model|unit)?(?: from your army)?(?: with this ability) can use (?:it|this ability)",
            if_("use"),
        ),
        (
            r"(?:the same |each |that |an? )(?:enemy |friendly )?(?:unit|model) can only be (?:selected|affected|targeted|chosen)[^.;]{0,80}",
            says(),
        ),
        (
            rf"each time (?:an? )?(?:invulnerable |armour )?saving throw is made for {WHO}",
            lambda m: (Token("event", "defence", "any"), who(m)),
        ),
        (
            rf"(?:after|when) making a (?:hit|wound) roll[^.;]{{0,60}}? (?:made )?for {WHO}",
            lambda m: (who(m),),
        ),
        (
            r"(?:after|each time|when) a (?:hit|wound) roll(?:, (?:a )?(?:wound|damage) roll)?(?:,? or (?:a )?saving throw)? is made for this (?:model|unit)",
            says(Token("who", "model", ())),
        ),
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
            rf"each time (?:an? )?{KIND}attack made by {WHO} (?:is allocated to a model in|targets) that (?:enemy )?unit",
            lambda m: (*own(m), Token("marked")),
        ),
        (
            r"(?:that |which )?(?:is|are|has been|was) (?:suppressed|afflicted|riven|spotted|pinned|marked|guided|tainted|hunted|snared|wounded)",
            if_("state"),
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
            if_("overwatch"),
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
            says(Token("until", "phase")),
        ),
        (
            r"(?:while|when|after) resolving (?:that attack|those attacks|its attacks|that stratagem|these attacks)",
            says(),
        ),
        (r"for the rest of the battle", says()),
        # Choices.
        (
            r"(?:you can )?select one of the following(?: abilities)?(?: (?:for|to apply to) (?:models in )?(?:this unit|that unit|this model)(?: to (?:gain|have))?)?",
            says(Token("choose")),
        ),
        (
            r"(?:you can |you must )?(?:select|choose) (?:one|an?|up to \w+|two)(?: other)? (?P<side>enemy|friendly)?[^.;:]*?(?=,? until | to be |,? and roll |, then roll |\.|$)",
            lambda m: (Token("select", (m["side"] or "").casefold(), m[0]),),
        ),
        (
            r"to be (?:its|this unit's|this model's|your|their) (?:[\w']+ ){0,3}(?:target|quarry|prey|mark|victim|foe)",
            if_("marked"),
        ),
        (rf"{WHO}", lambda m: (who(m),)),
    )
)
