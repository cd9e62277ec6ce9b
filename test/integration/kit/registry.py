"""The scenarios by name, in the order in which they are written."""

SCENARIOS = {}


def scenario(name):
    """Registers a function of a Trial as a scenario."""
    def register(function):
        assert name not in SCENARIOS, name
        SCENARIOS[name] = function
        return function
    return register
