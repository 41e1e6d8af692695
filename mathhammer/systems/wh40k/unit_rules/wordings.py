"""Wordings of rules, as text: what is said, and behind a colon, or below, the regular expressions that say so.

A line that begins with spaces says what the line before does, one with a dash nothing. Tokens have values, of groups in
angle brackets; one with "?" is left out where its group is empty. Capitals in angle brackets are :data:`PARTS`. Letter
case matters for names alone. A wording is compiled when a text first holds its words.
"""

from __future__ import annotations

#: Keywords stand in capitals: a text that is prepared has the common ones so too. A name gives nothing back: how its
#: words are parted is then one way, and long texts take no longer for it.
PARTS = r"""
CAPITAL: (?-i:[A-Z'][\w'-]*(?:(?: of the| of| the| an| with| in)? (?:[A-Z][\w'-]*|\d+\b)){0,6})
KEYWORDS: (?><CAPITAL>)(?:(?:, (?:and |or )?| and/or | and | or | & |/| )(?:an? |non-)?(?><CAPITAL>)){0,7}
KW: (?P<kw><KEYWORDS>)
SELF: (?:this models?|the bearer|this fortification|this transport|its bearer)\b(?!'s unit)
OWN: (?:this units?|this model's unit|the bearer's unit|its unit|your unit)\b
THAT: (?:that (?:<KEYWORDS> )?unit|their unit|that model's unit|it)\b
ALL: (?:an? |any |each |every |all |all of |the |other |one or more )*
MODELS: (?:<ALL>models? (?:in|from|of) )
FRIENDS: <ALL>(?:models? in (?:an? )?)?friendly (?:(?P<friend><KEYWORDS>) )?(?:units?|models?)\b|(?:models? in )?(?:an? |any |each |other )*(?P<army><KEYWORDS>) (?:units?|models?) from your army|(?:an? |any |other )*(?:models?|units?) from your army
SOME: <ALL>(?P<some><KEYWORDS>) models? (?:in|from|attached to) (?:(?P<some_own><OWN>)|<THAT>)
OTHERS: (?P<others>(?:the )?other <ALL><KEYWORDS> models? (?:in|from|attached to) (?:<OWN>|<THAT>))
PICKED: that (?:(?:<KEYWORDS>) )?model\b(?!'s unit)|that friendly (?:<KEYWORDS> )?(?:unit|model)|those models
ENEMY: <MODELS>?(?:that|those|the selected) enemy (?:<KEYWORDS> )?(?:units?|models?)
ANYONE: (?:<WHO> )?
FOR: (?: (?:made |taken )?(?:for|of) <WHO>)?
WHO: (?:(?:this|that) unit's (?P<named><KEYWORDS>)(?: models?\b|(?=[.,]|$))|(?P<model><SELF>)|<OTHERS>|<SOME>|<MODELS>?(?P<unit><OWN>)|(?P<friends><FRIENDS>)|(?P<picked><PICKED>)|(?P<enemy><ENEMY>)|<MODELS>?(?P<that><THAT>))
KIND: (?P<kind>ranged |melee |psychic )?
BUT: (?: ?\((?:excluding|except|that is not) (?:units with the |an? )?(?P<but><KEYWORDS>(?:(?: units?| models?| keywords?)? (?:and|or) <KEYWORDS>)?)(?: units?| models?| keywords?| attacks)*\))?
AT: (?:that |which )?(?:targets?|targeting|against)\s
IS: (?:that |which )?(?:is |are )?
ENDS: (?= against | in | that | which | when | while | until | if | and | by |,|\.|;|$| have | has | scores?| targets? )
PHASE: (?:fight|shooting|command|movement|charge|battle round|phase|declare battle formations step|turn|first battle round|battle)
N: (?P<n>\d{1,2})
CHAR: (?:attacks?|strength|armour penetration|damage|ballistic skill|weapon skill|toughness|save|wounds)
CHARS: (?P<chars><CHAR>(?:(?:, (?:and )?| and )<CHAR>)*)
SHORT: (?P<chars>(?:AP|BS|WS|Sv|A|S|D|T|W)(?: and (?:AP|BS|WS|Sv|A|S|D|T|W)\b)?)
ROLLS: (?P<rolls>(?:hit|wound)(?: roll)?(?:(?: and |, )(?:to )?(?:the )?(?:hit|wound)(?: roll)?)*)
MADE: (?: made (?:for|by) (?:(?:that|those|these|its|their) attacks?|<WHO>(?:'s attacks)?)(?: with [\w'\- ]+?(?=,|\.|$| that | and ))?)?
OF: (?: of (?P<of>[^.;,()]{1,90}?)(?= by \d| and |,|\.|;|$| while | when | until | that (?:are|is|were|have|target)| which | if | as | instead| \())?
WHOSE: (?P<whose>this model's |the bearer's |this unit's |its )
FEEL: (?: against (?:psychic attacks?|mortal wounds)(?: and (?:against )?(?:psychic attacks?|mortal wounds))?)?
ABILITIES: (?P<abilities>(?:\[[^\[\]]{1,60}\](?: (?:ability|abilities))?(?:,? (?:and |or )?(?:the )?(?=\[))?)+)(?: ?(?:ability|abilities))?
BARE: (?P<abilities>(?:(?:sustained hits (?:\d|D3|D6)|lethal hits|devastating wounds|ignores cover|lance|precision|twin-linked|heavy|assault|torrent|hazardous|rapid fire \d|melta \d|anti-[\w-]+ \d\+|indirect fire|blast)(?:,? (?:and |or )?(?:the )?)?)+) (?:ability|abilities)
OTHER: (?:advance|charge|battle-shock|leadership|hazard(?:ous)?|desperate escape|deadly demise|d6)
"""

