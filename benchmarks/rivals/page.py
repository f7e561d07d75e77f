def write(known):
    pass
