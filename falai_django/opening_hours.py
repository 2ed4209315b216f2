"""When a tenant is open, as the engine's business hours (spec: host.md section 1, engine.md section 11).

Hours are what a clock on the tenant's wall shows. Each time of it stands for one instant: **the first at which the
clock has reached it**. So

- a time that is skipped when the clocks go forward is the instant of the change: what opens at 00:30 of a night that
  jumps from 00:00 to 01:00 opens with the jump, and what lies wholly inside the jump is not open that day;
- a time that comes twice when the clocks go back is the first of the two, to open and to close, and what is open across
  the change is open for the hour that is gained;
- what ends where the next begins leaves no gap, in any zone and on any day.

Which day is a holiday is asked of the day on which a span *begins*: New Year's Eve until 02:00 is served to its end
although New Year's Day is a holiday, and whoever is closed on New Year's Eve is closed until New Year's Day opens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _

from falai_engine import FlowConfigurationError

__all__ = ["HORIZON_DAYS", "Holiday", "HoursProblem", "OpeningHours", "Span", "Weekly", "check"]

HORIZON_DAYS: Final = 800
"""How many days ahead an opening is looked for: over two years, so that a yearly closure hides none."""

_DAY: Final = timedelta(days=1)
_WEEK: Final = 7 * _DAY
_MIDNIGHT: Final = time()
# Days away from the calendar's ends, so that every time of theirs can be told in every zone.
_FIRST_DAY: Final = date.min + 2 * _DAY
_LAST_DAY: Final = date.max - 3 * _DAY


class Span(NamedTuple):
    """Open from `opens` until just before `closes`, times of the tenant's wall clock.

    A `closes` that is not later than `opens` lies on the next day: 18:00 to 02:00 runs past midnight, and 00:00 to
    00:00 is the whole day.
    """

    opens: time
    closes: time


class Weekly(NamedTuple):
    """A span of every week; `weekday` 0 is Monday, of the day on which it begins."""

    weekday: int
    opens: time
    closes: time


class Holiday(NamedTuple):
    """A day with hours of its own in place of the week's; without any, nothing begins that day."""

    day: date
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class HoursProblem:
    """What is wrong: `place` for the form (`weekly[2]`, `holidays[0].spans[1]`), `message` in words."""

    place: str
    message: str


