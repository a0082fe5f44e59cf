import type { Config } from '../config.js';
import type { Finding } from './finding.js';
import { examineMachine } from './machine.js';
import { examineNetwork } from './network.js';
import { examineStores } from './stored.js';

export type { Finding } from './finding.js';

/**
 * Looks at everything that a start, or a day's work, would stumble over. Changes nothing but for a test object in the bucket, which goes
 * again.
 * @param notice hears what the operator should know meanwhile.
 */
export async function examineInstallation(config: Config, notice: (line: string) => void): Promise<Finding[]> {
  const machine = await examineMachine(config);
  const [stores, network] = await Promise.all([examineStores(config, notice), examineNetwork(config)]);
  return [...machine, ...stores, ...network];
}
