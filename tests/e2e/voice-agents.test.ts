import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveServer, openLiveServer } from '../support/live-server.js';
import { hasLiveKitServer, type LiveKitServer, openLiveKitServer } from '../support/livekit-server.js';
import { spokenPcm } from '../support/spoken-pcm.js';
import { hasVoiceAgents, startVoiceAgent, type VoiceAgent } from '../support/voice-agents.js';

const RATE = 24_000;

describe.runIf(hasVoiceAgents())('voice agents with their own packages for Python', () => {
  let server: LiveServer;
  let liveKit: LiveKitServer | undefined;
  let sound: Buffer;
  const withLiveKit = hasLiveKitServer();
  beforeAll(async () => {
    liveKit = withLiveKit ? await openLiveKitServer() : undefined;
    [sound, server] = await Promise.all([
      spokenPcm(RATE),
      openLiveServer({ ...(liveKit && { FIGUREHEAD_LIVEKIT_URLS: liveKit.url }) }),
    ]);
  });
  afterAll(async () => {
    await server?.close();
    await liveKit?.close();
  });
  const openStreams = async () => (await server.call('GET', '/streams')).body.total;

  describe.runIf(withLiveKit)('an agent of LiveKit', () => {
    let agent: VoiceAgent;
    beforeAll(async () => {
      const { url, key } = liveKit!;
      const own = { LIVEKIT_URL: url, LIVEKIT_API_KEY: key.id, LIVEKIT_API_SECRET: key.secret };
      agent = await startVoiceAgent('livekit-agent.py', { ...own, URL: server.base, TOKEN: server.token }, sound);
      expect(await agent.told()).toBe('ready');
    });
    afterAll(() => agent?.close());

    it.each(['figurehead', 'bey', 'anam', 'simli', 'tavus', 'runway', 'did', 'lemonslice', 'protoface'])(
      'with the plugin %s gets a face that joins, speaks, is interrupted and leaves',
      async (plugin) => {
        await liveKit!.call('CreateRoom', { name: plugin });
        const told = await agent.told();
        console.info('livekit-agent', JSON.stringify(told));
        expect(told).toMatchObject({ plugin, size: [512, 512], interrupted: [false, true] });
        const [[spoken], [cut]] = told['told'] as [[number], [number]];
        expect(spoken).toBeCloseTo(sound.length / 2 / RATE, 1);
        expect(cut).toBeGreaterThan(0);
        expect(cut).toBeLessThan(10 * spoken);
        expect(told['pictures']).toBeGreaterThan(0);
        await expect.poll(openStreams).toBe(0);
      },
    );

    it('with the plugin figurehead and an unknown presenter gets an error that names it', async () => {
      await liveKit!.call('CreateRoom', { name: 'unknown' });
      expect(await agent.told()).toEqual({ plugin: 'unknown', error: expect.stringMatching(/APIStatusError.*nobody/) });
      expect(await openStreams()).toBe(0);
    });
  });

  it('a bot of Pipecat gets a face that speaks to the end, is interrupted, and speaks to the end before the bot ends', async () => {
    const bot = await startVoiceAgent('pipecat-bot.py', { URL: server.base, TOKEN: server.token }, sound);
    const told = await bot.told();
    console.info('pipecat-bot', JSON.stringify(told));
    await bot.close();
    expect(told).toMatchObject({ size: [512, 512], errors: [] });
    const seconds = sound.length / 2 / RATE;
    // Pauses do not count as heard.
    for (const part of ['whole', 'last']) {
      expect(told[part]).toBeGreaterThan(0.7 * seconds);
      expect(told[part]).toBeLessThan(seconds + 0.5);
    }
    expect(told['interrupted']).toBeLessThan(5 * seconds);
    expect(told['changes']).toBeGreaterThan(50);
    await expect.poll(openStreams).toBe(0);
  });

  it('a bot of Pipecat without a valid token is told so', async () => {
    const bot = await startVoiceAgent('pipecat-bot.py', { URL: server.base, TOKEN: 'fh_wrong' }, sound);
    expect(await bot.told()).toMatchObject({ error: expect.stringMatching(/Figurehead opened no stream: .*401/) });
    await bot.close();
  });
});
