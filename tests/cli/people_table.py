"""What is asked of people.csv, and what lies beside it afterwards."""

ASK = ["people.csv", "--target", "weight", "--drop", "heavy"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())
