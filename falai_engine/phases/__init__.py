"""The rooms of a turn, in the order of the data; the order itself stands in `falai_engine.turn`.

`compact` -> `begin` -> `understand` -> `decide` -> `advance` (its step kinds in `talk` and `perform`) -> `speak`
(its model calls in `speech`, its tool rounds in `tools`) -> `settle` -> `finish`. `state` is what they share,
`movement` how a run starts, moves and ends.
"""
