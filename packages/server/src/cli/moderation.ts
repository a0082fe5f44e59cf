import { approveVideo, listCases, rejectVideo } from '../features/moderation/index.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, onInstallation, print, type Registration } from './command.js';

/** Maximum number of listed cases, oldest first. */
const LISTED = 100;

interface Flags {
  readonly workspace?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** `figurehead moderation list|approve ID|reject ID`. */
export const registerModeration: Registration = (moderation) => {
  moderation
    .command('list')
    .description('videos waiting for review, oldest first')
    .option('--workspace <id>', 'of this workspace only')
    .addOption(jsonOption())
    .action(async (flags: Flags) => {
      const found = await onInstallation((kernel) => listCases(kernel, flags.workspace, { page: 1, limit: LISTED }));
      const lines = found.cases.map(
        (item) => `${item.videoId}  ${item.name}${item.words.length > 0 ? `  (${item.words.join(', ')})` : ''}`,
      );
      print(flags.json, found, lines.length > 0 ? lines : ['No video is waiting for review.']);
    });
  moderation
    .command('approve <videoId>')
    .description('release a video')
    .addOption(jsonOption())
    .action(async (videoId: string, flags: Flags) => {
      const decided = await onInstallation((kernel) => approveVideo(kernel, videoId));
      if (!decided) throw new OperatorError(`The video ${videoId} is not waiting for review.`);
      print(flags.json, { videoId, approved: true }, [`Released ${videoId}.`]);
    });
  moderation
    .command('reject <videoId>')
    .description('reject a video; its render fails')
    .option('--reason <text>', 'reason shown to the author')
    .addOption(jsonOption())
    .action(async (videoId: string, flags: Flags) => {
      const decided = await onInstallation((kernel) => rejectVideo(kernel, videoId, flags.reason));
      if (!decided) throw new OperatorError(`The video ${videoId} is not waiting for review.`);
      print(flags.json, { videoId, approved: false }, [`Refused ${videoId}.`]);
    });
};
