"""What stands on top of a study's page, by where its rows come from."""

from __future__ import annotations

from typing import Literal

from tacit.errors import ParameterError

Rows = Literal["private", "public", "simulated", "guessed"]

NOTICES = {
    "private": """
<p><strong>This study is not itself private.</strong> Its numbers are scores on the rows as they are, without
noise: keep this page where the rows are kept.</p>
<p><strong>Choosing a learner or an epsilon by this page is not covered by the certificate of a later fit on the
same rows</strong>, as the rows themselves made the choice. What <code>tacit advise</code> recommends is
covered, as it reads no private row, and so is what a comparison on public or simulated rows shows (<code>tacit
compare --simulate</code>).</p>
""",
    "public": """
<p><strong>This study is not itself private:</strong> it shows, without noise, how learners do on the rows of a
public table. Choosing by it is covered by the certificate of a later fit on other people&rsquo;s rows, but not
on these.</p>
""",
    "simulated": """
<p><strong>These rows were made from the schema alone.</strong> Nobody&rsquo;s row was read: choosing by this
page costs no privacy. Their labels follow a law drawn at random: what carries over to yours is what privacy
costs at such a size.</p>
""",
    "guessed": """
<p><strong>These rows were made from a schema with guesses, which were read off rows.</strong> So choosing by
this page is not covered by the certificate of a later fit: check each entry of the schema against what
everybody may know, and compare again.</p>
""",
}


def notice(source: str) -> str:
    """Return the note as HTML."""
    if source not in NOTICES:
        raise ParameterError(f"Expected source to be one of {', '.join(NOTICES)}, got source={source!r}.")
    return NOTICES[source].strip()
