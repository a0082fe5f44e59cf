import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Network, readNetwork } from './network/graph.js';
import { loadNetworkKernel } from './network/kernel.js';

/** The networks that read portraits. */
export interface PortraitNetworks {
  readonly detector: Network;
  readonly mesh: Network;
  readonly iris: Network;
  /** Read on first use; finding points does not need it. */
  segmenter(): Promise<Network>;
}

const FOLDER = fileURLToPath(new URL('../../data/networks/', import.meta.url));

/** Reads the networks (MediaPipe's, Apache-2.0) from `packages/media/data/networks`, whose README says where they come from. */
export async function openNetworks(): Promise<PortraitNetworks> {
  const kernel = await loadNetworkKernel();
  const [detector, mesh, iris] = await Promise.all(
    ['blazeface', 'facemesh', 'iris'].map((name) => readNetwork(join(FOLDER, `${name}.json`), kernel)),
  );
  return {
    detector: detector!,
    mesh: mesh!,
    iris: iris!,
    segmenter: () => readNetwork(join(FOLDER, 'selfie_segmentation.json'), kernel),
  };
}
