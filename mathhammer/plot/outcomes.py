"""Pictures of outcomes that have names: what an injury comes to, who wins a round of combat, who is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from mathhammer import display, validation
from mathhammer.distributions import CategoricalDistribution
from mathhammer.plot.axes import COLOURS, axes_for, ink, literal, name_axes, percent_axis, require_name
from mathhammer.plot.distributions import distribution
from mathhammer.plot.heat_maps import heat_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from mathhammer.arithmetic.protocol import P
    from mathhammer.distributions import JointDistribution
    from mathhammer.systems import t9a, trench_crusade, wh40k

#: What a picture of named outcomes shows: of each its probability, of it or a later one, of it or an earlier one.
OutcomeKind = Literal["pmf", "at_least", "cdf"]
InjuryKind = Literal["outcome", "at_least", "blood"]
CombatKind = Literal["losses", "winner", "difference"]
TurnKind = Literal["losses", "outcome"]
_MEANS = {
    "pmf": "probability",
    "at_least": "probability of this or what is right of it",
    "cdf": "probability of this or what is left of it",
}


def outcomes(
    distribution: CategoricalDistribution[Any, Any],
    kind: OutcomeKind = "pmf",
    *,
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw a distribution of outcomes that have names as bars, in their order.

    Parameters
    ----------
    distribution
        Of either arithmetic.
    kind
        ``"pmf"`` for each outcome; ``"at_least"`` for it or a later one, ``"cdf"`` for it or an earlier one.
    ax
        Where to draw; by default a new figure.
    title
        By default none.
    **artist
        Passed on to the bars.

    Examples
    --------
    >>> from mathhammer import trench_crusade
    >>> ax = outcomes(trench_crusade.success_roll().outcome, "at_least")
    >>> [text.get_text() for text in ax.texts]
    ['100%', '58.3%', '2.8%']
    """
    validation.instance(distribution, CategoricalDistribution, "a CategoricalDistribution to draw")
    require_name(kind, get_args(OutcomeKind))
    shown = distribution.part("")
    chances = shown.probabilities
    places = range(len(chances))
    heights: list[float] = {
        "pmf": list(chances),
        "at_least": [sum(chances[place:]) for place in places],
        "cdf": [sum(chances[: place + 1]) for place in places],
    }[kind]
    if kind != "pmf":  # a sum of floats may end a few units in the last place beside what is certain
        heights[0 if kind == "at_least" else -1] = 1.0
    ax = axes_for(ax)
    style = {"color": COLOURS[0], "edgecolor": ink(ax), "linewidth": 0.5, "width": 0.7, **artist}
    bars = ax.bar(places, heights, **style)
    texts = [display.percent(min(height, 1.0), digits=1) for height in heights]
    ax.bar_label(bars, labels=texts, fontsize="small", padding=3)
    ax.set_xticks(list(places), list(map(literal, shown.labels)))
    ax.margins(y=0.12)
    name_axes(ax, title=title or "", x="", y=_MEANS[kind])
    percent_axis(ax)
    return ax


