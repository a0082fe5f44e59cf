import loadFvad, { type Fvad } from '@echogarden/fvad-wasm';

/** Sample rate of viewers' speech, Hz: what recognisers take. */
export const SPEECH_RATE = 16_000;
/** Samples of one frame, 20 ms. */
export const SPEECH_FRAME = 0.02 * SPEECH_RATE;
/** WebRTC's strictest mode: noise is least often taken for speech. */
const STRICTEST = 3;
/** Frames below this level (−50 dB) are silence: quieter than speech at arm's length, louder than a room. */
const LEAST_LEVEL = 0.003;

/** Tells speech from other sound, frame by frame. The opener closes it. */
export interface VoiceActivity {
  /** @param frame {@link SPEECH_FRAME} samples. */
  isSpeech(frame: Int16Array): boolean;
  close(): void;
}

/** Loads the detector (WebRTC's, compiled to WebAssembly; 0.02 ms a frame). @returns a function that opens one for each speaker. */
export async function loadVoiceActivity(): Promise<() => VoiceActivity> {
  const fvad = await loadFvad();
  return () => open(fvad);
}

function open(fvad: Fvad): VoiceActivity {
  const detector = fvad._fvad_new();
  const input = fvad._malloc(SPEECH_FRAME * Int16Array.BYTES_PER_ELEMENT);
  if (detector === 0 || input === 0) throw new Error('the voice activity detector is out of memory');
  fvad._fvad_set_mode(detector, STRICTEST);
  fvad._fvad_set_sample_rate(detector, SPEECH_RATE);
  let isOpen = true;
  return {
    isSpeech(frame) {
      // The view is read each time, because memory that grows replaces it.
      fvad.HEAP16.set(frame, input / Int16Array.BYTES_PER_ELEMENT);
      const isVoice = fvad._fvad_process(detector, input, frame.length) === 1;
      return isVoice && levelOf(frame) >= LEAST_LEVEL;
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
