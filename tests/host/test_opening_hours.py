"""A tenant is open when the clock on its wall says so: past midnight, on holidays, and when the clocks change."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from hypothesis import example, given
from hypothesis import strategies as st

from falai_django.opening_hours import HORIZON_DAYS, Holiday, OpeningHours, Span, Weekly, check
from falai_engine import Agent, FlowConfigurationError, ModelReply

SAO_PAULO, LISBON, BEIRUT, CAIRO = "America/Sao_Paulo", "Europe/Lisbon", "Asia/Beirut", "Africa/Cairo"
AZORES, ST_JOHNS, LORD_HOWE, APIA = "Atlantic/Azores", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def clock(text):
    return time.fromisoformat(text)


def span(opens, closes):
    return Span(clock(opens), clock(closes))


def every_day(*spans):
    return tuple(Weekly(weekday, *span(*each)) for weekday in range(7) for each in spans)


def at(text, zone="UTC", fold=0):
    """The UTC instant of a wall clock's time."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


def told(instant, zone):
    return f"{instant.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"


WORKDAYS = tuple(Weekly(weekday, *span("09:00", "18:00")) for weekday in range(5))
OFFICE = OpeningHours(SAO_PAULO, WORKDAYS)


def opening(hours, text, fold=0):
    """The next opening after a wall clock's time, told by the same clock."""
    return told(hours.business_hours(at(text, hours.zone, fold)), hours.zone)


# -- a plain week


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("2026-09-21 09:00", "2026-09-21 09:00"),
        ("2026-09-21 12:34", "2026-09-21 12:34"),
        ("2026-09-21 08:59", "2026-09-21 09:00"),
        ("2026-09-21 17:59", "2026-09-21 17:59"),
        ("2026-09-21 18:00", "2026-09-22 09:00"),
        ("2026-09-25 18:00", "2026-09-28 09:00"),
        ("2026-09-26 12:00", "2026-09-28 09:00"),
    ],
)
def test_open_from_the_first_minute_until_just_before_the_last(asked, answer):
    """Within a span the time stays; outside it is the next opening, over the week-end too."""
    assert opening(OFFICE, asked) == answer


def test_the_same_instant_comes_back_when_open():
    """Seconds and microseconds are kept, and the answer is aware UTC."""
    asked = datetime(2026, 9, 21, 15, 0, 7, 123456, tzinfo=UTC)
    answer = OFFICE.business_hours(asked, {"context": None})
    assert answer == asked
    assert answer.tzinfo is UTC


def test_a_time_of_another_zone_is_the_same_instant():
    """Instants count, not the zone that they come in; a naive time is UTC."""
    asked = at("2026-09-21 08:00", SAO_PAULO)
    assert OFFICE.business_hours(asked.astimezone(ZoneInfo("Asia/Tokyo"))) == at("2026-09-21 09:00", SAO_PAULO)
    assert OFFICE.business_hours(asked.replace(tzinfo=None)) == at("2026-09-21 09:00", SAO_PAULO)


def test_a_lunch_break_is_closed():
    """A day may have several spans, in whatever order they were declared."""
    hours = OpeningHours(SAO_PAULO, every_day(("14:00", "18:00"), ("09:00", "12:00")))
    assert opening(hours, "2026-09-21 12:00") == "2026-09-21 14:00"
    assert opening(hours, "2026-09-21 07:00") == "2026-09-21 09:00"


def test_the_tenants_zone_counts():
    """The same week opens at another instant elsewhere."""
    asked = at("2026-09-21 00:00")
    assert OpeningHours("Asia/Tokyo", WORKDAYS).business_hours(asked) == asked
    assert OFFICE.business_hours(asked) == at("2026-09-21 12:00")


def test_no_hours_at_all_is_always_open():
    """Who declares nothing is never held back."""
    asked = at("2026-12-25 03:00")
    assert OpeningHours(SAO_PAULO).business_hours(asked) == asked


def test_is_open_says_whether():
    """Open at the opening, closed at the closing."""
    assert OFFICE.is_open(at("2026-09-21 09:00", SAO_PAULO))
    assert not OFFICE.is_open(at("2026-09-21 18:00", SAO_PAULO))


