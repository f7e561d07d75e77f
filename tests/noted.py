"""What was noted while reading."""


def kinds(reading):
    return [note.kind for note in reading.notes]
