"""`tacit fit`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tacit.cli.charges import proposing_check, writing_paid
from tacit.cli.cluster_option import ClusterOption, client_of
from tacit.cli.console import (
    ModelFile,
    NoiseSeed,
    OnInvalid,
    OutputAnswerOptions,
    SchemaFile,
    Terminal,
    checked_output,
    emit_json,
    quoted,
)
from tacit.cli.delta_option import DeltaOrAuto, delta_line, read_delta
from tacit.cli.file_options import JoinedOptions
from tacit.cli.ledger_commands import LedgerOption
from tacit.cli.options import command_of
from tacit.cli.progress_line import measuring
from tacit.cli.schema_files import refuse_guesses
from tacit.cli.spellings import as_options
from tacit.errors import ParameterError

Allow = Literal["simulated", "void"]
"""What a saved model may lack."""

Loss = Literal["squared", "absolute", "quantile", "huber", "poisson", "gamma"]
"""Of a number to predict. Written out, as importing it would import numpy for --help."""


@dataclass(frozen=True)
class FitOptions(JoinedOptions, OutputAnswerOptions):
    """The options of `tacit fit`."""

    schema: SchemaFile
    epsilon: Annotated[
        float,
        typer.Option(
            "--epsilon", "-e", help="Privacy to spend, above 0; less protects more. 1 is a start.", show_default=False
        ),
    ]
    out: ModelFile
    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            help="auto (by rule), boosted-trees, brc, lazybb, linear, logistic, naive-bayes, radoboost, svm or tree.",
        ),
    ] = "auto"
    delta: DeltaOrAuto = None
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner; may be repeated."),
    ] = None
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            "--class-weight",
            metavar="balanced|CLASS=NUMBER",
            help="Weights of the classes' rows: balanced, or CLASS=NUMBER, which may be repeated.",
        ),
    ] = None
    monotone: Annotated[
        list[str] | None,
        typer.Option(
            "--monotone",
            metavar="COLUMN=+1|-1",
            help="A number with which the score rises (+1) or falls (-1), never else; may be repeated.",
        ),
    ] = None
    loss: Annotated[
        Loss | None,
        typer.Option("--loss", help="What predictions of a number minimize; squared (means) by default."),
    ] = None
    quantiles: Annotated[
        list[float] | None,
        typer.Option("--quantile", help="A quantile of a number to predict, as 0.95; may be repeated, ascending."),
    ] = None
    tune: Annotated[
        bool, typer.Option("--tune", help="Choose settings from a small public grid, paid for as --pay says.")
    ] = False
    pay: Annotated[
        Literal["rows", "epsilon"],
        typer.Option("--pay", help="How --tune is paid for: hold-out rows or extra epsilon."),
    ] = "rows"
    on_invalid: OnInvalid = "raise"
    storage: Annotated[
        Literal["auto", "memory", "disk"],
        typer.Option("--storage", help="Where rows are kept; by default on disk where files are large."),
    ] = "auto"
    cluster: ClusterOption = None
    holdout: Annotated[
        float,
        typer.Option("--holdout", help="Share of the rows to measure the model on, not to train it; costs no epsilon."),
    ] = 0.0
    holdout_by: Annotated[
        str | None,
        typer.Option("--holdout-by", help="A column of categories: measure by group, too; costs nothing further."),
    ] = None
    ledger: LedgerOption = None
    seed: NoiseSeed = None
    allow: Annotated[
        Allow | None, typer.Option("--allow", help="Save a model although its certificate promises nothing.")
    ] = None


@command_of(FitOptions)
def fit(options: FitOptions) -> None:
    """Train a private model, and write it with its certificate. Each fit spends privacy of its own."""
    terminal = Terminal(options.quiet)
    with terminal.busy("Starting"):
        from tacit.cli.settings import check_for_number, learner_class, learner_fit, regression_fit, regressor_class
        from tacit.estimators.usual_delta import largest_delta
        from tacit.privacy import Budget
        from tacit.schema import Schema

        # Options are checked before any row is read.
        described = Schema.from_toml(options.schema)
        shared: dict[str, Any] = {"on_invalid": options.on_invalid, "ledger": options.ledger}
        shared |= {"random_state": options.seed, "holdout": options.holdout}
        if described.target:
            given = {"holdout_by": options.holdout_by is not None, "class_weight": bool(options.class_weight)}
            check_for_number(described.target.name, **given)
            cls: Any = (regressor_class if options.tune else regression_fit)(options.learner)
        else:
            if options.loss or options.quantiles:
                raise ParameterError("Expected no --loss or --quantile for classes, got one. It is of a [target].")
            # A search is one of scikit-learn's estimators.
            cls = (learner_class if options.tune else learner_fit)(options.learner)
            shared["holdout_by"] = options.holdout_by
        own = _own_settings(options, cls, described) | shared
        delta = read_delta(options.delta, cls.delta)
        budget = Budget(options.epsilon, largest_delta(delta))
        estimator = cls(described, epsilon=budget.epsilon, delta=delta, **own)
    target = checked_output(options.out, options.table, options.schema, force=options.force)
    _check_allowed(estimator, options.allow, options.schema)
    with client_of(options.cluster) as client:
        fits = _tuned(estimator, options.pay) if options.tune else estimator
        model = _fitted(options, fits, estimator, client, terminal)
    from tacit.models import write_model

    with writing_paid(model.guarantee):
        write_model(model, target, allow=options.allow)
    if options.as_json:
        emit_json(_summary(model, options.out))
    elif not options.quiet:
        terminal.say(*_words(model, options.out, options.ledger, by_rule=delta == "auto"))


def _own_settings(options: FitOptions, cls: Any, described: Any) -> dict[str, Any]:
    """Return the learner's own parameters as the options say them."""
    from tacit.cli.settings import read_class_weight, read_monotone, read_settings

    own = read_settings(cls, options.settings or ())
    if options.class_weight and "class_weight" in own:
        raise ParameterError("Expected class weights once, got --class-weight and --set class_weight. Drop one.")
    if options.class_weight:
        own["class_weight"] = read_class_weight(options.class_weight, described)
    if options.quantiles or options.loss:
        own["loss"] = options.loss or "quantile"
        own["quantiles"] = tuple(options.quantiles) if options.quantiles else None
    if options.monotone:
        own["monotone"] = read_monotone(cls, options.monotone)
    return own


