import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpoints } from '@figurehead/contract';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../packages/server/src/cli/registry.js';
import { configurationPage } from '../packages/server/src/kernel/config/config.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FENCED = /^```.*?^```$/gms;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** All pages except records of the past. */
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => path !== 'CHANGELOG.md')
  .map((path) => ({ path, text: read(path) }));

/** What `pattern` finds in the pages and `isRight` does not accept, with the page's path. */
function wrong(pattern: RegExp, isRight: (match: RegExpExecArray, path: string) => boolean): string[] {
  const found = pages.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((match) => ({ path, match })));
  expect(found.length).toBeGreaterThan(5);
  return found.filter(({ path, match }) => !isRight(match, path)).map(({ path, match }) => `${path}: ${match[0]}`);
}

/** The anchors of a page as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = [
    ...read(path)
      .replace(FENCED, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the pages of the repository', () => {
  it('link to existing files and headings', () => {
    const isRight = ([, target = '', anchor]: RegExpExecArray, from: string) => {
      const path = target === '' ? from : join(dirname(from), target);
      return existsSync(join(ROOT, path)) && (anchor === undefined || anchorsOf(path).includes(anchor));
    };
    expect(wrong(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g, isRight)).toEqual([]);
  });

  it('name existing routes of the API', () => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    const general = (path: string) => path.replace(/\$\{?\w+\}?|\{\w*\}/g, '{}').replace(/[/.]$/, '');
    const others = [
      'POST /whep',
      'POST /mcp',
      'POST /pipecat/offer',
      'GET /streams/sound/{}',
      'GET /healthz',
      'GET /readyz',
    ];
    const routes = [...Object.values(endpoints).map(general), ...others, 'GET /metrics', 'GET /openapi'];
    // Prose may leave out the parameters at the end.
    const isRoute = (text: string) =>
      routes.some((route) => /^(\/\{\})*$/.test(route.replace(general(text.replace(/\s+/, ' ')), '')));
    const named = new RegExp(`\\b(?:${methods.join('|')})\\s/[\\w/{}$-]+`, 'g');
    expect(wrong(named, ([text]) => isRoute(text))).toEqual([]);
    const isPath = ([, path = '']: RegExpExecArray) => methods.some((method) => isRoute(`${method} ${path}`));
    expect(wrong(/\/api\/v1(\/[\w/{}$-]*[\w}])/g, isPath)).toEqual([]);
  });

  it('name existing exports of the packages, and functions of the client', async () => {
    const modules = new Map<string, object>([
      ['@figurehead/contract', await import('@figurehead/contract')],
      ['@figurehead/contract/document', await import('@figurehead/contract/document')],
      ['@figurehead/presenter-web', await import('@figurehead/presenter-web')],
      ['@figurehead/sdk', await import('@figurehead/sdk')],
      ['@figurehead/sdk/widget', await import('@figurehead/sdk/widget')],
    ]);
    const areExported = ([, names = '', from = '']: RegExpExecArray) =>
      names
        .split(',')
        .map((name) => name.trim())
        .every((name) => name.startsWith('type ') || name in (modules.get(from) ?? {}));
    expect(wrong(/import \{([^}]+)\} from '(@figurehead\/[^']+)'/g, areExported)).toEqual([]);
    const called = /(?:await|of|\() ?figurehead\.(\w+)\(\{/g;
    expect(wrong(called, ([, name = '']) => name in endpoints)).toEqual([]);
  });

  it('name existing settings, with their defaults', () => {
    const rows = configurationPage().matchAll(/^\| `(\w+)` \| (?:`(.*?)`)? \|/gm);
    const defaults = new Map([...rows].map(([, key = '', value]) => [key, value]));
    // The plugins of integrations/ read it, not the server.
    const isKnown = (key: string) => defaults.has(key) || key === 'FIGUREHEAD_TOKEN';
    expect(wrong(/\bFIGUREHEAD_[A-Z0-9_]*[A-Z0-9]\b/g, ([key]) => isKnown(key))).toEqual([]);
    const stated = /`(FIGUREHEAD_\w+)`(?: \(| \| )(\d+)\b/g;
    expect(wrong(stated, ([, key = '', value]) => defaults.get(key) === value)).toEqual([]);
  });

  it('name existing scripts of npm', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(wrong(/npm run ([\w:-]*\w)/g, ([, name = '']) => name in scripts)).toEqual([]);
  });

  it('name existing commands and options of the program', async () => {
    const program = new Command();
    for (const { usage, load } of COMMANDS) (await load())(program.command(usage));
    const named = /(?:npx |figurehead |-- |^|`|=\S* )figurehead ([a-z-][^`\n#|;]*)/gm;
    const isRight = ([, words = '']: RegExpExecArray) => {
      let command = program;
      for (const word of words.split(' ')) {
        const [sub] = command.commands.filter((one) => one.name() === word);
        if (command === program && sub === undefined) return ['--help', '--version'].includes(word);
        command = sub ?? command;
        if (word.startsWith('--') && !command.options.some(({ long }) => long === word.split('=')[0])) return false;
      }
      return true;
    };
    expect(wrong(named, isRight)).toEqual([]);
  });
});
