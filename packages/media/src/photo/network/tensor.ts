/** A dense array of one picture: rows, columns, channels (NHWC without the N), row-major. */
export interface Tensor {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly data: Float32Array;
}

/** Weights of a layer as the model file shapes them. */
export interface Weights {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Makes a tensor of zeros. */
export function zeros(height: number, width: number, channels: number): Tensor {
  return { height, width, channels, data: new Float32Array(height * width * channels) };
}
