import { Button, FileButton, Group, Popover, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconCircle,
  IconPhoto,
  IconRectangle,
  IconTypography,
  IconUpload,
  IconUserSquareRounded,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useAction, useApi } from '../../api/client.js';
import { type CanvasObject, type CanvasSize, newImage, newObject } from './document.js';

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
  return (
    <Group gap={6} mb="sm">
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
      <PictureTool size={size} onAdd={onAdd} />
    </Group>
  );
}

function PictureTool({ size, onAdd }: { readonly size: CanvasSize; readonly onAdd: (object: CanvasObject) => void }) {
  const api = useApi();
  const [opened, { toggle, close }] = useDisclosure(false);
  const [address, setAddress] = useState('');
  const put = useAction(
    async (source: string | File) => {
      const src = typeof source === 'string' ? source : await uploaded(source);
      return newImage(src, await measured(src), size);
    },
    {
      onDone: (object) => {
        onAdd(object);
        setAddress('');
        close();
      },
    },
  );
  const uploaded = async (file: File) => {
    const medium = await api.createMedia({ file, body: { name: file.name } });
    if (!medium.url) throw new Error('The upload is still being read; find it in the library in a moment.');
    return medium.url;
  };
  return (
    <Popover opened={opened} onChange={toggle} width={290} position="bottom-start" trapFocus withArrow>
      <Popover.Target>
        <Button size="compact-sm" variant="default" leftSection={<IconPhoto size={15} />} onClick={toggle}>
          Picture
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <FileButton accept="image/png,image/jpeg,image/webp,image/gif" onChange={(file) => file && put.mutate(file)}>
            {(button) => (
              <Button {...button} variant="light" leftSection={<IconUpload size={16} />} loading={put.isPending}>
                Upload a picture
              </Button>
            )}
          </FileButton>
          <TextInput
            label="Or its address"
            placeholder="https://…"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <Button
            variant="default"
            disabled={!/^https?:\/\//.test(address)}
            loading={put.isPending}
            onClick={() => put.mutate(address)}
          >
            Put it on the slide
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Size of a picture in px. */
function measured(src: string): Promise<{ width: number; height: number }> {
  return new Promise((resolve, reject) => {
    const image = new window.Image();
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => reject(new Error('There is no picture at this address.'));
    image.src = src;
  });
}