def test_the_engine_takes_it_as_its_business_hours():
    """A wait with business hours ends when the tenant opens."""

    class Silent:
        name = "silent"

        def generate(self, request):
            return ModelReply("")

    steps = [{"id": "w", "wait": "1h", "businessHours": True}, {"id": "s", "say": "Hi."}]
    agent = Agent(
        provider=Silent(),
        flows=[{"id": "f", "steps": steps}],
        clock=lambda: at("2026-09-25 17:30", SAO_PAULO),
        business_hours=OFFICE.business_hours,
    )
    result = agent.turn({"sessionId": "s", "start": {"flow": "f", "key": "k"}})
    assert [wake.at for wake in agent.pending_wakes(result.session)] == ["2026-09-28T12:00:00.000Z"]


# -- past midnight

BAR = OpeningHours(SAO_PAULO, (Weekly(4, *span("18:00", "02:00")), Weekly(5, *span("18:00", "02:00"))))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("2026-09-25 23:59", "2026-09-25 23:59"),
        ("2026-09-26 00:00", "2026-09-26 00:00"),
        ("2026-09-26 01:59", "2026-09-26 01:59"),
        ("2026-09-26 02:00", "2026-09-26 18:00"),
        ("2026-09-27 01:00", "2026-09-27 01:00"),
        ("2026-09-27 02:00", "2026-10-02 18:00"),
        ("2026-09-25 01:00", "2026-09-25 18:00"),
    ],
)
def test_a_span_may_run_past_midnight(asked, answer):
    """Friday 18:00 to 02:00 ends on Saturday, and belongs to Friday."""
    assert opening(BAR, asked) == answer


def test_midnight_to_midnight_is_the_whole_day():
    """00:00 to 00:00 opens one whole day, and so does any other time to itself, until that time of the next day."""
    monday = OpeningHours(SAO_PAULO, (Weekly(0, *span("00:00", "00:00")),))
    assert opening(monday, "2026-09-21 23:59") == "2026-09-21 23:59"
    assert opening(monday, "2026-09-22 00:00") == "2026-09-28 00:00"
    shift = OpeningHours(SAO_PAULO, (Weekly(0, *span("08:00", "08:00")),))
    assert opening(shift, "2026-09-22 07:59") == "2026-09-22 07:59"
    assert opening(shift, "2026-09-22 08:00") == "2026-09-28 08:00"


def test_until_midnight():
    """18:00 to 00:00 ends with the day."""
    hours = OpeningHours(SAO_PAULO, every_day(("18:00", "00:00")))
    assert opening(hours, "2026-09-21 23:59") == "2026-09-21 23:59"
    assert opening(hours, "2026-09-22 00:00") == "2026-09-22 18:00"


# -- holidays


def test_a_holiday_is_closed_all_day():
    """Nothing begins on a holiday."""
    hours = OpeningHours(SAO_PAULO, WORKDAYS, (Holiday(date(2026, 9, 7)),))
    assert opening(hours, "2026-09-07 10:00") == "2026-09-08 09:00"


def test_what_began_the_evening_before_a_holiday_runs_to_its_end():
    """A holiday closes what begins on it: the night before ends as ever, the holiday's own night does not begin."""
    hours = OpeningHours(SAO_PAULO, every_day(("18:00", "02:00")), (Holiday(date(2027, 1, 1)),))
    assert opening(hours, "2027-01-01 01:59") == "2027-01-01 01:59"
    assert opening(hours, "2027-01-01 02:00") == "2027-01-02 18:00"
    assert opening(hours, "2027-01-02 01:00") == "2027-01-02 18:00"


def test_a_holiday_may_have_hours_of_its_own():
    """They stand in place of the week's, also on a day that the week has closed."""
    eve = Holiday(date(2026, 12, 24), (span("09:00", "12:00"),))
    sunday = Holiday(date(2026, 12, 20), (span("10:00", "16:00"),))
    hours = OpeningHours(SAO_PAULO, WORKDAYS, (eve, sunday, Holiday(date(2026, 12, 25))))
    assert opening(hours, "2026-12-24 11:59") == "2026-12-24 11:59"
    assert opening(hours, "2026-12-24 12:00") == "2026-12-28 09:00"
    assert opening(hours, "2026-12-19 12:00") == "2026-12-20 10:00"


