import { Type } from '@sinclair/typebox';
import { withIds } from '../route.js';
import { Deleted } from '../schemas/common.js';
import {
  Avatar,
  PhotoAvatarInput,
  VoiceCustomization,
  VoiceGroup,
  VoicePreview,
  VoicePreviewInput,
} from '../schemas/voice.js';

/** Routes of voices and avatars. */
export const voiceRoutes = withIds({
  listVoices: {
    method: 'GET',
    path: '/voices',
    tag: 'Voices',
    summary: 'Voices that can speak here, by language',
    auth: 'any',
    response: Type.Array(VoiceGroup),
  },
  saveVoice: {
    method: 'PATCH',
    path: '/voices',
    tag: 'Voices',
    summary: 'Save stability and speed of a voice for this workspace',
    auth: 'any',
    body: VoiceCustomization,
    response: VoiceCustomization,
  },
  previewVoice: {
    method: 'PATCH',
    path: '/voices/customization-preview',
    tag: 'Voices',
    summary: 'Hear a fixed sample sentence with the given settings, without saving them',
    auth: 'any',
    body: VoicePreviewInput,
    response: VoicePreview,
  },
  listAvatars: {
    method: 'GET',
    path: '/avatars',
    tag: 'Avatars',
    summary: 'Avatars of this installation and of the workspace',
    auth: 'any',
    query: Type.Object({ realtime: Type.Optional(Type.Boolean()) }),
    response: Type.Array(Avatar),
  },
  createAvatar: {
    method: 'POST',
    path: '/avatars',
    tag: 'Avatars',
    summary: 'Make a photo avatar of one portrait',
    auth: 'any',
    body: PhotoAvatarInput,
    response: Avatar,
  },
  deleteAvatar: {
    method: 'DELETE',
    path: '/avatars/{avatarId}',
    tag: 'Avatars',
    summary: 'Delete a photo avatar of the workspace',
    auth: 'any',
    response: Deleted,
  },
});
