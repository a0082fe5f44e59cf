import type { VideoDocument } from '@figurehead/contract/document';
import type { VideoSettings } from '../encode/contract.js';
import type { RenderResources } from './contract.js';

/** Quality of x264 at which the presenters' skin shows no blocks; 2 Mbit/s at 1080p. */
const CRF = 21;

/** How a document is encoded, wherever its spans are: segments of graphics cards and processors do not join. */
export function settingsOf(document: VideoDocument): VideoSettings {
  const { width, height, fps, codec, preset, transparent } = document.data;
  // Two seconds a GOP: players seek well and both cores get work early.
  return { width, height, fps, codec, alpha: transparent, preset, crf: CRF, gopFrames: 2 * fps };
}

/** How a document is encoded that is rendered in one place: on the graphics card, where there is one. */
export function ownSettingsOf(document: VideoDocument, { nvenc }: Pick<RenderResources, 'nvenc'>): VideoSettings {
  const settings = settingsOf(document);
  return nvenc === true && settings.codec === 'h264' ? { ...settings, nvenc: true } : settings;
}
