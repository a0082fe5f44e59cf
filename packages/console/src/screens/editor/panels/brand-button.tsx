import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useBrand } from '../../../api/brand.js';
import { useAction } from '../../../api/client.js';
import { ActButton } from '../../../shell/action-buttons.js';
import { IconPalette } from '../../../shell/icons.js';
import { useEditor } from '../store.js';
import { useKeepVersion } from '../versions/use-keep-version.js';
import { branded } from './branded.js';

/** Applies the workspace's brand to the whole video in one step that can be undone. */
export function BrandButton() {
  const { change } = useEditor();
  const keep = useKeepVersion();
  const brand = useBrand().data;
  const apply = useAction(() => keep({ reason: 'brand' }), {
    onDone: () => {
      if (brand) change((now) => branded(now, brand));
    },
    done: 'The brand is applied to every slide. You can undo this.',
  });
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
    <ActButton act={apply} variant="light" leftSection={<IconPalette size={17} />}>
      Apply the brand
    </ActButton>
  );
}
