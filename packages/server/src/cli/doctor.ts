import { examineInstallation, type Finding } from '../doctor/index.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';

const MARKS = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ', skipped: '-      ' } as const;

/**
 * `figurehead doctor`: checks for problems with starting or running, and prints what to do. Exits with 1 when something
 * is wrong.
 */
export const registerDoctor: Registration = (command) => {
  command.addOption(jsonOption()).action(async (flags: { json?: boolean }) => {
    const findings = await examineInstallation(readConfig(), notice);
    print(flags.json, { ok: findings.every((finding) => finding.ok), findings }, findings.flatMap(linesOf));
    if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
  });
};

function linesOf({ status, check, detail, advice }: Finding): string[] {
  return [`${MARKS[status]} ${check}: ${detail}`, ...(advice === undefined ? [] : [`        → ${advice}`])];
}
