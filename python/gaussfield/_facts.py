"""How an answer was computed, beside an estimator in a notebook."""

from __future__ import annotations

import html
from typing import Any

from sklearn.base import BaseEstimator


class ShowsFacts(BaseEstimator):
    """A fitted estimator shows its facts below its parameters."""

    def _facts_shown(self) -> dict[str, Any]:
        """Names and values; nothing before a fit."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._facts_html()
        return bundle

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._facts_html()

    def _facts_html(self) -> str:
        lines = self._facts_shown()
        if not lines:
            return ""
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(str(name))}</th>"
            f"<td style='text-align:left'>{html.escape(_shown(value))}</td></tr>"
            for name, value in lines.items()
        )
        return f"<details><summary>How it was computed</summary><table>{rows}</table></details>"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
