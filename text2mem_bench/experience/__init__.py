"""How much an agent gains by what it remembers: worlds, selectors, outcomes, figures."""
