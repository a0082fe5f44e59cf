import { readdir, readFile } from 'node:fs/promises';
import { VideoInput } from '@figurehead/contract';
import { type LayoutName, SLIDE_LAYOUTS, slideFrom } from '@figurehead/contract/layouts';
import { textIds } from './slides.js';

/** A text that agents can read. */
export interface McpResource {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
  readonly description: string;
  readonly read: () => Promise<string>;
}

const HOWTO = new URL('../../../../../docs/howto/', import.meta.url);

/** The schema of a video, the layouts, and the how-to pages where they are installed. */
export async function listResources(): Promise<McpResource[]> {
  const files = await readdir(HOWTO).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const pages = files.filter((name) => name.endsWith('.md') && name !== 'README.md').sort();
  return [
    {
      ...{ name: 'Schema of a video', uri: 'figurehead://schema/video', mimeType: 'application/schema+json' },
      description: 'JSON Schema of a video document: slides, canvas objects, settings.',
      read: async () => JSON.stringify(VideoInput),
    },
    {
      ...{ name: 'Layouts of slides', uri: 'figurehead://layouts', mimeType: 'application/json' },
      description: 'Every layout with the ids of its texts, and whether it shows the presenter.',
      read: async () => JSON.stringify(layouts(), undefined, 1),
    },
    ...(await Promise.all(
      pages.map(async (name) => ({
        ...{ name: await titleOf(name), uri: `figurehead://howto/${name.slice(0, -3)}`, mimeType: 'text/markdown' },
        description: 'A how-to page.',
        read: () => readFile(new URL(name, HOWTO), 'utf8'),
      })),
    )),
  ];
}

async function titleOf(name: string): Promise<string> {
  const [first = name] = (await readFile(new URL(name, HOWTO), 'utf8')).split('\n');
  return first.replace(/^# /, '');
}

function layouts(): object[] {
  return Object.entries(SLIDE_LAYOUTS).map(([layout, { label, group }]) => {
    const slide = slideFrom(layout as LayoutName, { id: 1, cast: { avatar: null } });
    const showsPresenter = (slide.canvas?.objects ?? []).some(({ type }) => type === 'avatar');
    return { layout, label, group, showsPresenter, texts: textIds(slide) };
  });
}
