"""The papers' tables and figures, computed again: their settings, their published variants, other libraries."""
