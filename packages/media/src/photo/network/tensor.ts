/** A dense array of one picture: rows, columns, channels (NHWC without the N), row-major. */
export interface Tensor {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly data: Float32Array;
}

/** Weights of a layer in the shape that the model file declares. */
export interface Weights {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** A tensor of zeros. */
export function zeros(height: number, width: number, channels: number): Tensor {
  return { height, width, channels, data: new Float32Array(height * width * channels) };
}
