import type { Cue } from '../contract.js';

/** WebVTT of the cues (W3C WebVTT). Text is escaped; blank lines inside a cue are dropped because they would end it. */
export function formatVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(
    (cue) => `${timestamp(cue.start, '.')} --> ${timestamp(cue.end, '.')}\n${escapeVtt(cue.text)}\n`,
  );
  return `WEBVTT\n\n${blocks.join('\n')}`;
}

/** SubRip of the cues: numbered from 1, CRLF-free, comma before the milliseconds. */
export function formatSrt(cues: readonly Cue[]): string {
  return cues
    .map(
      (cue, index) => `${index + 1}\n${timestamp(cue.start, ',')} --> ${timestamp(cue.end, ',')}\n${lines(cue.text)}\n`,
    )
    .join('\n');
}

/** `hh:mm:ss.mmm`. Rounded as a whole, so that 59.9996 s becomes 1:00.000 and not 0:60.000. */
function timestamp(seconds: number, point: '.' | ','): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const fraction = String(ms % 1000).padStart(3, '0');
  return `${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1000) % 60)}${point}${fraction}`;
}

function lines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function escapeVtt(text: string): string {
  return lines(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