def test_own_hours_may_run_past_midnight():
    """New Year's Eve until 03:00, though New Year's Day is a holiday."""
    eve = Holiday(date(2026, 12, 31), (span("20:00", "03:00"),))
    hours = OpeningHours(SAO_PAULO, WORKDAYS, (eve, Holiday(date(2027, 1, 1))))
    assert opening(hours, "2027-01-01 02:59") == "2027-01-01 02:59"
    assert opening(hours, "2027-01-01 03:00") == "2027-01-04 09:00"


def test_holidays_without_a_week_close_their_day_only():
    """Always open but for Christmas."""
    hours = OpeningHours(SAO_PAULO, (), (Holiday(date(2026, 12, 25)),))
    assert opening(hours, "2026-12-24 23:59") == "2026-12-24 23:59"
    assert opening(hours, "2026-12-25 00:00") == "2026-12-26 00:00"


def test_a_long_closure_is_looked_past():
    """More than a year of holidays hides no opening."""
    closed = tuple(Holiday(date(2026, 1, 1) + days * DAY) for days in range(500))
    hours = OpeningHours(SAO_PAULO, WORKDAYS, closed)
    assert opening(hours, "2026-01-01 10:00") == "2027-05-17 09:00"


def test_who_never_opens_is_served_at_once_and_told():
    """A calendar without any opening ahead leaves the time as it is, and `check` says so."""
    closed = tuple(Holiday(date(2026, 1, 1) + days * DAY) for days in range(HORIZON_DAYS + 10))
    hours = OpeningHours(SAO_PAULO, WORKDAYS, closed)
    asked = at("2026-01-02 10:00", SAO_PAULO)
    assert hours.business_hours(asked) == asked
    assert not hours.is_open(asked)
    assert [problem.place for problem in check(hours, asked)] == ["holidays"]
    assert check(hours, at("2030-01-01 10:00")) == []


# -- the clocks change


def test_a_midnight_that_is_skipped():
    """São Paulo, 2018-11-04: 00:00 became 01:00. What opens at 00:00 or 00:30 opens with the jump."""
    for opens in ("00:00", "00:30", "01:00"):
        hours = OpeningHours(SAO_PAULO, every_day((opens, "06:00")))
        assert hours.business_hours(at("2018-11-03 22:00", SAO_PAULO)) == at("2018-11-04 03:00")
        assert opening(hours, "2018-11-03 22:00") == "2018-11-04 01:00"


def test_what_lies_inside_the_jump_does_not_open():
    """São Paulo, 2018-11-04, 00:15 to 00:45 never came; the day after it did."""
    hours = OpeningHours(SAO_PAULO, every_day(("00:15", "00:45")))
    assert opening(hours, "2018-11-03 22:00") == "2018-11-05 00:15"


def test_what_closes_inside_the_jump_closes_with_it():
    """São Paulo, 2018-11-03 18:00 to 00:30: at 23:59 it is open, the next minute is 01:00 and closed."""
    hours = OpeningHours(SAO_PAULO, every_day(("18:00", "00:30")))
    assert opening(hours, "2018-11-03 23:59") == "2018-11-03 23:59"
    assert hours.business_hours(at("2018-11-04 03:00")) == at("2018-11-04 18:00", SAO_PAULO)


def test_a_midnight_that_goes_back_to_the_evening():
    """São Paulo, 2018-02-18: 00:00 became 23:00 of the day before. Open until midnight is open for both hours."""
    hours = OpeningHours(SAO_PAULO, every_day(("20:00", "00:00")))
    for fold in (0, 1):
        asked = at("2018-02-17 23:30", SAO_PAULO, fold)
        assert hours.business_hours(asked) == asked
    assert hours.business_hours(at("2018-02-18 00:00", SAO_PAULO)) == at("2018-02-18 20:00", SAO_PAULO)


