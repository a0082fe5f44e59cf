import { describe, expect, it } from 'vitest';
import { requireRoomServer } from './room-server.js';

const problemOf = (url: string, listed: readonly string[] = []): string => {
  try {
    requireRoomServer(url, listed);
    return '';
  } catch (error) {
    expect(error).toMatchObject({ code: 'room_refused' });
    return String(error);
  }
};

describe('the server of a room', () => {
  it.each([
    'ws://127.0.0.1:7880',
    'http://2130706433',
    'wss://[::1]',
    'ws://localhost',
    'http://169.254.169.254/latest',
    'wss://10.1.2.3',
  ])('cannot be at a private address (%s) unless the operator lists it', (url) => {
    expect(problemOf(url)).toMatch(/private, loopback or reserved/);
    expect(problemOf(url, [url])).toBe('');
  });

  it('is resolved with a check of its addresses, because a public name may have a private one', async () => {
    const lookup = requireRoomServer('wss://localhost.example', []);
    const found = new Promise((resolve) => lookup?.('localhost', {}, (error) => resolve(error?.message)));
    expect(await found).toMatch(/private, loopback or reserved/);
    expect(requireRoomServer('wss://livekit.example', ['https://livekit.example/'])).toBeUndefined();
  });

  it('is one of the listed ones, where some are', () => {
    const listed = ['wss://livekit.example', 'http://livekit:7880/'];
    expect(problemOf('https://livekit.example:443/path', listed)).toBe('');
    expect(problemOf('ws://livekit:7880', listed)).toBe('');
    expect(problemOf('ws://livekit.example', listed)).toMatch(/FIGUREHEAD_LIVEKIT_URLS/);
    expect(problemOf('wss://other.example', listed)).toMatch(/FIGUREHEAD_LIVEKIT_URLS/);
  });

  it.each([
    ['nonsense', /absolute URL/],
    ['ftp://livekit.example', /not ftp:/],
    ['wss://me:secret@livekit.example', /user name or password/],
  ])('has an address of WebSockets without a login, not %s', (url, reason) => {
    expect(problemOf(url)).toMatch(reason);
  });
});
