import { createRequire } from 'node:module';

/** Whether ONNX Runtime is installed; prints that `what` is skipped when it is not. */
export function hasOnnxRuntime(what: string): boolean {
  try {
    createRequire(import.meta.url).resolve('onnxruntime-node');
    return true;
  } catch {
    console.warn(`SKIPPED: ${what}; onnxruntime-node is not installed (npm install --no-save onnxruntime-node)`);
    return false;
  }
}
