import { isInstalled } from './optional-package.js';

/*
 * ONNX Runtime, loaded on first use. Its package is installed by those who use networks of their own (288 MB with the libraries of all
 * platforms); its types come from `onnxruntime-common`, so nothing else depends on it.
 */

/** The runtime as its package gives it. */
export type OnnxRuntime = typeof import('onnxruntime-common');

/** Not a literal: the compiler would ask for the package. */
const PACKAGE: string = 'onnxruntime-node';

/** What is told to an operator without the package. */
export const ONNX_MISSING = `the package ${PACKAGE} is not installed; run: npm install ${PACKAGE}`;

/** Whether the package can be found from here; nothing is loaded. */
export function isOnnxInstalled(): boolean {
  return isInstalled(PACKAGE);
}

/** @throws Error that says how to install the package when it is not there. */
export async function loadOnnx(): Promise<OnnxRuntime> {
  if (!isOnnxInstalled()) throw new Error(ONNX_MISSING);
  return (await import(PACKAGE)) as OnnxRuntime;
}
