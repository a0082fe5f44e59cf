import { openPresenter } from '@figurehead/presenter-web';
import openEspeak from 'espeak-ng';

const status = document.querySelector('[role=status]');

/** eSpeak NG, compiled to WebAssembly: any voice that gives samples, or a file of sound, takes its place. */
const espeak = openEspeak({
  locateFile: (file) => new URL(`node_modules/@echogarden/espeak-ng-emscripten/${file}`, document.baseURI).href,
}).then((program) => new program.eSpeakNGWorker());

async function voice(sentence) {
  const program = await espeak;
  program.set_voice('en-us');
  const parts = [];
  program.synthesize(sentence, (samples) => {
    parts.push(...samples);
    return false;
  });
  return { samples: Float32Array.from(parts, (sample) => sample / 32_768), sampleRate: 22_050 };
}

const canvas = document.querySelector('canvas');
const presenter = await openPresenter({ canvas, voice });
let speech;
status.textContent = 'Ready';

async function say(what) {
  speech = presenter.speak(what);
  status.textContent = 'Speaking';
  const said = speech;
  const outcome = await said.finished.catch((error) => `Failed: ${error.message}`);
  if (said === speech) status.textContent = outcome;
}

document.querySelector('form').onsubmit = (event) => {
  event.preventDefault();
  void say(event.target.elements.text.value);
};
document.querySelector('input').onchange = async ({ target }) => {
  const [file] = target.files;
  if (file) await say(await file.arrayBuffer());
};
document.querySelector('#microphone').onclick = async () => {
  await say(await navigator.mediaDevices.getUserMedia({ audio: true }));
};
document.querySelector('#stop').onclick = () => speech?.interrupt();
