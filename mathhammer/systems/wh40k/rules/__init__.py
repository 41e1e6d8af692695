"""How the rules of an attack are written, and how to add one.

Each rule is one entry: an ``Ability`` of a weapon, a ``Condition`` that a situation can say, or a ``TargetRule``. The
entry says the rule's name and value, what it needs (and thereby why it is not in force), what it does to which roll,
and its source; what it means and the source stand in a table of words. It stands among its like (``abilities``,
``conditions``); an edition (``editions/``) names it, with its readings. Nothing else knows it: stat lines, rolls,
explanations, the command line, panels, `what_if`, fast rolling and grids read the entry.

What a rule does is a small function of the roll that is being made and the rule in force with its value. A roll reads
nothing else, and says itself what it reads of weapon and target, so that results are kept and grids share them.
``tests/systems/test_wh40k_add_a_rule.py`` adds some, among them a made-up ability that adds X to wound rolls after a
charge: ``Ability("Crushing", source="made up", value="number", needs=(CHARGED,), wound=adds_its_number)``.
"""
