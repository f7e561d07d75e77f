"""Tables with nothing wrong, to add something to."""

N = 600


def independent(rng, n=N):
    """Return a number, a category, and a target that follows from the number."""
    size = rng.normal(100, 15, n)
    colour = rng.choice(["red", "green", "blue"], n)
    return {"size": size, "colour": colour, "y": size + rng.normal(0, 15, n)}
