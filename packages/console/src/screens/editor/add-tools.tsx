import { Button, Group } from '@mantine/core';
import {
  IconCircle,
  IconMovie,
  IconPhoto,
  IconRectangle,
  IconTypography,
  IconUserSquareRounded,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../api/client.js';
import { MediaPicker, type Picked } from '../../shell/media-picker.js';
import { type CanvasObject, type CanvasSize, newMedium, newObject } from './document.js';

/** What can be put on a slide. */
export function AddTools({
  size,
  onAdd,
}: {
  readonly size: CanvasSize;
  readonly onAdd: (object: CanvasObject) => void;
}) {
  const tools = [
    { kind: 'text', name: 'Text', icon: IconTypography },
    { kind: 'rect', name: 'Rectangle', icon: IconRectangle },
    { kind: 'circle', name: 'Circle', icon: IconCircle },
    { kind: 'avatar', name: 'Place presenter', icon: IconUserSquareRounded },
  ] as const;
  const [picking, setPicking] = useState<'image' | 'video' | null>(null);
  const put = useAction(
    async ({ kind, picked }: { kind: 'image' | 'video'; picked: Picked }) =>
      newMedium(kind, { src: picked.url, ...(await sizeOf(kind, picked)) }, size),
    { onDone: onAdd },
  );
  return (
    <Group gap={6}>
      {tools.map((tool) => (
        <Button
          key={tool.kind}
          size="compact-sm"
          variant="default"
          leftSection={<tool.icon size={15} />}
          onClick={() => onAdd(newObject(tool.kind, size))}
        >
          {tool.name}
        </Button>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPhoto size={15} />}
        loading={put.isPending && put.variables.kind === 'image'}
        onClick={() => setPicking('image')}
      >
        Picture
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconMovie size={15} />}
        loading={put.isPending && put.variables.kind === 'video'}
        onClick={() => setPicking('video')}
      >
        Clip
      </Button>
      <MediaPicker
        kind={picking ?? 'image'}
        opened={picking !== null}
        onClose={() => setPicking(null)}
        onPick={(picked) => picking && put.mutate({ kind: picking, picked })}
      />
    </Group>
  );
}

/** Size of a picture or clip in px, as the library knows it or as the file says. */
function sizeOf(kind: 'image' | 'video', { url, width, height }: Picked): Promise<{ width: number; height: number }> {
  if (width !== undefined && height !== undefined) return Promise.resolve({ width, height });
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`There is no ${kind === 'image' ? 'picture' : 'clip'} at this address.`));
    if (kind === 'image') {
      const image = new window.Image();
      image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
      image.onerror = fail;
      image.src = url;
    } else {
      const video = document.createElement('video');
      video.preload = 'metadata';
      video.onloadedmetadata = () => resolve({ width: video.videoWidth, height: video.videoHeight });
      video.onerror = fail;
      video.src = url;
    }
  });
}
