"""Any text and any changed text is computed or refused with the one kind of error."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tenth import wh40k

import mathhammer as mh
from mathhammer import t9a
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError

RIFLE = wh40k.Weapon.parse("Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, SUSTAINED HITS D3]")
SQUAD = wh40k.TargetUnit("Squad", [wh40k.TARGETS["MEQ"]], leaders=[wh40k.TARGETS["CTAN"]])
TEXTS = (
    wh40k.attack(
        [wh40k.Volley(RIFLE, 2, reroll_hits={1, 2})],
        wh40k.TARGETS["MEQ"],
        modifiers=wh40k.Modifier("worsen", 1, "rain", of="ap", when={-1}),
        start=wh40k.attack(RIFLE, wh40k.TARGETS["MEQ"]).given(lambda state: state[0] < 2),
    ).to_text(),
    wh40k.attack(RIFLE, SQUAD, precision=False).to_text(),
    t9a.break_test(8, 3, exact=True).to_text(),
    t9a.attack(t9a.ModelPart("Spears", attacks=2, strength=3), t9a.Target("Orcs", resilience=3)).to_text(),
    tc.attack(tc.WEAPONS["Shotgun"], tc.Target(blood=2), spend=tc.Spend(blood=1)).to_text(),
    mh.distribution("2D6+3").to_text(),
    (mh.distribution("D6") + mh.distribution("D3", exact=False)).to_text(),
)


def refused_or_computed(text):
    try:
        mh.from_text(text)
    except MathhammerError as error:
        assert str(error)  # noqa: PT017 - either is right, and nothing else


@settings(max_examples=100)
@given(st.text())
@example("mathhammer 1: " + "(" * 100_000)
@example("mathhammer 1: tc, 1.0.2, attack\nwith: target=" + "(" * 100_000 + "\nend")
@example("mathhammer 1: dice\ndice: " + "(" * 100_000 + "\nend")
@example("mathhammer 1: dice\ndistribution: " + "[" * 100_000 + "\nend")
@example("mathhammer " + "9" * 10_000 + ": dice\nend")
@example("mathhammer 1: dice\nend\0")
def test_any_text_is_refused_or_computed(text):
    refused_or_computed(text)
    refused_or_computed(f"mathhammer 1: {text}\nend")
    refused_or_computed(f"mathhammer 1: dice\n{text}\nend")
    refused_or_computed(f"mathhammer 1: tc, 1.0.2, attack\nattack: Gun (ranged) | {text}\nwith: {text}\nend")


# No further digits: what is asked for stays small.
SIGNS = st.text("(){}[]|,:;=\"'\\-+.<>` \nabdeghinoprstwADFNSTWx“é\t", max_size=3)


@settings(max_examples=200)
@given(st.sampled_from(TEXTS), st.data())
def test_a_changed_text_is_refused_or_computed(text, data):
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(SIGNS) + text[stop:]
    refused_or_computed(text)


@settings(max_examples=100)
@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS), st.data())
def test_lines_of_other_texts_are_refused_or_computed(one, other, data):
    lines = one.splitlines()
    place = data.draw(st.integers(0, len(lines)))
    lines[place : place + data.draw(st.integers(0, 2))] = [data.draw(st.sampled_from(other.splitlines()))]
    refused_or_computed("\n".join(lines))
