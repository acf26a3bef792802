"""The main paths, each a script that reads from top to bottom.

What `python -m train NAME` runs:

    pipeline.py         the whole way, from raw data to a model for the Hub
    training.py         text, prepare, coarse, fine: one trainer, from recipe and shards to a model
    joining.py          join: several checkpoints as one, calibrated anew
    compare.py          compare: recipes, data and curves of two trained stages, side by side
    ablation.py         ablation: a recipe and its variants, each with one choice changed
    components.py       components: other text encoders and other language models in a recipe
    experiment.py       experiment: what verification helps where reports leave out half that shows
    merl.py             merl: a MERL-style model on reports, as they are or enriched
    ruler.py            ruler, gain: a recipe cross-validated by patient over real recordings
    combination.py      combine: measurements beside the model, laid into a checkpoint
    zones.py            verify-zones: the three zones of Verify, chosen and measured
    embedded.py         embedded: the checkpoint that comes with the app, from nothing

What they share:

    commands/           the command line: which flags a path has; nothing of torch is imported there
    plan.py             what a pipeline is asked for, and the options of every stage
    ablation_plan.py    what `ablation` is asked for
    experiment_plan.py  what `experiment` is asked for
    merl_plan.py        what `merl` is asked for
    preflight.py        what the stages of a pipeline will need, said before its first hour
    recipe_lines.py     which lines of a recipe a stage reads; `--set` of any other is refused
    shared_runs.py      runs that are compared: a folder each, everything else the same
"""
