/** What painting needs of a 2-D context: of a browser's, and of `@napi-rs/canvas`. */
export interface PaintingContext {
  fillStyle: string | object;
  strokeStyle: string | object;
  globalAlpha: number;
  globalCompositeOperation: string;
  imageSmoothingQuality: 'low' | 'medium' | 'high';
  shadowColor: string;
  shadowBlur: number;
  shadowOffsetX: number;
  shadowOffsetY: number;
  lineWidth: number;
  lineCap: string;
  lineJoin: string;
  font: string;
  lang?: string;
  letterSpacing: string;
  wordSpacing: string;
  direction: string;
  textAlign: string;
  textBaseline: string;
  fontKerning: string;
  textRendering: string;
  save(): void;
  restore(): void;
  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void;
  resetTransform(): void;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  roundRect(x: number, y: number, width: number, height: number, radii: number | { x: number; y: number }[]): void;
  ellipse(x: number, y: number, rx: number, ry: number, rotation: number, start: number, end: number): void;
  clip(): void;
  fill(path?: object): void;
  stroke(path?: object): void;
  setLineDash(segments: number[]): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  strokeText(text: string, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
  drawImage(picture: object, x: number, y: number, width?: number, height?: number): void;
  createLinearGradient(x1: number, y1: number, x2: number, y2: number): Gradient;
  createRadialGradient(x1: number, y1: number, r1: number, x2: number, y2: number, r2: number): Gradient;
}

interface Gradient {
  addColorStop(offset: number, color: string): void;
}

interface Path {
  addPath(path: object, transform: { a: number; b: number; c: number; d: number; e: number; f: number }): void;
}

/** What painting needs of a drawing library. */
export interface PaintingLibrary {
  createCanvas(width: number, height: number): { getContext(type: '2d'): PaintingContext };
  readonly Path2D: new (data?: string) => Path;
}
