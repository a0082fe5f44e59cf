import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readFlatModel } from './network/flat-model.js';
import { type Network, readNetwork } from './network/graph.js';

/** The networks that read portraits. */
export interface PortraitNetworks {
  readonly detector: Network;
  readonly mesh: Network;
  readonly iris: Network;
  /** Read on first use; finding points does not need it. */
  segmenter(): Promise<Network>;
}

/**
 * Reads the networks from the npm packages that ship them (MediaPipe's, Apache-2.0). Their versions are pinned, because
 * file and output names depend on the version.
 */
export async function openNetworks(): Promise<PortraitNetworks> {
  const require = createRequire(import.meta.url);
  // The package does not export its models; they are in a folder next to its code.
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
