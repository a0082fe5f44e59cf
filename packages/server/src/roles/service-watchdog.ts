import { execFile } from 'node:child_process';

/** Reports per watchdog period: a single late or failed one does no harm. */
const REPORTS_PER_PERIOD = 3;

/**
 * Reports to systemd that the event loop of this process runs, when its unit sets `WatchdogSec`, until the process
 * ends. Node has no unix datagram sockets, so `systemd-notify` sends each report, for which the unit needs
 * `NotifyAccess=all`.
 * @param notice called once when reports cannot be sent.
 */
export function answerWatchdog(env: NodeJS.ProcessEnv, notice: (line: string) => void): void {
  const periodMs = Number(env['WATCHDOG_USEC']) / 1000;
  // The variables are inherited; WATCHDOG_PID is the process that systemd watches.
  if (!(periodMs > 0) || env['NOTIFY_SOCKET'] === undefined || env['WATCHDOG_PID'] !== String(process.pid)) return;
  let isNoticed = false;
  const report = (): void => {
    execFile('systemd-notify', ['WATCHDOG=1'], { env, timeout: periodMs }, (error) => {
      if (error === null || isNoticed) return;
      isNoticed = true;
      notice(`reports to systemd's watchdog cannot be sent: ${error.message}`);
    });
  };
  report();
  setInterval(report, periodMs / REPORTS_PER_PERIOD).unref();
}
