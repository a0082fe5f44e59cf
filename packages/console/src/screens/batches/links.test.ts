import type { Batch } from '@figurehead/sdk';
import { expect, it } from 'vitest';
import { linksAsCsv, videoFileName } from './links.js';

const row = (batchRowId: number, more: object) =>
  ({ batchRowId, name: 'Greeting', status: 'ready', ...more }) as Batch['videos'][number];

it('writes rows, links and reasons for spreadsheets, without cells that would run as formulas', () => {
  const csv = linksAsCsv([
    row(0, { name: '=SUM(A1)', url: 'https://a.example/1.mp4' }),
    row(1, { status: 'error', error: 'slides[0].voice: unknown, really' }),
  ]);
  expect(csv.split('\r\n')).toEqual([
    'row,name,status,link,error',
    `1,"'=SUM(A1)",ready,https://a.example/1.mp4,`,
    '2,Greeting,error,,"Slide 1, voice: unknown, really"',
  ]);
});

it('names the files of an archive by row, so that names are unique and valid on every system', () => {
  expect(videoFileName(row(0, { name: 'A/B – Ünal', url: 'https://a.example/x.mp4?e=1' }))).toBe('001 A_B – Ünal.mp4');
  expect(videoFileName(row(11, { url: 'https://a.example/x.webm?e=1' }))).toBe('012 Greeting.webm');
});
