import { createHmac, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LiveError } from '../contract.js';
import { parseCandidate, readCandidate } from './candidate.js';
import { createCertificate } from './certificate.js';
import { formatOffer, formatRemote, parseAnswer } from './sdp.js';
import { answerOffer } from './sdp-answer.js';
import { turnCredentials } from './turn.js';

const FINGERPRINT = `sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`;

/** An answer as Chromium writes it, shortened; `video` is the payload types of its video line. */
function answer(video = '102 103 96 97', extra: string[] = []): string {
  const transport = [
    'a=ice-ufrag:abcd',
    'a=ice-pwd:abcdefghijklmnopqrstuvwx',
    `a=fingerprint:${FINGERPRINT}`,
    'a=setup:active',
  ];
  return [
    'v=0',
    'o=- 1 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1 2',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111',
    'c=IN IP4 0.0.0.0',
    ...transport,
    'a=mid:0',
    'a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01',
    'a=recvonly',
    `m=video ${video === '' ? 0 : 9} UDP/TLS/RTP/SAVPF ${video}`,
    ...transport,
    'a=mid:1',
    'a=recvonly',
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    ...transport,
    'a=mid:2',
    'a=sctp-port:5000',
    'a=max-message-size:262144',
    ...extra,
    '',
  ].join('\r\n');
}

describe('the offer', () => {
  const offer = formatOffer({
    local: {
      ufrag: 'ufrg',
      pwd: 'p'.repeat(24),
      fingerprint: FINGERPRINT,
      candidates: [parseCandidate('candidate:1 1 UDP 2130706431 192.0.2.7 40000 typ host')!],
    },
    ssrcs: { audio: 1, video: 2, rtx: 3 },
    cname: 'cname',
    maxVideoBits: 1_000_000,
    microphone: false,
  });

  it('contains both video codecs with RTX, H.264 first, and every candidate', () => {
    expect(offer).toContain('m=video 9 UDP/TLS/RTP/SAVPF 102 103 96 97\r\n');
    expect(offer).toContain('a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f\r\n');
    expect(offer).toContain('a=fmtp:97 apt=96\r\n');
    expect(offer).toContain('a=ssrc-group:FID 2 3\r\n');
    expect(offer).toContain('a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay\r\n');
    expect(offer).toContain('a=candidate:1 1 UDP 2130706431 192.0.2.7 40000 typ host\r\na=end-of-candidates\r\n');
    expect(offer).toContain('m=audio 9 UDP/TLS/RTP/SAVPF 111 63\r\n');
    expect(offer).toContain('a=rtpmap:63 red/48000/2\r\na=fmtp:63 111/111\r\n');
    expect(offer.match(/a=msid:cname cname-(audio|video)/g)).toHaveLength(2);
  });
});

describe('an answer', () => {
  it('chooses the codec by its first payload type', () => {
    expect(parseAnswer(answer()).video).toEqual({ codec: 'H264', payloadType: 102, rtxPayloadType: 103 });
    expect(parseAnswer(answer('96 97')).video).toEqual({ codec: 'VP8', payloadType: 96, rtxPayloadType: 97 });
    expect(parseAnswer(answer('96 102')).video).toEqual({ codec: 'VP8', payloadType: 96, rtxPayloadType: undefined });
    expect(parseAnswer(answer())).toMatchObject({ setup: 'active', transportCcId: 3, audio: { payloadType: 111 } });
  });

  it('takes redundant sound where it is accepted', () => {
    const red = (sdp: string) => parseAnswer(sdp).audio?.redPayloadType;
    expect(red(answer())).toBeUndefined();
    expect(red(answer().replace('SAVPF 111', 'SAVPF 111 63'))).toBe(63);
  });

  it('may refuse the picture', () => {
    const parsed = parseAnswer(answer(''));
    expect(parsed.video).toBeUndefined();
    expect(formatRemote(parsed)).toContain('m=video 0 ');
  });

  it('is rewritten before it reaches the transport', () => {
    const injected = answer('102', [
      'a=evil:1',
      'a=candidate:1 1 udp 1 10.0.0.1 9 typ host',
      'a=candidate:2 1 udp 1 x.local 9 typ host',
    ]);
    const parsed = parseAnswer(injected);
    expect(parsed.remote.candidates.map(({ address }) => address)).toEqual(['10.0.0.1']);
    expect(formatRemote(parsed)).not.toContain('evil');
  });

  it('is refused when malformed, with a message about what was expected', () => {
    const garbage = [
      '',
      'hello',
      'v=0\r\n',
      answer().replaceAll('a=mid:1', 'a=mid:9'),
      answer().replaceAll('a=ice-ufrag:abcd', 'a=ice-ufrag:<b>'),
      answer().replaceAll('abcdefghijklmnopqrstuvwx', 'short'),
      answer().replaceAll('sha-256 AB', 'sha-256 XX'),
      answer().replaceAll('a=setup:active', 'a=setup:actpass'),
      answer('98 99'),
      answer().replaceAll('SAVPF 111', 'SAVPF 0'),
      answer().replaceAll('recvonly', 'inactive'),
      'v=0\r\n'.padEnd(100_000, 'a=x\r\n'),
    ];
    for (const sdp of garbage) {
      expect(() => parseAnswer(sdp), sdp.slice(0, 60)).toThrowError(LiveError);
    }
  });
});

