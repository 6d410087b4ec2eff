"""Messages into types and back: the only code that does so.

What comes off the wire is checked here, so that the code behind it need not.
"""
