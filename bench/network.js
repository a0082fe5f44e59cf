// Streams over bad networks (npm run bench:network): a proxy with loss, bursts, jitter, or a rate with a queue, between a viewer in Chromium and a host in
// this process, and then, on the same link, between that viewer and libwebrtc, Chromium's own sender, with the same pictures and the same speech.
//
//   npm run bench:network -- [--links 'loss 10 %,120 kbit/s'] [--seconds 20] [--only host|libwebrtc] [--trace] [--json]
//
// Prints, from the connection on: frames per second, seconds in which the picture was frozen, the share of the sound that the viewer's decoder made up,
// and bytes sent per byte that the link carries; and the ratio of both. `--trace` prints the same for every second.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSpeech, loadPack } from '@figurehead/media';
import { openLiveHost } from '@figurehead/media/live';
import { runnerImport } from 'vite';
import { openLink } from './network/link.js';
import { closePeers, offerAgain, readCounts, receive, takeAnswer } from './network/page.js';

const LINKS = {
  clean: {},
  'loss 5 %': { loss: 0.05 },
  'loss 10 %': { loss: 0.1 },
  'loss 20 %': { loss: 0.2 },
  'bursts 5 %': { loss: 0.05, burst: 4 },
  'jitter 100 ms': { jitterMs: 100 },
  '5 % + 300 ms': { loss: 0.05, delayMs: 150 },
  '300 kbit/s': { bitsPerSecond: 300_000 },
  '200 kbit/s': { bitsPerSecond: 200_000 },
  '120 kbit/s': { bitsPerSecond: 120_000 },
};
const { values } = parseArgs({
  options: {
    links: { type: 'string', default: Object.keys(LINKS).join() },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: 'host,libwebrtc' },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const PICTURE = { width: 512, height: 512, fps: 25, background: '#dfe6ee' };
/** The host's own maximum for this picture. */
const MAX_BITS = 917_000;
const TEXT =
  'Every morning the harbour wakes before the town does, the boats come in with the tide and the gulls know it, and a presenter who speaks to you ' +
  'should sound as if the words had never been written down but were found while they were said, one after the other.';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const support = async (name) => {
  const path = fileURLToPath(new URL(`../tests/support/${name}.ts`, import.meta.url));
  return (await runnerImport(path)).module;
};
const speech = createSpeech({ threads: 1 });
const pack = await loadPack(fileURLToPath(new URL('../presenters/packs/helen', import.meta.url)));
const host = await openLiveHost({ ports: { from: 43_200, to: 43_299 }, onWarning: console.error });
const { launchChromium } = await support('chromium');
// A page needs real addresses to be sent through the link.
const browser = await launchChromium({ flags: ['--disable-features=WebRtcHideLocalIpsWithMdns'] });
const page = await browser.newPage();
await page.goto('about:blank');
const said = await speech.utter('flite', TEXT, { voice: 'slt' });
let opened = 0;

const rows = {};
for (const name of values.links.split(',')) {
  const settings = LINKS[name];
  if (!settings) throw new Error(`expected links of ${Object.keys(LINKS).join(', ')}, got ${name}`);
  const row = {};
  for (const by of values.only.split(',')) {
    const how = by === 'host' ? fromHost : fromLibwebrtc;
    row[by] = await how(settings);
    if (!values.json) console.log(name, by, JSON.stringify(row[by]));
  }
  rows[name] = row;
}
await browser.close();
await speech.close();
await host.close();
if (values.json) console.log(JSON.stringify(rows));
else printTable();
process.exit(0);

/** A session that speaks all the time. */
async function openSession() {
  const session = await host.open({ id: `network-${opened++}`, pack, picture: PICTURE, iceServers: [] });
  const speak = () => {
    const handle = session.speak(`said-${opened++}`, async function* () {
      yield { start: 0, samples: said.samples, marks: said.marks };
    });
    void handle.ended.then((how) => how === 'spoken' && speak());
  };
  speak();
  return session;
}

async function fromHost(settings) {
  const session = await openSession();
  const link = await openLink(addressOf(session.offer), settings);
  const names = ['viewer'];
  await session.answer(await page.evaluate(receive, { name: 'viewer', offer: through(session.offer, link) }));
  return measure({ link, settings, names, close: () => session.close() });
}

async function fromLibwebrtc(settings) {
  const session = await openSession();
  await session.answer(await page.evaluate(receive, { name: 'source', offer: session.offer }));
  // The sender starts with pictures and sound that flow.
  while (((await page.evaluate(readCounts, 'source')).video?.framesDecoded ?? 0) < 25) await wait(100);
  const offer = await page.evaluate(offerAgain, { name: 'sender', from: 'source', maxBits: MAX_BITS });
  const link = await openLink(addressOf(offer), settings);
  const sdp = await page.evaluate(receive, { name: 'viewer', offer: through(offer, link) });
  await page.evaluate(takeAnswer, { name: 'sender', sdp: withoutCandidates(sdp) });
  return measure({ link, settings, names: ['viewer', 'sender', 'source'], close: () => session.close() });
}

async function measure({ link, settings, names, close }) {
  for (let tries = 0; ; tries++) {
    const { state, video } = await page.evaluate(readCounts, 'viewer');
    if (state === 'connected' && video !== undefined) break;
    if (state === 'failed' || tries > 300) throw new Error(`expected a connection, got ${state}`);
    await wait(50);
  }
  const startMs = performance.now();
  let sentBefore = 0;
  for (let second = 1; second <= seconds; second++) {
    await wait(startMs + 1000 * second - performance.now());
    if (!values.trace) continue;
    const { video, audio } = await page.evaluate(readCounts, 'viewer');
    console.log(
      second,
      `${Math.round((8 * (link.counts.bytes - sentBefore)) / 1000)} kbit/s`,
      `${video.frameWidth} px`,
      `${video.framesDecoded} frames, ${video.freezeCount} freezes, ${video.keyFramesDecoded} keyframes`,
      `${audio.concealedSamples - audio.silentConcealedSamples} concealed`,
    );
    sentBefore = link.counts.bytes;
  }
  const elapsed = (performance.now() - startMs) / 1000;
  const { video, audio } = await page.evaluate(readCounts, 'viewer');
  const { bytes, dropped, packets } = link.counts;
  await page.evaluate(closePeers, names);
  await close();
  link.close();
  const sent = (8 * bytes) / elapsed;
  return {
    fps: video.framesDecoded / elapsed,
    // A freeze that lasts at the end is not in the browser's figure.
    frozenSeconds: video.totalFreezesDuration,
    concealed: (audio.concealedSamples - audio.silentConcealedSamples) / audio.totalSamplesReceived,
    sentKbits: sent / 1000,
    ofLink: settings.bitsPerSecond ? sent / settings.bitsPerSecond : undefined,
    dropped: dropped / packets,
    widthPx: video.frameWidth,
  };
}

/** Where the sender of an offer is reached. */
function addressOf(offer) {
  for (const line of offer.split('\r\n')) {
    const [, , protocol, , address, port] = line.startsWith('a=candidate:') ? line.split(' ') : [];
    if (protocol?.toLowerCase() === 'udp' && address.includes('.')) return { address, port: Number(port) };
  }
  throw new Error(`expected a candidate with an IPv4 address, got ${offer}`);
}

/** The offer with the link in the place of its candidates. */
function through(offer, { address, port }) {
  const candidate = `a=candidate:1 1 UDP 2130706431 ${address} ${port} typ host`;
  const isFirst = offer.indexOf('a=ice-ufrag');
  const rest = withoutCandidates(offer.slice(isFirst));
  return `${withoutCandidates(offer.slice(0, isFirst))}${candidate}\r\n${rest}`;
}

function withoutCandidates(sdp) {
  return sdp
    .split('\r\n')
    .filter((line) => !line.startsWith('a=candidate:'))
    .join('\r\n');
}

function printTable() {
  const table = {};
  for (const [name, { host: own, libwebrtc }] of Object.entries(rows)) {
    const pair = (key, digits, factor = 1) =>
      [own, libwebrtc].map((one) => (one?.[key] === undefined ? '–' : (one[key] * factor).toFixed(digits))).join(' / ');
    table[name] = {
      fps: pair('fps', 1),
      'frozen s': pair('frozenSeconds', 1),
      'concealed %': pair('concealed', 1, 100),
      'concealed, ratio': own && libwebrtc ? (own.concealed / Math.max(libwebrtc.concealed, 0.001)).toFixed(2) : '–',
      'sent kbit/s': pair('sentKbits', 0),
      'sent ÷ link': pair('ofLink', 2),
      'width px': pair('widthPx', 0),
    };
  }
  console.log(`host / libwebrtc, ${seconds} s each`);
  console.table(table);
}
