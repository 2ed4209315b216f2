"""The vendors' own types as judges of what we send, and as makers of what we fake.

They read leniently (what a type does not name is kept or passed over), so a wrong name shows by what is left over.
"""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel, TypeAdapter


@cache
def _adapter(type_):
    return TypeAdapter(type_)


def _plain(value):
    """Validated data as JSON again; the lists in it are validated only now, as they are read."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return [_plain(each) for each in value]


def assert_fits(type_, body):
    """The body is what the vendor's request type says, and has no name that the type has not."""
    assert _plain(_adapter(type_).validate_python(body)) == body


def assert_known(model):
    """Nothing in a vendor's model, at any depth, that its type does not name."""
    if isinstance(model, BaseModel):
        assert not model.model_extra, f"{type(model).__name__} has no {sorted(model.model_extra)}"
        for name in type(model).model_fields:
            assert_known(getattr(model, name))
    elif isinstance(model, list | tuple):
        for each in model:
            assert_known(each)


def made(type_, **fields):
    """The JSON of one of the vendor's response types, with these fields and no other."""
    model = type_.model_validate(fields)
    assert_known(model)
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)
