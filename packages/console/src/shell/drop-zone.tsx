import { Button, FileButton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { IconUpload } from './icons.js';

/** A drop target for a file, with a button for keyboard and click. */
export function DropZone(props: {
  readonly accept: string;
  readonly title: string;
  readonly about: string;
  readonly busy?: boolean;
  readonly onFile: (file: File) => void;
}) {
  const [over, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button inside does the same
    <div
      className="fh-drop"
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        if (file && !props.busy) props.onFile(file);
      }}
    >
      <Stack align="center" gap={6}>
        <IconUpload size={30} stroke={1.5} />
        <Text fw={600}>{props.title}</Text>
        <Text size="sm" c="dimmed" maw={420} ta="center" style={{ textWrap: 'balance' }}>
          {props.about}
        </Text>
        <FileButton accept={props.accept} onChange={(file) => file && props.onFile(file)}>
          {(button) => (
            <Button {...button} mt="xs" variant="default" loading={props.busy ?? false}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Stack>
    </div>
  );
}
