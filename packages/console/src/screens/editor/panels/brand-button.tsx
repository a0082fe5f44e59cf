import { Anchor, Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useBrand } from '../../../api/brand.js';
import { tell } from '../../../lib/notices.js';
import { IconPalette } from '../../../shell/icons.js';
import { useEditor } from '../store.js';
import { branded } from './branded.js';

/** Applies the workspace's brand to the whole video in one step that can be undone. */
export function BrandButton() {
  const { change } = useEditor();
  const brand = useBrand().data;
  if (!brand) return null;
  if (Object.values(brand).every((value) => value === null)) {
    return (
      <Text size="sm" c="dimmed">
        This workspace has no brand yet.{' '}
        <Anchor component={Link} href="/settings" underline="always">
          Choose colours, fonts and a logo
        </Anchor>
        , and apply them here with one click.
      </Text>
    );
  }
  return (
    <Button
      variant="light"
      leftSection={<IconPalette size={17} />}
      onClick={() => {
        change((now) => branded(now, brand));
        tell({ id: 'brand', message: 'The brand is applied to every slide. You can undo this.' });
      }}
    >
      Apply the brand
    </Button>
  );
}
