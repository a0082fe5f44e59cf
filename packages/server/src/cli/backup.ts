import { createBackup } from '../backup/create.js';
import { restoreBackup } from '../backup/restore.js';
import { withDatabase } from '../installation.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';

/** `figurehead backup FILE`. */
export const registerBackup: Registration = (command) => {
  command.addOption(jsonOption()).action(async (file: string, flags: { json?: boolean }) => {
    const config = readConfig();
    const summary = await withDatabase({ config, notice }, (url) => createBackup({ url, config, file }));
    if (summary.mediaInBucket)
      notice('Media are in the S3 bucket and not in the backup; back up the bucket with its own tools.');
    const { objects, bytes } = summary.leftOut;
    const megabytes = Math.ceil(bytes / 1e6);
    print(flags.json, summary, [
      `${file}: ${summary.tables} tables, ${summary.rows} rows, ${summary.objects} media files`,
      ...(objects === 0
        ? []
        : [`Left out: ${objects} cached files (${megabytes} MB), which are recreated when needed.`]),
    ]);
  });
};

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