@pytest.mark.parametrize("opens", ["01:00", "01:30"])
def test_it_opens_at_the_first_of_two(opens):
    """Lisbon, 2026-10-25: 02:00 became 01:00, so 01:30 came twice. It opens at the first and stays open."""
    hours = OpeningHours(LISBON, every_day((opens, "06:00")))
    first = at(f"2026-10-25 {opens}", LISBON)
    assert hours.business_hours(at("2026-10-24 12:00", LISBON)) == first
    assert all(hours.is_open(first + minutes * MINUTE) for minutes in range(120))


def test_it_closes_at_the_first_of_two():
    """Lisbon, 2026-10-25: what closes at 01:30 does so the first time, and is not opened by the second 01:00."""
    hours = OpeningHours(LISBON, every_day(("20:00", "01:30")))
    assert hours.is_open(at("2026-10-25 01:29", LISBON))
    assert not hours.is_open(at("2026-10-25 01:30", LISBON))
    assert hours.business_hours(at("2026-10-25 01:00", LISBON, 1)) == at("2026-10-25 20:00", LISBON)


@pytest.mark.parametrize(
    ("zone", "day", "hours_of_day"),
    [
        pytest.param(LISBON, date(2026, 3, 29), 23, id="lisbon-forward"),
        pytest.param(LISBON, date(2026, 10, 25), 25, id="lisbon-back"),
        pytest.param(SAO_PAULO, date(2018, 11, 4), 23, id="sao-paulo-forward"),
        pytest.param(SAO_PAULO, date(2018, 2, 17), 25, id="sao-paulo-back"),
        pytest.param(BEIRUT, date(2026, 3, 29), 23, id="beirut-forward"),
        pytest.param(BEIRUT, date(2026, 10, 24), 25, id="beirut-back"),
        pytest.param(CAIRO, date(2026, 4, 24), 23, id="cairo-forward"),
        pytest.param(CAIRO, date(2026, 10, 29), 25, id="cairo-back"),
        pytest.param(AZORES, date(2026, 10, 25), 25, id="azores-back"),
        pytest.param(LORD_HOWE, date(2026, 4, 5), 24.5, id="lord-howe-back"),
        pytest.param(ST_JOHNS, date(2010, 11, 7), 25, id="st-johns-back-a-minute-after-midnight"),
        pytest.param(APIA, date(2011, 12, 30), 0, id="apia-had-no-such-day"),
    ],
)
def test_a_whole_day_is_as_long_as_it_really_was(zone, day, hours_of_day):
    """Real time is counted: the day of a change is open for an hour less or more, without a gap at its ends."""
    hours = OpeningHours(zone, (), tuple(Holiday(day + n * DAY) for n in (-2, -1, 1, 2)))
    begin = datetime.combine(day - DAY, time(), UTC)
    minutes = sum(hours.is_open(begin + n * MINUTE) for n in range(3 * 24 * 60))
    assert minutes == hours_of_day * 60


def test_a_wait_over_the_change_keeps_the_wall_clocks_time():
    """The office opens at 09:00 of the wall on both sides of the change, an hour apart in UTC."""
    hours = OpeningHours(LISBON, every_day(("09:00", "18:00")))
    assert hours.business_hours(at("2026-03-28 20:00", LISBON)) == at("2026-03-29 08:00")
    assert hours.business_hours(at("2026-03-27 20:00", LISBON)) == at("2026-03-28 09:00")


@pytest.mark.parametrize("asked", [datetime(9999, 12, 30, 23, 59, tzinfo=UTC), datetime(1, 1, 2, tzinfo=UTC)])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_ends_of_the_calendar_are_no_error(asked, zone):
    """The engine's last and first moments get an answer, not before the time asked for."""
    assert OpeningHours(zone, WORKDAYS).business_hours(asked) >= asked


# -- against a clock that is watched minute by minute

