import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { concatPcm, type Pcm, silence } from '../../audio.js';
import { createSpeech, type Speech } from '../../speech/index.js';
import type { MicrophoneSettings, ViewerSpeech } from '../contract.js';
import { AUDIO_FRAME } from '../playout/media-clock.js';
import { writeRtp } from '../rtp/packet.js';
import { LiveAudioEncoder } from '../video/encoders.js';
import { Microphone } from './microphone.js';
import { MAX_SPEECH_SECONDS } from './speech-segmenter.js';
import { loadVoiceActivity, type VoiceActivity } from './voice-activity.js';

const PAYLOAD_TYPE = 111;
const PACKET_MS = 20;

let openActivity: () => VoiceActivity;
let speech: Speech;
let question: Pcm;
beforeAll(async () => {
  openActivity = await loadVoiceActivity();
  speech = createSpeech({ threads: 1 });
  question = await speak('What does the museum cost on Sunday, and when does it open?');
});
afterAll(() => speech.close());

async function speak(text: string): Promise<Pcm> {
  const parts: Pcm[] = [];
  for await (const { samples } of speech.synthesize('flite', text, { voice: 'slt', locale: 'en-US' }))
    parts.push(samples);
  return concatPcm(parts);
}

const seconds = (count: number) => silence(count * SAMPLE_RATE);
/** Noise from a fixed seed, of a peak from 0 to 1. */
function noise(count: number, peak: number): Pcm {
  let state = 1;
  return Float32Array.from({ length: count * SAMPLE_RATE }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return peak * (state / 2 ** 30 - 1);
  });
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A microphone, and a browser's sender of Opus to it. */
function open(settings: MicrophoneSettings = {}) {
  const partials: number[] = [];
  const heard: (ViewerSpeech & { readonly atMs: number })[] = [];
  const suspicions: { readonly type: 'suspected' | 'dismissed'; readonly atMs: number }[] = [];
  const state = { nowMs: 0, sequence: 65_500, timestamp: 2 ** 32 - 48_000, frames: 0 };
  const activity = openActivity();
  const microphone = new Microphone({
    ...settings,
    payloadType: PAYLOAD_TYPE,
    activity: {
      isSpeech(frame) {
        state.frames += 1;
        return activity.isSpeech(frame);
      },
      close: () => activity.close(),
    },
    onSpeech: (event) => {
      const { nowMs: atMs } = state;
      if (event.type === 'began' || event.type === 'ended') heard.push({ ...event, atMs });
      else if (event.type === 'partial') partials.push(event.samples.length / event.sampleRate);
      else suspicions.push({ ...event, atMs });
    },
  });
  const encoder = new LiveAudioEncoder({ mode: 'clear', bits: 40_000 });
  closers.push(
    () => microphone.close(),
    () => encoder.close(),
  );
  const packet = (payload: Uint8Array, sequence = state.sequence): Uint8Array => {
    const out = new Uint8Array(2048);
    const { timestamp } = state;
    return out.subarray(
      0,
      writeRtp({ payloadType: PAYLOAD_TYPE, marker: false, sequence, timestamp, ssrc: 7, payload }, out),
    );
  };
  /** Passes time; a sender that is muted sends nothing. */
  const pass = (ms: number) => {
    for (let at = 0; at < ms; at += PACKET_MS) {
      state.nowMs += PACKET_MS;
      state.timestamp = (state.timestamp + AUDIO_FRAME) >>> 0;
      microphone.onTick(state.nowMs);
    }
  };
  const send = (sound: Pcm, change: (packets: Uint8Array[]) => Uint8Array[] = (same) => same) => {
    for (let at = 0; at + AUDIO_FRAME <= sound.length; at += AUDIO_FRAME) {
      const payload = encoder.encode(sound.subarray(at, at + AUDIO_FRAME));
      for (const one of change([packet(payload)])) microphone.onPacket(one, state.nowMs);
      state.sequence = (state.sequence + 1) & 0xffff;
      pass(PACKET_MS);
    }
  };
  const types = () => heard.map(({ type }) => type);
  const utterances = () => heard.filter((event) => event.type === 'ended');
  return { microphone, heard, partials, suspicions, state, send, pass, packet, types, utterances };
}

