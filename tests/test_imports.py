"""What an import costs: nothing heavy before it is used."""

import subprocess
import sys

import pytest


def _loaded(statement: str) -> set[str]:
    """Top-level modules that a statement loads in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(' '.join(name for name in sys.modules if '.' not in name))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own interpreter
    return set(done.stdout.split())


def test_the_package_alone_loads_nothing_heavy():
    heavy = {"numpy", "sympy", "scipy", "matplotlib", "pandas", "flint", "rich", "click"}
    assert not heavy & _loaded("import mathhammer")


@pytest.mark.parametrize(
    "statement",
    [
        "import mathhammer; mathhammer.distribution('2D6').at_least(9)",
        "from mathhammer import wh40k",
        "import mathhammer; mathhammer.read_army",
    ],
)
def test_the_float_path_needs_no_symbolic_algebra(statement):
    assert not {"sympy", "scipy", "matplotlib", "pandas"} & _loaded(statement)


def test_an_attack_in_floats_needs_no_symbolic_algebra():
    statement = (
        "from mathhammer import wh40k\n"
        "w = wh40k.Weapon.parse('Rifle: A2 BS3+ S4 AP-1 DD3')\n"
        "t = wh40k.Target('T', toughness=4, save='3+', wounds=2, models=5)\n"
        "r = wh40k.attack(w, t, count=5)\n"
        "r.kills.mean(); r.damage.mean(); r.probability_destroyed; r.hits.median(); str(r.explain())\n"
    )
    assert not {"sympy", "scipy", "matplotlib", "pandas"} & _loaded(statement)


def test_public_names_resolve():
    import mathhammer

    for name in mathhammer.__all__:
        assert getattr(mathhammer, name) is not None
    assert set(mathhammer.__all__) <= set(dir(mathhammer))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mathhammer.nothing  # noqa: B018
