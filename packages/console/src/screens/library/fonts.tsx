import { FONT_FAMILIES } from '@figurehead/sdk/document';
import { Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useAction, useApi } from '../../api/client.js';
import { useFonts } from '../../api/fonts.js';
import { formatBytes } from '../../lib/format.js';
import { DeleteIcon } from '../../shell/action-buttons.js';
import { DropZone } from '../../shell/drop-zone.js';
import '../../shell/font-files.js';
import { fontStack } from '../../shell/slide-painting.js';
import { Loaded } from '../../shell/states.js';

/** Fonts of the workspace, and those that every workspace has. */
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
          <BuiltIn />
        </Stack>
      )}
    </Loaded>
  );
}

function BuiltIn() {
  return (
    <Card padding="md">
      <Text component="h2" fw={600} mb="sm">
        Built in
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
        {FONT_FAMILIES.map((family) => (
          <Text key={family} size="lg" style={{ fontFamily: fontStack(family) }}>
            {family}
          </Text>
        ))}
      </SimpleGrid>
    </Card>
  );
}
