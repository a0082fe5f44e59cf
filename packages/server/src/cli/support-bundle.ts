import { createSupportBundle } from '../support/bundle.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';

/** `figurehead support-bundle -o FILE`. */
export const registerSupportBundle: Registration = (command) => {
  command
    .requiredOption('-o, --output <file>', 'a .tar.gz')
    .addOption(jsonOption())
    .action(async (flags: { output: string; json?: boolean }) => {
      const files = await createSupportBundle({ config: readConfig(), origin: {}, file: flags.output, notice });
      print(flags.json, { file: flags.output, files }, [
        `${flags.output}: ${files.join(', ')}`,
        'Secrets, tokens and personal names were removed. Check it before you send it.',
      ]);
    });
};
