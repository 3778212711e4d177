"""Read times, recurrences and numbers in English and Chinese."""
