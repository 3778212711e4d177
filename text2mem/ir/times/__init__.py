"""Read times, recurrences and numbers in English and Chinese.

Each reader takes more words than the one before it:

- ``temporal``: a phrase that is nothing but a time, as in a program. ``temporal_en*`` and
  ``temporal_zh`` say what it names, ``temporal_calendar`` places that on the time line.
- ``reading_clock.Clock``: the same by the present instant and a zone; None for other words.
- ``moments``: a time or a reminder as a request says it (``spoken_*``), with words around it;
  ``recurrence*``: its rules; ``anchored``: relative to the time of a memory.
- ``stretches`` and ``asked_times``: the times of a filter and of a question, past or to come.
"""
