"""An agent that acts in a world, keeps what came of it, and is shown what may help it again."""
