import type { ResponseOf, RouteId, Routes } from '@figurehead/contract';

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
  createVoiceClone: true,
  createAvatar: true,
  createStream: true,
  createAgent: true,
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
  listVoiceClones: true,
  listPronunciations: true,
  listStreams: true,
  listClientTokens: true,
  listAgents: true,
  listConversations: true,
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
