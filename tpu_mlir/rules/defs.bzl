"""Networks as targets: see tpu_mlir/docs/guide/Fleets.md.

    load("@tpu_memory//tpu_mlir/rules:defs.bzl", "tpu_model", "tpu_model_fleet", "tpu_model_test")
"""

load(":judge.bzl", "tpu_model_judge_test", "tpu_model_table", "tpu_model_update")
load(":model.bzl", _TpuModelInfo = "TpuModelInfo", "tpu_model_rule")
load(":toolchain.bzl", _tpu_toolchain = "tpu_toolchain")

TpuModelInfo = _TpuModelInfo
tpu_toolchain = _tpu_toolchain

def tpu_model(name, src, chip = None, chip_file = None, tags = [], **kwargs):
    """Places the tensors of a network in memory.

    The target is the module with addresses; reports are in the output group `reports`. A network that does not fit is
    no error of the build: its report is empty, and a test of it fails.

    Args:
      name: of the target; files are called <name>_final.mlir, <name>_memory.json and so on.
      src: the network, .mlir or .onnx.
      chip: the target chip by name, or
      chip_file: a JSON file that describes it.
      tags: more tags; `tpu_model` and `chip_<chip>` are there, for --build_tag_filters.
      **kwargs: quantize, weights, calibration_table, quantize_table, flags, data, visibility and so on.
    """
    tpu_model_rule(
        name = name,
        src = src,
        chip = chip or "",
        chip_file = chip_file,
        tags = tags + ["tpu_model"] + (["chip_" + chip] if chip else []),
        **kwargs
    )

def tpu_model_test(name, model, golden = None, tolerance = 0, budgets = {}, **kwargs):
    """Fails when a network takes more memory than it took, or than it may.

    Args:
      name: ends in _test. With `golden`, `bazel run <name>.update` writes the figures of today.
      model: a tpu_model.
      golden: a file of figures under version control; it need not be there before the first update.
      tolerance: how much more than golden says is no error, in percent, such as 0.5.
      budgets: what regions may take, such as {"neuron": "2M"}.
      **kwargs: size, tags, visibility and so on.
    """
    tpu_model_judge_test(
        name = name,
        model = model,
        golden = golden,
        tolerance = str(tolerance),
        budgets = budgets,
        **kwargs
    )
    if golden:
        package = native.package_name()
        tpu_model_update(
            name = name + ".update",
            model = model,
            path = (package + "/" if package else "") + golden,
            tags = ["manual"],
        )

def tpu_model_fleet(name, models, chips, settings, tags = [], visibility = None, **kwargs):
    """Every network for every chip under every setting, and one table of all: <name>.csv, .html and .txt.

    The networks' targets are <name>_<model>_<chip>_<setting>.

    Args:
      name: of the tables.
      models: {"resnet50": "resnet50.mlir"}: what each network is called, and its file.
      chips: names.
      settings: {"f16": {"quantize": "F16"}}: what each setting is called, and arguments of tpu_model.
      tags: of all.
      visibility: of all.
      **kwargs: arguments of every tpu_model.
    """
    targets = [
        ("_".join([name, model, chip, setting]), model, chip, setting)
        for model in models
        for chip in chips
        for setting in settings
    ]
    for target, model, chip, setting in targets:
        tpu_model(
            name = target,
            src = models[model],
            chip = chip,
            tags = tags,
            visibility = visibility,
            **dict(kwargs, **settings[setting])
        )
    tpu_model_table(
        name = name,
        models = [":" + target for target, _, _, _ in targets],
        tags = tags,
        visibility = visibility,
    )
