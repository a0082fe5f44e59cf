const { setTimeout: sleep } = require('node:timers/promises');

/** Seconds between two looks at a film that is being made. */
const PAUSE = 5;
/** Rows that one call of renderTemplate takes. */
const MOST_ROWS = 200;

/** A field that is shown for `operations` only. */
const fieldFor = (operations, field) => ({ ...field, displayOptions: { show: { operation: operations } } });
/** A choice whose entries come from the server. */
const choice = (displayName, name, loadOptionsMethod, description) => ({
  displayName,
  name,
  type: 'options',
  typeOptions: { loadOptionsMethod },
  default: '',
  description,
});

exports.Figurehead = class {
  description = {
    displayName: 'Figurehead',
    name: 'figurehead',
    icon: 'file:figurehead.svg',
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Turns text into presenter videos',
    defaults: { name: 'Figurehead' },
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'figureheadApi', required: true }],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        default: 'createVideo',
        options: [
          { name: 'Make a Video', value: 'createVideo', action: 'Make a video from a text' },
          { name: 'Render a Video', value: 'renderVideo', action: 'Render a video that exists' },
          { name: 'Render a Template', value: 'renderTemplate', action: 'Render a template once for each item' },
          { name: 'Read a Video', value: 'readVideo', action: 'Read a video and its status' },
        ],
      },
      fieldFor(['createVideo'], {
        displayName: 'Text',
        name: 'text',
        type: 'string',
        typeOptions: { rows: 4 },
        default: '',
        description:
          'What the presenter says. A paragraph of its own (an empty line before it) becomes a slide of its own.',
      }),
      fieldFor(
        ['createVideo'],
        choice('Presenter Name or ID', 'presenter', 'presenters', 'The server’s first one unless chosen'),
      ),
      fieldFor(
        ['createVideo'],
        choice('Voice Name or ID', 'voice', 'voices', 'The presenter’s own voice unless chosen'),
      ),
      fieldFor(['createVideo'], {
        displayName: 'Document',
        name: 'document',
        type: 'json',
        default: '{}',
        description:
          'Further fields of POST /videos, such as name, tags, data or slides; they win over the fields above',
      }),
      fieldFor(['renderVideo', 'renderTemplate', 'readVideo'], {
        displayName: 'Video ID',
        name: 'videoId',
        type: 'string',
        default: '',
        required: true,
      }),
      fieldFor(['renderTemplate'], {
        displayName: 'Values',
        name: 'values',
        type: 'json',
        default: '={{ $json }}',
        description: 'Values of this item by the names of the template’s placeholders',
      }),
      fieldFor(['createVideo', 'renderVideo', 'renderTemplate'], {
        displayName: 'Wait for the Film',
        name: 'wait',
        type: 'boolean',
        default: true,
        description: 'Whether to go on only when the film is ready; a film that fails is an error of its item',
      }),
      fieldFor(['createVideo', 'renderVideo', 'renderTemplate'], {
        displayName: 'Longest Wait (Minutes)',
        name: 'minutes',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 30,
      }),
      fieldFor(['createVideo', 'renderVideo', 'readVideo', 'renderTemplate'], {
        displayName: 'Download the Film',
        name: 'download',
        type: 'boolean',
        default: false,
        description: 'Whether to put the film of a video that is ready into the binary field "film"',
      }),
    ],
  };

  methods = {
    loadOptions: {
      async presenters() {
        const avatars = await call(this, 'GET', '/avatars');
        return avatars.map(({ name, code }) => ({ name, value: code }));
      },
      async voices() {
        const groups = await call(this, 'GET', '/voices');
        return groups.flatMap((group) =>
          [...group.female, ...group.male].map((voice) => ({
            name: `${group.name}: ${voice.name}`,
            value: JSON.stringify({ voice: voice.voice, voiceProvider: voice.voiceProvider, language: group.name }),
          })),
        );
      },
    },
  };

  /** Starts all films before it waits for the first one, so that the server makes them side by side. */
  async execute() {
    const operation = this.getNodeParameter('operation', 0);
    const items = this.getInputData();
    const started = await (operation === 'renderTemplate'
      ? attempt(this, [...items.keys()], () => startBatches(this, items.length))
      : Promise.all(items.map((_, index) => attempt(this, [index], () => start(this, operation, index)))));
    return [await Promise.all(started.flat().map((entry) => finished(this, operation, entry)))];
  }
};

/** The entries of `work`; its error becomes the error of the items, unless the workflow stops at errors. */
async function attempt(node, indexes, work) {
  try {
    return await work();
  } catch (error) {
    if (!node.continueOnFail()) throw error;
    return indexes.map((index) => ({ index, error }));
  }
}