def _check_allowed(estimator: Any, allow: Allow | None, path: Path) -> None:
    """Refuse beforehand what could not be saved afterwards."""
    if allow != "void":
        refuse_guesses(estimator.schema, path)
    if estimator.random_state is not None and not estimator.schema.guessed and allow != "simulated":
        raise ParameterError(
            "Expected --allow simulated with --seed: noise that can be repeated gives no privacy. "
            "Drop --seed for a model to publish, or add --allow simulated and never publish the file."
        )


def _tuned(estimator: Any, pay: Literal["rows", "epsilon"]) -> Any:
    """Return a search around the estimator, which gives its budget and seed away."""
    from tacit.estimators import PaidRegressionSearch, PaidSearch

    shared = ("epsilon", "delta", "holdout", "random_state", "ledger")
    given_away = shared if estimator.schema.target else (*shared, "holdout_by")
    given = {name: getattr(estimator, name) for name in given_away}
    estimator.set_params(**{name: getattr(type(estimator), name) for name in given_away})
    if estimator.schema.target:
        return PaidRegressionSearch(estimator, "auto", pay=pay, **given)
    scoring: Literal["log-loss", "accuracy"] = "log-loss" if estimator._learns_probabilities() else "accuracy"
    return PaidSearch(estimator, "auto", pay=pay, scoring=scoring, **given)


def _fitted(options: FitOptions, fits: Any, estimator: Any, client: Any, terminal: Terminal) -> Any:
    from tacit.estimators.usual_delta import count_given
    from tacit.table import check_client, check_source, read_source

    schema = estimator.schema
    source = options.source(schema)
    count = partial(count_given, source, None, schema, options.storage)
    with proposing_check(options.schema, options.table) as payments, fits.charging(count) as payment:
        payments.append(payment)
        check_client(source, client)
        if payment:
            payment.reading(check_source(source, schema))
        with terminal.noting(), measuring(terminal, "Training", source.about_n_rows):
            asked = {"on_invalid": estimator.on_invalid, "place": options.storage, "client": client}
            return fits.fit_table(read_source(source, schema, **asked)).model_