#: What a rule does to the dice of attacks.
EFFECTS = r"""
rolls: (?:add|subtract) <N> (?:to|from) (?:the |that |its |their |any )?<ROLLS><MADE>
    (?:a )?(?P<sign>[+-])<N> to (?:the )?<ROLLS><MADE>
rerolls ones: re-roll (?:an? |any |all )?(?P<rolls>(?:hit|wound|damage) roll)s? of 1(?: and (?:can )?re-roll (?:an? |any )?(?:wound|hit) roll of 1)?<MADE>
rerolls failed: re-roll (?:the |any |all |all failed |failed |that |those )?(?P<rolls>(?:hit|wound) roll(?:s)?(?: and (?:re-roll )?(?:the |any )?(?:wound|hit) roll)?)s?(?! of| or | to | result)<MADE>
rerolls free: re-roll (?:the |any |all |that )?(?P<rolls>damage roll)(?! of)<MADE>
effect reroll_one=<rolls>: (?P<rolls>re-roll (?:one|a single) (?:hit|wound|damage) roll(?:, (?:or )?(?:one |the )?(?:hit|wound|damage|saving throw|save) ?(?:roll)?)* or (?:one )?(?:hit roll|wound roll|damage roll|saving throw)(?: or one saving throw)?)<MADE>
rerolls one: re-roll one (?P<rolls>hit roll|wound roll|damage roll)<MADE>
effect reroll_saves_invulnerable=failed: re-roll invulnerable saving throws(?: made for [\w' ]+)?
effect reroll_saves=ones: re-roll (?:a saving throw|saving throws|save rolls?) of 1<MADE>
effect reroll_attacks=free: re-roll (?:the )?(?:dice|roll|rolls|result|die)s? (?:made |rolled )?(?:to determine|when determining|for) (?:the )?(?:number of attacks|random characteristics?)[^,.;]{0,60}
critical: (?:an? |any |each |every )?(?:successful )?(?:unmodified )?(?:successful )?(?:hit|wound) roll(?: made for that attack| made for those attacks)? of <N>\+ (?:for (?:that attack|those attacks|such an attack) )?scores? a critical (?:hit|wound)
    (?:an? )?critical (?:hit|wound) is scored on (?:an? |any |each )?(?:successful )?(?:unmodified )?(?:successful )?(?:hit|wound) roll of <N>\+(?: instead of only on an? (?:unmodified )?(?:hit|wound)?(?: roll of)? ?6)?
    (?:scores? |score )?(?:an? )?critical (?:hit|wound)s? on (?:an? )?(?:successful )?(?:unmodified )?(?:successful )?(?:(?:hit|wound) roll of |rolls? of )?<N>\+
    (?:each|every|an?y?) successful (?:unmodified )?(?P<w>hit|wound) roll(?: made for [\w' ]+?)? scores a critical (?:hit|wound)
abilities: (?:have |has |have the |has the |gains? |gain the |gains the |with )?(?:the )?<ABILITIES>
    (?:have |has |gains? )(?:the )?<BARE>
characteristic add: (?:add|subtract) <N> (?:to|from) (?:the |that attack's |<WHOSE>|their )?<CHARS> characteristics?<OF>
    (?:improve|worsen) (?:the |that |that attack's |<WHOSE>|their )?<CHARS> characteristics?<OF> by <N>
    (?:have |has |with )?(?P<sign>[+-])<N> <SHORT>\b(?! characteristic)
characteristic set: (?:have |has |with )?(?:an? )?<N>\+ (?P<chars>Sv|BS|WS)\b
characteristic multiply: (?:double|triple) (?:the |its |this model's )?<CHARS> characteristics?<OF>
effect half_damage: halve (?:the |that attack's )damage characteristic(?: of that attack)?
effect damage_to=<n>: change (?:the |that attack's |its )damage characteristic(?: of that attack)? to <N>
    change the damage characteristic of one attack allocated to <WHO> to <N>
characteristic set: (?:have|has|and) an? <CHARS> characteristics? of -?<N>\+?
effect invulnerable=<n>: (?:have |has )?(?:an? )?<N>\+ (?:invulnerable save|InSv\b)
    (?:have |has )?an? invulnerable save(?: characteristic)? of <N>\+
feel: (?:have |has |with )?(?:the |an? )?feel no pain (?:ability )?(?:of )?<N>\+(?: ability)?<FEEL>
effect cover: (?:have|has) (?:the )?benefit of cover(?: against (?:that attack|those attacks|it|them))?
effect stealth: (?:have|has|and) (?:the )?stealth(?: ability)?
effect no_cover: (?:cannot|can not|can't|does not|do not) (?:have|has|gain|receive|benefit from)? ?the benefits? of cover(?: against (?:that attack|those attacks|it))?
ignored: (?:can )?ignores? (?:any or all|any|all)(?: of the)? modifiers to (?:the following: )?(?:(?:that attack's|the|its|their|any or all modifiers to|characteristics|of that attack|this model's|that unit's|those attacks|that attack|this unit's|weapon skill|ballistic skill|strength|attacks|armour penetration|damage|characteristics?|hit roll|wound roll|that weapon|any or all modifiers|all modifiers|modifiers|and/or|and|or|,|/|of|made for|to)[, ]*)+
effect ignore_engaged: (?:do|does) not suffer (?:the|any) penalt(?:y|ies) to (?:its |their |the )?hit roll for [\w' ]{1,90}?engagement range(?: of [\w' ]{1,40}?)?(?=[.,;]|$)
effect invulnerable=<n>: this (?:invulnerable )?save is improved to (?P<n>\d)\+
effect overwatch=<n>: hits are (?:only )?scored on (?:an? )?unmodified hit roll of (?P<n>\d)\+
effect save_modifier=<n>: (?:add|gains?) <N> to (?:any )?(?:armour )?saving throws?(?: made (?:against|for) (?:that|those) attacks?)?
effect set_to_6: change (?:the result of )?that roll to an? (?:unmodified )?6
    change the result of one [^.;]{1,160}? to an unmodified 6
"""

