import type { YuvFrame } from '../frame.js';

const VERTEX = `attribute vec2 at; varying vec2 place;
void main() { place = vec2(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y); gl_Position = vec4(at, 0.0, 1.0); }`;

/** BT.709, limited range. The presenter over white and over black differ by what shows through it. */
const FRAGMENT = `precision mediump float; varying vec2 place;
uniform sampler2D luma; uniform sampler2D blue; uniform sampler2D red; uniform sampler2D overWhite; uniform float transparent;
void main() {
  float y = (texture2D(luma, place).r * 255.0 - 16.0) / 219.0;
  float u = (texture2D(blue, place).r * 255.0 - 128.0) / 224.0;
  float v = (texture2D(red, place).r * 255.0 - 128.0) / 224.0;
  float white = (texture2D(overWhite, place).r * 255.0 - 16.0) / 219.0;
  float opacity = mix(1.0, clamp(1.0 - (white - y), 0.0, 1.0), transparent);
  vec3 colour = vec3(y + 1.5748 * v, y - 0.1873 * u - 0.4681 * v, y + 1.8556 * u);
  gl_FragColor = vec4(clamp(colour, 0.0, opacity), opacity);
}`;

const TEXTURES = ['luma', 'blue', 'red', 'overWhite'] as const;

/** Shows frames on a canvas. */
export interface Screen {
  /** The processor does the work. */
  readonly isEmulated: boolean;
  /** @param overWhite the same pose over white, for a transparent presenter over black. Does nothing while the WebGL context is lost. */
  show(frame: YuvFrame, overWhite?: YuvFrame): void;
  close(): void;
}

/**
 * A screen with WebGL by a graphics card.
 * @param evenIfSlow elsewhere a 2D canvas, which costs half of an emulated WebGL; undefined otherwise.
 */
export function openScreen(canvas: HTMLCanvasElement, evenIfSlow: boolean): Screen | undefined {
  return openGraphics(canvas) ?? (evenIfSlow ? openPainted(canvas) : undefined);
}

function openPainted(canvas: HTMLCanvasElement): Screen | undefined {
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  let image: ImageData | undefined;
  return {
    isEmulated: true,
    show(frame, overWhite) {
      const { width, height } = frame;
      if (image?.width !== width || image.height !== height) {
        Object.assign(canvas, { width, height });
        image = context.createImageData(width, height);
      }
      paint(frame, overWhite?.y, image.data);
      context.putImageData(image, 0, 0);
    },
    close: () => context.clearRect(0, 0, canvas.width, canvas.height),
  };
}

/** Colours of a frame as {@link FRAGMENT} has them, but not premultiplied. */
function paint({ width, height, y, u, v }: YuvFrame, overWhite: Uint8Array | undefined, out: Uint8ClampedArray): void {
  for (let row = 0, at = 0; row < height; row++) {
    const chroma = (row >> 1) * (width >> 1);
    for (let column = 0; column < width; column++, at++) {
      const blue = u[chroma + (column >> 1)]! - 128;
      const red = v[chroma + (column >> 1)]! - 128;
      const luma = 1.1644 * (y[at]! - 16);
      const opacity = overWhite ? Math.min(1, Math.max(0, 1 - (overWhite[at]! - y[at]!) / 219)) : 1;
      const scale = opacity === 0 ? 0 : 1 / opacity;
      out[4 * at] = scale * (luma + 1.7927 * red);
      out[4 * at + 1] = scale * (luma - 0.2132 * blue - 0.5329 * red);
      out[4 * at + 2] = scale * (luma + 2.1124 * blue);
      out[4 * at + 3] = 255 * opacity;
    }
  }
}

function openGraphics(canvas: HTMLCanvasElement): Screen | undefined {
  const gl = canvas.getContext('webgl', {
    antialias: false,
    premultipliedAlpha: true,
    // Kept between frames, so that the picture can be read and shown while nothing new comes.
    preserveDrawingBuffer: true,
    failIfMajorPerformanceCaveat: true,
  });
  if (gl === null) return undefined;
  let isTransparent = prepare(gl);
  const onLost = (event: Event): void => {
    event.preventDefault();
    isTransparent = null;
  };
  const onRestored = (): void => {
    isTransparent = prepare(gl);
  };
  canvas.addEventListener('webglcontextlost', onLost);
  canvas.addEventListener('webglcontextrestored', onRestored);
  return {
    isEmulated: false,
    show(frame, overWhite) {
      if (isTransparent === null) return;
      const { width, height } = frame;
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      gl.viewport(0, 0, width, height);
      gl.uniform1f(isTransparent, overWhite ? 1 : 0);
      upload(gl, 0, frame.y, width, height);
      upload(gl, 1, frame.u, width / 2, height / 2);
      upload(gl, 2, frame.v, width / 2, height / 2);
      if (overWhite) upload(gl, 3, overWhite.y, width, height);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    },
    close() {
      canvas.removeEventListener('webglcontextlost', onLost);
      canvas.removeEventListener('webglcontextrestored', onRestored);
      gl.clear(gl.COLOR_BUFFER_BIT);
      // For what uses the canvas next.
      gl.activeTexture(gl.TEXTURE0);
    },
  };
}

function upload(gl: WebGLRenderingContext, unit: number, plane: Uint8Array, width: number, height: number): void {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.LUMINANCE, width, height, 0, gl.LUMINANCE, gl.UNSIGNED_BYTE, plane);
}

/** Program, square and textures. @returns where `transparent` is; null while the context is lost. */
function prepare(gl: WebGLRenderingContext): WebGLUniformLocation | null {
  const program = gl.createProgram();
  const parts = [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const;
  for (const [type, source] of parts) {
    const shader = gl.createShader(type);
    if (shader === null || program === null) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  const at = gl.getAttribLocation(program, 'at');
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, 2, gl.FLOAT, false, 0, 0);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  for (const [unit, name] of TEXTURES.entries()) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    gl.uniform1i(gl.getUniformLocation(program, name), unit);
  }
  return gl.getUniformLocation(program, 'transparent');
}