describe('the answer to an offer of a viewer', () => {
  const TRANSPORT = [
    'a=ice-ufrag:abcd',
    `a=ice-pwd:${'p'.repeat(24)}`,
    `a=fingerprint:${FINGERPRINT}`,
    'a=setup:actpass',
  ];
  const section = (media: string, mid: string, more: string[]) => [
    `m=${media}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    ...TRANSPORT,
    'a=recvonly',
    ...more,
  ];
  const VIDEO = section('video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 35', 'v', [
    'a=extmap:9 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay',
    'a=rtpmap:96 VP8/90000',
    'a=rtpmap:97 rtx/90000',
    'a=fmtp:97 apt=96',
    'a=rtpmap:98 H264/90000',
    'a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f',
    'a=rtpmap:99 H264/90000',
    'a=fmtp:99 packetization-mode=1;profile-level-id=42e01f',
    'a=rtpmap:35 AV1/90000',
  ]);
  const AUDIO = section('audio 9 UDP/TLS/RTP/SAVPF 63 109', 'a', [
    'a=rtpmap:63 red/48000/2',
    'a=rtpmap:109 opus/48000/2',
  ]);
  const offer = (...sections: string[][]) =>
    ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE v a t', ...sections.flat(), ''].join('\r\n');
  const options = {
    local: { ufrag: 'ufrg', pwd: 'p'.repeat(24), fingerprint: FINGERPRINT, candidates: [] },
    ssrcs: { audio: 1, video: 2, rtx: 3 },
    cname: 'cname',
    maxVideoBits: 1_000_000,
    microphone: false,
  };

  it('keeps its sections, names and payload types, and prefers H.264 in fragments', () => {
    const text = section('text 9 UDP/TLS/RTP/SAVPF 100', 't', []);
    const { answer: chosen, sdp } = answerOffer(offer(VIDEO, text, AUDIO), options);
    expect(chosen.video).toEqual({ codec: 'H264', payloadType: 99, rtxPayloadType: undefined, playoutDelayId: 9 });
    expect(chosen).toMatchObject({ setup: 'active', audio: { payloadType: 109 }, events: undefined });
    expect(sdp.match(/^m=.*$/gm)).toEqual([
      'm=video 9 UDP/TLS/RTP/SAVPF 99',
      'm=text 0 UDP/TLS/RTP/SAVPF 100',
      'm=audio 9 UDP/TLS/RTP/SAVPF 109',
    ]);
    expect(sdp).toContain('a=group:BUNDLE v a\r\n');
    expect(sdp).not.toContain('actpass');
  });

  it('uses VP8 with retransmission when nothing else is offered, and sound alone without a common video codec', () => {
    const onlyVp8 = VIDEO.filter((line) => !line.includes('H264'));
    const { answer: chosen, sdp } = answerOffer(offer(onlyVp8, AUDIO), options);
    expect(chosen.video).toMatchObject({ codec: 'VP8', payloadType: 96, rtxPayloadType: 97 });
    // Browsers treat the first SSRC of a section as the video.
    expect(sdp.match(/^a=ssrc:\d+/gm)).toEqual(['a=ssrc:2', 'a=ssrc:3', 'a=ssrc:1']);
    const none = VIDEO.filter((line) => !/H264|VP8/.test(line));
    expect(answerOffer(offer(none, AUDIO), options).answer.video).toBeUndefined();
  });

  it.each([
    ['High alone', '97 H264/90000', '97 packetization-mode=1;profile-level-id=640c1f'],
    ['no mode', '97 H264/90000', '97 profile-level-id=42e01f'],
    ['single units', '97 H264/90000', '97 Packetization-Mode=0; profile-level-id=42001F'],
    ['nothing about it', '97 H264/90000', undefined],
  ])('sends constrained baseline to a viewer whose H.264 has %s, in the form that it offers', (_what, map, fmtp) => {
    const only = section('video 9 UDP/TLS/RTP/SAVPF 97', 'v', [`a=rtpmap:${map}`, ...(fmtp ? [`a=fmtp:${fmtp}`] : [])]);
    const { answer: chosen, sdp } = answerOffer(offer(only, AUDIO), options);
    expect(chosen.video).toMatchObject({ codec: 'H264', payloadType: 97 });
    const form = (text: string) => /(?:^|[; ])((?:packetization-mode|profile-level-id)=.*)$/im.exec(text)?.[1] ?? '';
    const answered = /^a=fmtp:97 (.*)$/m.exec(sdp)?.[1] ?? '';
    expect(form(answered).toLowerCase()).toBe(
      form(fmtp ?? '')
        .toLowerCase()
        .replaceAll(' ', ''),
    );
    const withVp8 = [...only, 'a=rtpmap:98 VP8/90000'].map((line) => line.replace('SAVPF 97', 'SAVPF 97 98'));
    expect(answerOffer(offer(withVp8, AUDIO), options).answer.video?.codec).toBe('VP8');
  });

  it('reads parameters beside those it needs, extensions with attributes, and Opus without channels', () => {
    const odd = offer(VIDEO, AUDIO)
      .replace('a=fmtp:97 apt=96', 'a=fmtp:97 rtx-time=200; APT=96')
      .replace('a=rtpmap:98 H264', 'a=rtpmap:98 x')
      .replace('a=rtpmap:99 H264', 'a=rtpmap:99 x')
      .replace('rtp-hdrext/playout-delay', 'rtp-hdrext/playout-delay vla=1')
      .replace('opus/48000/2', 'OPUS/48000');
    expect(answerOffer(odd, options).answer).toMatchObject({
      video: { codec: 'VP8', rtxPayloadType: 97, playoutDelayId: 9 },
      audio: { payloadType: 109 },
    });
  });

  it('reads the transport where the bundle has it, its usable fingerprint, and any line ends', () => {
    const isTransport = (line: string) => /^a=(?:ice|fingerprint|setup)/.test(line);
    const bare = AUDIO.filter((line) => !isTransport(line)).concat('a=bundle-only');
    const max = offer(VIDEO, bare).replace('m=audio 9', 'm=audio 0');
    expect(answerOffer(max, options).answer).toMatchObject({ remote: { ufrag: 'abcd' }, audio: { payloadType: 109 } });
    expect(answerOffer(max.replaceAll('\r\n', '\r'), options).answer.video?.payloadType).toBe(99);
    expect(answerOffer(` ${max.replaceAll('\r\n', ' \n')}`, options).answer.video?.payloadType).toBe(99);
    const several = max.replace('a=fingerprint:', 'a=fingerprint:md5 AB:CD\r\na=fingerprint:');
    expect(answerOffer(several, options).answer.remote.fingerprint).toBe(FINGERPRINT);
  });

  it('has the direction of the session where a section has none', () => {
    const bare = (section: string[]) => section.filter((line) => line !== 'a=recvonly');
    const only = (direction: string) => offer(bare(VIDEO), AUDIO).replace('t=0 0', `t=0 0\r\na=${direction}`);
    const ports = (sdp: string) => answerOffer(sdp, options).sdp.match(/^m=\w+ \d/gm);
    expect(ports(only('recvonly'))).toEqual(['m=video 9', 'm=audio 9']);
    expect(ports(only('inactive'))).toEqual(['m=video 0', 'm=audio 9']);
  });

  it('offers redundant sound to a viewer that reads it, Opus first', () => {
    const withRed = [...AUDIO, 'a=fmtp:63 109/109'];
    const { answer: chosen, sdp } = answerOffer(offer(withRed), options);
    expect(chosen.audio).toEqual({ payloadType: 109, redPayloadType: 63 });
    expect(sdp).toContain('SAVPF 109 63\r\n');
    expect(sdp).toContain('a=fmtp:63 109/109\r\n');
  });

  it('starts DTLS for a viewer that waits for it, and lets others start', () => {
    const role = (setup: string) => {
      const { answer: chosen, sdp } = answerOffer(offer(AUDIO, VIDEO).replaceAll('a=setup:actpass', setup), options);
      return [chosen.setup, ...new Set(sdp.match(/^a=setup:\w+/gm))];
    };
    expect(role('a=setup:passive')).toEqual(['passive', 'a=setup:active']);
    expect(role('a=setup:active')).toEqual(['active', 'a=setup:passive']);
    expect(role('a=setup:actpass')).toEqual(['active', 'a=setup:passive']);
    expect(() => role('a=setup:holdconn')).toThrowError(expect.objectContaining({ code: 'bad_offer' }));
  });

  it('is refused when sound or picture would need a transport of its own, and accepted with one section', () => {
    const without = (...sections: string[][]) => offer(...sections).replace('a=group:BUNDLE v a t\r\n', '');
    const bare = (section: string[]) => section.filter((line) => !line.startsWith('a=mid:'));
    for (const sdp of [
      without(VIDEO, AUDIO),
      without(bare(AUDIO), bare(VIDEO)),
      offer(VIDEO, AUDIO).replace('BUNDLE v a t', 'BUNDLE v t'),
    ])
      expect(() => answerOffer(sdp, options)).toThrowError(
        /^expected audio and video in one BUNDLE group in the offer/,
      );
    const inactive = VIDEO.map((line) => (line === 'a=recvonly' ? 'a=inactive' : line));
    expect(answerOffer(without(inactive, AUDIO), options).sdp.match(/^m=\w+ \d/gm)).toEqual(['m=video 0', 'm=audio 9']);
  });

  it('is refused for malformed SDP, a viewer that only sends, and sections outside the bundle', () => {
    for (const sdp of [
      '',
      'hello',
      'v=0\r\n',
      offer(),
      offer(AUDIO).replaceAll('recvonly', 'sendonly'),
      offer(AUDIO).replace('BUNDLE v a t', 'BUNDLE x'),
      offer(AUDIO).replaceAll('opus', 'PCMU'),
      offer(AUDIO).replaceAll('a=ice-ufrag:abcd', 'a=ice-ufrag:<b>'),
      offer(AUDIO).padEnd(100_000, 'a=x\r\n'),
    ]) {
      expect(() => answerOffer(sdp, options), sdp.slice(0, 60)).toThrowError(
        expect.objectContaining({ code: 'bad_offer' }),
      );
    }
  });

  const listening = { ...options, microphone: true };
  const sending = AUDIO.map((line) => (line === 'a=recvonly' ? 'a=sendrecv' : line)).concat('a=ssrc:777 cname:viewer');

  it('asks for a microphone in the sound of the offer, and nowhere else', () => {
    expect(formatOffer(listening).match(/^a=(sendonly|sendrecv)/gm)).toEqual(['a=sendrecv', 'a=sendonly']);
    const without = formatOffer({ ...listening, microphone: false });
    expect(without.match(/^a=(sendonly|sendrecv)/gm)).toEqual(['a=sendonly', 'a=sendonly']);
  });

  it('accepts a microphone in a viewer’s offer that names its source, and passed on to the transport', () => {
    const { answer: chosen, sdp } = answerOffer(offer(sending, VIDEO), listening);
    expect(chosen.microphone).toEqual({ payloadType: 109, ssrc: 777 });
    expect(sdp.match(/^a=(sendonly|sendrecv)/gm)).toEqual(['a=sendrecv', 'a=sendonly']);
    expect(formatRemote(chosen)).toContain('a=sendrecv\r\n');
    expect(formatRemote(chosen)).toContain('a=ssrc:777 cname:viewer\r\n');
  });

  it('ignores a microphone where nothing hears it, without a source, or with one that is not a number', () => {
    expect(answerOffer(offer(sending), { ...listening, microphone: false }).answer.microphone).toBeUndefined();
    expect(answerOffer(offer(AUDIO), listening).answer.microphone).toBeUndefined();
    for (const source of ['', 'a=ssrc:0 cname:x', 'a=ssrc:99999999999 cname:x', 'a=ssrc:x']) {
      const odd = sending.map((line) => (line.startsWith('a=ssrc') ? source : line)).filter((line) => line !== '');
      const { answer: chosen, sdp } = answerOffer(offer(odd), listening);
      expect([chosen.microphone, sdp.includes('a=sendrecv')]).toEqual([undefined, false]);
    }
  });
});

describe('candidates', () => {
  it('of browsers are parsed, and unusable ones are skipped', () => {
    const read = (candidate: string) => readCandidate({ candidate, sdpMid: '0', sdpMLineIndex: 0 });
    expect(
      read('candidate:842163049 1 udp 1677729535 203.0.113.5 44323 typ srflx raddr 0.0.0.0 rport 0 generation 0'),
    ).toMatchObject({
      address: '203.0.113.5',
      type: 'srflx',
    });
    expect(read('candidate:1 1 UDP 2122252543 2001:db8::1 44323 typ host')?.address).toBe('2001:db8::1');
    expect(read('candidate:1 1 udp 2113937151 1c0a-7b.local 50000 typ host')).toBeUndefined();
    expect(read('candidate:1 1 tcp 1518280447 10.0.0.2 9 typ host tcptype active')).toBeUndefined();
    expect(read('candidate:1 1 udp 2113937151 media.example.org 50000 typ host')).toBeUndefined();
    expect(read('candidate:1 1 udp 1518280447 10.0.0.2 443 typ nat64 x y')).toBeUndefined();
    expect(read('candidate:1 256 udp 1518280447 h 443 typ host')).toBeUndefined();
    expect(read('candidate:1 1 ssltcp 1518280447 10.0.0.2 443 typ host')).toBeUndefined();
    expect(read('')).toBeUndefined();
    expect(readCandidate(null)).toBeUndefined();
  });

  it('are refused when malformed', () => {
    for (const candidate of [
      'x',
      'candidate:',
      'candidate:1 1 udp 1 999.1.1.1 5 typ host',
      'candidate:1 1 udp 1 1.1.1.1 70000 typ host',
      `candidate:${'9'.repeat(9000)}`,
    ]) {
      expect(() => readCandidate({ candidate })).toThrowError(expect.objectContaining({ code: 'bad_candidate' }));
    }
  });
});

describe('credentials', () => {
  it('for TURN expire with the stream and are what coturn computes', () => {
    const server = turnCredentials({ urls: ['turn:turn.example.org'], secret: 'north' }, 'stream-1', 1_700_000_000_999);
    expect(server.username).toBe('1700000000:stream-1');
    expect(server.credential).toBe(createHmac('sha1', 'north').update('1700000000:stream-1').digest('base64'));
  });

  it('of a host are a self-signed certificate and its fingerprint', () => {
    const { certificate, fingerprint } = createCertificate();
    const parsed = new X509Certificate(certificate);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(`sha-256 ${parsed.fingerprint256}`).toBe(fingerprint);
    expect(Date.parse(parsed.validTo)).toBeGreaterThan(Date.now());
  });
});
