"""Trees that may be published, from trees that may not."""
