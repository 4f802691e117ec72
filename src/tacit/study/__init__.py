"""Studies: the papers' settings, their figures, and the learners without privacy that they compare with."""