class _Open(NamedTuple):
    """Open from one instant until just before another, both UTC."""

    begins: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """A tenant's week, its holidays and the zone that both are told in (`America/Sao_Paulo`).

    Without weekly hours every day is open all day, but for the holidays; so no hours at all means always open. Of two
    holidays on one day the last counts, and spans that overlap are open for as long as any of them: `check` tells both.
    """

    zone: str
    weekly: tuple[Weekly, ...] = ()
    holidays: tuple[Holiday, ...] = ()
    _week: Mapping[int, tuple[Span, ...]] = field(init=False, repr=False, compare=False)
    _days: Mapping[date, tuple[Span, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Days are looked up one after another, so each has its spans at hand, in order.
        object.__setattr__(self, "_week", _by_weekday(self.weekly))
        object.__setattr__(self, "_days", {day: tuple(sorted(spans)) for day, spans in self.holidays})

    def business_hours(self, at: datetime, _scope: Mapping[str, Any] | None = None) -> datetime:
        """The instant itself when open then, else the next opening; aware UTC (a naive time is read as UTC).

        When nothing opens within HORIZON_DAYS the instant comes back unchanged: somebody who is never open would
        otherwise never be served, and `check` says so where it can be mended. Raises FlowConfigurationError for a zone
        that is not known here.
        """
        at = _as_utc(at)
        opening = self._opening(at)
        return at if opening is None else opening

    def is_open(self, at: datetime) -> bool:
        """Whether it is open at an instant; never in a calendar that never opens."""
        at = _as_utc(at)
        return self._opening(at) == at

    def _opening(self, at: datetime) -> datetime | None:
        """The instant, or the first opening after it; None when there is none within the horizon."""
        # Openings come in the order of their beginnings, so the first that is not over is the one.
        return next((max(at, begins) for begins, ends in self._openings(at) if at < ends), None)

    def _openings(self, at: datetime) -> Iterator[_Open]:
        """What is open on the days around an instant and after, by its beginning."""
        zone = _zone(self.zone)
        # A span lasts a day at most: one that is still open began yesterday at the earliest.
        day = max(at.astimezone(zone).date(), _FIRST_DAY + _DAY) - _DAY
        for ahead in range(min(HORIZON_DAYS + 2, (_LAST_DAY - day).days)):
            yield from _opens_on(day + ahead * _DAY, self._spans_on(day + ahead * _DAY), zone)

    def _spans_on(self, day: date) -> tuple[Span, ...]:
        own = self._days.get(day)
        return self._week.get(day.weekday(), ()) if own is None else own


def _by_weekday(weekly: Sequence[Weekly]) -> dict[int, tuple[Span, ...]]:
    if not weekly:
        return dict.fromkeys(range(7), (Span(_MIDNIGHT, _MIDNIGHT),))
    days: dict[int, list[Span]] = {}
    for weekday, opens, closes in weekly:
        days.setdefault(weekday, []).append(Span(opens, closes))
    return {weekday: tuple(sorted(spans)) for weekday, spans in days.items()}


def _opens_on(day: date, spans: Sequence[Span], zone: ZoneInfo) -> Iterator[_Open]:
    for opens, closes in spans:
        last_day = day if opens < closes else day + _DAY
        open_ = _Open(_instant(datetime.combine(day, opens), zone), _instant(datetime.combine(last_day, closes), zone))
        if open_.begins < open_.ends:
            yield open_


def _as_utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which the clock of the zone has reached a (naive) time."""
    # `fold=0` is the first of two, and of a time that is skipped it is what the clock before the change would say.
    at = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    return at if _wall(at, zone) == wall else _change_before(at, wall, zone)


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def _change_before(at: datetime, wall: datetime, zone: ZoneInfo) -> datetime:
    """The instant of the change that skips a time: the first whole second with a later one, at or before `at`."""
    earliest = wall.replace(tzinfo=zone, fold=1).astimezone(UTC).replace(microsecond=0)
    seconds = range(int((at - earliest).total_seconds()) + 1)
    first = bisect_left(seconds, x=True, key=lambda second: _wall(earliest + timedelta(seconds=second), zone) >= wall)
    return earliest + timedelta(seconds=first)


@cache
def _known_zone(name: str) -> ZoneInfo | None:
    # A name may also be no text, no file name, or a folder's: each has its own exception.
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, TypeError, ValueError):
        return None


def _zone(name: str) -> ZoneInfo:
    zone = _known_zone(name)
    if zone is None:
        raise FlowConfigurationError(
            "business hours", f"the time zone {name!r} is not known", "Choose an IANA zone, as America/Sao_Paulo"
        )
    return zone


def check(hours: OpeningHours, now: datetime | None = None) -> list[HoursProblem]:
    """All that is wrong, in the order of the form; empty when nothing is.

    With `now` also whether it opens at all within HORIZON_DAYS.
    """
    problems = [
        *_zone_problems(hours.zone),
        *_weekly_problems(hours.weekly),
        *_holiday_problems(hours.holidays),
    ]
    if now is not None and not problems and hours._opening(_as_utc(now)) is None:  # noqa: SLF001 - its own module
        never = _("It never opens within the next %(days)d days. Take a holiday away, or give one hours of its own.")
        problems.append(HoursProblem("holidays", never % {"days": HORIZON_DAYS}))
    return problems


def _zone_problems(name: str) -> Iterator[HoursProblem]:
    if _known_zone(name) is None:
        message = _("The time zone “%(zone)s” is not known. Choose one of the list, such as America/Sao_Paulo.")
        yield HoursProblem("zone", message % {"zone": name})


class _Placed(NamedTuple):
    """A span on the line of a week, or of one day, and where the form has it."""

    place: str
    begins: timedelta
    ends: timedelta
    words: str

    def meets(self, other: _Placed) -> bool:
        """Whether both are open at one time of the week."""
        # The week is a ring: what runs past Sunday's midnight may meet Monday's first span.
        shifts = (-_WEEK, 0 * _WEEK, _WEEK)
        return any(self.begins + shift < other.ends and other.begins < self.ends + shift for shift in shifts)


def _placed(place: str, day: int, span: Span, words: str = "") -> _Placed:
    begins, ends = (day * _DAY + _since_midnight(clock) for clock in span)
    told = f"{words} {span.opens:%H:%M}–{span.closes:%H:%M}".lstrip()
    return _Placed(place, begins, ends if begins < ends else ends + _DAY, told)


def _since_midnight(clock: time) -> timedelta:
    return datetime.combine(date.min, clock) - datetime.combine(date.min, _MIDNIGHT)


def _weekly_problems(weekly: Sequence[Weekly]) -> Iterator[HoursProblem]:
    placed = []
    for index, (weekday, opens, closes) in enumerate(weekly):
        if weekday in WEEKDAYS:
            placed.append(_placed(f"weekly[{index}]", weekday, Span(opens, closes), str(WEEKDAYS[weekday])))
        else:
            message = _("“%(weekday)s” is no day of the week. Use 0 for Monday to 6 for Sunday.")
            yield HoursProblem(f"weekly[{index}]", message % {"weekday": weekday})
    yield from _overlaps(placed)


def _holiday_problems(holidays: Sequence[Holiday]) -> Iterator[HoursProblem]:
    seen: set[date] = set()
    for index, (day, spans) in enumerate(holidays):
        if day in seen:
            message = _("%(day)s is a holiday twice. Keep one of the two.")
            yield HoursProblem(f"holidays[{index}]", message % {"day": day.isoformat()})
        seen.add(day)
        places = (f"holidays[{index}].spans[{at}]" for at in range(len(spans)))
        yield from _overlaps([_placed(place, 0, span) for place, span in zip(places, spans, strict=True)])


def _overlaps(spans: Sequence[_Placed]) -> Iterator[HoursProblem]:
    """Each span that is open together with one before it in the form, with the first such one."""
    for index, span in enumerate(spans):
        other = next((other for other in spans[:index] if span.meets(other)), None)
        if other is None:
            continue
        if other[1:3] == span[1:3]:
            message = _("%(span)s stands here twice. Take one away.")
        else:
            message = _("%(span)s and %(other)s overlap. Make them one, or let one end before the other begins.")
        yield HoursProblem(span.place, message % {"span": span.words, "other": other.words})
