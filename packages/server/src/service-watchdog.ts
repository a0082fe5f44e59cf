import { execFile } from 'node:child_process';

/** Reports within one period of the watchdog: one that comes late or fails is not the end. */
const REPORTS_PER_PERIOD = 3;

/**
 * Tells systemd that the event loop of this process turns, when its unit sets `WatchdogSec`; until the process ends. Node has no datagram sockets of
 * the unix kind, so `systemd-notify` sends each report; the unit needs `NotifyAccess=all` for it.
 * @param notice hears once that reports cannot be sent.
 */
export function answerWatchdog(env: NodeJS.ProcessEnv, notice: (line: string) => void): void {
  const periodMs = Number(env['WATCHDOG_USEC']) / 1000;
  // The variables are inherited; WATCHDOG_PID says whom systemd watches.
  if (!(periodMs > 0) || env['NOTIFY_SOCKET'] === undefined || env['WATCHDOG_PID'] !== String(process.pid)) return;
  let isNoticed = false;
  const report = (): void => {
    execFile('systemd-notify', ['WATCHDOG=1'], { env, timeout: periodMs }, (error) => {
      if (error === null || isNoticed) return;
      isNoticed = true;
      notice(`systemd's watchdog is not answered: ${error.message}`);
    });
  };
  report();
  setInterval(report, periodMs / REPORTS_PER_PERIOD).unref();
}
