import { createBackup } from '../backup/create.js';
import { jsonOption, notice, onInstallation, print, type Registration } from './command.js';

/** `figurehead backup FILE`. */
export const registerBackup: Registration = (program) => {
  program
    .command('backup <file>')
    .description('write database and media into a tar file; the server may go on running')
    .addOption(jsonOption())
    .action(async (file: string, flags: { json?: boolean }) => {
      const summary = await onInstallation((kernel) => createBackup({ kernel, config: kernel.config, file }));
      if (summary.mediaInBucket)
        notice('Media are in the S3 bucket and not in the backup; keep copies of it by its own means.');
      print(flags.json, summary, [
        `${file}: ${summary.tables} tables, ${summary.rows} rows, ${summary.objects} media files`,
      ]);
    });
};
