"""Results drawn, with matplotlib and with Altair."""
