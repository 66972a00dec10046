"""Confide: mine and share data about people in confidence."""