def injuries(
    result: trench_crusade.AttackResult[P],
    kind: InjuryKind = "outcome",
    *,
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw what attacks in Trench Crusade do to a model.

    Parameters
    ----------
    result
        What ``trench_crusade.attack`` returns.
    kind
        ``"outcome"`` for the worst result, ``"at_least"`` for it or a worse one, ``"blood"`` for the Blood Markers.
    ax
        Where to draw; by default a new figure.
    title
        By default what is drawn, the edition, and the chance that the target is Out of Action.
    **artist
        Passed on to what is drawn.

    Examples
    --------
    >>> from mathhammer import trench_crusade
    >>> musket = trench_crusade.Weapon("Musket", kind="ranged")
    >>> ax = injuries(trench_crusade.attack(musket, trench_crusade.Target()))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['miss', 'no effect', 'minor hit', 'down', 'out of action']
    """
    from mathhammer.systems.trench_crusade import AttackResult

    validation.instance(result, AttackResult, "the result of an attack in Trench Crusade to draw")
    require_name(kind, get_args(InjuryKind))
    words = {"outcome": "Worst result", "at_least": "This result or a worse one", "blood": "Blood Markers"}
    if title is None:
        chance = display.percent(result.probability_out_of_action, digits=1)
        title = f"{words[kind]}, edition {result.edition}: P(out of action) {chance}"
    if kind == "blood":
        return distribution(result.blood, ax=ax, title=title, unit="Blood Markers of the target", **artist)
    ax = outcomes(result.outcome, "pmf" if kind == "outcome" else "at_least", ax=ax, title=title, **artist)
    ax.set_xlabel("result for the target")
    return ax


def combat(
    result: t9a.CombatResult[P],
    kind: CombatKind = "losses",
    *,
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw a round of combat in The 9th Age.

    Parameters
    ----------
    result
        What ``t9a.fight`` returns.
    kind
        ``"losses"`` for the heat map of what both sides lose, ``"winner"`` for who has the higher Combat Score,
        ``"difference"`` for the distribution of the difference of the scores.
    ax
        Where to draw; by default a new figure.
    title
        By default what is drawn, and the edition.
    **artist
        Passed on to what is drawn.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> def side(name):
    ...     part = t9a.ModelPart("spear", attacks=1, offensive_skill=3, strength=3)
    ...     return t9a.Unit(t9a.Target(name, models=1, defensive_skill=3, resilience=3), part)
    >>> combat(t9a.fight(side("A"), side("B")), "winner").get_title(loc="left")
    'Who wins the round, edition 2e'
    """
    from mathhammer.systems.t9a import CombatResult

    validation.instance(result, CombatResult, "the result of a round of combat in The 9th Age to draw")
    require_name(kind, get_args(CombatKind))
    first, second = map(literal, result.names)
    edition = f"edition {result.edition}"
    words = {
        "losses": "Health Points lost",
        "difference": f"Combat Score of {first} less that of {second}",
        "winner": "Who wins the round",
    }
    title = f"{words[kind]}, {edition}" if title is None else title
    if kind == "losses":
        return _both_lose("Health Points", result.losses, result.names, ax=ax, title=title, **artist)
    if kind == "difference":
        unit = "difference of the Combat Scores"
        return distribution(result.difference, ax=ax, title=title, unit=unit, **artist)
    ax = outcomes(result.winner, ax=ax, title=title, **artist)
    ax.set_xticks(range(3), [first, "draw", second])
    ax.set_xlabel("who has the higher Combat Score")
    return ax


def turn(
    result: wh40k.TurnResult[P],
    kind: TurnKind = "losses",
    *,
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw a turn of two units of Warhammer 40,000.

    Parameters
    ----------
    result
        What ``wh40k.turn`` returns.
    kind
        ``"losses"`` for the heat map of the models that both lose, ``"outcome"`` for who is destroyed.
    ax
        Where to draw; by default a new figure.
    title
        By default the stages and the edition.
    **artist
        Passed on to what is drawn.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> brute = wh40k.Combatant("Brute: T4 Sv- W1", melee="Axe: A1 WS4+ S4 AP0 D1")
    >>> ax = turn(wh40k.turn(brute, brute, ["charge", "fight"], distance=7))
    >>> ax.get_xlabel(), ax.get_title(loc="left")
    ('models lost by Brute (attacker)', 'charge, fight, edition 11e')
    """
    from mathhammer.systems.wh40k import TurnResult

    validation.instance(result, TurnResult, "the result of a turn in Warhammer 40,000 to draw")
    require_name(kind, get_args(TurnKind))
    title = f"{', '.join(result.stages)}, edition {result.edition}" if title is None else title
    if kind == "outcome":
        return outcomes(result.outcome, ax=ax, title=title, **artist)
    return _both_lose("models", result.kills, result.names, ax=ax, title=title, **artist)


def _both_lose(
    what: str,
    losses: JointDistribution[P],
    names: Sequence[str],
    *,
    ax: Axes | None,
    title: str,
    **artist: Any,
) -> Axes:
    """Draw what two sides lose, the first to the right and the second upwards."""
    ax = heat_map(losses, ax=ax, title=title, **artist)
    first, second = map(literal, names)
    ax.set_xlabel(f"{what} lost by {first}")
    ax.set_ylabel(f"{what} lost by {second}")
    return ax
