"""Times, recurrences and numbers, as English and Chinese say them and as calendars have them."""
