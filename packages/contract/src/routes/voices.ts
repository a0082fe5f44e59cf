import { Type } from '@sinclair/typebox';
import { routesOf } from '../route.js';
import { Deleted, ListOf, Paged } from '../schemas/common.js';
import {
  Avatar,
  Landmarks,
  LandmarksInput,
  PhotoAvatarInput,
  Pronunciation,
  PronunciationsInput,
  VoiceClone,
  VoiceCloneInput,
  VoiceCustomization,
  VoiceGroup,
  VoicePreview,
  VoicePreviewInput,
} from '../schemas/voice.js';

/** Routes of voices and avatars. */
export const voiceRoutes = {
  ...routesOf('Voices', {
    listVoices: { summary: 'List the available voices by language', response: Type.Array(VoiceGroup) },
    saveVoice: {
      summary: 'Save stability and speed of a voice for this workspace',
      body: VoiceCustomization,
      response: VoiceCustomization,
    },
    previewVoice: {
      summary: 'Synthesise a fixed sample sentence with the given settings, without saving them',
      body: VoicePreviewInput,
      response: VoicePreview,
    },
    listVoiceClones: {
      summary: 'List the cloned voices of the workspace, with their consents',
      query: Paged,
      response: ListOf('clones', VoiceClone),
    },
    createVoiceClone: {
      summary: 'Clone a voice from a recording, with the consent of its speaker',
      idempotencyKey: true,
      body: VoiceCloneInput,
      response: VoiceClone,
    },
    deleteVoiceClone: {
      summary: 'Delete a cloned voice and its recording',
      response: Deleted,
    },
    listPronunciations: {
      summary: 'List the pronunciations of the workspace',
      query: Paged,
      response: ListOf('pronunciations', Pronunciation),
    },
    savePronunciations: {
      summary: 'Replace the pronunciations of the workspace',
      body: PronunciationsInput,
      response: Type.Object({ pronunciations: Type.Array(Pronunciation) }),
    },
  }),
  ...routesOf('Avatars', {
    listAvatars: {
      summary: 'List the avatars of the installation and of the workspace',
      query: Type.Object({ realtime: Type.Optional(Type.Boolean()) }),
      response: Type.Array(Avatar),
    },
    readAvatar: { summary: 'Read one avatar', response: Avatar },
    findLandmarks: {
      summary: 'Find the face points in a portrait, and check whether it can become an avatar',
      body: LandmarksInput,
      response: Landmarks,
    },
    createAvatar: {
      summary: 'Create an avatar from one portrait, or from a video of a person speaking',
      idempotencyKey: true,
      body: PhotoAvatarInput,
      response: Avatar,
    },
    deleteAvatar: { summary: 'Delete a photo avatar of the workspace', response: Deleted },
  }),
};
