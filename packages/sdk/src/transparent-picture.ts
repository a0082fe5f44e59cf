const VERTEX = `attribute vec2 at; varying vec2 place;
void main() { place = vec2(0.5 + 0.5 * at.x, 0.25 - 0.25 * at.y); gl_Position = vec4(at, 0.0, 1.0); }`;

/** Compression adds noise to the opacity, so nearly opaque px become opaque and nearly transparent ones transparent. */
const FRAGMENT = `precision mediump float; uniform sampler2D frame; varying vec2 place;
void main() {
  float opacity = clamp((texture2D(frame, place + vec2(0.0, 0.5)).g - 0.04) / 0.92, 0.0, 1.0);
  gl_FragColor = vec4(min(texture2D(frame, place).rgb, opacity), opacity);
}`;

/** True where {@link showTransparent} works. */
export function canShowTransparent(): boolean {
  return document.createElement('canvas').getContext('webgl') !== null;
}

/**
 * Shows a stream that was opened with `background: 'transparent'`: its pictures have colours over black (premultiplied) in their upper half and opacity in
 * their lower half. Draws each frame of `video` onto `canvas`, which takes the picture's size. The video has to stay in the page; hide it by `opacity: 0`.
 * @returns a function that stops it.
 * @throws without WebGL: see {@link canShowTransparent}.
 */
export function showTransparent(video: HTMLVideoElement, canvas: HTMLCanvasElement): () => void {
  // Kept between frames, so that the picture can be read and shown while nothing new comes.
  const options: WebGLContextAttributes = {
    premultipliedAlpha: true,
    alpha: true,
    antialias: false,
    preserveDrawingBuffer: true,
  };
  const gl = canvas.getContext('webgl', options);
  if (gl === null) throw new Error('This browser has no WebGL to show a transparent presenter with.');
  let isReady = prepare(gl);
  let handle = 0;
  const draw = () => {
    handle = video.requestVideoFrameCallback(draw);
    const { videoWidth: width, videoHeight } = video;
    if (!isReady || width === 0) return;
    const height = videoHeight / 2;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, video);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  };
  // The browser may lose and restore the WebGL context.
  const onLost = (event: Event) => {
    event.preventDefault();
    isReady = false;
  };
  const onRestored = () => {
    isReady = prepare(gl);
  };
  canvas.addEventListener('webglcontextlost', onLost);
  canvas.addEventListener('webglcontextrestored', onRestored);
  handle = video.requestVideoFrameCallback(draw);
  return () => {
    video.cancelVideoFrameCallback(handle);
    canvas.removeEventListener('webglcontextlost', onLost);
    canvas.removeEventListener('webglcontextrestored', onRestored);
    gl.clear(gl.COLOR_BUFFER_BIT);
  };
}

/** Program, square and texture. False while the context is lost. */
function prepare(gl: WebGLRenderingContext): boolean {
  const program = gl.createProgram();
  const parts = [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const;
  for (const [type, source] of parts) {
    const shader = gl.createShader(type);
    if (shader === null || program === null) return false;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
    [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ] as const)
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  return true;
}
