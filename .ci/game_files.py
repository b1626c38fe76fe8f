"""Tells the program that tries the service by its OpenAPI document how game files are sent: as they are."""

import schemathesis

FILES = ("sgf", "ndjson", "piskvork", "playok", "renlib")


@schemathesis.serializer(*(f"application/x-{'go-' if name == 'sgf' else ''}{name}" for name in FILES))
def as_it_is(_, value):
    return value if isinstance(value, bytes) else str(value).encode()