/** The video of an item, whose rendering has begun unless it is only read. */
async function start(node, operation, index) {
  let id = operation === 'createVideo' ? undefined : idOf(node, index);
  if (operation === 'createVideo') id = (await call(node, 'POST', '/videos', documentOf(node, index)))._id;
  if (operation !== 'readVideo') await call(node, 'POST', `/videos/render/${id}`, {});
  return [{ index, id }];
}

/** One video for each item, in batches of the template. */
async function startBatches(node, count) {
  const template = idOf(node, 0);
  const entries = [];
  for (let from = 0; from < count; from += MOST_ROWS) {
    const indexes = Array.from({ length: Math.min(MOST_ROWS, count - from) }, (_, row) => from + row);
    const templateData = indexes.map((index) => jsonOf(node, 'values', index));
    const { requestId } = await call(node, 'POST', `/videos/renderTemplate/${template}`, { templateData });
    const { videos } = await call(node, 'GET', `/batches/${requestId}`);
    entries.push(...videos.map((video) => ({ index: from + video.batchRowId, id: video._id })));
  }
  return entries;
}

/** The item of a video, once its film is there; of a video that failed, its error. */
async function finished(node, operation, { index, id, error }) {
  const pairedItem = { item: index };
  try {
    if (error !== undefined) throw error;
    const video = await (operation !== 'readVideo' && node.getNodeParameter('wait', index)
      ? waitFor(node, id, index)
      : call(node, 'GET', `/videos/${id}`));
    const isFilm = video.status === 'ready' && node.getNodeParameter('download', index);
    return { json: video, pairedItem, ...(isFilm && { binary: { film: await download(node, video) } }) };
  } catch (failure) {
    if (!node.continueOnFail()) throw failure;
    return { json: { error: failure.description ?? failure.message }, pairedItem };
  }
}

/** A callback would reach one execution only once, and needs a server that can reach n8n: the node looks by itself. */
async function waitFor(node, id, index) {
  const until = Date.now() + node.getNodeParameter('minutes', index) * 60_000;
  for (;;) {
    const video = await call(node, 'GET', `/videos/${id}`);
    if (video.status === 'ready') return video;
    if (video.deleted || video.status === 'error' || video.status === 'draft') {
      const reason = video.error ?? `its rendering was stopped, its status is "${video.status}"`;
      throw new Error(`The video "${video.name}" has no film: ${reason}`);
    }
    if (Date.now() > until) {
      throw new Error(`The film of "${video.name}" was not ready in time; it is still being made`);
    }
    await sleep(PAUSE * 1000, undefined, { signal: node.getExecutionCancelSignal() });
  }
}

/** The links of films are signed: they need no token. */
async function download(node, video) {
  const film = await node.helpers.httpRequest({ url: video.url, encoding: 'arraybuffer' });
  return node.helpers.prepareBinaryData(Buffer.from(film), `${video.name}.mp4`, 'video/mp4');
}

/** Body of POST /videos: a slide for each paragraph, and what the document has. */
function documentOf(node, index) {
  const text = node.getNodeParameter('text', index).trim();
  const presenter = node.getNodeParameter('presenter', index);
  const voice = node.getNodeParameter('voice', index);
  const given = jsonOf(node, 'document', index);
  const paragraphs = text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  if (paragraphs.length === 0 && given.slides === undefined) {
    throw new Error('A video needs a text, or a document with slides');
  }
  const slides = paragraphs.map((speech, at) => ({
    id: at + 1,
    speech: speech.trim(),
    ...(presenter !== '' && { avatar: { code: presenter } }),
    ...(voice !== '' && JSON.parse(voice)),
  }));
  return { name: text.split('\n', 1)[0].slice(0, 60) || 'Video', slides, ...given };
}

/** A field of JSON: n8n gives text for what is typed and an object for an expression. */
function jsonOf(node, name, index) {
  const value = node.getNodeParameter(name, index);
  try {
    const object = typeof value === 'string' ? JSON.parse(value) : value;
    if (typeof object === 'object' && object !== null && !Array.isArray(object)) return object;
  } catch {
    // Named below, with what is not an object.
  }
  throw new Error(`"${name}" must be a JSON object, not ${JSON.stringify(value)}`);
}

function idOf(node, index) {
  return encodeURIComponent(node.getNodeParameter('videoId', index).trim());
}

/** The answer of a route. A refusal becomes n8n's own error, with the server's sentence as its description. */
async function call(node, method, path, body) {
  const { url } = await node.getCredentials('figureheadApi');
  const options = { method, url: `${url.replace(/\/+$/, '')}/api/v1${path}`, body, json: true };
  return node.helpers.httpRequestWithAuthentication.call(node, 'figureheadApi', options);
}
