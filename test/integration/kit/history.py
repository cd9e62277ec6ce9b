"""What the records of a VM's history must be to each other."""

from dataclasses import replace

# The actions that end a record when its VM is moved: cold, live, powered off (hard) meanwhile.
MOVES = (1, 2, 48, 49)


def written(history):
    """The records without those that OpenNebula had only begun to write when it was killed: what
    follows them is the same deployment. One that still counts may lack its start: then its VM began
    to run not long after."""
    whole = [record for record in history[:-1] if record.running or record.begun and record.ended]
    return [replace(record, begun=record.begun or record.running) for record in whole + history[-1:]]


def overlaps(records):
    """A text for each record that has no end or ends after the next one begins. Of a VM that is moved
    while it runs the next record begins with the order, while it is still saved on the former host:
    it must have left that one before it runs on the other."""
    return ["records %d and %d of the history overlap" % (one.sequence, other.sequence)
            for one, other in zip(records, records[1:])
            if not 0 < one.ended <= other.begun and not moved(one, other)]


def moved(one, other):
    return one.action in MOVES and 0 < one.stopped_running <= one.ended <= other.running
