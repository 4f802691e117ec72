"""The rule of auto with bounds of the other sources: arithmetic on past studies."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from benchmarks.auto_left_out import LEARNERS, Cells, left_out, of_past_studies, of_synthetic_tables
from study.advice.hand_made import past_studies
from tacit.study.advice import PastStudies

TREE, LOGISTIC, BOOSTED = range(3)


def cells(*rows) -> Cells:
    """Return cells of source, signal, and losses of the three learners, alike in each measure."""
    sources, signals, *lost = zip(*rows, strict=True)
    each = np.repeat(np.asarray(lost, float).T[:, :, None], 3, axis=2)
    return Cells(np.asarray(sources), np.asarray(signals, float), each, np.zeros(len(rows), int))


# The tree is best below 3, boosted trees from 100 on, but of c always logistic regression.
THREE = cells(
    *((source, signal, *lost) for source in "ab" for signal, *lost in ((2, 0, 5, 9), (20, 4, 0, 4), (200, 9, 5, 0))),
    *(("c", signal, 6, 0, 6) for signal in (2, 20, 200)),
)


def test_the_rule_takes_one_learner_after_the_other():
    assert THREE.taken(3, 100)[:3].tolist() == [TREE, LOGISTIC, BOOSTED]
    assert THREE.taken(2, 200)[:3].tolist() == [LOGISTIC, LOGISTIC, BOOSTED]  # a bound itself belongs to the next
    assert THREE.taken(0, np.inf).tolist() == [LOGISTIC] * 9


def test_means_count_each_source_the_same_and_skip_what_is_not_defined():
    assert THREE.means(THREE.taken(0, np.inf)) == pytest.approx([(10 / 3 + 10 / 3 + 0) / 3] * 3)
    unknown = Cells(THREE.sources, THREE.signals, THREE.lost.copy(), THREE.shipped)
    unknown.lost[THREE.sources == "c", :, 1] = np.nan
    assert unknown.means(THREE.taken(0, np.inf))[1] == pytest.approx(10 / 3)


def test_bounds_are_those_of_least_loss_and_of_the_others_where_a_source_is_left_out():
    assert THREE.where(THREE.sources == "a").bounds() == (3.0, 30.0)
    assert THREE.where(THREE.sources == "c").bounds() == (0.0, 300.0)
    taken, found = left_out(THREE)
    assert found[2] == (3.0, 30.0)  # of a and b, whatever c says
    assert taken[6:].tolist() == [TREE, LOGISTIC, BOOSTED]


def test_past_studies_give_signals_and_losses_and_the_tree_has_no_delta():
    setting = {"table": "haberman", "source": "haberman", "rows": 200, "protected_columns": 3, "good": 0.0}
    scores = {f"{prefix}{one}": 0.5 for prefix in ("", "auc of ", "log-loss of ") for one in LEARNERS}
    better = scores | {"logistic": 0.9, "log-loss of logistic": 0.1, "auc of boosted-trees": 0.8}
    frame = past_studies(setting | scores | {"tree": 0.7}, setting | better | {"delta": 1e-5, "tree": 0.2}).frame
    found = of_past_studies(PastStudies(frame), with_delta=True)
    assert found.signals.tolist() == pytest.approx([200 / 3])
    assert found.lost[0] == pytest.approx(np.asarray([[20, 30, 40], [0, 30, 0], [40, 0, 40], [40, 30, 40]]), abs=1e-5)
    assert found.shipped.tolist() == [LOGISTIC]


def test_rows_of_synthetic_tables_are_read(tmp_path):
    row = {"table": "a", "columns": 4, "rows": 400, "epsilon": 1.0, "auc": 0.5, "log_loss": 0.5}
    pl.DataFrame(
        [
            row | {"delta": delta, "learner": learner, "accuracy": accuracy}
            for delta, learner, accuracy in (
                *(
                    (0.0, "tree", 0.9),
                    (0.0, "logistic", 0.1),
                    (0.0, "boosted-trees", 0.2),
                    (0.0, "lazybb", 1.0),
                    (0.0, "naive-bayes", 0.2),
                ),
                *(
                    (1e-5, "tree", 0.1),
                    (1e-5, "logistic", 0.7),
                    (1e-5, "boosted-trees", 0.8),
                    (1e-5, "naive-bayes", 0.5),
                ),
            )
        ]
    ).write_parquet(tmp_path / "rows.parquet")
    found = of_synthetic_tables(str(tmp_path / "rows.parquet"), with_delta=True)
    assert found.signals.tolist() == [100.0]
    assert found.lost[0, :, 0] == pytest.approx([0, 20, 10, 40])
