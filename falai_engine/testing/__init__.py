"""What tests of flows need: a scripted model, a clock, wakes in memory, and the scenario runner."""

from falai_engine.testing.clock import FakeClock
from falai_engine.testing.difference import Difference, first_difference
from falai_engine.testing.scenario import run_scenario, scenario_turns
from falai_engine.testing.scheduler import MemoryScheduler
from falai_engine.testing.scripted import ScriptedProvider
from falai_engine.testing.stage import SCENARIO_CONDITIONS, Stage

__all__ = [
    "SCENARIO_CONDITIONS",
    "Difference",
    "FakeClock",
    "MemoryScheduler",
    "ScriptedProvider",
    "Stage",
    "first_difference",
    "run_scenario",
    "scenario_turns",
]
