/**
 * A page that plays one stream and reports every 40 ms: the sound's level, how dark the mouth is (an open mouth is dark), how
 * much it moved, and the number of decoded frames. It needs no driver: it fetches the offer and posts its answer, candidates
 * and observations.
 */
export const VIEWER_PAGE = `<!doctype html><meta charset="utf-8"><title>viewer</title>
<video id="video" autoplay playsinline></video>
<script type="module">
const post = (path, body) => fetch(path, { method: 'POST', body: JSON.stringify(body) });
const complain = (error) => post('/error', String(error) + ' ' + (error?.stack ?? ''));
addEventListener('error', (event) => complain(event.error || event.message));
addEventListener('unhandledrejection', (event) => complain(event.reason));
const codec = new URLSearchParams(location.search).get('codec');
const pc = new RTCPeerConnection();
const stream = new MediaStream();
const video = document.getElementById('video');
video.srcObject = stream;
const audio = new AudioContext();
const analyser = audio.createAnalyser();
analyser.fftSize = 1024;
const wave = new Float32Array(analyser.fftSize);
pc.ontrack = ({ track }) => {
  stream.addTrack(track);
  if (track.kind === 'audio') audio.createMediaStreamSource(new MediaStream([track])).connect(analyser);
  video.play().catch(complain);
};
pc.ondatachannel = ({ channel }) => {
  channel.onmessage = ({ data }) => events.push({ at: performance.now(), ...JSON.parse(data), clock: JSON.parse(data).at });
};
pc.onicecandidate = ({ candidate }) => post('/candidate', candidate);
const events = [], samples = [];
let decoded = 0, shown = 0, width = 0, firstFrameAt = null;
const onFrame = (now, { presentedFrames }) => {
  firstFrameAt ??= performance.now();
  shown = presentedFrames; width = video.videoWidth;
  video.requestVideoFrameCallback(onFrame);
};
video.requestVideoFrameCallback(onFrame);
const canvas = new OffscreenCanvas(64, 32);
const context = canvas.getContext('2d', { willReadFrequently: true });
let before = null, corner = null, heard = false;
const look = () => {
  analyser.getFloatTimeDomainData(wave);
  let sum = 0;
  for (const value of wave) sum += value * value;
  let dark = 0, motion = 0;
  if (video.videoWidth > 0) {
    const [w, h] = [video.videoWidth, video.videoHeight];
    context.drawImage(video, 0.42 * w, 0.55 * h, 0.2 * w, 0.1 * h, 0, 0, 64, 32);
    const { data } = context.getImageData(0, 0, 64, 32);
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] + data[at + 1] + data[at + 2] < 200) dark++;
      if (before) motion += Math.abs(data[at + 1] - before[at + 1]);
    }
    before = data;
    context.drawImage(video, 8, 8, 8, 8, 0, 0, 1, 1);
    corner = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }
  const loudness = Math.sqrt(sum / wave.length);
  // Once the audio graph has run, exact silence is a valid level: the receiver's counter would still include earlier speech.
  heard ||= loudness > 0;
  samples.push({ at: performance.now(), rms: heard ? loudness : level, dark, motion: motion / 2048, shown });
};
setInterval(look, 40);
// Without a sound device the page's audio graph may not run; the level then comes from the receiver's energy counter.
let level = 0, energyBefore = 0, durationBefore = 0;
setInterval(async () => {
  for (const report of (await pc.getStats()).values()) {
    if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
    const duration = report.totalSamplesDuration - durationBefore;
    if (duration > 0) level = Math.sqrt(Math.max(0, report.totalAudioEnergy - energyBefore) / duration);
    [energyBefore, durationBefore] = [report.totalAudioEnergy, report.totalSamplesDuration];
  }
}, 80);
const send = async () => {
  let inbound = [];
  if (pc.getStats) for (const report of (await pc.getStats()).values()) if (report.type === 'inbound-rtp') inbound.push({ ...report });
  const batch = samples.splice(0), told = events.splice(0);
  await post('/observe', { now: performance.now(), samples: batch, events: told, firstFrameAt, width, corner, audioState: audio.state, inbound, connection: pc.connectionState });
};
(async () => {
  const { sdp } = await (await fetch('/offer')).json();
  await pc.setRemoteDescription({ type: 'offer', sdp });
  const answer = await pc.createAnswer();
  if (codec === 'VP8') answer.sdp = answer.sdp.replace(/(m=video \\S+ \\S+) 102 103 96 97/, '$1 96 97 102 103');
  await pc.setLocalDescription(answer);
  await post('/answer', answer.sdp);
  audio.resume().catch(complain);
  setInterval(() => send().catch(() => undefined), 250);
})().catch(complain);
</script>`;
