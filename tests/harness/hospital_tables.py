"""A table as hospitals export it: several rows a patient, decimal commas, signs, limits, codes, synonyms, remarks."""

from __future__ import annotations

import datetime as dt

import numpy as np

FIRST = ("Anna", "Bernd", "Clara", "Dirk", "Eva", "Franz", "Gül", "Hans", "Ida", "Jörg")
LAST = ("Arndt", "Bauer", "Celik", "Dorn", "Ebert", "Fuchs", "Groß", "Huber", "Ilić", "Jung", "Kaya")
NAMES = [f"{first} {last}" for first in FIRST for last in LAST]


def hospital_csv(n_rows: int, seed: int = 0) -> str:
    """Return rows divided by semicolons, with a first line of names; the label is ``gestorben`` (about 3 %)."""
    draw = np.random.default_rng(seed)
    person = np.sort(draw.integers(0, n_rows * 2 // 3, n_rows))
    numbers = draw.choice(np.arange(1_000_000, 9_999_999), n_rows, replace=False)
    ages, sexes = draw.integers(18, 96, n_rows)[person], draw.integers(0, 2, n_rows)[person]
    crp, pay = draw.lognormal(2, 1, n_rows), draw.lognormal(7, 0.8, n_rows)
    days = [dt.date(2019, 1, 1) + dt.timedelta(int(day)) for day in draw.integers(0, 1400, n_rows)]
    dies = draw.random(n_rows) < 0.03
    chapters = draw.choice(list("ABCDEFGHIJKLMN"), n_rows)
    codes = [f"{chapter}{block:02d}.{digit}" for chapter, block, digit in
             zip(chapters, (draw.zipf(1.4, n_rows) - 1) % 60, draw.integers(0, 3, n_rows), strict=True)]  # fmt: skip
    lines = ["Fallnr;Patientennr;Name;Alter;Geschlecht;Aufnahme;Labor vom;Hauptdiagnose;CRP;Kosten;Bemerkung;gestorben"]
    spelled = (("F", "f", "female"), ("M", "m", "male"))
    for k in range(n_rows):
        sex = spelled[sexes[k]][draw.integers(0, 3)]
        age = 999 if draw.random() < 0.03 else ages[k]
        level = "<1" if crp[k] < 1 else f"{crp[k]:.1f}".replace(".", ",")
        price = f"{pay[k]:,.2f} €".translate(str.maketrans(",.", ".,"))
        remark = "" if k % 3 else f"Visite {k} ohne Befund bis {k + 3}"
        remark = f"Tochter unter 030/{1234567 + k} anrufen" if k % 50 == 0 else remark
        lines.append(
            f"{500_000 + k};{numbers[person[k]]};{NAMES[person[k] % len(NAMES)]};{age};{sex};{days[k]:%d.%m.%Y};"
            f"{days[k] + dt.timedelta(1):%Y-%m-%d};{codes[k]};{level};{price};{remark};{'ja' if dies[k] else 'nein'}"
        )
    return "\n".join(lines) + "\n"
