import { describeConfig, loadConfig } from '../kernel/config/config.js';
import { jsonOption, print, type Registration } from './command.js';

/** `figurehead config`: every key with its value, the value's source and its meaning. */
export const registerConfig: Registration = (command) => {
  command.addOption(jsonOption()).action((options: { json?: boolean }) => {
    const lines = describeConfig();
    print(
      options.json,
      lines,
      lines.map((line) => `${line.key}=${line.value ?? ''}\n    ${line.meaning} (${line.source})`),
    );
    // After printing, so that a wrong value is visible before it is reported.
    loadConfig();
  });
};
