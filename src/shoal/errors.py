"""Every exception and warning the package raises.

Messages name columns, counts and parameters, never cell values: a traceback is a disclosure too.
"""


class ShoalError(Exception):
    """Base class of all package errors."""


class ParameterError(ShoalError, ValueError):
    """A parameter is outside its range."""


class SchemaError(ShoalError, ValueError):
    """A table and its schema do not agree, or the schema contradicts itself."""


class HierarchyError(SchemaError):
    """A hierarchy is not a tree over the values of its column."""


class UncoveredValuesError(HierarchyError):
    """Values of a column that its hierarchy lacks.

    `column` and `values` are attributes, for those who mend the hierarchy; the message, which may
    end up in a log, says only how many there are.
    """

    def __init__(self, column: str, values: tuple[str, ...], message: str) -> None:
        self.column, self.values = column, values
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return UncoveredValuesError, (self.column, self.values, str(self))


class TableError(ShoalError, ValueError):
    """A table cannot be read, or cannot be written."""


class DataNotFoundError(TableError):
    """A public data set is on this machine in none of the places where it is looked for.

    Examples
    --------
    >>> from shoal.datasets import adult, census
    >>> try:
    ...     people = adult()
    ... except DataNotFoundError:  # on this machine in none of the usual places
    ...     people = census()
    >>> people.n_rows > 0
    True
    """


class InfeasibleError(ShoalError, ValueError):
    """No release within the given limits satisfies the privacy model."""

    def __init__(self, model: str, *, required: float, achieved: float, hint: str) -> None:
        self.model, self.required, self.achieved, self.hint = model, required, achieved, hint
        reached = (
            f"best reachable is {achieved:g}" if achieved else "no release within the limits has it"
        )
        super().__init__(f"{model}: needs {required:g}, {reached}. {hint}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_infeasible, (self.model, self.required, self.achieved, self.hint)


def _rebuild_infeasible(model: str, required: float, achieved: float, hint: str) -> InfeasibleError:
    return InfeasibleError(model, required=required, achieved=achieved, hint=hint)


class ConvergenceError(ShoalError, ArithmeticError):
    """An optimizer did not reach the optimum; no model is returned."""

    def __init__(self, what: str, hint: str) -> None:
        self.what, self.hint = what, hint
        super().__init__(f"{what} did not converge. {hint}")

    def __reduce__(self) -> tuple[object, ...]:
        return ConvergenceError, (self.what, self.hint)


class GuaranteeError(ShoalError, RuntimeError):
    """A release failed its independent re-check; it is withheld."""


class ProtocolError(ShoalError, RuntimeError):
    """The other party sent something the protocol does not allow."""


class KeyFileError(ShoalError, ValueError):
    """A secret cannot be read: wrong passphrase, damaged or foreign file."""


class MissingExtraError(ShoalError, ImportError):
    """An optional package is needed for what was asked."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package, self.extra, self.purpose = package, extra, purpose
        super().__init__(
            f"{purpose} needs {package}. Install it with: pip install 'shoal[{extra}]'"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtraError, (self.package, self.extra, self.purpose)


class TimeLimitError(ProtocolError):
    """The other party did not answer within the time limit."""


class ConnectionCutError(ProtocolError):
    """The line to the other party broke; a resumable run can be continued."""


class OwnerLostError(ProtocolError):
    """Owners were lost on the way, and the others do not go on without them."""

    def __init__(self, owners: list[str], loss: str = "stop") -> None:
        self.owners, self.loss = list(owners), loss
        why = (
            "The agreement says to stop then."
            if loss == "stop"
            else "They took part before the run was cut: to ask again without them would tell "
            "about their rows."
            if loss == "resumed"
            else "Fewer owners are left than the agreement asks for."
        )
        super().__init__(
            f"lost on the way: {', '.join(self.owners)}. {why} "
            "Run the same commands again when they are back."
        )

    def __reduce__(self) -> tuple[object, ...]:
        return OwnerLostError, (self.owners, self.loss)


class TableWarning(UserWarning):
    """Something about how a table was read that its owner should know; names no cell."""
