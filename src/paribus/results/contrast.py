"""A difference or a slope derived from an effect, with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.estimate.bands import student_quantile, two_sided_p
from paribus.results import show


@dataclass(frozen=True, slots=True, repr=False)
class Contrast:
    """A linear function of an effect: a difference between two places, or a slope.

    Attributes
    ----------
    value, se : float
        The estimate and its standard error.
    lower, upper : float
        Its interval.
    p_value : float
        Of "it is zero".
    conf_level : float
        Confidence level of the interval.
    df : float
        Degrees of freedom of the standard error; infinite for the normal distribution.
    sentence : str
        The same in words, as `print` shows it.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> taller = pb.effect(d.table, "weight", "height").between(62, 66)
    >>> round(taller.value), taller.lower < taller.value < taller.upper
    (40, True)
    >>> print(taller)  # doctest: +ELLIPSIS
    At height = 66, weight is about 40 higher than at 62 (95 % interval ...), other columns ...
    """

    value: float
    se: float
    lower: float
    upper: float
    p_value: float
    conf_level: float
    df: float = np.inf
    sentence: str = ""

    def __repr__(self) -> str:
        return (
            f"<Contrast: {self.value:.5g}, se {self.se:.3g}, {self.lower:.5g} to {self.upper:.5g}, "
            f"p = {self.p_value:.2g}>"
        )

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        """Show the sentence and the numbers in a notebook."""
        return show.compact.said_html([self.sentence, repr(self).strip("<>")])

    @property
    def may_be_zero(self) -> bool:
        """Whether the interval includes zero."""
        return self.lower <= 0 <= self.upper


def contrast_from(
    weights: FloatArray,
    values: FloatArray,
    covariance: FloatArray,
    conf_level: float,
    df: float = np.inf,
) -> Contrast:
    """Return a linear function of values (m,), which may be NaN where the weight is zero.

    Examples
    --------
    >>> contrast_from(np.array([1.0, -1.0]), np.array([3.0, 1.0]), np.eye(2) / 2, 0.95)
    <Contrast: 2, se 1, 0.040036 to 3.96, p = 0.046>
    """
    variance = max(float(weights @ covariance @ weights), 0.0)
    value = float(weights @ np.nan_to_num(values))
    return contrast_of(value, float(np.sqrt(variance)), conf_level, df)


def contrast_of(value: float, se: float, conf_level: float, df: float = np.inf) -> Contrast:
    """Return an estimate with its interval and p-value, by Student's t or the normal distribution.

    Examples
    --------
    >>> contrast_of(2.0, 1.0, 0.95)
    <Contrast: 2, se 1, 0.040036 to 3.96, p = 0.046>
    """
    half = float(student_quantile(conf_level, np.array(df))) * se
    p_value = float(value == 0) if se == 0 else two_sided_p(value / se, df)
    return Contrast(value, se, value - half, value + half, p_value, conf_level, df)