#: Behind "of" of a characteristic: the weapons or models of which it is.
LIMITS = r"""
same_weapons: (?:those|these|such) weapons?\b.*
-: (?:that|those|this|the|such|its|their|these) (?:ranged |melee )?(?:attacks?|weapons?)(?:'s?)?(?: equipped by .*)?|such an attack|it
kind <kind>?: (?:the |all |any )?(?:ranged and melee |melee and ranged |<KIND>)(?:weapons?|attacks)
kind <kind>?, who: (?:the |all |any )?(?:ranged and melee |melee and ranged |<KIND>)(?:weapons?|attacks) (?:equipped|made) by <WHO>
    <WHO>'s <KIND>weapons
weapons <weapon>, who: <WHO>'s (?P<weapon>[\w'\- ]+)
weapons <weapon>, who model: (?:its|their|his|her) (?P<weapon>[\w'\- ]+)
weapons <weapon>, who: (?P<weapon>[\w'\- ]+?) equipped by <WHO>
who: <WHO>
"""

#: Attacks and conditions: whose, with what, at whom; by leaders and the list, the moment, the player. First what rules do
#: besides; it is passed over, as it has no effect on dice of attacks.
CONDITIONS = r"""
-: (?:you )?(?:can )?re-roll (?:the |an? |that |any )?<OTHER>(?: (?:and|or) <OTHER>)*(?: rolls?| tests?)?(?: and <OTHER> rolls?)?<FOR>
    (?:add|subtract) (?:\d|D3|D6) (?:to|from) (?:the |that |any )?<OTHER>(?: (?:and|or) <OTHER>)*(?: rolls?| tests?)?<FOR>
    (?:add|subtract) (?:\d+|\d?D3|\d?D6)"? (?:to|from) (?:the |its |this model's )?(?:move|objective control|leadership|oc)(?:,? and (?:move|objective control|leadership))? characteristics?<FOR>
    (?:add|subtract) \d+" (?:to|from) the range characteristic of [\w' ]+?(?=,| and |\.|$)
    (?:improve|worsen) (?:the |its )?(?:leadership|move|objective control) characteristic(?: of [\w' ]+?)? by \d"?
    (?:have|has|and) an? (?:move|objective control|leadership)(?: and (?:move|objective control))? characteristic of \d+["+]?
    (?:have|has|and) (?:the )?(?:fights first|fight first|infiltrators|deep strike|lone operative|scouts \d+"|deadly demise \w+|firing deck \d+|hover)(?:,? (?:and )?(?:the )?(?:fights first|infiltrators|deep strike|lone operative|scouts \d+"))*(?: abilit(?:y|ies))?
    <ANYONE>(?:(?:is|are) eligible to|can) (?:shoot|declare a charge|charge)[^.,;]* in a turn in which (?:it|they) (?:advanced|fell back)(?: or (?:fell back|advanced))?
    (?:that enemy unit|each enemy unit within [^.,;]{1,60}|the target) must take a battle-shock test(?:, subtracting \d from (?:that test|the result))?
    (?:you )?(?:can )?ignore any or all modifiers to (?:that unit's|this unit's|this model's|its) move characteristic[^.;]{0,80}?(?=, and each|\.|;|$)
    (?:this unit|this model|it) does not have the fights first ability(?:,? but instead,?)?
    <ANYONE>(?:regains|can regain) (?:up to )?(?:\d|D3|D6) lost wounds?
    (?:you )?(?:gain|get) \d+ ?CP
    (?:and )?you can target <WHO> with [^.;]{0,60}?stratagems? (?:for \d+ ?CP|even (?:if|while) [^.;]{1,60}?)(?=,|\.|;|$)
    <ANYONE>suffers (?:\d|D3|D6|D3\+\d)(?: mortal wounds?| fewer)?(?: for each [^.,;]{1,60})?
event attack=<kind>, who: (?:each time|when|while|if) <WHO> (?:makes?|(?:is |are )?making|is resolving|resolves?) (?:an? |its |their )?<KIND>attacks?\b
    (?:each time )?(?:an? |the |for )?<KIND>attacks? (?:is |are )?made by <WHO>
    (?:all )?<KIND>(?:attacks|weapons) (?:(?:that )?(?:are )?equipped by|of|made by|in) <WHO>
    each time <WHO> targets (?:an? )?(?:enemy )?unit with (?:an? )?<KIND>attacks?
kind <kind>: (?:when|while) (?:making|resolving) (?:its |those |these )?<KIND>attacks?
    makes? (?:an? )?<KIND>attacks?
    (?:that|its|their) <KIND>weapons?\b
event defence=<kind>, who: (?:each time|when|if|while) (?:an? |such an? |one or more )?<KIND>attacks? (?:that )?(?:is |are )?(?:targets?|targeting|made against|made at|made that targets) <WHO>
    <KIND>attacks? (?:that targets?|made against|targeting|which targets?) <WHO>
    each time (?:an? )?(?:enemy )?model makes (?:an? )?<KIND>attack (?:that targets|targeting|against) <WHO>
event allocation=<kind>, who: (?:each time|when|if|while) (?:an? |such an? |one or more )?<KIND>attacks? (?:that )?(?:is |are )?allocated to <WHO>
    after (?:an? )?<KIND>attack (?:has been|is) allocated to <WHO>
event attack=any, who, weapons <ability>: (?P<ability>(?!(?:all|any|other|those|these)\b)\w+) weapons (?:that )?(?:are )?equipped by <WHO>
event attack=<kind>, who: <WHO>'s? <KIND>(?:weapons|(?<!psychic )attacks)\b
whom named=<kw>: <WHO>'s? (?P<kw>[\w'\- ]+? models?)(?= (?:has|have) )
event attack=any, who, weapons <weapon>: <WHO>'s? (?P<weapon>(?:(?! that )[\w'\- ])+?)(?= (?:has|have) )
event attack=<kind>: (?P<kind>ranged|melee) weapons (?:it|this model) is equipped with
against <kind>: against (?P<kind>ranged|melee|psychic) attacks?(?: only)?
-: against (?:all|that|those|such|this|ranged and melee) attacks?
    \(see [^()]{1,60}\)
    and (?:the |that |its )?saving throw (?:is|has been|was) failed
    (?:the same |each |that |an? )(?:enemy |friendly )?(?:unit|model) can only be (?:selected|affected|targeted|chosen)[^.;]{0,80}
    (?:while|when|after) resolving (?:that attack|those attacks|its attacks|that stratagem|these attacks)
same_weapons, kind <kind>: (?:those|these|such) <KIND>weapons?\b
event attack=<kind>, whom friends=<kw>, if disembarked: each time an? (?:friendly )?(?:<KW> )?(?:model|unit)(?: from your army)? that disembarked from (?:this|an?) (?:<KEYWORDS>|transport)(?: this turn| this phase)? makes an? <KIND>attack
event attack=<kind>, who, target, if target_keyword=<kw>: each time (?:an? )?<KIND>attack made by <WHO> is allocated to (?:an? )?(?:enemy )?<KW> (?:model|unit)
if state=<text>, that enemy: (?:that|the) (?:enemy )?unit is (?P<text>[a-z-]+)(?=[.;]|$)
    while an? (?:enemy )?unit is (?P<text>[\w-]+)
event allocation=<kind>, who, if damage_1: each time (?:an? )?<KIND>attack with a damage characteristic of 1 is allocated to <WHO>
event allocation=<kind>, who, if strength_at_most=<text>: each time (?:an? )?<KIND>attack with a strength characteristic of (?P<text>\d+) or (?:less|lower) is allocated to <WHO>
event attack=any, weapons <weapon>: its (?P<weapon>[\w'\- ]+?)(?= (?:has|have) (?:the|an?|\[))
if stronger: with an? (?:S|strength characteristic) (?:that is )?(?:greater|higher) than (?:this unit|this model|the bearer|it)'?s (?:T|toughness characteristic)\b
weapons <weapon>: (?:made )?with (?:an? |its |the |this model's |their |one of its )?(?P<weapon>[\w'\- ]+?)<ENDS>
target, if target_not_keyword=Fly: <AT>(?:an? |one or more |any )?(?:enemy )?units? (?:that can(?:not| not) fly|\(excluding units that can fly\))
target, if state=<text>, if target_not_keyword=<but>?: <AT>(?:an? |one or more |any )?(?:enemy )?(?:models? in (?:an? )?)?(?P<text>(?-i:(?=[A-Z]))(?:spotted|guided|riven|afflicted|suppressed|marked))(?: units?| models?| targets?)*<BUT>
target, if target_keyword=<kw>?, if target_not_keyword=<but>?: <AT>(?:an? |one or more |any )?(?:enemy )?(?:models? in (?:an? )?)?(?!your\b|its\b|that\b|the\b|this\b|one\b)<KW>(?: units?| models?| targets?)*<BUT>
    <AT>(?:an? |one or more |any )?(?:enemy )?(?:units?|targets?|models?)<BUT>
    if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets?)?(?: is| of that attack is)? (?:an? )?(?:enemy )?<KW>(?: units?| models?)?<BUT>
if target_keyword=<kw>, target, if closest: <AT>the closest (?:eligible |visible )*(?:enemy )?<KW> (?:unit|target)
target, if closest: <AT>the closest (?:eligible |visible )*(?:enemy )?(?:target|unit)
target, if target_battle_shocked: <AT>(?:an? |one or more )?(?:enemy )?battle-shocked (?:enemy )?units?
target, if marked: <AT>(?:its|it's|your|this model's|this unit's|their) (?:[\w']+ ){0,3}(?:target|quarry|prey|mark|victim|foe)
target, if marked: <AT>(?:that|one of those|those|the selected|such an?)(?: enemy)? (?:units?|models?|targets?)
target, if state=<text>: <AT>an? (?:enemy )?unit with (?:an?|one or more|\d+ or more) (?P<text>[\w' -]{1,40}?) (?:tokens?|counters?|markers?)
    (?:targets?|against) an? (?P<text>riven|afflicted|spotted|marked|suppressed) (?:enemy )?unit
target: if (?:the target of )?(?:that|such an|the) (?:attack|target)(?: targets| is)? (?:an? )?(?:enemy )?unit
    if (?:the target of that attack|that attack's target|the target|that target|that enemy unit)(?= is | has | does | contains | can )
excluding <but>: \((?:excluding|except) (?:units with the |units that are |an? )?(?P<but><KEYWORDS>)(?: units?| models?| keywords?)*\)
target, excluding <but>: \((?:excluding|except) attacks that target (?P<but><KEYWORDS>)(?: units?| models?| keywords?)*\)
if losses=below half-strength: <IS>below (?:its |their )?(?:starting strength or (?:is )?below (?:its )?)?half-strength
if losses=below Starting Strength: <IS>below (?:its |their )?starting strength
whose, if losses=below half-strength: (?:while|if) <WHO> (?:is|are) below (?:its |their )?half-strength
whose, if losses=below Starting Strength: (?:while|if) <WHO> (?:is|are) below (?:its |their )?starting strength
whose, if losses=<left>: (?:while|if) <WHO> has (?P<left>\d+(?:-\d+)?|\d+ or (?:less|fewer)) wounds? remaining
if leading=<kw>, that led: (?:while|if|when) (?:(?:this model|this unit|the bearer|this model's unit) (?:is leading|leads)|leading) (?:an? |this |another )?(?:unit|(?P<kw>[A-Z][\w' ]+) unit)
if led_by=<kw>, that led: (?:while|if) (?:an? |one or more )?(?:friendly )?<KW>(?: models?)? (?:is|are) leading (?:this|the bearer's) unit
equipped: (?:while|if) (?:this model|the bearer|this unit) is equipped with (?:an? |one or more |the )?(?P<weapon>[\w'\- ]+?)(?=,)
if roll: roll (?:one|a) D6
if roll=<text>: on an? (?P<text>\d\+?(?:-\d)?)
whom aura=<kw>, excluding <but>?, if aura: (?:while|if) (?:an? |one or more )?(?:other )?friendly (?:<KW> )?(?:units?|models?)<BUT> (?:is|are) (?:wholly )?within \d+" of (?:and visible to )?<WHO>
    (?:while|if) (?:an? |one or more )?(?:other )?<KW> (?:units?|models?)(?: from your army)?<BUT> (?:is|are) (?:wholly )?within \d+" of (?:and visible to )?<WHO>
whom enemy, if enemy_near, barred <but>: enemy units?<BUT> within \d+" of (?:this model|this unit|the bearer|this model's unit)
if enemy_near, that enemy, barred <but>: (?:while|if) an enemy unit<BUT> is within (?:\d+"|engagement range) of (?:this model|this unit|the bearer|this model's unit|one or more [\w' ]+)
chooses yes: <WHO> gains? a bonus depending on [^.;]{1,80}, as shown below
    you can spend [^.;]{1,40} to activate one of the following(?: abilities)?
    select one of the (?:\w+ )?abilities (?:below|listed below)|select one of these abilities
    (?:you can )?select one of the following(?: abilities)?(?: (?:for|to apply to) (?:models in )?(?:this unit|that unit|this model)(?: to (?:gain|have))?)?
event allocation=<kind>, whom friends=<kw>: each time (?:an? )?<KIND>attacks? (?:is|are) allocated to (?:an? )?(?:model|<KW> model from your army)(?=,)
event defence=any, who: each time (?:an? )?(?:invulnerable |armour )?saving throw is made for <WHO>
whom named=<kw>: (?:an? |the )?<KW>(?: models?)? (?=(?:has|have) (?:an? |the |\[|feel|stealth|[+-]))
phase <phase>: (?P<phase>(?:just )?(?:at the (?:start|end) of|in|during) (?:the first|either player's|the same|your opponent's|each player's|the|your|each|any|that)(?: next)? <PHASE>(?: phases?)?(?: (?:and|or) (?:the )?fight phase)?)(?! roll)
whose, phase <phase>: (?:each time|when|after|if) <WHO> (?:is|was|has been|are) (?P<phase>selected to (?:shoot or fight|fight or shoot|shoot|fight))
    each time <WHO> (?P<phase>shoots? or fights?|shoots|fights)\b
    (?:when|each time) you select <WHO> (?P<phase>to (?:shoot or fight|fight or shoot|shoot|fight))
whose, phase <shot>: (?:after|each time|when) <WHO> (?:has|have) (?P<shot>shot|fought)
until <until>: until the (?:end|start) of (?:your next|your opponent's next|the next|the|your|that|your opponent's) (?P<until>[\w-]+(?: phase)?)
until phase: until (?:that attack is|those attacks are|that phase|those attacks have been) resolved
select <side>=<text>: (?P<text>(?:you can |you must )?(?:select|choose) (?:one|an?|up to \w+|two)(?: other)? (?P<side>enemy|friendly)?[^.;:]*?)(?=,? until | to be |,? and roll |, then roll |\.|$)
who: (?:after|when) making a (?:hit|wound) roll[^.;]{0,60}? (?:made )?for <WHO>
    <WHO>
if closest: (?:if the target of that attack )?is the closest (?:eligible )?(?:enemy )?(?:target|unit)
if state=Empowered: while empowered
if target_keyword=Fly: (?:that |which )?can fly
if objective: <IS>(?:not )?(?:with)?in range of (?:an? |one or more |any |the )?objective markers?(?: (?:that )?(?:you|your opponent|they)(?: do not| does not)? controls?)?(?: outside your deployment zone)?
if target_intact: <IS>(?:at|not below) (?:its|their) starting strength
if target_half_left: (?:that |which )?(?:is|are) not below (?:its |their )?half-strength
if target_battle_shocked: <IS>battle-shocked
if half_range: <IS>within half range(?: of this model| of that weapon)?
if distance: from (?:beyond|within|more than) \d+"(?: away)?|<IS>(?:not )?within (?:\d+"|engagement range)(?: (?:of|and visible to|horizontally of)(?: and visible to)?(?: one or more)?(?: other)?(?: <KEYWORDS> (?:models?|units?)(?: from your army)?)?)?
    <IS>(?:not )?within (?:\d+"|engagement range) (?:of|and visible to|horizontally of)(?: and visible to)?(?: one or more)?(?: other)? <WHO>
    (?:while|if) <WHO> is within \d+" of (?:one or more )?(?:other )?(?:friendly )?(?:<KEYWORDS> )?(?:models?|units?)(?: from your army)?
if stronger: (?:if |and )?(?:the )?strength characteristic of (?:that|the|this) attack is (?:greater|higher) than (?:the )?(?:toughness characteristic of )?(?:that unit|this unit|your unit|this model|the bearer|it|that model|the target|the bearer's unit|this model's unit|its)?(?:'s)?(?: ?toughness(?: characteristic)?)?
if weaker: (?:the|that attack's) strength characteristic of (?:that|this|the) attack is (?:less|lower) than (?:the toughness characteristic of )?(?:that unit|the target)?(?:'s toughness(?: characteristic)?)?
if charged: (?:if|while) (?:this model|it|this unit|that unit|the bearer|this model's unit|that model|a model in this unit|WHO)? ?made a charge move (?:this turn|in the same turn)
    (?:in|during) (?:a|any|the) turn in which (?:it|this model|that model|this unit|that unit|its unit|the bearer|their unit|this model's unit|that model's unit|they) (?:made|makes|ended|completed) a charge move
if disembarked: (?:that )?(?:has |have )?disembarked from (?:an? |this |that )(?:<KEYWORDS>|transport)(?: this turn| this phase)?
if once: (?:once|twice) per (?:battle round|battle|turn|phase)(?:, per army| for each [\w' ]+? (?:this unit|this model|the bearer)(?:'s unit)? has)?
if use: if (?:it|you|they|this unit|this model) (?:does|do|did)(?: so)?|if used|if so
    you can declare (?:that )?(?:it|this unit|this model) will [\w' -]{1,60}
    one (?:<KEYWORDS> )?(?:model|unit)?(?: from your army)?(?: with this ability) can use (?:it|this ability)
if test: if passed|if (?:that|the) (?:[\w-]+ )?test is passed|if successful
    take a (?:leadership|battle-shock) test<FOR>
if token: you can spend \d+ (?:[\w-]+ ){1,3}(?:tokens?|points?|dice) to do so|if you (?:do|spend)
    you can spend \d+ (?:[\w-]+ ){1,3}(?:tokens?|points?|dice) to empower <WHO>
if state=<text>: (?:if|while) the (?P<text>[\w'! -]{1,40}?) is active(?: for (?:your army|this unit))?
if state: while (?:this model|this unit) is on the battlefield
    (?:that |which )?(?:is|are|has been|was) (?:suppressed|afflicted|riven|spotted|pinned|marked|guided|tainted|hunted|snared|wounded)
if on_critical_hit: on an? critical hit|if an? critical hit is scored(?: for that attack)?
if on_critical_wound: on an? critical wound|if an? critical wound is scored(?: for that attack)?
if hidden: if that model is not fully visible to every model in the attacking unit because of (?:this (?:fortification|model|unit)|this <KEYWORDS> model)
if overwatch: each time you (?:target|select) this unit (?:with|for) the fire overwatch stratagem|each time this (?:unit|model) (?:is targeted with|shoots? using) the fire overwatch stratagem|(?:when|while) (?:resolving|using) (?:the fire overwatch|that) stratagem|when this unit fires overwatch
if marked: to be (?:its|this unit's|this model's|your|their) (?:[\w']+ ){0,3}(?:target|quarry|prey|mark|victim|foe)
whose, if objective: (?:while|if) <WHO> (?:is )?(?:not )?within range of (?:an? |one or more |that |the selected )?objective markers?(?: (?:that )?you(?: do not)? control)?
whose, if charged: (?:each time|if|when|after) <WHO> (?:ends|makes|has made|ended|completes) a charge move
whose, if stationary: (?:each time|if|while) <WHO> (?:remains|remained|has remained) stationary(?: this turn| in your movement phase)?
whose, if advanced: (?:each time|if|when) <WHO> (?:advances|advanced)(?: this turn)?
whose, if disembarked: (?:if|while|in a turn in which) <WHO> (?:has )?disembarked from (?:an? |this )(?:<KEYWORDS>|transport)(?: this turn)?
whose, if set_up: (?:if|each time|when|in (?:a|the) turn (?:in which|that)) <WHO> (?:was|is|has been|were) set[- ]up(?: on the battlefield)?(?: this turn)?
whose, if use: <WHO> (?:can|may) use this (?:ability|part of this ability|battle trait)
    you (?:can|may) use this (?:ability|part of this ability|battle trait)
whose, if state: (?:while|if) <WHO> (?:is|are) (?:empowered|riled up|affected by [\w' -]+)
whose, if moment: (?:each time|when|after|if) <WHO> (?:ends|makes|has made|starts or ends|finishes) an? (?:(?:normal|advance|fall back|consolidation|pile-in),? ?(?:or )?)*move
whose, if state=Dark Pact: (?:each time|when|if) <WHO> makes a dark pact
if contains=<kw>: and contains (?:an? |one or more )?<KW>(?: models?)?
    (?:while|if) (?:this unit|this model's unit|that unit|it|the bearer's unit) contains (?:an? |one or more |at least one |the )?(?:other )?<KW>(?: models?)?
if target_not_keyword=<kw>: (?:that|which|does|if it) (?:do |does )?not (?:have|contain) (?:the |any )?<KW>(?: keywords?| models?)?
"""
