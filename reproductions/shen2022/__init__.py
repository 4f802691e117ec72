"""Shen, Krishnaswamy, Kulkarni and Munagala: Classification with Partially Private Features (2022)."""
