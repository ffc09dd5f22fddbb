"""What the user asked for cannot be done: reported in one line, exit status 2."""


class Mistake(Exception):
    """A mistake in the command line or in a file it names; the message is one line and says what is accepted."""
