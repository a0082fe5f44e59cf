import type { Config } from '../kernel/config/config.js';
import type { Finding } from './finding.js';
import { examineMachine } from './machine.js';
import { examineNetwork } from './network.js';
import { examineStores } from './stored.js';

export type { Finding } from './finding.js';

/**
 * Checks everything that starting and running depend on. Changes nothing except for a test object in the bucket, which
 * is deleted again.
 * @param notice receives messages for the operator meanwhile.
 */
export async function examineInstallation(config: Config, notice: (line: string) => void): Promise<Finding[]> {
  const machine = await examineMachine(config);
  const [stores, network] = await Promise.all([examineStores(config, notice), examineNetwork(config)]);
  return [...machine, ...stores, ...network];
}
