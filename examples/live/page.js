import { createClient, LiveStream } from '@figurehead/sdk';

const $ = (id) => document.getElementById(id);
// The page's own server adds the token; see server.js.
const figurehead = createClient({ baseUrl: location.origin, token: 'added-by-the-server' });
/** @type {LiveStream | undefined} */
let stream;

for (const avatar of await figurehead.listAvatars({ query: { realtime: true } })) {
  $('avatar').add(new Option(avatar.name, avatar.code));
}

$('start').onclick = () => attempt(start);
$('stop').onclick = () => attempt(() => stream?.close());
$('interrupt').onclick = () => attempt(() => stream?.interrupt());
$('form').onsubmit = (event) => {
  event.preventDefault();
  attempt(() => stream?.speak($('text').value));
};
// A stream that is left open ends by itself, but until then it costs minutes.
addEventListener('pagehide', () => stream?.close());

async function start() {
  $('start').disabled = true;
  show('Connecting …');
  try {
    stream = await LiveStream.open(figurehead, {
      avatarCode: $('avatar').value,
      background: '#1f2937',
      video: $('video'),
    });
  } catch (error) {
    $('start').disabled = false;
    throw error;
  }
  setOpen(true);
  show('Connected.');
  const words = [];
  const caption = () => {
    $('caption').textContent = words.slice(-8).join(' ');
  };
  stream.on('speech.started', () => show('Speaking.'));
  stream.on('speech.word', ({ text }) => {
    words.push(text);
    caption();
  });
  for (const end of ['speech.ended', 'speech.interrupted']) {
    stream.on(end, ({ error }) => {
      words.length = 0;
      caption();
      show(error ?? 'Listening.');
    });
  }
  stream.on('closed', ({ reason }) => {
    setOpen(false);
    show(`Ended: ${reason}.`);
  });
}

function setOpen(isOpen) {
  $('start').disabled = isOpen;
  for (const id of ['stop', 'speak', 'interrupt']) $(id).disabled = !isOpen;
}

function show(text) {
  $('status').textContent = text;
}

/** Runs what a button asks for, and shows why it failed. */
function attempt(act) {
  Promise.resolve()
    .then(act)
    .catch((error) => show(error.message));
}
