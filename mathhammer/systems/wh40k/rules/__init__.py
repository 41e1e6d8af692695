"""How the rules of an attack are written, and how to add one.

Each rule is one entry: an ``Ability`` of a weapon, a ``Condition`` that a situation can say, or a
``TargetRule``. The entry says the rule's name and value, what it needs (and thereby why it is not in force), what
it does to which roll, and its source. It stands among its like (``abilities``, ``conditions``, ``defences``); the
table of an edition (``editions/tenth.py``) names it, with the readings of that edition.
Nothing else knows it: stat lines, rolls, explanations, the command line, panels, `what_if`, fast rolling and grids
read the entry.

What a rule does is a small function of the roll that is being made and the rule in force with its value. A roll reads
nothing else, and says itself what it reads of weapon and target, so that results are kept and grids share them.

Examples
--------
A made-up ability, Crushing X, that adds X to wound rolls after a charge:

>>> from mathhammer import wh40k
>>> from mathhammer.systems.wh40k.rules.conditions import CHARGED
>>> from mathhammer.systems.wh40k.rules.roll import adds_its_number
>>> from mathhammer.systems.wh40k.rules.rule import Ability
>>> crushing = Ability(
...     "Crushing",
...     source="made up",
...     help="Adds X to wound rolls after a charge.",
...     value="number",
...     needs=(CHARGED,),
...     wound=adds_its_number,
...     offers=("Crushing 1",),
... )
>>> edition = wh40k.EDITIONS["10e"].with_rules(crushing)
>>> edition.abilities["Crushing"].rolls
('wound',)
"""
