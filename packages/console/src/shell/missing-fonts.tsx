import type { Slide } from '@figurehead/sdk';
import { Alert, Button, FileButton, Group, Text } from '@mantine/core';
import { useAction, useApi } from '../api/client.js';
import { missingFamilies, useFonts } from '../api/fonts.js';
import { count } from '../lib/format.js';
import { IconTypography } from './icons.js';

/** Lists the fonts of slides that this server lacks and replaces, and accepts uploads. Nothing when none is missing. */
export function MissingFonts({ slides }: { readonly slides: readonly Slide[] }) {
  const api = useApi();
  const fonts = useFonts();
  const upload = useAction((file: File) => api.createFont({ file }), {
    changes: [['fonts']],
    done: 'The font was uploaded.',
  });
  if (!fonts.data) return null;
  const missing = missingFamilies(
    slides,
    fonts.data.map((font) => font.family),
  );
  if (missing.length === 0) return null;
  return (
    <Alert
      color="orange"
      mb="sm"
      icon={<IconTypography size={20} />}
      title={`${count(missing.length, 'font is', 'fonts are')} missing`}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: '1 1 220px' }}>
          {missing.join(', ')}: shown in another font until you upload {missing.length === 1 ? 'it' : 'them'}.
        </Text>
        <FileButton accept=".ttf,.otf,.woff,.woff2" onChange={(file) => file && upload.mutate(file)}>
          {(props) => (
            <Button {...props} size="xs" variant="default" loading={upload.isPending}>
              Upload font
            </Button>
          )}
        </FileButton>
      </Group>
    </Alert>
  );
}
