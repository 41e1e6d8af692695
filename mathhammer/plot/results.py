"""Pictures of an attack: what it destroys, the state it leaves, and the funnel that leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from mathhammer import display, validation
from mathhammer.plot.axes import COLOURS, HATCHES, axes_for, capitalised, ink, name_axes, require_name
from mathhammer.plot.distributions import Kind, distribution
from mathhammer.plot.heat_maps import heat_map
from mathhammer.sequence import AttackResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mathhammer.arithmetic.protocol import P
    from mathhammer.distributions import Distribution

#: The distributions of a result that a picture can show.
Quantity = Literal["attacks", "hits", "wounds", "unsaved", "damage", "wounds_lost", "kills"]
_UNITS = {
    "attacks": "attacks",
    "hits": "hits",
    "wounds": "successful wound rolls",
    "unsaved": "unsaved wounds",
    "damage": "damage inflicted, excess counted",
}
# The steps in order; a hatch for each unit of measure, since damage and models are no longer attacks.
_STEPS: tuple[tuple[Quantity, str, int], ...] = (
    ("attacks", "attacks", 0),
    ("hits", "hits", 0),
    ("wounds", "wounds", 0),
    ("unsaved", "unsaved", 0),
    ("damage", "damage", 1),
    ("kills", "models destroyed", 2),
)


def result(
    result: AttackResult[P],
    kind: Kind | Literal["funnel", "state"] = "pmf",
    *,
    of: Quantity = "kills",
    ax: Axes | None = None,
    title: str | None = None,
    **artist: Any,
) -> Axes:
    """Draw the result of an attack.

    Parameters
    ----------
    result
        What ``attack`` returns.
    kind
        A kind of :func:`mathhammer.plot.distribution`, drawn of one quantity; ``"funnel"`` for all steps of the
        sequence; ``"state"`` for the heat map of the final state.
    of
        The quantity.
    ax
        Where to draw; by default a new figure.
    title
        By default the quantity, the edition and the chance that the unit is destroyed.
    **artist
        Passed on to what is drawn.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> ax = wh40k.attack(rifle, marines, count=10, edition="10e").plot("at_least")
    >>> ax.get_title(loc="left"), ax.get_xlabel()
    ('Models destroyed, edition 10e: mean 1.42, P(unit destroyed) 0.06%', 'models destroyed')
    """
    _require_result(result)
    require_name(of, get_args(Quantity), "a quantity")
    if kind == "funnel":
        return funnel(result, ax=ax, title=title, **artist)
    if kind == "state":
        title = _title("State of the unit", result) if title is None else title
        return heat_map(result.state, ax=ax, title=title)
    require_name(kind, (*get_args(Kind), "funnel", "state"))
    shown: Distribution[P] = getattr(result, of)
    unit = _unit(result, of)
    if title is None:
        title = _title(capitalised(unit), result, f"mean {display.number(shown.mean())}, ")
    return distribution(shown, kind, ax=ax, title=title, unit=unit, **artist)


def funnel(
    result: AttackResult[P], *, ax: Axes | None = None, title: str | None = None, **artist: Any
) -> Axes:
    """Draw what is left after each step of the sequence: the means, and the middle 90 % as a line.

    Parameters
    ----------
    result
        What ``attack`` returns.
    ax
        Where to draw; by default a new figure.
    title
        By default the edition and the chance that the unit is destroyed.
    **artist
        Passed on to the bars.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> ax = funnel(wh40k.attack(rifle, marines, count=9))
    >>> [text.get_text() for text in ax.texts][:3]
    ['18.00', '12.00 (67% of attacks)', '6.00 (50% of hits)']
    """
    _require_result(result)
    distributions: list[Distribution[P]] = [getattr(result, name) for name, _, _ in _STEPS]
    means = [float(one.mean()) for one in distributions]
    ax = axes_for(ax, (7.0, 3.6))
    places = range(len(_STEPS))
    bars = ax.barh(
        places,
        means,
        **{"height": 0.66, "color": COLOURS[0], "edgecolor": ink(ax), "linewidth": 0.5, **artist},
    )
    farthest = 0.0
    for place, one in enumerate(distributions):
        measure = _STEPS[place][2]
        bars[place].set_hatch(HATCHES[measure])
        if "color" not in artist:
            bars[place].set_facecolor(COLOURS[measure])
        low, high = float(one.icdf(0.05)), float(one.icdf(0.95))
        ax.plot([low, high], [place, place], color=ink(ax), linewidth=1.2, marker="|", markersize=8)
        end = max(high, means[place])
        farthest = max(farthest, end)
        ax.annotate(
            _step(place, means),
            (end, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    ax.set_yticks(list(places), [words for _, words, _ in _STEPS])
    ax.invert_yaxis()
    ax.set_xlim(0, (farthest or 1.0) * 1.35)
    title = _title("From attacks to models destroyed", result) if title is None else title
    name_axes(ax, title=title, x="mean number (damage in wounds); the line spans 5% to 95%", y="")
    return ax


def _require_result(result: object) -> None:
    validation.instance(result, AttackResult, "the result of an attack to draw")


def _unit(result: AttackResult[P], of: Quantity) -> str:
    """Return what a quantity counts, in the words of the game."""
    if of in _UNITS:
        return _UNITS[of]
    name = result.distribution_names[of == "wounds_lost"]
    return name if name.split()[1].istitle() else name.lower()


def _step(place: int, means: list[float]) -> str:
    """Return a mean, and among attacks the share of the step before."""
    text = display.number(means[place])
    if place and _STEPS[place][2] == _STEPS[place - 1][2] and means[place - 1]:
        return f"{text} ({100 * means[place] / means[place - 1]:.0f}% of {_STEPS[place - 1][1]})"
    return text


def _title(words: str, result: AttackResult[P], more: str = "") -> str:
    destroyed = display.percent(result.probability_destroyed)
    return f"{words}, edition {result.edition}: {more}P(unit destroyed) {destroyed}"
