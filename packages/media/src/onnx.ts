import { isInstalled } from './optional-package.js';

/*
 * ONNX Runtime, loaded on first use. Its package is optional and needed only for custom networks (288 MB with the
 * libraries of all platforms); types come from `onnxruntime-common`.
 */

/** The module `onnxruntime-node`. */
export type OnnxRuntime = typeof import('onnxruntime-common');

/** Not a literal, because the compiler would require the package. */
const PACKAGE: string = 'onnxruntime-node';

/** Message for an administrator when the package is missing. */
export const ONNX_MISSING = `the package ${PACKAGE} is not installed; run: npm install --ignore-scripts ${PACKAGE}`;

/** Whether the package can be found; nothing is loaded. */
export function isOnnxInstalled(): boolean {
  return isInstalled(PACKAGE);
}

/** @throws Error that says how to install the package when it is not there. */
export async function loadOnnx(): Promise<OnnxRuntime> {
  if (!isOnnxInstalled()) throw new Error(ONNX_MISSING);
  return (await import(PACKAGE)) as OnnxRuntime;
}
