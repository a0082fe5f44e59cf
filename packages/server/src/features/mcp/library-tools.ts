import { scriptSeconds } from '@figurehead/contract/document';
import { type TProperties, Type } from '@sinclair/typebox';
import { voiceOf } from './slides.js';
import { defineTool, type ToolContext, ToolError } from './tool.js';
import { brief } from './video-tools.js';

/** Maximum results of a search. */
const MAX_FOUND = 25;
const TEXT = Type.Optional(Type.String({ maxLength: 200, description: 'Words to look for; all unless given.' }));
const GENDER = Type.Optional(Type.Unsafe<'male' | 'female'>({ type: 'string', enum: ['male', 'female'] }));

/** A file of the user: its path in the allowed folder, or its bytes. */
const FILE = {
  path: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1000, description: 'Path in the folder given to figurehead mcp --folder.' }),
  ),
  fileName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Name with extension, with base64.' }),
  ),
  base64: Type.Optional(
    Type.String({ minLength: 1, description: 'Bytes of a small file (3 MB), in place of a path.' }),
  ),
} satisfies TProperties;

const searchPresenters = defineTool({
  name: 'search_presenters',
  title: 'Search presenters',
  description: 'Presenters by name, age, gender or look, with the code that other tools take.',
  effect: 'reads',
  input: Type.Object({ text: TEXT, gender: GENDER }),
  async run({ text = '', gender }, { client }) {
    const avatars = (await client.listAvatars()).filter((one) => one.status === 'ready');
    const found = avatars
      .filter((one) => gender === undefined || one.gender === gender)
      .map(({ code, name, gender, age, type, variants, defaultVoice }) => ({
        code,
        name,
        gender,
        age,
        type,
        variants: variants.map((variant) => variant.code),
        voice: defaultVoice && `${defaultVoice.voiceProvider}:${defaultVoice.voice}`,
      }))
      .filter((one) => matches(text, one));
    return { data: limited('presenters', found, avatars.length) };
  },
});

const searchVoices = defineTool({
  name: 'search_voices',
  title: 'Search voices',
  description: 'Voices by language, gender or tag, in the form provider:voice that other tools take.',
  effect: 'reads',
  input: Type.Object({
    language: Type.Optional(Type.String({ maxLength: 100, description: 'English name of a language, like German.' })),
    gender: GENDER,
    text: TEXT,
  }),
  async run({ language, gender, text = '' }, { client }) {
    const groups = await client.listVoices();
    const wanted = groups.filter(({ name }) => language === undefined || name.toLowerCase() === language.toLowerCase());
    if (wanted.length === 0)
      throw new ToolError(`No voice speaks ${language}.`, `languages: ${groups.map(({ name }) => name).join(', ')}.`);
    const found = wanted
      .flatMap((group) => (['female', 'male'] as const).map((kind) => ({ group, kind })))
      .filter(({ kind }) => gender === undefined || kind === gender)
      .flatMap(({ group, kind }) =>
        group[kind].map(({ voiceProvider, voice, name, locale, tags, premium }) => ({
          voice: `${voiceProvider}:${voice}`,
          ...{ name, language: group.name, locale, gender: kind, tags, premium },
        })),
      )
      .filter((one) => matches(text, one));
    return { data: limited('voices', found, found.length) };
  },
});

/** Whether each word of the search is in the description of a thing. */
function matches(text: string, thing: object): boolean {
  const told = JSON.stringify(thing).toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => told.includes(word));
}

function limited(plural: string, found: readonly object[], all: number): Record<string, unknown> {
  const next =
    found.length === 0 && all > 0
      ? 'search with fewer words.'
      : found.length > MAX_FOUND
        ? `${found.length - MAX_FOUND} more: search with more words.`
        : undefined;
  return { [plural]: found.slice(0, MAX_FOUND), next };
}

const estimateDuration = defineTool({
  name: 'estimate_duration',
  title: 'Estimate a duration',
  description: 'About how long a text is when it is spoken, with its pauses.',
  effect: 'reads',
  input: Type.Object({ text: Type.String({ minLength: 1, maxLength: 200_000 }) }),
  run: async ({ text }) => ({ data: { seconds: Math.round(scriptSeconds(text) * 10) / 10 } }),
});

const importPresentation = defineTool({
  name: 'import_presentation',
  title: 'Import a presentation',
  description: 'Makes a draft from a .pptx, .odp or .pdf file: a slide for each page, its notes as speech.',
  effect: 'adds',
  input: Type.Object({
    ...FILE,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    presenter: Type.Optional(Type.String({ maxLength: 200 })),
    voice: Type.Optional(Type.String({ maxLength: 260, description: 'As provider:voice.' })),
    language: Type.Optional(Type.String({ maxLength: 100 })),
    editable: Type.Optional(Type.Boolean({ description: 'Texts and pictures as objects that can be edited.' })),
    callbackUrl: Type.Optional(Type.String({ maxLength: 2000 })),
  }),
  async run({ path, fileName, base64, presenter, voice, editable = false, ...fields }, context) {
    const file = await fileOf({ path, fileName, base64 }, context);
    const cast = { ...(presenter !== undefined && { avatar: presenter }), ...(voice !== undefined && voiceOf(voice)) };
    const body = { ...fields, ...cast, editable: editable ? ('true' as const) : ('false' as const) };
    const made = await context.client.importPresentation(
      { file, fileName: file.name, body },
      { signal: context.signal },
    );
    const video = await context.client.readVideo({ videoId: made._id });
    const next =
      video.status === 'importing'
        ? 'read_video until its status is draft or error.'
        : 'read_video shows the slides; preview_slide shows one.';
    return { data: { ...brief(video), slides: video.slides.length, next } };
  },
});

const uploadMedia = defineTool({
  name: 'upload_media',
  title: 'Upload a picture, sound or film',
  description: 'Adds a file to the media library; its url can be the src of an object or the background of a canvas.',
  effect: 'adds',
  input: Type.Object(FILE),
  async run(given, context) {
    const file = await fileOf(given, context);
    const media = await context.client.createMedia({ file, fileName: file.name }, { signal: context.signal });
    return { data: { ...media } };
  },
});

async function fileOf(
  { path, fileName, base64 }: { path?: string | undefined; fileName?: string | undefined; base64?: string | undefined },
  { readFile }: ToolContext,
): Promise<File> {
  if (path !== undefined && base64 === undefined) {
    if (readFile !== undefined) return readFile(path);
    throw new ToolError(
      'This connection reads no files.',
      'send a small file as base64 with fileName, or ask the user to run figurehead mcp --folder FOLDER.',
    );
  }
  if (base64 === undefined || fileName === undefined || path !== undefined)
    throw new ToolError('A file is a path, or fileName and base64.', 'call again with one of them.');
  return new File([Buffer.from(base64, 'base64')], fileName);
}

const usage = defineTool({
  name: 'usage',
  title: 'Usage and limits',
  description: 'Plan, remaining minutes, and what of each quota is used.',
  effect: 'reads',
  input: Type.Object({}),
  async run(_, { client }) {
    const { webhook: _webhook, ...rest } = await client.readApiConfig();
    return { data: rest };
  },
});

/** Tools about everything but videos. */
export const LIBRARY_TOOLS = [searchPresenters, searchVoices, estimateDuration, importPresentation, uploadMedia, usage];
