"""Themes of four subjects, as every reading verb tells them: their names, their order, what is
nearest to what."""

from tests.golden_files import assert_golden
from tests.themes.test_catalog import remembered


def test_themes_are_as_before() -> None:
    told: dict[str, object] = {}
    with remembered() as memory:
        themes = memory.themes
        for theme in themes:
            told[f"theme {theme.id}"] = theme
        for session in ("day 0", "day 1", "day 2"):
            told[session] = [(one.nodes, one.title) for one in themes.episodes(session)]
        told["levels"] = themes.levels()
        told["parents"] = {node: themes.parents(node, "semantic") for node in (1, 27, 60)}
        for cue in ("the glaze of a bowl", "who sails the boat", "oven and anchor"):
            told[f"about {cue}"] = str(themes.about(cue, tokens=80))
            found = memory.recall(cue, mode="themes", use=False, limit=6)
            told[f"recall {cue}"] = [(hit.id, hit.parts) for hit in found]
    assert_golden("themes", told)
