"""Single re-rolls, played die by die: whatever is re-rolled once, by whoever has it, in the order of the dice.

Nothing here imports the package. The re-rolls that can still be made are carried beside the models.

* One re-roll of a roll is used by the first die of that roll that fails, can succeed and was not re-rolled; of numbers
  of attacks and of Damage by the first roll that shows less than its mean (Rules Commentary, Rules That Allow One
  Re-roll; core stratagems, Command Re-roll).
* A volley may have a re-roll of its own, or none; the other volleys have one together. That of Damage is always the
  unit's.
* Attacks are made one at a time: hit, wounds, saves, damage. An attack that makes several wounds has those of its plain
  Armour Penetration saved first.
* Mortal wounds of an attack with Precision go where it goes.
* Mortal wounds and devastating wounds wait until the attacks of all volleys are resolved, plain mortal wounds first, of
  equal ones those of an earlier volley; a re-roll of Damage may be used for them then.
* Rules on an unmodified 6: additional hits, which are not rolled; additional attacks, which make no further ones;
  mortal wounds, or those instead of going on; a wound without a roll; better Armour Penetration of that attack.
* A player who chooses which model takes a wound has seen all hit and wound dice of the volley.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

from enumeration_reroll_dice import (
    D3,
    Held,
    Profile,
    Rolled,
    Shots,
    Table,
    d3,
    die,
    needed,
    suffered,
)
from enumeration_units import Kind, State, choices, coordinates, fresh
from plain_dice import Pmf, certainly, then

if TYPE_CHECKING:
    from collections.abc import Callable


class Game:
    """Volleys of one unit against another; `shared` are the re-rolls that the unit has for all volleys."""

    def __init__(self, volleys: tuple[Shots, ...], unit: tuple[Kind, ...], shared: frozenset[str]) -> None:
        self.volleys, self.unit, self.shared = volleys, unit, shared
        self.kills = [Fraction(0) for _ in volleys]
        self.left_over = [Fraction(0) for _ in volleys]
        self.attack = cache(self._attack)

    def __repr__(self) -> str:
        return f"Game({self.volleys!r}, {self.unit!r}, {self.shared!r})"

    def flag(self, shots: Shots, roll: str) -> str | None:
        """The re-roll that such a die of the volley may use."""
        said = dict(shots.says).get(roll)
        if said == "none" or (said is None and roll not in self.shared):
            return None
        return roll if said is None or roll == "damage" else f"own {roll}"

    def first(self) -> Held:
        flags = {
            self.flag(shots, roll)
            for shots in self.volleys
            for roll in ("attacks", "hits", "wounds", "saves", "damage")
        }
        return frozenset(flag for flag in flags if flag is not None and not flag.startswith("own"))

    def own(self, shots: Shots) -> Held:
        return frozenset(f"own {roll}" for roll, said in shots.says if said == "own" and roll != "damage")

    def numbers(self, shots: Shots, held: Held) -> Pmf:
        """(attacks of all weapons, re-rolls held)."""
        distribution = certainly((0, held))
        for _ in range(shots.weapons):
            distribution = then(
                distribution,
                lambda now: {
                    (now[0] + number, left): chance
                    for (number, left), chance in (
                        d3(now[1], self.flag(shots, "attacks")).items()
                        if shots.attacks == D3
                        else [((shots.attacks, now[1]), Fraction(1))]
                    )
                },
            )
        return distribution

    # The dice of one attack

    def _attack(self, shots: Shots, held: Held, *, further: bool = True) -> Pmf:
        """All hit and wound dice that one attack leads to."""
        flag = self.flag(shots, "hits")
        if shots.hit is None:
            return self.scored(shots, 0, Rolled(held=held), further=further)

        def judged(rolled: tuple[int, Held]) -> Pmf:
            face, left = rolled
            if not hits(face):
                return certainly(Rolled(held=left))
            return self.scored(shots, face, Rolled(held=left), further=further)

        def hits(face: int) -> bool:
            return face > 1 and face >= min(6, shots.hit or 0)

        return then(die(held, flag, hits), judged)

    def scored(self, shots: Shots, face: int, so_far: Rolled, *, further: bool) -> Pmf:
        fired = shots.fired("hit", face)
        number = {
            what: sum(r.number for r in fired if r.what == what) for what in ("mortal", "instead", "ap")
        }
        so_far = so_far._replace(
            hits=so_far.hits + 1, mortal=so_far.mortal + number["mortal"] + number["instead"]
        )
        if number["instead"]:
            distribution = certainly(so_far)
        elif (shots.lethal and face == 6) or any(r.what == "wounds" for r in fired):
            distribution = certainly(
                so_far._replace(wounds=(*so_far.wounds, number["ap"]), wounded=so_far.wounded + 1)
            )
        else:
            distribution = self.to_wound(shots, number["ap"], so_far)
        extra = sum(r.number for r in fired if r.what == "extra_hits") + (shots.sustained if face == 6 else 0)
        for _ in range(extra):
            distribution = then(
                distribution, lambda now: self.to_wound(shots, 0, now._replace(hits=now.hits + 1))
            )
        if further:
            for _ in range(sum(r.number for r in fired if r.what == "extra_attacks")):
                distribution = then(distribution, lambda now: self.more(shots, now))
        return distribution

    def more(self, shots: Shots, so_far: Rolled) -> Pmf:
        """An additional attack."""
        return {
            Rolled(*(mine + its for mine, its in zip(so_far[:-1], one[:-1], strict=True)), one.held): chance
            for one, chance in self.attack(shots, so_far.held, further=False).items()
        }

    def to_wound(self, shots: Shots, ap: int, so_far: Rolled) -> Pmf:
        distribution: Pmf = {}
        for strength in shots.strengths:
            need = needed(strength)
            for (face, held), chance in die(
                so_far.held, self.flag(shots, "wounds"), lambda f, need=need: f >= need
            ).items():
                after = so_far._replace(held=held)
                if face >= need:
                    after = self.wounded(shots, face, ap, after)
                distribution[after] = distribution.get(after, Fraction(0)) + chance / len(shots.strengths)
        return distribution

    def wounded(self, shots: Shots, face: int, ap: int, now: Rolled) -> Rolled:
        fired = shots.fired("wound", face)
        instead = any(r.what == "instead" for r in fired)
        mortal = sum(r.number for r in fired if r.what in ("mortal", "instead"))
        now = now._replace(wounded=now.wounded + 1, mortal=now.mortal + mortal)
        if instead:
            return now
        if shots.devastating and face == 6:
            return now._replace(devastating=now.devastating + 1)
        better = ap + sum(r.number for r in fired if r.what == "ap")
        return now._replace(wounds=(*now.wounds, better))

    # What a wound does

    def unsaved(self, shots: Shots, profile: Profile, ap: int, held: Held) -> Pmf:
        """(whether the save fails, re-rolls held)."""
        need = 7 if profile.save is None else profile.save + ap
        if need > 6:
            return certainly((True, held))
        flag = self.flag(shots, "saves")
        return then(
            die(held, flag, lambda face: face >= need),
            lambda rolled: certainly((rolled[0] < need, rolled[1])),
        )

    def points(self, shots: Shots, held: Held) -> Pmf:
        """(Damage, re-rolls held)."""
        if shots.damage != D3:
            return certainly((shots.damage, held))
        return d3(held, self.flag(shots, "damage"))

    def inflicted(self, shots: Shots, profile: Profile, kind: int | str, held: Held, left: int | None) -> Pmf:
        """(wounds lost or None for a save that is made, re-rolls held) of a wound; its kind is an AP or a name."""
        needs = [profile.feel_no_pain] + ([profile.feel_no_pain_mortal] if isinstance(kind, str) else [])
        need = min((number for number in needs if number is not None), default=None)

        def hurt(after: tuple[bool, Held]) -> Pmf:
            if not after[0]:
                return certainly((None, after[1]))
            distribution = certainly((1, after[1])) if kind == "mortal" else self.points(shots, after[1])
            return then(
                distribution,
                lambda rolled: {(lost, rolled[1]): p for lost, p in suffered(rolled[0], need, left).items()},
            )

        if isinstance(kind, str):
            return hurt((True, held))
        return then(self.unsaved(shots, profile, kind, held), hurt)

    def strike(self, shots: Shots, kind: int | str, models: State, held: Held, place: int) -> Pmf:
        """(models, re-rolls held) after one wound on the model at a place."""
        chosen = models[place]
        profile: Any = self.unit[chosen.kind].profile

        def lose(result: tuple[int | None, Held]) -> Pmf:
            lost, left = result
            now = replace(chosen, left=chosen.left - (lost or 0), allocated=True)
            return certainly(((*models[:place], *([now] if now.left else []), *models[place + 1 :]), left))

        return then(self.inflicted(shots, profile, kind, held, chosen.left), lose)

    # In order

    def final(self) -> Pmf:
        """Distribution of the table after everything, models taken in the order given."""
        table = Table(fresh(self.unit), ((0, 0),) * len(self.volleys), self.first())
        distribution = certainly(table)
        for index, shots in enumerate(self.volleys):
            before = self.killed(distribution)
            distribution = self.fire(distribution, index, shots)
            self.kills[index] += self.killed(distribution) - before
        for place, kind in ((1, "mortal"), (0, "devastating")):
            for index, shots in enumerate(self.volleys):
                before = self.killed(distribution)
                for _ in range(max(table.waiting[index][place] for table in distribution)):

                    def one(now):
                        return self.one_waiting(now, index, shots, place, kind)  # noqa: B023

                    distribution = then(distribution, one)
                self.kills[index] += self.killed(distribution) - before
        return distribution

    def killed(self, distribution: Pmf) -> Fraction:
        models = len(fresh(self.unit))
        return sum(
            (chance * (models - len(table.models)) for table, chance in distribution.items()), Fraction(0)
        )

    def fire(self, distribution: Pmf, index: int, shots: Shots) -> Pmf:
        rows: Pmf = {}
        for table, chance in distribution.items():
            for (number, held), part in self.numbers(shots, table.held | self.own(shots)).items():
                row = number, table._replace(held=held)
                rows[row] = rows.get(row, Fraction(0)) + chance * part
        for made in range(max(number for number, _ in rows)):
            self.left_over[index] += sum(
                chance for (number, table), chance in rows.items() if number > made and not table.models
            )
            rows = then(
                rows,
                lambda row: (
                    {(row[0], after): p for after, p in self.one_attack(row[1], index, shots).items()}
                    if row[0] > made  # noqa: B023
                    else certainly(row)
                ),
            )
        return then(rows, lambda row: certainly(row[1]._replace(held=row[1].held - self.own(shots))))

    def one_attack(self, table: Table, index: int, shots: Shots) -> Pmf:
        def resolved(rolled: Rolled) -> Pmf:
            devastating, mortal = table.waiting[index]
            now = (devastating + rolled.devastating, mortal + rolled.mortal)
            distribution = certainly(
                Table(
                    table.models,
                    (*table.waiting[:index], now, *table.waiting[index + 1 :]),
                    rolled.held,
                    table.hits + rolled.hits,
                    table.wounded + rolled.wounded,
                )
            )
            for ap in sorted(rolled.wounds):
                distribution = then(distribution, lambda on: self.in_order(on, shots, ap))  # noqa: B023
            return distribution

        return then(self.attack(shots, table.held), resolved)

    def in_order(self, table: Table, shots: Shots, kind: int | str) -> Pmf:
        places = choices(self.unit, table.models, shots.directed)
        if not places:
            return certainly(table)
        struck = self.strike(shots, kind, table.models, table.held, places[0])
        return {table._replace(models=models, held=held): chance for (models, held), chance in struck.items()}

    def one_waiting(self, table: Table, index: int, shots: Shots, place: int, kind: str) -> Pmf:
        waiting = list(table.waiting[index])
        if not waiting[place]:
            return certainly(table)
        waiting[place] -= 1
        left = (*table.waiting[:index], (waiting[0], waiting[1]), *table.waiting[index + 1 :])
        return self.in_order(table._replace(waiting=left), shots, kind)

    def states(self, distribution: Pmf) -> Pmf:
        return then(distribution, lambda table: certainly(coordinates(self.unit, table.models)))

    # As if the unit could not run out

    def counted(self) -> Pmf:
        """Distribution of (unsaved, damage, plain mortal wounds) on equal models of which there is no end."""
        profile: Any = self.unit[0].profile
        distribution = certainly(((0, 0, 0), ((0, 0),) * len(self.volleys), self.first()))

        def wound(now: Any, shots: Shots, kind: int | str) -> Pmf:
            (unsaved, damage, mortal), waiting, held = now
            distribution: Pmf = {}
            for (lost, left), chance in self.inflicted(shots, profile, kind, held, None).items():
                failed = lost is not None and kind != "mortal"
                after = (unsaved + failed, damage + (lost or 0), mortal + (kind == "mortal")), waiting, left
                distribution[after] = distribution.get(after, Fraction(0)) + chance
            return distribution

        def attack(now: Any, index: int, shots: Shots) -> Pmf:
            counts, waiting, held = now
            found: Pmf = {}
            for rolled, chance in self.attack(shots, held).items():
                more = waiting[index][0] + rolled.devastating, waiting[index][1] + rolled.mortal
                distribution = certainly(
                    (counts, (*waiting[:index], more, *waiting[index + 1 :]), rolled.held)
                )
                for ap in sorted(rolled.wounds):
                    distribution = then(distribution, lambda on: wound(on, shots, ap))  # noqa: B023
                for after, part in distribution.items():
                    found[after] = found.get(after, Fraction(0)) + chance * part
            return found

        for index, shots in enumerate(self.volleys):
            rows: Pmf = {}
            for (counts, waiting, held), chance in distribution.items():
                for (number, left), part in self.numbers(shots, held | self.own(shots)).items():
                    row = number, (counts, waiting, left)
                    rows[row] = rows.get(row, Fraction(0)) + chance * part
            distribution = {}
            for (number, start), chance in rows.items():
                reached = certainly(start)
                for _ in range(number):
                    reached = then(reached, lambda on: attack(on, index, shots))  # noqa: B023
                for (counts, waiting, held), part in reached.items():
                    after = counts, waiting, held - self.own(shots)
                    distribution[after] = distribution.get(after, Fraction(0)) + chance * part

        def rest(now: Any) -> Pmf:
            distribution = certainly(now)
            for place, kind in ((1, "mortal"), (0, "devastating")):
                for index, shots in enumerate(self.volleys):
                    for _ in range(now[1][index][place]):
                        distribution = then(distribution, lambda on: wound(on, shots, kind))  # noqa: B023
            return then(distribution, lambda on: certainly(on[0]))

        return then(distribution, rest)

    # Chosen by the player of the models

    def play(self, decide: Callable[[Any, dict[int, Pmf]], Pmf], finish: Callable[[State], Pmf]) -> Pmf:
        """Fold the whole attack; `decide` is handed what can be seen and what follows each choice."""

        @cache
        def volley(index: int, waiting: tuple[tuple[int, int], ...], held: Held, models: State) -> Pmf:
            if index == len(self.volleys):
                return deferred(waiting, held, models)
            shots = self.volleys[index]
            return then(
                self.all_dice(shots, held | self.own(shots)),
                lambda rolled: ordinary(
                    index,
                    rolled.wounds,
                    (*waiting, (rolled.devastating, rolled.mortal)),
                    rolled.held,
                    models,
                ),
            )

        def allocate(sight: Any, shots: Shots, kind: int | str, rest: Callable[[State, Held], Pmf]) -> Pmf:
            *_, held, models = sight
            return decide(
                sight,
                {
                    models[place].kind: then(
                        self.strike(shots, kind, models, held, place), lambda now: rest(now[1], now[0])
                    )
                    for place in choices(self.unit, models, shots.directed)
                },
            )

        @cache
        def ordinary(index: int, left: tuple[int, ...], waiting: Any, held: Held, models: State) -> Pmf:
            shots = self.volleys[index]
            if not models:
                return finish(models)
            if not left:
                return volley(index + 1, waiting, held - self.own(shots), models)
            sight = index, left, waiting, held, models
            return allocate(sight, shots, left[0], lambda h, now: ordinary(index, left[1:], waiting, h, now))

        @cache
        def deferred(waiting: Any, held: Held, models: State) -> Pmf:
            for place, kind in ((1, "mortal"), (0, "devastating")):
                for index, shots in enumerate(self.volleys):
                    if models and waiting[index][place]:
                        one = list(waiting[index])
                        one[place] -= 1
                        fewer = (*waiting[:index], tuple(one), *waiting[index + 1 :])
                        sight = len(self.volleys), (), waiting, held, models
                        return allocate(
                            sight, shots, kind, lambda h, now, fewer=fewer: deferred(fewer, h, now)
                        )
            return finish(models)

        return volley(0, (), self.first(), fresh(self.unit))

    def all_dice(self, shots: Shots, held: Held) -> Pmf:
        """All hit and wound dice of a volley; the wounds in order."""
        found: Pmf = {}
        for (number, left), chance in self.numbers(shots, held).items():
            distribution = certainly(Rolled(held=left))
            for _ in range(number):
                distribution = then(
                    distribution,
                    lambda so_far: {
                        Rolled(
                            (*so_far.wounds, *sorted(one.wounds)),
                            so_far.devastating + one.devastating,
                            so_far.mortal + one.mortal,
                            held=one.held,
                        ): p
                        for one, p in _merged(self.attack(shots, so_far.held)).items()
                    },
                )
            for rolled, part in distribution.items():
                found[rolled] = found.get(rolled, Fraction(0)) + chance * part
        return found

    def best(self, *, for_defender: bool) -> Fraction:
        """Least, or greatest, mean number of models destroyed: what can be seen is all that a plan may read."""

        def decide(_sight: Any, distributions: dict[int, Pmf]) -> Pmf:
            values = [sum(distribution.values(), Fraction(0)) for distribution in distributions.values()]
            return {"worth": min(values) if for_defender else max(values)}

        return sum(self.play(decide, self.worth).values(), Fraction(0))

    def worth(self, models: State) -> Pmf:
        """The models destroyed; a distribution holds one number under the probability of one outcome here."""
        return {"worth": Fraction(len(fresh(self.unit)) - len(models))}

    def every_policy(self) -> list[Fraction]:
        """Mean number of models destroyed under each map from what can be seen to a choice."""
        seen: dict[Any, list[int]] = {}

        def look(sight: Any, distributions: dict[int, Pmf]) -> Pmf:
            if len(distributions) > 1:
                seen[sight] = list(distributions)
            return {None: Fraction(0)}

        self.play(look, lambda _: {None: Fraction(0)})
        assert 0 < len(seen) <= 12, len(seen)
        values = []
        for chosen in product(*seen.values()):
            policy = dict(zip(seen, chosen, strict=True))

            def follow(sight: Any, distributions: dict[int, Pmf], policy: dict[Any, int] = policy) -> Pmf:
                return (
                    distributions[policy[sight]]
                    if len(distributions) > 1
                    else next(iter(distributions.values()))
                )

            values.append(sum(self.play(follow, self.worth).values(), Fraction(0)))
        return values


def _merged(distribution: Pmf) -> Pmf:
    """What a player sees of one attack: not its hits."""
    found: Pmf = {}
    for one, chance in distribution.items():
        seen = Rolled(tuple(sorted(one.wounds)), one.devastating, one.mortal, held=one.held)
        found[seen] = found.get(seen, Fraction(0)) + chance
    return found