ZONES = [SAO_PAULO, LISBON, BEIRUT, CAIRO, AZORES, ST_JOHNS, LORD_HOWE, APIA, "UTC", "Asia/Kathmandu"]
CHANGES = {
    SAO_PAULO: ["2018-11-04", "2018-02-18", "2026-09-21"],
    LISBON: ["2026-03-29", "2026-10-25"],
    BEIRUT: ["2026-03-29", "2026-10-25"],
    CAIRO: ["2026-04-24", "2026-10-30"],
    AZORES: ["2026-03-29", "2026-10-25"],
    ST_JOHNS: ["2010-03-14", "2010-11-07"],
    LORD_HOWE: ["2026-04-05", "2026-10-04"],
    APIA: ["2011-12-30", "2012-04-01"],
    "UTC": ["2026-09-21"],
    "Asia/Kathmandu": ["2026-09-21"],
}
QUARTERS = st.sampled_from([time(hour, minute) for hour in (*range(4), 9, 22, 23) for minute in (0, 15, 30)])
SPANS = st.builds(Span, QUARTERS, QUARTERS)


@st.composite
def calendars(draw):
    """Hours around a change of the clocks: the calendar and the UTC midnight two days before it."""
    zone = draw(st.sampled_from(ZONES))
    day = date.fromisoformat(draw(st.sampled_from(CHANGES[zone])))
    weekdays = st.sampled_from([(day + n * DAY).weekday() for n in range(-2, 3)])
    weekly = draw(st.lists(st.builds(lambda weekday, each: Weekly(weekday, *each), weekdays, SPANS), max_size=5))
    days = st.integers(-2, 2).map(lambda n: day + n * DAY)
    holidays = draw(
        st.lists(st.builds(Holiday, days, st.lists(SPANS, max_size=2).map(tuple)), max_size=2, unique_by=lambda h: h[0])
    )
    return OpeningHours(zone, tuple(weekly), tuple(holidays)), datetime.combine(day - 2 * DAY, time(), UTC)


@cache
def spans_begun_on(hours, day):
    """The naive beginnings and ends of a day's spans, as the spec tells them."""
    own = [holiday.spans for holiday in hours.holidays if holiday.day == day]
    week = [each[1:] for each in hours.weekly if each.weekday == day.weekday()]
    whole = [(time(), time())] if not hours.weekly else week
    spans = own[0] if own else whole
    ends = [datetime.combine(day if opens < closes else day + DAY, closes) for opens, closes in spans]
    return [(datetime.combine(day, opens), end) for (opens, _closes), end in zip(spans, ends, strict=True)]


def watched(hours, begin, minutes):
    """Whether it is open in each minute: a clock is watched, and nothing that it has shown is undone when it goes back.

    A span is open while the latest time ever shown is within it.
    """
    zone = ZoneInfo(hours.zone)
    latest = datetime(1, 1, 1)  # noqa: DTZ001 - what a wall shows has no zone
    # Watching begins two days early, so that what the clock had shown is known.
    for minute in range(-2 * 24 * 60, minutes):
        latest = max(latest, (begin + minute * MINUTE).astimezone(zone).replace(tzinfo=None))
        if minute >= 0:
            days = (latest.date() - DAY, latest.date())
            yield any(b <= latest < e for day in days for b, e in spans_begun_on(hours, day))


@given(calendars())
@example((OpeningHours(SAO_PAULO, every_day(("00:15", "00:45"))), at("2018-11-02 00:00")))
@example((OpeningHours(ST_JOHNS, every_day(("23:30", "00:00"), ("00:00", "00:30"))), at("2010-11-05 00:00")))
@example((OpeningHours(APIA, every_day(("22:00", "02:00"))), at("2011-12-28 00:00")))
def test_every_minute_agrees_with_a_watched_clock(case):
    """Four days around a change: open or not, and the next opening, minute by minute as a patient watcher sees it."""
    hours, begin = case
    minutes = 4 * 24 * 60
    open_ = list(watched(hours, begin, minutes))
    following = None
    expected = {}
    for minute in reversed(range(minutes)):
        following = minute if open_[minute] else following
        expected[minute] = following
    for minute in range(0, minutes, 7):
        if expected[minute] is not None:
            asked = begin + minute * MINUTE
            assert hours.business_hours(asked) == begin + expected[minute] * MINUTE
    # Behind the last opening watched nothing may open before the watch ends.
    for minute in range(0, minutes, 60):
        if expected[minute] is None:
            assert hours.business_hours(begin + minute * MINUTE) >= begin + minutes * MINUTE or not hours.weekly


