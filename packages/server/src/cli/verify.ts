import { type Verified, verifyFile } from '../features/renders/credentials/offline.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, print, type Registration } from './command.js';

const SENTENCES = {
  valid: 'carries content credentials, and was not changed since',
  invalid: 'carries content credentials that do not belong to its content: it was changed',
  absent: 'carries no content credentials',
} as const;

/** `figurehead verify FILE`. Exits with 1 unless the file is as it was signed. */
export const registerVerify: Registration = (command) => {
  command.addOption(jsonOption()).action(async (file: string, flags: { json?: boolean }) => {
    const verified = await verifyFile(file).catch((cause: unknown) => {
      throw new OperatorError(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    print(flags.json, verified, linesOf(file, verified));
    if (verified.state !== 'valid') process.exitCode = 1;
  });
};

function linesOf(file: string, { state, title, software, signer, actions, problems }: Verified): string[] {
  const facts = { Title: title, 'Made with': software, 'Signed by': signer };
  return [
    `${file} ${SENTENCES[state]}.`,
    ...Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`)),
    ...actions.map(({ action, source }) => `${action}${source === undefined ? '' : `: ${source}`}`),
    ...problems.map((code) => `Problem: ${code}`),
  ];
}
