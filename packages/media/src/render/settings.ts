import type { VideoDocument } from '@figurehead/contract/document';
import type { VideoSettings } from '../encode/contract.js';
import type { RenderResources } from './contract.js';

/** CRF of x264 at which the presenters' skin has no visible blocks; 2 Mbit/s at 1080p. */
const CRF = 21;

/** Encoding settings of a spread document: always on processors, because their segments cannot be joined with those of graphics cards. */
export function settingsOf(document: VideoDocument): VideoSettings {
  const { width, height, fps, codec, preset, transparent } = document.data;
  // Two seconds per GOP: players seek well, and all threads get work early.
  return { width, height, fps, codec, alpha: transparent, preset, crf: CRF, gopFrames: 2 * fps };
}

/** Encoding settings of a document that one worker renders: on the graphics card, if there is one. */
export function ownSettingsOf(document: VideoDocument, { nvenc }: Pick<RenderResources, 'nvenc'>): VideoSettings {
  const settings = settingsOf(document);
  return nvenc === true && settings.codec === 'h264' ? { ...settings, nvenc: true } : settings;
}