def _words(model: Any, out: Path, ledger: str | None, *, by_rule: bool) -> list[str]:
    privacy = model.guarantee
    status = {
        "private": f"private: epsilon {privacy.epsilon:g}, delta {privacy.delta:g}",
        "public": "nothing was protected, as the schema declares everything public",
        "simulated": "NOT PRIVATE, as the noise can be repeated",
        "void": "NOT PRIVATE: " + " ".join(privacy.reasons),
    }[privacy.status]
    lines = [f"Wrote {out} ({model.learner}; {status})."]
    if model.why.startswith("chosen "):
        lines.append(f"{model.why.capitalize()}.")
    lines += map(as_options, model.measured)
    from tacit.cli.rare_words import rare_words

    lines += rare_words(model, out) if model.schema.target is None else []
    if privacy.status == "private":
        lines.append(_protected(model))
        lines += [delta_line(privacy, model.schema)] if by_rule else []
        lines.append(_left(privacy, ledger))
    further = ""
    if model.held_out and model.schema.target:
        further = " --interval 0.9" if privacy.counted == "rows" else ""
    elif model.held_out and model.held_out.calibrates:
        further = " --probabilities --calibrated"
    by = f" --by {quoted(column)}" if (column := _grouped_by(model)) else ""
    return [*lines, f"Next: tacit inspect {quoted(out)}{by}", f"      tacit predict {quoted(out)} new.csv{further}"]


def _grouped_by(model: Any) -> str | None:
    """Return the column by which held-out rows were counted."""
    held_out = None if model.schema.target else model.held_out
    return held_out.by_group.column if held_out and held_out.by_group else None


def _left(privacy: Any, ledger: str | None) -> str:
    """Say what further fits cost, or what the ledger has left for them."""
    if privacy.charge is None:
        return (
            "Another fit on the same people costs its epsilon on top of this one. `tacit ledger new --schema`, and "
            "--ledger, keep the sum within a limit."
        )
    from tacit.cli.ledger_output import account_lines
    from tacit.ledger import named_ledger

    named = named_ledger(ledger)
    assert named is not None
    *_, spent = account_lines(named[0].balance(privacy.charge.account))
    return (
        f"Charged to account {privacy.charge.account!r}, charge {privacy.charge.number} of the ledger: {spent.strip()}."
    )


def _protected(model: Any) -> str:
    schema = model.schema
    # As the table has them: the mark of a number's empty cells is no column of its own.
    columns = f"{sum(each.private for each in schema.full.inputs)} of {len(schema.full.inputs)} columns"
    label = f"the {'target' if schema.target else 'label'} {schema.label.name!r}"
    if persons := model.guarantee.persons:
        columns = f"{persons}; {columns}"
    weight = f"the weight {schema.weight.name!r}" if schema.weight else ""
    if schema.label.private:
        known = " Public: whether there is one, as rows without are left out." if schema.label.drops_missing else ""
        if weight and not schema.weight.private:
            return f"Protected: {columns}, and {label}.{known} Public: {weight}."
        return f"Protected: {columns}, {f'{weight}, ' if weight else ''}and {label}.{known}"
    others = [each for each in (weight, "the other columns" if schema.full.public_columns else "") if each]
    return f"Protected: {columns}. Public: {' and '.join([label, *others])}."


def _summary(model: Any, out: Path) -> dict[str, Any]:
    from tacit.cli.model_words import guarantee_document

    said = {"model": str(out), "learner": model.learner}
    if model.schema.target:
        said |= {"target": model.target.name}
    else:
        said |= {"classes": model.classes.tolist()}
    said |= {"held_out": model.held_out.measures() if model.held_out else None}
    said |= {"groups": model.groups().document()} if _grouped_by(model) else {}
    return said | {"privacy": guarantee_document(model.guarantee)}
