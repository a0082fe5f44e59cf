import type { RouteId } from '@figurehead/contract';
import { insertConversation } from '../../packages/server/src/features/agents/store.js';
import { registerHost } from '../../packages/server/src/features/streams/hosts.js';
import { addMember } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import type { Answer, TestApi, TestCaller } from '../support/api.js';

/** The callers of the conformance loop: a token, a console session of the same workspace, and a token of another one. */
export interface World {
  readonly api: TestApi;
  readonly owner: TestCaller;
  readonly stranger: TestCaller;
  /** Sends with the session cookie. */
  readonly web: TestCaller['call'];
}

/** A request that succeeds. */
export interface Request {
  /** Values of the path's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

/** A successful request of a route, and a body that it must refuse. Without `request`, its feature's tests cover success. */
export interface Fixture {
  readonly request?: (world: World) => Promise<Request> | Request;
  readonly badBody?: unknown;
  /** The resource is the whole workspace, so a request cannot refer to another one's. */
  readonly noForeign?: true;
}

const video = async ({ owner }: World, fields: object = {}): Promise<string> => {
  const body = { name: 'x', slides: [{ id: 1, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite' }], ...fields };
  return (await owner.call('POST', '/videos', body)).body._id;
};
const withVideo = async (world: World): Promise<Request> => ({ params: { videoId: await video(world) } });
const withVersion = async (world: World): Promise<Request> => {
  const videoId = await video(world);
  const { body: version } = await world.owner.call('POST', `/videos/versions/${videoId}`);
  return { params: { videoId, versionId: version._id } };
};
const voice = { voice: 'slt', provider: 'flite', language: 'English' };

const clientToken = { origins: ['https://www.example.org'], avatarCode: 'nora', maxMinutes: 5 };

/** A picture without a face; the tests of avatars cover the pack. */
function photo() {
  const data =
    'data:image/webp;base64,UklGRowAAABXRUJQVlA4IIAAAABQDACdASrIAMgAPu12uVapqCWjoEgBMB2JaW7hd2EWgAEty16KuEGQQ1VJrttHTuWvRVxz5xS2i4QZBDVUmu20XCDIIaqk122i4QZBDVUmu20XCDIIaqk122i4QZBDVUmu20XCDIIaqk10AAAFV12XNN/YWtMeZ2CgAAAAAAAAAA==';
  return { name: 'Photo', gender: 'female', image: { name: 'portrait.webp', data } };
}
const withPhotoAvatar = async ({ owner }: World): Promise<Request> => ({
  params: { avatarId: (await owner.call('POST', '/avatars', photo())).body.id },
});

let people = 0;
const member = async ({ api, owner }: World) => {
  people += 1;
  const email = `member-${people}@example.org`;
  return addMember(api.test.kernel, {
    workspaceId: owner.workspace._id,
    email,
    role: 'member',
    password: 'correct horse',
  });
};

/** A new folder, and a change of it. */
function folder(path: '/folders' | '/upload-folders', body?: object): (world: World) => Promise<Request> {
  return async ({ owner }) => {
    const { body: made } = await owner.call('POST', path, { name: 'x' });
    return { params: { folderId: made._id }, ...(body === undefined ? {} : { body }) };
  };
}

/** A new outline with chapters, and its request body. */
function outline(body?: object): (world: World) => Promise<Request> {
  return async ({ owner }) => {
    const { body: made } = await owner.call('POST', '/outline', { title: 'x' });
    const chapters = [{ id: 'a', title: 'A', summary: 'S', script: 'Hello.' }];
    await owner.call('PATCH', `/outline/${made._id}`, { chapters });
    return { params: { outlineId: made._id }, ...(body === undefined ? {} : { body }) };
  };
}

/** A new agent. */
const agent = async ({ owner }: World): Promise<string> =>
  (await owner.call('POST', '/agents', { name: 'x', prompt: 'Be kind.' })).body._id;
const withAgent = async (world: World): Promise<Request> => ({ params: { agentId: await agent(world) } });
/** A conversation of a new agent. */
const withConversation = async (world: World): Promise<Request> => {
  const { kernel } = world.api.test;
  const [agentId, id] = [await agent(world), kernel.ids.next()];
  await insertConversation(kernel.db, { id, agentId, streamId: 'x', startedAt: new Date() });
  return { params: { agentId, conversationId: id } };
};

/** A fixture for every implemented route; the conformance test fails for a route without one. */
export const FIXTURES: Partial<Record<RouteId, Fixture>> = {
  listVideos: { request: () => ({ query: 'limit=5' }) },
  // An endless stream; see videos/changes.test.ts.
  watchVideos: {},
  createVideo: { request: () => ({ body: { name: 'x' } }), badBody: { name: 7 } },
  readVideo: { request: withVideo },
  // Needs a language model: translations/*.test.ts.
  translateVideo: {},
  updateVideo: {
    request: async (world) => ({ ...(await withVideo(world)), body: { name: 'y' } }),
    badBody: { tags: 'x' },
  },
  deleteVideo: { request: withVideo },
  listVideoVersions: { request: async (world) => ({ params: (await withVersion(world)).params ?? {} }) },
  keepVideoVersion: {
    request: async (world) => ({ ...(await withVideo(world)), body: { versionName: 'First' } }),
    badBody: { reason: 'none' },
  },
  readVideoVersion: { request: withVersion },
  nameVideoVersion: {
    request: async (world) => ({ ...(await withVersion(world)), body: { versionName: 'Second' } }),
    badBody: { versionName: '' },
  },
  restoreVideoVersion: { request: withVersion },
  copyVideo: { request: async (world) => ({ body: { videoId: await video(world) } }), badBody: { videoId: 7 } },
  renderVideo: { request: withVideo },
  cancelRender: { request: withVideo },
  validateVideo: { request: withVideo },
  renderTemplate: {
    request: async (world) => ({ ...(await withVideo(world)), body: { templateData: [{ a: 1 }] } }),
    badBody: { templateData: [] },
  },
  listBatches: { request: () => ({ query: 'limit=5' }) },
  readBatch: {
    request: async (world) => {
      const template = await video(world, { type: 'template' });
      const rows = { templateData: [{ a: 1 }] };
      const { body } = await world.owner.call('POST', `/videos/renderTemplate/${template}`, rows);
      return { params: { requestId: body.requestId } };
    },
  },
  synthesizeSlide: {
    request: async (world) => ({ params: { videoId: await video(world), slideId: '1' }, body: {} }),
    badBody: { speech: '' },
  },
  // Needs a finished video: features/renders/engine/documents.test.ts.
  readLipSync: {},
  previewSlide: {
    request: async (world) => ({ params: { videoId: await video(world), slideId: '1' }, query: 'at=0.5', body: {} }),
    badBody: { slide: { id: 'x' } },
  },
  listVoices: { request: () => ({}) },
  saveVoice: { request: () => ({ body: voice }), badBody: { ...voice, speed: 2 } },
  previewVoice: { request: () => ({ body: voice }), badBody: { ...voice, text: 'x' } },
  savePronunciations: {
    request: () => ({ body: { pronunciations: [{ word: 'SQL', spoken: 'sequel', language: 'English' }] } }),
    badBody: { pronunciations: [{ word: '', spoken: 'x' }] },
  },
  readBrand: { request: () => ({}) },
  saveBrand: { request: () => ({ body: { headingFont: 'Lato' } }), badBody: { colors: { accent: 'red' } } },
  listPronunciations: { request: () => ({ query: 'page=1' }) },
  listVoiceClones: { request: () => ({ query: 'page=1' }) },
  // They need a model and a recording: features/voices/clones/clones.test.ts.
  createVoiceClone: { badBody: { name: 'Anna', gender: 'female', recording: { src: 'x' }, consent: '' } },
  deleteVoiceClone: {},
  listAvatars: { request: () => ({}) },
  createAvatar: { request: () => ({ body: photo() }), badBody: { ...photo(), gender: 'x' } },
  readAvatar: { request: withPhotoAvatar },
  deleteAvatar: { request: withPhotoAvatar },
  findLandmarks: { request: () => ({ body: { image: photo().image } }), badBody: { image: { name: 'x' } } },
  subscribe: { request: () => ({ body: { url: 'https://receiver.example/hook' } }), badBody: { url: 'ftp://x' } },
  setWebhookSecret: { request: () => ({ body: { secret: 's' } }), badBody: { secret: 7 } },
  readApiConfig: { request: () => ({}) },
  listDeliveries: { request: () => ({ query: 'page=1' }) },
  testWebhook: {
    request: async ({ owner }) => {
      await owner.call('POST', '/webhook', { url: 'https://receiver.example/hook' });
      return {};
    },
  },
  resendDelivery: {
    request: async ({ api, owner }) => {
      await owner.call('POST', '/webhook', { url: 'https://receiver.example/hook' });
      const { body } = await owner.call('POST', '/webhook/test');
      // Simulates the sender, which this test does not start.
      await api.endDeliveries();
      return { params: { deliveryId: body._id } };
    },
  },
  unsubscribe: { request: () => ({}) },
  signIn: {
    request: async (world) => ({ body: { email: (await member(world)).email, password: 'correct horse' } }),
    badBody: { email: 7 },
  },
  readSession: { request: () => ({}) },
  updateSession: { request: () => ({ body: {} }), badBody: { workspaceId: 7 } },
  readWorkspace: { request: () => ({}) },
  updateWorkspace: { request: () => ({ body: { name: 'Renamed' } }), badBody: { name: '' } },
  listLedger: { request: () => ({}) },
  listRateLimits: { request: () => ({}) },
  listTokens: { request: () => ({}) },
  createToken: { request: () => ({ body: { name: 'x' } }), badBody: { name: 7 } },
  revokeToken: {
    request: async ({ api, owner }) => {
      const token = await createToken(api.test.kernel, { workspaceId: owner.workspace._id, userId: 'x', name: 'x' });
      return { params: { tokenId: token._id } };
    },
  },
  listMembers: { request: () => ({}) },
  createMember: {
    request: () => ({ body: { email: 'new@example.org', password: 'long enough' } }),
    badBody: { email: 'nobody' },
  },
  updateMember: {
    request: async (world) => ({ params: { memberId: (await member(world))._id }, body: { role: 'reviewer' } }),
    badBody: { role: 'king' },
    noForeign: true,
  },
  deleteMember: { request: async (world) => ({ params: { memberId: (await member(world))._id } }), noForeign: true },
  listModeration: { request: () => ({}) },
  approveVideo: { request: async (world) => ({ params: { videoId: await heldVideo(world) } }) },
  rejectVideo: {
    request: async (world) => ({ params: { videoId: await heldVideo(world) }, body: { reason: 'x' } }),
    badBody: { reason: 7 },
  },
  // A stream needs a host with its own process: streams/*.test.ts opens one.
  createStream: { badBody: { width: 'wide' } },
  listStreams: { request: () => ({}) },
  readStream: {},
  readStreamStats: {},
  answerStream: {},
  reconnectStream: {},
  addCandidate: {},
  joinRoom: {},
  speak: {},
  openUtterance: {},
  appendText: {},
  speakSound: {},
  watchStream: {},
  interrupt: {},
  closeStream: {},
  openWhep: {},
  trickleWhep: {},
  closeWhep: {},
  startPipecat: {},
  openPipecat: { badBody: { type: 'offer', sdp: 7 } },
  tricklePipecat: { badBody: { pc_id: 7, candidates: [] } },
  createClientToken: { request: () => ({ body: clientToken }), badBody: { ...clientToken, origins: ['example.org'] } },
  createAgent: {
    request: () => ({ body: { name: 'x', prompt: 'Be kind.' } }),
    badBody: { name: 'x', prompt: 'y', maxTurns: 0 },
  },
  listAgents: { request: () => ({ query: 'limit=5' }) },
  readAgent: { request: withAgent },
  updateAgent: {
    request: async (world) => ({ ...(await withAgent(world)), body: { greeting: 'Hello.' } }),
    badBody: { tools: 'x' },
  },
  deleteAgent: { request: withAgent },
  listConversations: { request: async (world) => ({ ...(await withAgent(world)), query: 'limit=5' }) },
  readConversation: { request: withConversation },
  deleteConversation: { request: withConversation },
  // Needs a stream with an agent: agents/conversation/conversation.test.ts.
  converse: {},
  listClientTokens: { request: () => ({ query: 'limit=5' }) },
  revokeClientToken: {
    request: async ({ owner }) => ({
      params: { tokenId: (await owner.call('POST', '/client-tokens', clientToken)).body._id },
    }),
  },
  createFolder: { request: () => ({ body: { name: 'x' } }), badBody: { name: '' } },
  listFolders: { request: () => ({}) },
  readFolder: { request: folder('/folders') },
  updateFolder: { request: folder('/folders', { name: 'y' }), badBody: { name: 7 } },
  deleteFolder: { request: folder('/folders') },
  createUploadFolder: { request: () => ({ body: { name: 'x' } }), badBody: { name: '' } },
  listUploadFolders: { request: () => ({}) },
  readUploadFolder: { request: folder('/upload-folders') },
  updateUploadFolder: { request: folder('/upload-folders', { name: 'y' }), badBody: { name: 7 } },
  deleteUploadFolder: { request: folder('/upload-folders') },
  // Files are uploaded by library/*.test.ts.
  createMedia: { badBody: { name: 'no file' } },
  listMedia: { request: () => ({}) },
  readMedia: {},
  updateMedia: {},
  deleteMedia: {},
  createFont: { badBody: { name: 'no file' } },
  listFonts: { request: () => ({}) },
  readFont: {},
  updateFont: {},
  deleteFont: {},
  createOutline: { request: () => ({ body: { title: 'x' } }), badBody: { title: 7 } },
  listOutlines: { request: () => ({}) },
  readOutline: { request: outline() },
  updateOutline: { request: outline({ title: 'y' }), badBody: { title: 7 } },
  deleteOutline: { request: outline() },
  generateChapters: { request: outline({ count: 3 }), badBody: { count: 0 } },
  generateScript: { request: outline({}), badBody: { chapterId: 7 } },
  createOutlineVideo: { request: outline({ name: 'y' }), badBody: { name: 7 } },
  // Presentations are converted by presentations/*.test.ts.
  importPresentation: { badBody: { name: 'no file' } },
  listMails: { request: () => ({}) },
  listWorkspaces: { request: () => ({ query: 'search=test' }) },
  createWorkspace: { request: () => ({ body: { name: 'x' } }), badBody: { name: 'x', plan: 'Gold' } },
  updateAnyWorkspace: {
    request: ({ stranger }) => ({ params: { workspaceId: stranger.workspace._id }, body: { minutes: 7 } }),
    badBody: { plan: 'Gold' },
    noForeign: true,
  },
  listPlans: { request: () => ({}) },
  listHosts: { request: () => ({}) },
  drainHost: {
    request: async ({ api }) => {
      const host = { id: 'host', url: 'http://127.0.0.1:9', capacity: 1, engines: ['cpu'], version: '1' };
      await registerHost(api.test.kernel, host);
      return { params: { hostId: host.id } };
    },
    noForeign: true,
  },
  listWorkers: { request: () => ({}) },
  listQueues: { request: () => ({}) },
  listNaturalVoices: { request: () => ({}) },
  addNaturalVoice: { request: () => ({ params: { name: 'kokoro-en-small' } }), noForeign: true },
  uploadVoice: { badBody: { description: '{}' } },
  signOut: { request: () => ({}) },
};

async function heldVideo(world: World): Promise<string> {
  const id = await video(world);
  await world.owner.call('POST', `/videos/render/${id}`);
  await world.api.hold(id);
  return id;
}

/** Inserts values into a path's placeholders. */
export function fillPath(path: string, request: Request): string {
  const filled = Object.entries(request.params ?? {}).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, value),
    path,
  );
  return request.query === undefined ? filled : `${filled}?${request.query}`;
}

/** Status and message, for a readable failure. */
export function brief(answer: Answer): string {
  return `${answer.status} ${answer.text.slice(0, 200)}`;
}
