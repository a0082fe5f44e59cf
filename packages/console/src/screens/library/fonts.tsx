import { Card, Group, Stack, Text } from '@mantine/core';
import { useAction, useApi } from '../../api/client.js';
import { useFonts } from '../../api/fonts.js';
import { formatBytes } from '../../lib/format.js';
import { DeleteIcon } from '../../shell/action-buttons.js';
import { DropZone } from '../../shell/drop-zone.js';
import { IconTypography } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

/** Fonts of the workspace. */
export function Fonts() {
  const api = useApi();
  const fonts = useFonts();
  const upload = useAction((file: File) => api.createFont({ file }), {
    changes: [['fonts']],
    done: 'The font is ready to use.',
  });
  const remove = useAction((fontId: string) => api.deleteFont({ fontId }), { changes: [['fonts']], done: 'Deleted.' });
  return (
    <Loaded query={fonts}>
      {(list) => (
        <Stack gap="lg" maw={880}>
          <DropZone
            accept=".ttf,.otf,.woff,.woff2"
            title="Drop a font"
            about="A .ttf, .otf, .woff or .woff2 file. Then choose its family in the editor."
            busy={upload.isPending}
            onFile={(file) => upload.mutate(file)}
          />
          {list.length === 0 && (
            <Empty icon={<IconTypography />} title="Only the built-in families so far">
              Inter, Roboto, Open Sans, Lato, Montserrat, Playfair Display, Noto and more are built in.
            </Empty>
          )}
          {list.map((font) => (
            <Card key={font._id} padding="md">
              <Group justify="space-between" wrap="nowrap">
                <div>
                  <Text fw={600}>{font.family}</Text>
                  <Text size="sm" c="dimmed">
                    {font.name} · {font.style} {font.weight} · {formatBytes(font.size)}
                  </Text>
                </div>
                <DeleteIcon
                  label={`Delete ${font.name}`}
                  question={`Delete ${font.name}?`}
                  act={remove}
                  id={font._id}
                />
              </Group>
            </Card>
          ))}
        </Stack>
      )}
    </Loaded>
  );
}
