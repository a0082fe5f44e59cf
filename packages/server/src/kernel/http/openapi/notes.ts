import type { RouteId } from '@figurehead/contract';

/** What the documentation says about a route beside its summary, and a body that the server accepts. */
export interface RouteNote {
  readonly about?: string;
  readonly example?: unknown;
}

const SLIDE = { id: 1, speech: 'Hello! This video was made by one call.', avatar: { code: 'amara' } };

export const ROUTE_NOTES: { readonly [K in RouteId]?: RouteNote } = {
  listVideos: {
    about:
      'Filters combine with "and". Deleted videos are listed only with `deleted=true`. Files are signed links that expire after a week.',
  },
  watchVideos: {
    about:
      'One event for each change of a video of the workspace, with its current state. Read the list once after each connection: changes before it are not repeated.',
  },
  createVideo: {
    about:
      'Stores a document as a draft and starts nothing: `POST /videos/render/{videoId}` renders it. Voices and presenters that do not exist are reported by rendering, or at once by `POST /videos/validate/{videoId}`.',
    example: { name: 'Hello', slides: [SLIDE] },
  },
  updateVideo: {
    about:
      'Only the given fields change; `slides` is replaced as a whole. A finished video keeps its last film as `lastRender` until it is rendered again.',
    example: { name: 'Hello again', slides: [{ ...SLIDE, speech: 'Hello again!' }] },
  },
  readVideo: {
    about:
      'Poll it while `status` is `queued` or `rendering`, or use a webhook, `callbackUrl` or `GET /videos/events`.',
  },
  copyVideo: { example: { videoId: '66f0a1b2c3d4e5f601234567' } },
  keepVideoVersion: { example: { versionName: 'Before the new prices' } },
  nameVideoVersion: { example: { versionName: 'Approved' } },
  translateVideo: { example: { language: 'German' } },
  renderVideo: {
    about:
      'The answer comes before the work. The outcome is the status `ready` or `error` of the video, and an event of the webhook. Unchanged parts of an earlier render are reused.',
    example: {},
  },
  validateVideo: { about: 'Reads the document as rendering would, fetches nothing and costs nothing.' },
  renderTemplate: {
    about:
      'Creates one video for each row and queues them all, as one batch. A row fills `{{placeholders}}` in speech and texts, and replaces pictures and clips by their `id`.',
    example: { templateData: [{ name: 'Ada' }, { name: 'Grace' }] },
  },
  synthesizeSlide: {
    about: 'Fields of the body replace those of the slide for this call. The answer has the times of all words.',
    example: { speech: 'How does this sound?' },
  },
  previewSlide: { about: 'The body may hold a slide and settings that are not saved.', example: {} },
  importPresentation: {
    about:
      'PPTX, ODP and PDF. Each page becomes a slide, its notes the speech. After a 206 read the video until its status is no longer `importing`.',
  },
  saveVoice: { example: { voice: 'slt', provider: 'flite', language: 'English', speed: 1.1 } },
  previewVoice: { example: { voice: 'slt', provider: 'flite', language: 'English', speed: 1.1 } },
  savePronunciations: {
    example: { pronunciations: [{ word: 'Figurehead', language: 'English', spoken: 'figure head' }] },
  },
  createStream: {
    about:
      'Answer the offer with `PUT /streams/{streamId}`, or let the SDK do all of it (`LiveStream.open`). A stream without a viewer or without speech ends by itself.',
    example: { avatarCode: 'amara' },
  },
  speak: { example: { text: 'Hello! I am live.' } },
  openUtterance: { example: { text: 'This sentence begins' } },
  appendText: { example: { index: 1, text: ' and ends here.', isLast: true } },
  joinRoom: {
    about: 'Publishes the stream to a room of a LiveKit server, in place of a viewer.',
    example: { url: 'wss://livekit.example.com', token: 'ACCESS_TOKEN_OF_THE_ROOM' },
  },
  converse: { example: { text: 'When do you open?' } },
  createClientToken: { example: { origins: ['https://www.example.org'], avatarCode: 'amara' } },
  createAgent: {
    about: 'Needs a language model on the server to be talked to (`FIGUREHEAD_LLM_URL`).',
    example: {
      name: 'Guide',
      prompt: 'You are the guide of a museum. Tickets cost nine euros. Answer in two sentences.',
    },
  },
  updateAgent: { example: { disclosure: 'I am an AI assistant.', greeting: 'Welcome to the museum!' } },
  subscribe: {
    about: 'After 10 failed deliveries the webhook is disabled, and a mail goes to `techEmail`.',
    example: { url: 'https://www.example.org/figurehead', techEmail: 'ops@example.org' },
  },
  setWebhookSecret: { example: { secret: 'a-long-random-text-of-your-own' } },
  createOutline: { example: { title: 'How tides work', source: '# The moon\nThe moon pulls the water.' } },
  updateOutline: { example: { title: 'How tides really work' } },
  createOutlineVideo: { example: { name: 'How tides work' } },
  createFolder: { example: { name: 'Onboarding' } },
  updateFolder: { example: { name: 'Onboarding 2026' } },
  createUploadFolder: { example: { name: 'Logos' } },
  updateUploadFolder: { example: { name: 'Logos 2026' } },
  updateMedia: { example: { name: 'Logo, dark' } },
  updateFont: { example: { name: 'Brand Sans' } },
  signIn: { example: { email: 'you@example.org', password: 'your password' } },
  updateWorkspace: { example: { name: 'Harbour' } },
  saveBrand: {
    example: { colors: { background: '#102030', text: '#f4f4f4', accent: '#ffcc00' }, headingFont: 'Lato' },
  },
  createToken: { example: { name: 'Build server' } },
  createMember: { example: { email: 'grace@example.org', role: 'member' } },
  updateMember: { example: { role: 'owner' } },
  rejectVideo: { example: { reason: 'The logo is outdated.' } },
  createWorkspace: { example: { name: 'Harbour', plan: 'Team' } },
  updateAnyWorkspace: { example: { plan: 'Enterprise' } },
};
