"""Commands of the training package.

python -m train pipeline --config tiny --source mimic-iv-ecg=DIR
python -m train data ptb-xl PTB-XL --out runs/NAME/data/ptb-xl
python -m train coarse --config focal --set coarse.batch=128 --shards DIR
python -m train evaluate zeroshot --checkpoint assets/checkpoint --data PTB-XL --folds 7 8
"""

import sys

from train.runs.commands import (
    assets,
    delineator,
    enrich,
    evaluate,
    merl,
    ruler,
    training,
    verify,
    whole,
)
from train.runs.commands.data import data_commands
from train.runs.commands.push import push_commands
from train.settings import add, new_app, run

NAME = "python -m train"
APP = new_app("Train and measure FOCAL models.")
APP.add_typer(data_commands(), name="data")
add(APP, "text", training.text)
add(APP, "prepare", training.prepare)
add(APP, "coarse", training.coarse)
add(APP, "enrich", enrich.enrich)
add(APP, "verify", verify.verify)
add(APP, "verify-planted", verify.verify_planted)
add(APP, "verify-zones", verify.verify_zones)
add(APP, "fine", training.fine)
add(APP, "join", training.join)
add(APP, "compare", training.compare)
add(APP, "merl", merl.merl)
APP.add_typer(push_commands(), name="push")
add(APP, "pipeline", whole.pipeline)
add(APP, "ablation", whole.ablation)
add(APP, "components", whole.components)
add(APP, "experiment", whole.experiment)
APP.add_typer(evaluate.evaluate_commands(), name="evaluate")
add(APP, "ruler", ruler.ruler)
add(APP, "gain", ruler.gain)
add(APP, "combine", ruler.combine)
add(APP, "tables", evaluate.tables)
add(APP, "embedded", assets.embedded)
add(APP, "delineator", delineator.delineator)
add(APP, "cases", assets.cases)
add(APP, "gallery-cases", assets.gallery_cases)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; an error that a user can mend is one line and exit code 2."""
    return run(APP, arguments, name=NAME)


if __name__ == "__main__":
    sys.exit(main())
