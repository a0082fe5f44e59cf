import { availableCpus, LiveError, type LiveHost, loadPack, type PresenterPack } from '@figurehead/media';
import { measureFrameCost, openLiveHost } from '@figurehead/media/live';
import { createAvatars, createProvenance } from '../features/avatars/index.js';
import { serveRole } from '../features/operations/index.js';
import { createCredentials } from '../features/renders/credentials/host.js';
import { createPackStore, startStreamHost, streamCapacity } from '../features/streams/host/host.js';
import { createSpeechMetrics, openSpeech, recordingOf } from '../features/voices/index.js';
import type { Kernel } from '../kernel/contract.js';
import { OperatorError } from '../kernel/operator-error.js';
import { programVersion } from '../kernel/version.js';

/** Picture with which the capacity is measured: the default of `POST /streams`. */
const PICTURE = { width: 512, height: 512, fps: 25, background: '#ffffff' } as const;

/** Starts a stream host; the kernel's lifecycle ends it. */
export async function start(kernel: Kernel): Promise<void> {
  const { config, log, lifecycle } = kernel;
  const speechMetrics = createSpeechMetrics();
  speechMetrics.register(kernel.metrics);
  await serveRole(kernel);
  const speech = openSpeech(config, {
    onUnavailable: (provider, error) => log.warn({ err: error, provider }, 'a speech provider cannot list its voices'),
    onSpoken: speechMetrics.onSpoken,
    recordingOf: recordingOf(kernel),
  });
  lifecycle.onClose('speech', () => speech.close());
  const live = await openLive(kernel);
  lifecycle.onClose('live sessions', () => live.close());
  const avatars = createAvatars(kernel);
  const packs = createPackStore(avatars, loadPack);
  // The default presenter is used for the measurement and stays loaded.
  const [first] = await avatars.list('');
  const firstPack = first && (await packs.find('', first.code));
  const capacity = config.streamCapacity ?? (firstPack === undefined ? 1 : await measureCapacity(kernel, firstPack));
  // Loads the voice before the first viewer needs it.
  await speech.warm().catch((error: unknown) => log.warn({ err: error }, 'the first voice is not loaded yet'));
  const { url } = await startStreamHost(kernel, {
    live,
    speech,
    findPack: packs.find,
    signRecording: (await createCredentials(kernel, createProvenance(kernel))).signRecording,
    capacity,
    engines: ['cpu'],
    version: programVersion(),
  });
  log.info({ capacity, rtcPort: live.port, url }, `this stream host accepts up to ${capacity} streams`);
}

async function openLive(kernel: Kernel): Promise<LiveHost & { readonly port: number }> {
  const { rtcPorts, rtcAddress } = kernel.config;
  try {
    return await openLiveHost({
      ...(rtcPorts === undefined ? {} : { ports: rtcPorts }),
      ...(rtcAddress === undefined ? {} : { address: rtcAddress }),
      onWarning: (doing, error) => kernel.log.warn({ err: error }, doing),
    });
  } catch (error) {
    if (!(error instanceof LiveError) || error.code !== 'no_ports') throw error;
    throw new OperatorError(`No UDP port for streams: ${error.message}. Set FIGUREHEAD_RTC_PORTS to free ones.`, {
      cause: error,
    });
  }
}

async function measureCapacity(kernel: Kernel, pack: PresenterPack): Promise<number> {
  const cost = await measureFrameCost(pack, PICTURE);
  const cpus = availableCpus();
  const [drawMs, encodeMs] = [cost.drawMs, cost.encodeMs].map((ms) => Math.round(ms * 100) / 100);
  kernel.log.info({ drawMs, encodeMs, cpus }, 'measured the cost of a speaking stream');
  return streamCapacity(cost, cpus, PICTURE.fps);
}
