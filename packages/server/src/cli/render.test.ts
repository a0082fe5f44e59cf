import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workbook } from '../../../../tests/support/workbook.js';
import { verifyFile } from '../features/renders/credentials/offline.js';

const PROGRAM = fileURLToPath(new URL('../../bin/figurehead.js', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-render-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('a render reports a signal to any of its processes, and leaves no files', async () => {
  const slide = { id: 1, duration: 600, avatar: { code: 'ava' } };
  await writeFile(join(folder, 'long.json'), JSON.stringify({ slides: [slide], data: { resolution: '720p' } }));
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const args = [PROGRAM, 'render', join(folder, 'long.json'), '-o', join(folder, 'long.mp4'), '--json'];
    // A separate process group, because a terminal signals all processes of a group.
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: temporary }, detached: true });
    const [said, ended] = [text(child.stderr), once(child, 'exit')];
    await expect.poll(() => readdir(temporary)).not.toEqual([]);
    if (signal === 'SIGINT') process.kill(-child.pid!, signal);
    else child.kill(signal);
    expect(await ended).toEqual([1, null]);
    expect(await said).toContain('The rendering was interrupted; nothing was written.');
    expect(await readdir(temporary)).toEqual([]);
  }
  expect(await readdir(folder)).toEqual(['long.json', 'temporary']);
});

it('a render warns about what differs from the document', async () => {
  const object = { type: 'textbox', text: 'Hello', fontFamily: 'Nonsense' };
  const slide = { id: 1, duration: 0.2, canvas: { objects: [object, { type: 'hologram' }] } };
  const file = join(folder, 'odd.json');
  await writeFile(file, JSON.stringify({ slides: [slide], data: { resolution: '720p' } }));
  const child = spawn(process.execPath, [PROGRAM, 'render', file, '-o', join(folder, 'odd.mp4'), '--json']);
  const [said, ended] = [text(child.stderr), once(child, 'exit')];
  expect(await ended).toEqual([0, null]);
  const warnings = (await said).split('\n').filter((line) => line.startsWith('Warning: '));
  expect(warnings).toContain(
    'Warning: slides[0].canvas.objects[0].fontFamily: the font "Nonsense" is not available; Inter is used instead',
  );
  expect(warnings.some((line) => line.includes('hologram'))).toBe(true);
});

/** Runs the program. @returns its exit code, what it printed, and what it reported. */
async function run(...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder });
  const [out, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, said };
}

it('a template is rendered for each row of a CSV file, signed, with slides and objects where the row has a value', async () => {
  const box = { type: 'textbox', width: 300 };
  const slides = [
    { id: 1, duration: 0.4, canvas: { objects: [{ ...box, text: 'Hello {{name}}' }] } },
    { id: 2, duration: 0.6, showIf: 'offer', canvas: { objects: [{ ...box, text: '{{offer}}' }] } },
  ];
  const data = { resolution: '720p', gifEnabled: true };
  // As Windows' shell writes files.
  const template = `\uFEFF${JSON.stringify({ name: 'For {{name}}', slides, data })}`;
  await writeFile(join(folder, 'template.json'), template, 'utf16le');
  await writeFile(join(folder, 'rows.csv'), 'sep=;\r\nname;offer\r\n"Änn; A.";\r\n../Ben;10 % off\r\n', 'latin1');
  const ended = await run('render', 'template.json', '--data', 'rows.csv', '-o', '{{name}}.mp4', '--extras', '--json');
  expect([ended.code, ended.said]).toEqual([0, '']);
  const films = ended.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(films).toMatchObject([
    { file: 'Änn; A..mp4', durationSeconds: 0.4 },
    { file: '..-Ben.mp4', durationSeconds: 1 },
  ]);
  for (const ending of ['mp4', 'jpg', 'webp', 'gif']) {
    expect(await verifyFile(join(folder, `..-Ben.${ending}`))).toMatchObject({
      state: 'valid',
      title: 'For ../Ben',
      actions: [{ source: expect.stringMatching(/\/trainedAlgorithmicMedia$/) }],
    });
  }
});

it('a template is rendered for each row of a workbook', async () => {
  const slides = [{ id: 1, duration: 0.4, canvas: { objects: [{ type: 'textbox', width: 300, text: '{{name}}' }] } }];
  await writeFile(join(folder, 'plain.json'), JSON.stringify({ slides, data: { resolution: '720p' } }));
  await writeFile(join(folder, 'rows.xlsx'), workbook({ Guests: [['name'], ['Zoë']] }));
  const ended = await run('render', 'plain.json', '--data', 'rows.xlsx', '-o', 'For {{name}}.mp4', '--json');
  expect([ended.code, ended.said, JSON.parse(ended.out)]).toMatchObject([0, '', { file: 'For Zoë.mp4' }]);
});

it('rows that do not fit are all named before anything is rendered', async () => {
  await writeFile(join(folder, 'some.csv'), 'city\nOslo\nLima\n');
  const missing = await run('render', 'template.json', '--data', 'some.csv', '-o', 'same.mp4');
  expect([missing.code, missing.said.trim().split('\n')]).toEqual([
    1,
    [
      'figurehead: some.csv does not fit.',
      '  row 1: slides[0].canvas.objects[0].text: the value of {{name}} is missing in the row',
      '  row 1: name: the value of {{name}} is missing in the row',
      '  row 2: same.mp4 is the output of row 1 too; --output needs a {{placeholder}} that differs',
      '  row 2: slides[0].canvas.objects[0].text: the value of {{name}} is missing in the row',
      '  row 2: name: the value of {{name}} is missing in the row',
    ],
  ]);
  const refusals: [content: string, reason: string][] = [
    ['name,offer\nAnn,Hello, Ann\n', 'Row 1 has more values than the 2 columns that the first line names'],
    ['name,offer\n', 'This table has no rows after its first line'],
    ['PK\u0003\u0004', 'This is not a readable Excel workbook'],
  ];
  for (const [content, reason] of refusals) {
    await writeFile(join(folder, 'bad.csv'), content);
    const { code, said } = await run('render', 'template.json', '--data', 'bad.csv', '-o', '{{name}}.mp4');
    expect([code, said]).toEqual([1, expect.stringContaining(`bad.csv: ${reason}`)]);
  }
  await writeFile(join(folder, 'odd.json'), JSON.stringify({ slides: [{ canvas: { objects: [{ type: 5 }] } }] }));
  expect((await run('render', 'odd.json', '--data', 'some.csv', '-o', 'a.mp4')).said).toContain(
    'slides[0].canvas.objects[0].type must be text.',
  );
  expect((await run('render', 'template.json', '--data', 'none.csv', '-o', 'a.mp4')).said).toContain(
    'none.csv cannot be read',
  );
  expect((await readdir(folder)).filter((name) => name === 'same.mp4')).toEqual([]);
});

it('a signed film that shows a picture of the user is a composite', async () => {
  const picture = { type: 'image', src: 'face.jpg', width: 100 };
  await writeFile(
    join(folder, 'face.jpg'),
    await readFile(new URL('../../../../docs/images/presenters/clara.jpg', import.meta.url)),
  );
  const slides = [{ id: 1, duration: 0.2, canvas: { objects: [picture] } }];
  await writeFile(join(folder, 'composite.json'), JSON.stringify({ slides, data: { resolution: '720p' } }));
  expect((await run('render', 'composite.json', '-o', 'composite.mp4')).code).toBe(0);
  expect((await verifyFile(join(folder, 'composite.mp4'))).actions).toMatchObject([
    { source: expect.stringMatching(/\/compositeWithTrainedAlgorithmicMedia$/) },
  ]);
});