describe("the viewer's microphone", () => {
  it('hears a question as one utterance: its beginning within 0.3 s, its end half a second after the last word', () => {
    const { send, heard, suspicions, types, utterances, state } = open();
    send(seconds(1));
    const from = state.nowMs;
    send(question);
    const to = state.nowMs;
    send(seconds(1));
    expect(types()).toEqual(['began', 'ended']);
    expect(heard[0]!.atMs - from).toBeLessThanOrEqual(300);
    expect(suspicions).toEqual([{ type: 'suspected', atMs: heard[0]!.atMs - 80 }]);
    expect(heard[1]!.atMs - to).toBeGreaterThanOrEqual(0);
    expect(heard[1]!.atMs - to).toBeLessThanOrEqual(600);
    const { samples, sampleRate } = utterances()[0]!;
    expect(sampleRate).toBe(16_000);
    expect(samples.length / sampleRate).toBeGreaterThan((to - from) / 1000);
    expect(samples.length / sampleRate).toBeLessThan((to - from) / 1000 + 1);
  });

  it('hears nothing in silence, hiss, a click and a sound of a tenth of a second', () => {
    const { send, types } = open();
    send(seconds(3));
    send(noise(5, 0.02));
    send(seconds(1));
    send(noise(0.02, 0.9));
    send(seconds(1));
    send(question.subarray(0.3 * SAMPLE_RATE, 0.4 * SAMPLE_RATE));
    send(seconds(1));
    expect(types()).toEqual([]);
  });

  /** Four seconds of sound without speech, at a level in dB. */
  const NOISES: Readonly<Record<string, (n: number, random: number) => number>> = {
    'white noise': (_, random) => random,
    'a tone': (n) => Math.sin((2 * Math.PI * 440 * n) / SAMPLE_RATE),
    'a cough': (n, random) => (n < 0.36 * SAMPLE_RATE ? random * Math.exp(-n / 7500) : 0),
    'a chord that is struck': (n) =>
      [220, 277, 330, 440, 554, 660].reduce(
        (sum, hertz) => sum + Math.sin((2 * Math.PI * hertz * n) / SAMPLE_RATE),
        0,
      ) * Math.exp(-(n % 12_000) / 7500),
    'a fan': (n, random) => Math.sin((2 * Math.PI * 100 * n) / SAMPLE_RATE) + 0.3 * random,
    typing: (n, random) => (n % 9000 < 700 ? random * Math.exp(-(n % 9000) / 150) : 0),
  };
  it.each(Object.keys(NOISES).flatMap((name) => [-20, -30, -40].map((level) => [name, level] as const)))(
    'hears no speech in %s at %i dB',
    (name, level) => {
      const { send, types, suspicions } = open();
      const random = noise(4, 1);
      const sound = random.map((value, n) => NOISES[name]!(n, value));
      const rms = Math.sqrt(sound.reduce((sum, value) => sum + value * value, 0) / sound.length);
      send(seconds(0.5));
      send(sound.map((value) => (value / rms) * 10 ** (level / 20)));
      expect([types(), suspicions]).toEqual([[], []]);
    },
  );

  it.each(['Stop it, please.', 'And on Sunday?'])('hears “%s”, also when it is soft', async (words) => {
    const sound = await speak(words);
    for (const level of [1, 0.1]) {
      const { send, types } = open();
      send(seconds(0.5));
      send(sound.map((value) => value * level));
      send(seconds(1));
      expect(types().slice(0, 2)).toEqual(['began', 'ended']);
    }
  });

  it('suspects speech after 60 ms, takes it back within 0.1 s when it was none, and does not suspect again at once', () => {
    const { send, pass, suspicions, types } = open();
    const kinds = () => suspicions.splice(0).map(({ type }) => type);
    const knock = question.subarray(0.3 * SAMPLE_RATE, 0.4 * SAMPLE_RATE);
    send(seconds(1));
    for (let count = 0; count < 5; count++) {
      send(knock);
      send(seconds(0.2));
    }
    expect(suspicions[1]!.atMs - suspicions[0]!.atMs).toBeLessThanOrEqual(100);
    expect(kinds()).toEqual(['suspected', 'dismissed']);
    send(seconds(3));
    // A microphone that is muted meanwhile sends no more packets.
    send(question.subarray(0.3 * SAMPLE_RATE, 0.42 * SAMPLE_RATE));
    pass(1000);
    expect(kinds()).toEqual(['suspected', 'dismissed']);
    expect(types()).toEqual([]);
  });

  it('ends the utterance of a microphone that is muted in the middle of a word, and hears the next one', () => {
    const { send, pass, types } = open();
    send(question.subarray(0, SAMPLE_RATE));
    expect(types()).toEqual(['began']);
    pass(5000);
    expect(types()).toEqual(['began', 'ended']);
    send(question);
    send(seconds(1));
    expect(types()).toEqual(['began', 'ended', 'began', 'ended']);
  });

  it.each([
    [0.2, 2],
    [1.5, 1],
  ])('with a pause of %d s hears a question with a pause of 0.8 s as %i utterances', (pauseSeconds, count) => {
    const { send, types } = open({ pauseSeconds });
    const word = question.subarray(0, 0.8 * SAMPLE_RATE);
    for (const sound of [word, seconds(0.8), word, seconds(3)]) send(sound);
    expect(types().filter((type) => type === 'ended')).toHaveLength(count);
  });

  it('tells every second what it has heard so far, when it is asked for', () => {
    const { send, partials, utterances } = open({ partials: true });
    for (const sound of [question, seconds(2)]) send(sound);
    expect(partials.length).toBeGreaterThanOrEqual(2);
    expect(partials).toEqual(partials.map((_, index) => index + 1));
    const [whole] = utterances();
    expect(partials.at(-1)).toBeLessThan(whole!.samples.length / whole!.sampleRate);
    const other = open();
    other.send(question);
    expect(other.partials).toEqual([]);
  });

  it('hears with push to talk what is said while the button is pressed, with its pauses, and nothing else', () => {
    const { microphone, send, pass, types, utterances, suspicions } = open({ isPushToTalk: true });
    send(question);
    expect(types()).toEqual([]);
    microphone.setTalking(true);
    expect(types()).toEqual(['began']);
    for (const sound of [seconds(1), question, seconds(2)]) send(sound);
    expect(types()).toEqual(['began']);
    microphone.setTalking(false);
    send(seconds(1));
    expect(types()).toEqual(['began', 'ended']);
    const { samples, sampleRate } = utterances()[0]!;
    expect(samples.length / sampleRate).toBeGreaterThan(3 + question.length / SAMPLE_RATE - 0.1);
    expect(samples.length / sampleRate).toBeLessThan(3 + question.length / SAMPLE_RATE + 0.3);
    // A microphone that sends nothing while the button is pressed.
    microphone.setTalking(true);
    pass(500);
    microphone.setTalking(false);
    pass(1000);
    expect(types()).toEqual(['began', 'ended', 'began', 'ended']);
    expect(suspicions).toEqual([]);
    const other = open();
    other.microphone.setTalking(true);
    expect(other.types()).toEqual([]);
  });

  it('cuts speech that never ends at half a minute', () => {
    const { send, utterances } = open();
    const long = concatPcm(Array.from({ length: Math.ceil((80 * SAMPLE_RATE) / question.length) }, () => question));
    send(long);
    const lengths = utterances().map((event) => event.samples.length / 16_000);
    expect(lengths.length).toBeGreaterThan(0);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_SPEECH_SECONDS + 1);
  });

  it('survives lost, late, repeated, foreign and broken packets', () => {
    const { send, types, state, packet, microphone } = open();
    let count = 0;
    const held: Uint8Array[] = [];
    send(question, ([one]) => {
      count += 1;
      if (count % 10 === 0) return [];
      if (count % 10 === 5) held.push(one!.slice());
      const late = count % 10 === 7 ? held.splice(0) : [];
      return [...late, one!, one!];
    });
    for (const broken of [
      Uint8Array.of(),
      Uint8Array.of(1, 2, 3),
      packet(Uint8Array.of(255, 255, 255, 1, 2)),
      packet(Uint8Array.of()),
    ])
      microphone.onPacket(broken, state.nowMs);
    send(seconds(1));
    expect(types()).toEqual(['began', 'ended']);
  });

  it('fills gaps with at most as much silence as time has passed, whatever the packets claim', () => {
    const { microphone, packet, send, state } = open();
    send(seconds(1));
    const before = state.frames;
    const opus = new LiveAudioEncoder({ mode: 'clear', bits: 40_000 });
    closers.push(() => opus.close());
    const payload = opus.encode(silence(AUDIO_FRAME)).slice();
    for (let count = 0; count < 200; count++) {
      if (count % 2 === 0) state.nowMs += 10;
      state.timestamp = (state.timestamp + 10 * SAMPLE_RATE) >>> 0;
      microphone.onPacket(packet(payload), state.nowMs);
      state.sequence = (state.sequence + 1) & 0xffff;
    }
    // Frames of 20 ms: those of the packets and 2 s of silence.
    expect(state.frames - before).toBeGreaterThan(200);
    expect(state.frames - before).toBeLessThanOrEqual(200 + 100);
  });

  it('does nothing after it was closed', () => {
    const { send, microphone, types } = open();
    microphone.close();
    microphone.close();
    send(question);
    expect(types()).toEqual([]);
  });
});
