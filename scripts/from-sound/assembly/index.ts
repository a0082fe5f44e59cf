// Arithmetic of the training (scripts/from-sound/perceptron.js). Pointers are byte offsets of f32; `inputs` is a multiple of four.

/** out = weights × input + biases, with one row of weights per output. */
export function forward(input: usize, weights: usize, biases: usize, out: usize, inputs: i32, outputs: i32, isHidden: bool): void {
  for (let output = 0; output < outputs; output++) {
    let a = f32x4.splat(0);
    const row = weights + ((output * inputs) << 2);
    for (let at = 0; at < inputs << 2; at += 16) a = f32x4.add(a, f32x4.mul(v128.load(row + at), v128.load(input + at)));
    let sum = f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + f32x4.extract_lane(a, 2) + f32x4.extract_lane(a, 3);
    sum += load<f32>(biases + (output << 2));
    store<f32>(out + (output << 2), isHidden ? max<f32>(sum, 0) : sum);
  }
}

/** Adds to the gradients of weights and biases; writes the slope of the inputs to `before` unless that is 0. */
export function backward(
  slope: usize,
  input: usize,
  weights: usize,
  weightGradient: usize,
  biasGradient: usize,
  before: usize,
  inputs: i32,
  outputs: i32,
): void {
  if (before) memory.fill(before, 0, inputs << 2);
  for (let output = 0; output < outputs; output++) {
    const here = load<f32>(slope + (output << 2));
    if (here == 0) continue;
    const bias = biasGradient + (output << 2);
    store<f32>(bias, load<f32>(bias) + here);
    const factor = f32x4.splat(here);
    const row = (output * inputs) << 2;
    for (let at = 0; at < inputs << 2; at += 16) {
      const to = weightGradient + row + at;
      v128.store(to, f32x4.add(v128.load(to), f32x4.mul(factor, v128.load(input + at))));
      if (before) {
        const back = before + at;
        v128.store(back, f32x4.add(v128.load(back), f32x4.mul(factor, v128.load(weights + row + at))));
      }
    }
  }
  if (!before) return;
  // A rectified input of zero has no gradient.
  for (let at = 0; at < inputs << 2; at += 4) if (load<f32>(input + at) <= 0) store<f32>(before + at, 0);
}

/** One step of Adam; clears the gradient. */
export function step(values: usize, gradient: usize, mean: usize, square: usize, count: i32, speed: f32, share: f32): void {
  for (let at = 0; at < count << 2; at += 4) {
    const slope = load<f32>(gradient + at) * share;
    store<f32>(gradient + at, 0);
    const m = load<f32>(mean + at) + <f32>0.1 * (slope - load<f32>(mean + at));
    const s = load<f32>(square + at) + <f32>0.001 * (slope * slope - load<f32>(square + at));
    store<f32>(mean + at, m);
    store<f32>(square + at, s);
    store<f32>(values + at, load<f32>(values + at) - (speed * m) / (sqrt<f32>(s) + <f32>1e-8));
  }
}
