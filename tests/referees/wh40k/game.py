"""The attacks of a unit on another in the 9th and 10th edition, wound by wound.

* Volleys come in the order given. The hit and wound rolls of a volley are made together, then its wounds are saved one
  at a time, each allocated to a model; who may choose that model sees all that was rolled (Fast Dice Rolling).
* Damage to 0: once for each kind of models, of a failed save; by default the first one (Core Rules Updates).
* Mortal wounds come after all volleys, one at a time; the excess goes on. Devastating wounds are an attack each, their
  Damage modified, the excess lost. Which come first is a ruling, as is whether those of a weapon wait for the unit.
* A re-roll of one die is used by the first die that fails, in the order of the dice: attack by attack, save by save;
  of Damage and of numbers of attacks by the first roll below its mean (Rules That Allow One Re-roll; Command Re-roll).
* Attacks on a unit that is gone change nothing. What is counted counts as if it could not run out: `endless` plays on
  equal models of which there is no end, and `track` names what is counted, alone or with the place of its entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from plain_dice import Pmf, certainly, then, value
from referees.wh40k import choices, dice, saves
from referees.wh40k.attack import Attack, Rolled, Save
from referees.wh40k.models import Model, Models, fresh, toughness, without
from referees.wh40k.models import choices as allocated_to
from referees.wh40k.profiles import TENTH, MortalWounds, Rules, Unit, Volley

if TYPE_CHECKING:
    from referees.wh40k.dice import Held

Entry = Volley | MortalWounds
ORDERS = {"plain-first": (1, 0), "devastating-first": (0, 1)}


class Table(NamedTuple):
    """What lies on the table: models, the entry that is played, what it still has to do, and what waits."""

    models: Models
    waiting: tuple[tuple[int, int], ...]  # devastating and mortal wounds of each entry
    held: Held = dice.NONE
    spared: frozenset[int] = frozenset()  # kinds that have changed a Damage to 0
    entry: int = 0
    attacks: int | None = None  # still to be made; None: not rolled yet
    saves: tuple[Save, ...] = ()
    failed: int | None = None  # the model whose Damage may be changed to 0
    counts: tuple[int, ...] = ()


class Sequence:
    """The entries of one unit against another, whose models or table may be those after earlier attacks."""

    def __init__(
        self,
        entries: tuple[Entry, ...],
        unit: Unit,
        rules: Rules = TENTH,
        *,
        shared: Held = dice.NONE,
        start: Table | None = None,
        track: tuple[Any, ...] = (),
        endless: bool = False,
        together: bool = False,
    ) -> None:
        self.entries, self.unit, self.rules = entries, unit, rules
        self.track, self.endless, self.together = track, endless, together
        models = fresh(unit) if start is None else start.models
        self.models = len(models)
        words = frozenset(word for model in models for word in unit[model.kind].keywords)
        met = toughness(unit, models, rules)
        self.rolls = {
            place: Attack(entry, (met, words), rules, shared, self._forget())
            for place, entry in enumerate(entries)
            if isinstance(entry, Volley)
        }
        flags = {attack.flag(roll) for attack in self.rolls.values() for roll in _ROLLS}
        held = frozenset(flag for flag in flags if flag is not None and not flag.startswith("own"))
        self.start = Table(
            (Model(0, 1),) if endless else models,
            ((0, 0),) * len(entries),
            held,
            frozenset() if start is None else start.spared,
            counts=(0,) * len(track),
        )
        self.known: dict[Any, Pmf] = {}

    # What follows a table

    def ways(self, table: Table) -> tuple[str, list[Pmf]] | None:
        if not table.models and not self.track:
            return None
        if table.failed is not None:
            return "damage to 0", [
                self._hurt(table, table.failed, "damage", to_0=to_0) for to_0 in (False, True)
            ]
        if table.saves:
            return self._allocate(table, table.entry, "save")
        if table.entry < len(self.entries):
            if table.attacks is None:
                return "", [self._numbers(table)]
            if table.attacks:
                return "", [self._attack(table)]
            if pending := self._pending(table, [table.entry], at_end=False):
                return self._inflict(table, *pending)
            own = self.rolls[table.entry].own() if table.entry in self.rolls else dice.NONE
            return choices.moved(table._replace(entry=table.entry + 1, attacks=None, held=table.held - own))
        if pending := self._pending(table, list(range(len(self.entries))), at_end=True):
            return self._inflict(table, *pending)
        return None

    def _numbers(self, table: Table) -> Pmf:
        entry = self.entries[table.entry]
        if isinstance(entry, MortalWounds):
            return then(
                value(entry.number),
                lambda number: certainly(self._wait(table, 0, max(0, number))._replace(attacks=0)),
            )
        attack = self.rolls[table.entry]
        rolled = dice.number_of_attacks(
            entry, self.models, self.rules, table.held | attack.own(), attack.flag("attacks")
        )
        return then(rolled, lambda now: certainly(table._replace(attacks=now[0], held=now[1])))

    def _attack(self, table: Table) -> Pmf:
        assert table.attacks
        number = table.attacks if self.together else 1
        left = table._replace(attacks=table.attacks - number)
        if not table.models:
            left = self._count(left, left_over=number)

        def made(rolled: Rolled) -> Pmf:
            now = self._count(left._replace(held=rolled.held), hits=rolled.hits, wounds=rolled.wounds)
            if table.models:
                now = self._wait(now, rolled.devastating, rolled.mortal)._replace(saves=rolled.saves)
            return certainly(now)

        return then(self.rolls[table.entry].roll(number, table.held), made)

    def _forget(self) -> tuple[str, ...]:
        """What of the dice of an attack nobody asks for."""
        counts = tuple(name for name in ("hits", "wounds") if name not in self.track)
        if self.endless and not set(self.track) - {"hits", "wounds"}:
            return (*counts, "saves", "devastating", "mortal")
        return counts

    def _wait(self, table: Table, devastating: int, mortal: int) -> Table:
        waiting = list(table.waiting)
        before = waiting[table.entry]
        waiting[table.entry] = before[0] + devastating, before[1] + mortal
        return table._replace(waiting=tuple(waiting))

    def _pending(self, table: Table, entries: list[int], *, at_end: bool) -> tuple[int, int] | None:
        """(entry, 0 for a devastating or 1 for a mortal wound) of what is inflicted next."""
        order = ORDERS.get(self.rules.order)
        if order is None:
            row = [(entry, what) for entry in entries for what in (0, 1)]
        else:
            row = [(entry, what) for what in order for entry in entries]
        waits = self.rules.devastating_wait, self.rules.mortal_wait
        for entry, what in row:
            later = waits[what] or isinstance(self.entries[entry], MortalWounds)
            if table.waiting[entry][what] and (at_end or not later) and table.models:
                return entry, what
        return None

    # Wounds

    def _allocate(self, table: Table, entry: int, what: str) -> tuple[str, list[Pmf]]:
        source = self.entries[entry]
        directed = source.precision if isinstance(source, Volley) else ()
        places = allocated_to(self.unit, table.models, directed, begun_first=self.rules.begun_first)
        if not places:
            return choices.moved(table._replace(saves=()))
        if what == "save":
            return "allocation", [self._save(table, place) for place in places]
        return "allocation", [self._hurt(table, place, what, entry) for place in places]

    def _save(self, table: Table, place: int) -> Pmf:
        ap = table.saves[0].ap
        rest = table._replace(saves=table.saves[1:])
        kind = table.models[place].kind
        volley = self.entries[table.entry]
        assert isinstance(volley, Volley)
        flag = self.rolls[table.entry].flag("saves")
        key = "save", table.entry, kind, ap, table.held
        if key not in self.known:
            self.known[key] = saves.save(volley, self.unit[kind], ap, self.rules, table.held, flag)
        able = self.unit[kind].damage_to_0 and kind not in table.spared and "damage" not in volley.ignored
        choosable = able and self.rules.damage_to_0 == "best-failed-save"

        def after(saved: tuple[bool, Held]) -> Pmf:
            now = rest._replace(held=saved[1])
            if saved[0]:
                return certainly(self._lose(now, place, 0, allocated=True))
            if choosable:
                return certainly(now._replace(failed=place))
            to_0 = able and self.rules.damage_to_0 == "first-failed-save"
            return self._hurt(now, place, "damage", to_0=to_0)

        return then(self.known[key], after)

    def _inflict(self, table: Table, entry: int, what: int) -> tuple[str, list[Pmf]]:
        waiting = list(table.waiting)
        waiting[entry] = waiting[entry][0] - (what == 0), waiting[entry][1] - (what == 1)
        return self._allocate(table._replace(waiting=tuple(waiting)), entry, ("devastating", "mortal")[what])

    def _hurt(
        self, table: Table, place: int, what: str, entry: int | None = None, *, to_0: bool = False
    ) -> Pmf:
        """One wound on a model: its Damage, and what Feel No Pain leaves of it."""
        entry = table.entry if entry is None else entry
        kind, left = table.models[place].kind, None if self.endless else table.models[place].left
        key = what, to_0, entry, kind, left, table.held
        if key not in self.known:
            self.known[key] = self._wounds_lost(what, entry, kind, left, table.held, to_0=to_0)
        spared = table.spared | {kind} if to_0 else table.spared
        now = table._replace(spared=spared, failed=None)
        counted = {"unsaved": what != "mortal", "mortal_wounds": what == "mortal"}
        allocated = what == "damage" or self.rules.ignored_count

        def after(rolled: tuple[int, Held]) -> Pmf:
            lost, held = rolled
            kills = lost == left
            counts = self._count(now._replace(held=held), entry, damage=lost, kills=kills, **counted)
            return certainly(self._lose(counts, place, lost, allocated=allocated))

        return then(self.known[key], after)

    def _wounds_lost(
        self, what: str, entry: int, kind: int, left: int | None, held: Held, *, to_0: bool
    ) -> Pmf:
        source, model = self.entries[entry], self.unit[kind]
        psychic = isinstance(source, Volley) and source.psychic
        need = saves.feel_no_pain(model, mortal=what != "damage", psychic=psychic)
        points = certainly((1, held))
        if what != "mortal":
            assert isinstance(source, Volley)
            if to_0:
                points = certainly((saves.modified_damage(source, model, 0, self.rules, to_0=True), held))
            else:
                points = saves.damage_roll(source, model, self.rules, held, self.rolls[entry].flag("damage"))
        return then(
            points,
            lambda rolled: {(lost, rolled[1]): p for lost, p in saves.suffer(rolled[0], left, need).items()},
        )

    def _lose(self, table: Table, place: int, lost: int, *, allocated: bool) -> Table:
        if self.endless:
            return table
        return table._replace(models=without(table.models, place, lost, allocated=allocated))

    def _count(self, table: Table, entry: int | None = None, **numbers: int) -> Table:
        if not self.track:
            return table
        of = table.entry if entry is None else entry
        counts = list(table.counts)
        for place, name in enumerate(self.track):
            counts[place] += (
                numbers.get(name, 0)
                if isinstance(name, str)
                else (numbers.get(name[0], 0) if name[1] == of else 0)
            )
        return table._replace(counts=tuple(counts))


_ROLLS = ("attacks", "hits", "wounds", "saves", "damage")
