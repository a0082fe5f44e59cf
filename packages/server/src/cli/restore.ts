import { restoreBackup } from '../backup/restore.js';
import { withDatabase } from '../installation.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';

/** `figurehead restore FILE`. */
export const registerRestore: Registration = (command) => {
  command.addOption(jsonOption()).action(async (file: string, flags: { json?: boolean }) => {
    const config = readConfig();
    const summary = await withDatabase({ config, notice }, (url) => restoreBackup({ config, url, file }));
    print(flags.json, summary, [
      `${summary.tables} tables, ${summary.rows} rows and ${summary.objects} media files were restored`,
      'Caches (encoded segments, synthesised speech) are not in a backup and are recreated when needed.',
    ]);
  });
};