# -- what is wrong


def messages(hours):
    return {problem.place: problem.message for problem in check(hours)}


def test_sound_hours_have_no_problem():
    """Spans that touch, run past midnight or fill the week are sound."""
    assert check(OFFICE) == []
    assert check(BAR) == []
    assert check(OpeningHours(LISBON, every_day(("00:00", "12:00"), ("12:00", "00:00")))) == []
    assert check(OpeningHours(LISBON, every_day(("08:00", "08:00")))) == []
    assert check(OpeningHours(LISBON)) == []


def test_two_spans_that_overlap_are_told_at_the_later_one():
    """Both are named by weekday and time."""
    weekly = (
        Weekly(0, *span("09:00", "13:00")),
        Weekly(1, *span("09:00", "13:00")),
        Weekly(0, *span("12:00", "18:00")),
    )
    assert messages(OpeningHours(LISBON, weekly)) == {
        "weekly[2]": (
            "Monday 12:00–18:00 and Monday 09:00–13:00 overlap. Make them one, or let one end before the other begins."
        )
    }


@pytest.mark.parametrize(
    "weekly",
    [
        pytest.param((Weekly(0, *span("22:00", "02:00")), Weekly(1, *span("01:00", "05:00"))), id="into-the-next-day"),
        pytest.param((Weekly(0, *span("01:00", "05:00")), Weekly(6, *span("22:00", "02:00"))), id="sunday-into-monday"),
        pytest.param((Weekly(3, *span("00:00", "00:00")), Weekly(3, *span("09:00", "10:00"))), id="in-a-whole-day"),
    ],
)
def test_an_overlap_past_midnight_is_seen(weekly):
    """The week is a ring."""
    assert list(messages(OpeningHours(LISBON, weekly))) == ["weekly[1]"]


def test_the_same_span_twice_is_called_that():
    """A slip of the pen has its own sentence."""
    weekly = (Weekly(2, *span("09:00", "13:00")),) * 2
    assert messages(OpeningHours(LISBON, weekly)) == {
        "weekly[1]": "Wednesday 09:00–13:00 stands here twice. Take one away."
    }


def test_holidays_are_checked_too():
    """A day given twice, and own hours that overlap."""
    eve = date(2026, 12, 24)
    holidays = (Holiday(eve, (span("09:00", "12:00"), span("11:00", "13:00"))), Holiday(eve))
    found = messages(OpeningHours(LISBON, (), holidays))
    assert list(found) == ["holidays[0].spans[1]", "holidays[1]"]
    assert found["holidays[1]"] == "2026-12-24 is a holiday twice. Keep one of the two."


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "Europe", "/etc/localtime", "a\0b"])
def test_a_zone_that_is_not_known_is_told(zone):
    """The check says it in words; asked in earnest it is a configuration error that says what to do."""
    hours = OpeningHours(zone, WORKDAYS)
    assert list(messages(hours)) == ["zone"]
    with pytest.raises(FlowConfigurationError, match=r"is not known\. Choose an IANA zone"):
        hours.business_hours(at("2026-09-21 09:00"))


def test_a_weekday_that_is_none_is_told():
    """0 is Monday, 6 Sunday; nothing else opens any day."""
    assert messages(OpeningHours(LISBON, (Weekly(7, *span("09:00", "10:00")),))) == {
        "weekly[0]": "“7” is no day of the week. Use 0 for Monday to 6 for Sunday."
    }


def test_weekdays_are_told_in_the_readers_language():
    """The names of the days are Django's."""
    with translation.override("pt-br"):
        message = messages(OpeningHours(LISBON, (Weekly(2, *span("09:00", "13:00")),) * 2))["weekly[1]"]
    assert message.startswith("Quarta")


def test_equal_hours_are_equal_values():
    """They can stand as a key of a cache."""
    assert OpeningHours(LISBON, WORKDAYS) == OpeningHours(LISBON, WORKDAYS)
    assert len({OpeningHours(LISBON, WORKDAYS), OpeningHours(LISBON, WORKDAYS), OpeningHours(LISBON)}) == 2
