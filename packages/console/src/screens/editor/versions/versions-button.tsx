import { ActionIcon, Drawer, Skeleton, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import { late } from '../../../lib/late.js';
import { IconHistory } from '../../../shell/icons.js';

// Rarely used, so it is loaded on demand.
const Versions = late(() => import('./versions.js'));

/** Opens the earlier versions of the video. */
export function VersionsButton() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Tooltip label="Versions">
        <ActionIcon size="lg" aria-label="Versions" onClick={open}>
          <IconHistory size={19} />
        </ActionIcon>
      </Tooltip>
      <Drawer
        opened={opened}
        onClose={close}
        position="right"
        title="Versions"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Suspense fallback={<Skeleton height={200} />}>
          <Versions onClose={close} />
        </Suspense>
      </Drawer>
    </>
  );
}
