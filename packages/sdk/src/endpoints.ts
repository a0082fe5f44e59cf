import type { API_PREFIX, ResponseOf, RouteId, Routes } from '@figurehead/contract';

/** Path prefix of every call; the compiler compares it with the contract's. */
export const API_PATH = '/api/v1' satisfies typeof API_PREFIX;

/** Calls whose answer is a stream of server-sent events; the compiler compares the list with the contract. */
export const EVENT_CALLS = { watchVideos: true, watchStream: true } as const satisfies {
  readonly [K in RouteId as Routes[K] extends { events: object } ? K : never]: true;
};

/** Calls that create and take an `Idempotency-Key`; the compiler compares the list with the contract. */
export const KEYED_CALLS = {
  createVideo: true,
  copyVideo: true,
  renderVideo: true,
  renderTemplate: true,
  importPresentation: true,
  createAvatar: true,
  createStream: true,
  testWebhook: true,
  resendDelivery: true,
  createOutline: true,
  createOutlineVideo: true,
  createFolder: true,
  createUploadFolder: true,
  createMedia: true,
  createFont: true,
} as const satisfies { readonly [K in RouteId as Routes[K] extends { idempotencyKey: true } ? K : never]: true };

/** One page of a list. */
export interface Paged {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

/** Calls that answer with one page of a list; the compiler compares the list with the contract. */
export const PAGED_CALLS = {
  listVideos: true,
  listBatches: true,
  listPronunciations: true,
  listStreams: true,
  listClientTokens: true,
  listDeliveries: true,
  listOutlines: true,
  listFolders: true,
  listUploadFolders: true,
  listMedia: true,
  listFonts: true,
  listLedger: true,
  listRateLimits: true,
  listTokens: true,
  listMembers: true,
  listModeration: true,
  listMails: true,
  listWorkspaces: true,
  listPlans: true,
  listHosts: true,
  listWorkers: true,
  listQueues: true,
  listNaturalVoices: true,
} as const satisfies { readonly [K in RouteId as ResponseOf<Routes[K]> extends Paged ? K : never]: true };

/**
 * Method and path of every call. Written out so that the client carries neither the schemas nor their library; the compiler compares
 * each line with the contract and refuses a route that is missing, extra or different.
 */
export const endpoints = {
  listVideos: 'GET /videos',
  watchVideos: 'GET /videos/events',
  createVideo: 'POST /videos',
  readVideo: 'GET /videos/{videoId}',
  updateVideo: 'PATCH /videos/{videoId}',
  deleteVideo: 'DELETE /videos/{videoId}',
  copyVideo: 'POST /videos/copy',
  translateVideo: 'POST /videos/translate/{videoId}',
  renderVideo: 'POST /videos/render/{videoId}',
  cancelRender: 'DELETE /videos/render/{videoId}',
  validateVideo: 'POST /videos/validate/{videoId}',
  renderTemplate: 'POST /videos/renderTemplate/{videoId}',
  listBatches: 'GET /batches',
  readBatch: 'GET /batches/{requestId}',
  synthesizeSlide: 'POST /videos/voice/{videoId}/{slideId}',
  previewSlide: 'POST /videos/preview/{videoId}/{slideId}',
  readLipSync: 'GET /videos/lip-sync/{videoId}',
  importPresentation: 'POST /videos/from-presentation',

  listVoices: 'GET /voices',
  saveVoice: 'PATCH /voices',
  previewVoice: 'PATCH /voices/customization-preview',
  listPronunciations: 'GET /pronunciations',
  savePronunciations: 'PUT /pronunciations',
  listAvatars: 'GET /avatars',
  readAvatar: 'GET /avatars/{avatarId}',
  findLandmarks: 'POST /avatars/landmarks',
  createAvatar: 'POST /avatars',
  deleteAvatar: 'DELETE /avatars/{avatarId}',

  createStream: 'POST /streams',
  listStreams: 'GET /streams',
  readStream: 'GET /streams/{streamId}',
  readStreamStats: 'GET /streams/stats/{streamId}',
  answerStream: 'PUT /streams/{streamId}',
  addCandidate: 'POST /streams/candidate/{streamId}',
  speak: 'POST /streams/render/{streamId}',
  openUtterance: 'POST /streams/utterance/{streamId}',
  appendText: 'PUT /streams/utterance/{streamId}/{utteranceId}',
  speakSound: 'POST /streams/sound/{streamId}',
  watchStream: 'GET /streams/events/{streamId}',
  interrupt: 'DELETE /streams/render/{streamId}',
  closeStream: 'DELETE /streams/{streamId}',
  openWhep: 'POST /whep',
  trickleWhep: 'PATCH /whep/{streamId}',
  closeWhep: 'DELETE /whep/{streamId}',
  createClientToken: 'POST /client-tokens',
  listClientTokens: 'GET /client-tokens',
  revokeClientToken: 'DELETE /client-tokens/{tokenId}',

  subscribe: 'POST /webhook',
  unsubscribe: 'DELETE /webhook',
  setWebhookSecret: 'PUT /webhook/secret',
  readApiConfig: 'GET /apiConfig',
  listDeliveries: 'GET /webhook/deliveries',
  testWebhook: 'POST /webhook/test',
  resendDelivery: 'POST /webhook/deliveries/{deliveryId}/resend',

  createOutline: 'POST /outline',
  listOutlines: 'GET /outline',
  readOutline: 'GET /outline/{outlineId}',
  updateOutline: 'PATCH /outline/{outlineId}',
  deleteOutline: 'DELETE /outline/{outlineId}',
  generateChapters: 'POST /outline/{outlineId}/generate-chapters',
  generateScript: 'POST /outline/{outlineId}/generate-script',
  createOutlineVideo: 'POST /outline/{outlineId}/video',

  createFolder: 'POST /folders',
  listFolders: 'GET /folders',
  readFolder: 'GET /folders/{folderId}',
  updateFolder: 'PATCH /folders/{folderId}',
  deleteFolder: 'DELETE /folders/{folderId}',
  createUploadFolder: 'POST /upload-folders',
  listUploadFolders: 'GET /upload-folders',
  readUploadFolder: 'GET /upload-folders/{folderId}',
  updateUploadFolder: 'PATCH /upload-folders/{folderId}',
  deleteUploadFolder: 'DELETE /upload-folders/{folderId}',
  createMedia: 'POST /media',
  listMedia: 'GET /media',
  readMedia: 'GET /media/{mediaId}',
  updateMedia: 'PATCH /media/{mediaId}',
  deleteMedia: 'DELETE /media/{mediaId}',
  createFont: 'POST /fonts',
  listFonts: 'GET /fonts',
  readFont: 'GET /fonts/{fontId}',
  updateFont: 'PATCH /fonts/{fontId}',
  deleteFont: 'DELETE /fonts/{fontId}',

  signIn: 'POST /session',
  readSession: 'GET /session',
  updateSession: 'PATCH /session',
  signOut: 'DELETE /session',
  readWorkspace: 'GET /workspace',
  updateWorkspace: 'PATCH /workspace',
  readBrand: 'GET /brand',
  saveBrand: 'PUT /brand',
  listLedger: 'GET /workspace/ledger',
  listRateLimits: 'GET /workspace/rate-limits',
  listTokens: 'GET /tokens',
  createToken: 'POST /tokens',
  revokeToken: 'DELETE /tokens/{tokenId}',
  listMembers: 'GET /members',
  createMember: 'POST /members',
  updateMember: 'PATCH /members/{memberId}',
  deleteMember: 'DELETE /members/{memberId}',
  listModeration: 'GET /moderation',
  approveVideo: 'POST /moderation/{videoId}/approve',
  rejectVideo: 'POST /moderation/{videoId}/reject',
  listMails: 'GET /outbox',

  listWorkspaces: 'GET /admin/workspaces',
  createWorkspace: 'POST /admin/workspaces',
  updateAnyWorkspace: 'PATCH /admin/workspaces/{workspaceId}',
  listPlans: 'GET /admin/plans',
  listHosts: 'GET /admin/hosts',
  drainHost: 'POST /admin/hosts/{hostId}/drain',
  listWorkers: 'GET /admin/workers',
  listQueues: 'GET /admin/queues',
  listNaturalVoices: 'GET /admin/voices',
  addNaturalVoice: 'POST /admin/voices/{name}',
} as const satisfies { readonly [K in RouteId]: `${Routes[K]['method']} ${Routes[K]['path']}` };
