import loadFvad, { type Fvad } from '@echogarden/fvad-wasm';
import { loadSilero, Silero, type SileroWeights, WINDOW } from './silero.js';

/** Sample rate of viewers' speech, Hz: what recognisers take. */
export const SPEECH_RATE = 16_000;
/** Samples of one frame, 20 ms. */
export const SPEECH_FRAME = 0.02 * SPEECH_RATE;
/** WebRTC's strictest mode: noise is least often taken for speech. */
const STRICTEST = 3;
/** Frames below this level (−50 dB) are silence: quieter than speech at arm's length, louder than a room. */
const LEAST_LEVEL = 0.003;
/** Probabilities of the network from which speech begins, and below which it may have ended. */
const [CERTAIN, DOUBTFUL] = [0.5, 0.35];
/** Frames for which doubtful sound still is speech (0.16 s): stops and pauses between syllables. */
const HOLD_FRAMES = 8;
/** Frames without the cheap detector's voice after which the network rests (0.5 s). */
const AWAKE_FRAMES = 25;

/** Tells speech from other sound, frame by frame. The opener closes it. */
export interface VoiceActivity {
  /** @param frame {@link SPEECH_FRAME} samples. */
  isSpeech(frame: Int16Array): boolean;
  close(): void;
}

/**
 * Loads the detectors: WebRTC's, compiled to WebAssembly (0.02 ms a frame), takes most noises for voice; what passes it is heard by Silero's network
 * (1 ms for 32 ms). @returns a function that opens one for each speaker.
 */
export async function loadVoiceActivity(): Promise<() => VoiceActivity> {
  const [fvad, net] = await Promise.all([loadFvad(), loadSilero()]);
  return () => open(fvad, net);
}

function open(fvad: Fvad, net: SileroWeights): VoiceActivity {
  const detector = fvad._fvad_new();
  const input = fvad._malloc(SPEECH_FRAME * Int16Array.BYTES_PER_ELEMENT);
  if (detector === 0 || input === 0) throw new Error('the voice activity detector is out of memory');
  fvad._fvad_set_mode(detector, STRICTEST);
  fvad._fvad_set_sample_rate(detector, SPEECH_RATE);
  let isOpen = true;
  let silero = new Silero(net);
  const window = new Float32Array(WINDOW);
  let filled = 0;
  let sinceVoiced = AWAKE_FRAMES;
  /** Frames for which the sound counts as speech. */
  let held = 0;
  const decide = () => {
    if (sinceVoiced >= AWAKE_FRAMES) {
      silero = new Silero(net);
      return;
    }
    const probability = silero.probability(window);
    if (probability >= CERTAIN || (held > 0 && probability >= DOUBTFUL)) held = HOLD_FRAMES;
  };
  return {
    isSpeech(frame) {
      // The view is read each time, because memory that grows replaces it.
      fvad.HEAP16.set(frame, input / Int16Array.BYTES_PER_ELEMENT);
      const isVoice = fvad._fvad_process(detector, input, frame.length) === 1;
      const isVoiced = isVoice && levelOf(frame) >= LEAST_LEVEL;
      sinceVoiced = isVoiced ? 0 : Math.min(AWAKE_FRAMES, sinceVoiced + 1);
      held = Math.max(0, held - 1);
      for (const sample of frame) {
        window[filled++] = sample / 32_768;
        if (filled < WINDOW) continue;
        filled = 0;
        decide();
      }
      return isVoiced && held > 0;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      fvad._fvad_free(detector);
      fvad._free(input);
    },
  };
}

/** RMS, 0…1. */
function levelOf(frame: Int16Array): number {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return Math.sqrt(sum / frame.length) / 32_768;
}
