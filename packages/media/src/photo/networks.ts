import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readFlatModel } from './network/flat-model.js';
import { type Network, readNetwork } from './network/graph.js';

/** The networks that look at portraits. */
export interface PortraitNetworks {
  readonly detector: Network;
  readonly mesh: Network;
  readonly iris: Network;
  /** Read when it is needed: looking for points does without. */
  segmenter(): Promise<Network>;
}

/**
 * Reads the networks out of the npm packages that bring them (MediaPipe's, Apache-2.0). Their versions are pinned: files and
 * names of outputs are theirs.
 */
export async function openNetworks(): Promise<PortraitNetworks> {
  const require = createRequire(import.meta.url);
  // Its package does not export its models; they lie beside its programs.
  const models = join(dirname(require.resolve('@vladmandic/human')), '..', 'models');
  const [detector, mesh, iris] = await Promise.all(
    ['blazeface', 'facemesh', 'iris'].map((name) => readNetwork(join(models, `${name}.json`))),
  );
  return {
    detector: detector!,
    mesh: mesh!,
    iris: iris!,
    segmenter: () =>
      readFlatModel(
        join(dirname(require.resolve('@mediapipe/selfie_segmentation/package.json')), 'selfie_segmentation.tflite'),
      ),
  };
}
