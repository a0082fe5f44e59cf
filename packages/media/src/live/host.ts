import { createCompositor } from '../presenter/index.js';
import { LiveError, type LiveHost, type LiveSession, type LiveSessionOptions } from './contract.js';
import { loadVoiceActivity } from './microphone/voice-activity.js';
import { TimerWheel } from './playout/timer-wheel.js';
import { HostedSession } from './session.js';
import { type PortRange, skipTaken } from './transport/port-probe.js';
import { openTransportHub } from './transport/transport.js';
import { IdleLoops } from './video/idle.js';
import { SurfacePool } from './video/surface.js';

/** UDP ports that a host tries when none are configured. */
const DEFAULT_PORTS = { from: 40_000, to: 40_099 } as const;
/** Sides of a picture in px. */
const SIDES = { min: 64, max: 1280 } as const;

export interface LiveHostOptions {
  /** UDP ports, both ends included; all sessions use the first free one. 40000 to 40099 when absent. */
  readonly ports?: PortRange;
  /** Public IP address under which clients reach that port; the machine's own addresses when absent. */
  readonly address?: string;
  /** Receives errors that do not end a session; write them to the log. */
  readonly onWarning?: (doing: string, error: unknown) => void;
}

/**
 * Opens the host of this process's live sessions; the caller closes it. Threads of the native library run on until the memory of
 * closed connections is collected, so a process must end with `process.exit`.
 * @throws LiveError `no_ports` when none of the ports is free.
 */
export async function openLiveHost(options: LiveHostOptions = {}): Promise<LiveHost & { readonly port: number }> {
  const onWarning = options.onWarning ?? (() => undefined);
  const hub = openTransportHub({
    ports: await skipTaken(options.ports ?? DEFAULT_PORTS),
    onWarning,
    address: options.address,
  });
  const [compositor, openVoiceActivity] = await Promise.all([createCompositor(), loadVoiceActivity()]).catch(
    (error: unknown) => {
      hub.close();
      throw error;
    },
  );
  const surfaces = new SurfacePool(compositor);
  const loops = new IdleLoops(surfaces, onWarning);
  const scheduler = new TimerWheel();
  const sessions = new Map<string, LiveSession>();
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await Promise.all([...sessions.values()].map((session) => session.close('host_closing')));
    await loops.close();
    hub.close();
    compositor.close();
  };

  return {
    port: hub.port,
    sessions,
    async open(wanted: LiveSessionOptions): Promise<LiveSession> {
      if (closing) throw new LiveError('closed', 'the host of live sessions is closing');
      checkPicture(wanted);
      const session = new HostedSession(wanted, { hub, surfaces, loops, scheduler, openVoiceActivity, onWarning });
      sessions.set(session.id, session);
      void session.closed.then(() => {
        if (sessions.get(session.id) === session) sessions.delete(session.id);
      });
      return session;
    },
    close: () => (closing ??= close()),
  };
}

function checkPicture({ picture: { width, height } }: LiveSessionOptions): void {
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side % 2 !== 0 || side < SIDES.min || side > SIDES.max) {
      throw new RangeError(`expected even sides of ${SIDES.min} to ${SIDES.max} px, got ${width}×${height}`);
    }
  }
}
