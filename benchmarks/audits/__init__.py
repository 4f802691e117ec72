"""The long audit: every learner in every case, and the table of it in docs/audit.md."""
