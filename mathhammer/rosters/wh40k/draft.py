"""A unit while it is read: its selections, each with the models it belongs to, and what there is to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Selection
    from mathhammer.systems.wh40k.armies.army import ModelGroup
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


@dataclass(slots=True)
class Draft:
    """A unit while it is read."""

    #: The unit's own selection.
    root: Selection
    #: All selections in force, each with the index of its models, ``None`` for the unit itself.
    nodes: list[tuple[Selection, int | None]] = field(default_factory=list)
    #: The selections that are models; the root if there are none.
    models: list[Selection] = field(default_factory=list)
    #: The models read so far, in the order of ``models``.
    groups: list[ModelGroup] = field(default_factory=list)
    #: What goes into the unit and the army.
    rules: list[UnitRule] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    led_as: list[tuple[str, str]] = field(default_factory=list)
    joins_led: bool | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Add what is simplified when the unit is computed with."""
        self.notes.append(f"{self.root.name}: {sentence}")

    def warn(self, sentence: str) -> None:
        """Add what was read with a doubt or left out."""
        self.warnings.append(f"{self.root.name}: {sentence}")

    @property
    def size(self) -> int:
        """Number of models at the start of the battle."""
        return sum(model.number for model in self.models)


def open_draft(root: Selection) -> Draft:
    """Find the models of a unit and what belongs to which."""
    draft = Draft(root)
    _collect(draft, root, None)
    if not draft.models:
        draft.models.append(root)
        draft.nodes = [(node, 0) for node, _ in draft.nodes]
        return draft
    if len(draft.models) == 1:  # then wargear beside the models can be nobody else's
        draft.nodes = [(node, 0 if node is not root else None) for node, _ in draft.nodes]
    if root.type == "model":
        draft.warn("it is a model that holds other models; only those are counted")
    elif root.number > 1:
        draft.warn(f"it is listed {root.number} times in one entry; read as one unit of {draft.size} models")
    return draft


def _collect(draft: Draft, node: Selection, group: int | None) -> None:
    if node.number == 0:
        draft.warn(f"{node.name!r} is listed 0 times and left out")
        return
    if node.type == "crew":
        draft.note(f"{node.name} starts the battle inside another model and is not counted")
        return
    if node.type == "model" and node is not draft.root:
        group = len(draft.models)
        draft.models.append(node)
    draft.nodes.append((node, group))
    for child in node.selections:
        _collect(draft, child, group)
