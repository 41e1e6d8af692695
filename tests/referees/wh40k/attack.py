"""All dice that one attack leads to before saves: its hit roll, and the wound rolls of all its hits.

* What a rule does on a roll needs a successful one, and a roll: an additional hit is no hit roll, a wound without a
  roll no wound roll; "each wound" counts the latter too. An additional hit, or attack, has nothing of the roll that
  gave it: no better AP, no mortal wounds. An additional attack makes no further ones.
* "Instead": the attack ends with its mortal wounds, so that it is no devastating wound and has no save.
* SUSTAINED HITS of two sources: the better one, never the sum (Rules Commentary, duplicated abilities).
* AP: what a rule sets, then all that improves it, never worse than 0 (Rules Commentary, Modifiers). Of the wounds of
  one attack those whose AP no rule changed are saved first; no rule says in which order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plain_dice import Pmf, certainly, mean, then, value
from referees.wh40k import dice, saves

if TYPE_CHECKING:
    from plain_dice import Dice
    from referees.wh40k.dice import Held
    from referees.wh40k.profiles import Rule, Rules, Volley


class Save(NamedTuple):
    """A wound to be saved against: whether a rule on its hit, or its wound, changed the AP, and the AP."""

    by_hit: bool
    by_wound: bool
    ap: int


class Rolled(NamedTuple):
    """What some attacks have come to, and the single re-rolls that are left."""

    hits: int = 0
    wounds: int = 0
    saves: tuple[Save, ...] = ()
    devastating: int = 0
    mortal: int = 0
    held: Held = dice.NONE


class Attack:
    """The attacks of a volley at a unit of one Toughness; `shared` are the single re-rolls of the attacking unit.

    What nobody asks for is forgotten after each attack, by the names in `forget`.
    """

    def __init__(
        self,
        volley: Volley,
        met: tuple[int, frozenset[str]],
        rules: Rules,
        shared: Held = dice.NONE,
        forget: tuple[str, ...] = (),
    ) -> None:
        self.volley, self.rules, self.shared = volley, rules, shared
        self.toughness, self.keywords = met
        self.forgotten = {name: getattr(Rolled(), name) for name in forget}
        self.known: dict[tuple[int, Held], Pmf] = {}

    def flag(self, roll: str) -> str | None:
        """The single re-roll that such a die may use."""
        said = dict(self.volley.says).get(roll)
        if said == "none" or (said is None and roll not in self.shared):
            return None
        return roll if said is None or roll == "damage" else f"own {roll}"

    def own(self) -> Held:
        return frozenset(
            f"own {roll}" for roll, said in self.volley.says if said == "own" and roll != "damage"
        )

    def roll(self, number: int, held: Held) -> Pmf:
        """`Rolled` of so many attacks, one after another."""
        if (number, held) not in self.known:
            distribution = certainly(Rolled(held=held))
            if number == 1:
                distribution = self._one(distribution)
            for _ in range(number if number > 1 else 0):
                distribution = then(distribution, self._more)
            self.known[number, held] = distribution
        return self.known[number, held]

    def _more(self, so_far: Rolled) -> Pmf:
        """One more attack; of its wounds those of changed AP come last."""
        return {
            Rolled(*(mine + its for mine, its in zip(so_far[:-1], one[:-1], strict=True)), one.held): chance
            for one, chance in self.roll(1, so_far.held).items()
        }

    def _one(self, start: Pmf, *, further: bool = True) -> Pmf:
        made = then(start, lambda now: self._attack(now, further=further))

        def ended(now: Rolled) -> Pmf:
            return certainly(now._replace(**{"saves": tuple(sorted(now.saves)), **self.forgotten}))

        return then(made, ended)

    def _attack(self, so_far: Rolled, *, further: bool) -> Pmf:
        volley, rules = self.volley, self.rules
        if dice.hits_without_a_roll(volley, rules):
            return self._wound(so_far._replace(hits=so_far.hits + 1), ())
        bonus = dice.hit_bonus(volley, rules)

        def judged(rolled: tuple[int, str, Held]) -> Pmf:
            face, result, held = rolled
            now = so_far._replace(held=held)
            if result == "fail":
                return certainly(now)
            fired = tuple(r for r in volley.rules if r.roll == "hit" and r.fires(face, bonus, result))
            return self._scored(now, fired, critical=result == "critical", further=further)

        return then(dice.hit(volley, rules, so_far.held, self.flag("hits")), judged)

    def _scored(self, now: Rolled, fired: tuple[Rule, ...], *, critical: bool, further: bool) -> Pmf:
        distribution = _with_mortal_wounds(certainly(now._replace(hits=now.hits + 1)), fired)
        if not any(rule.instead for rule in fired):
            if any(rule.wounds for rule in fired) or (critical and self.volley.lethal_hits):
                distribution = then(distribution, lambda on: self._wound_without_a_roll(on, fired))
            else:
                distribution = then(distribution, lambda on: self._wound(on, fired))
        sustained = self.volley.sustained_hits if critical else ()
        best = max(sustained, key=lambda extra: mean(value(extra)), default=None)
        for extra in (best, *(rule.extra_hits for rule in fired)):
            distribution = _repeated(distribution, extra, self._extra_hit)
        for extra in (rule.extra_attacks for rule in fired if further):
            distribution = _repeated(distribution, extra, lambda on: self._attack(on, further=False))
        return distribution

    def _extra_hit(self, now: Rolled) -> Pmf:
        return self._wound(now._replace(hits=now.hits + 1), ())

    def _wound(self, so_far: Rolled, hit_rules: tuple[Rule, ...]) -> Pmf:
        volley = self.volley
        bonus = dice.wound_bonus(volley)

        def judged(rolled: tuple[int, str, Held]) -> Pmf:
            face, result, held = rolled
            if result == "fail":
                return certainly(so_far._replace(held=held))
            fired = tuple(r for r in volley.rules if r.roll == "wound" and r.fires(face, bonus, result))
            now = so_far._replace(wounds=so_far.wounds + 1, held=held)
            if any(rule.instead for rule in fired):
                pass
            elif volley.devastating_wounds and result == "critical":
                now = now._replace(devastating=now.devastating + 1)
            else:
                now = now._replace(saves=(*now.saves, self._save(hit_rules, fired)))
            return _with_mortal_wounds(certainly(now), fired)

        flag = self.flag("wounds")
        return then(dice.wound(volley, self.toughness, self.keywords, self.rules, so_far.held, flag), judged)

    def _wound_without_a_roll(self, now: Rolled, hit_rules: tuple[Rule, ...]) -> Pmf:
        fired = tuple(rule for rule in self.volley.rules if rule.roll == "wound" and rule.on == "each")
        now = now._replace(wounds=now.wounds + 1)
        if not any(rule.instead for rule in fired):
            now = now._replace(saves=(*now.saves, self._save(hit_rules, fired)))
        return _with_mortal_wounds(certainly(now), fired)

    def _save(self, hit_rules: tuple[Rule, ...], wound_rules: tuple[Rule, ...]) -> Save:
        changed = [
            [r for r in fired if r.improve_ap or r.ap is not None] for fired in (hit_rules, wound_rules)
        ]
        both = (*changed[0], *changed[1])
        ap = next((rule.ap for rule in both[::-1] if rule.ap is not None), self.volley.ap)
        ap -= dice.kept(self.volley.ap_change, self.volley, "ap") + sum(rule.improve_ap for rule in both)
        return Save(bool(changed[0]), bool(changed[1]), saves.final_ap(self.volley, ap, self.rules))


def _with_mortal_wounds(distribution: Pmf, fired: tuple[Rule, ...]) -> Pmf:
    for rule in fired:
        if rule.mortal_wounds is not None:
            more = value(rule.mortal_wounds)
            distribution = then(
                distribution,
                lambda now, more=more: {
                    now._replace(mortal=now.mortal + n): chance for n, chance in more.items()
                },
            )
    return distribution


def _repeated(distribution: Pmf, number: Dice | None, each) -> Pmf:
    if number is None:
        return distribution

    def several(now: Rolled, count: int) -> Pmf:
        after = certainly(now)
        for _ in range(count):
            after = then(after, each)
        return after

    return then(distribution, lambda now: then(value(number), lambda count: several(now, count)))
