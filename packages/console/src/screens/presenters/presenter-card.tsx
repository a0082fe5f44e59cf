import type { Avatar } from '@figurehead/sdk';
import { Badge, Box, Group, Text } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { useState } from 'react';
import { looksOf, useVoices, voiceOf } from '../../api/catalogue.js';
import { count } from '../../lib/format.js';
import { withoutPaths } from '../../lib/problems.js';

/** One presenter: the preview plays on hover and focus, unless the user prefers reduced motion. */
export function PresenterCard({ avatar, onOpen }: { readonly avatar: Avatar; readonly onOpen: () => void }) {
  const [near, setNear] = useState(false);
  const still = useReducedMotion();
  return (
    <Box
      component="article"
      className="fh-tile"
      pos="relative"
      onPointerEnter={() => setNear(true)}
      onPointerLeave={() => setNear(false)}
      onFocus={() => setNear(true)}
      onBlur={() => setNear(false)}
    >
      <div className="fh-frame" style={{ aspectRatio: '4 / 3' }}>
        {avatar.thumbnail && <img src={avatar.thumbnail} alt={`${avatar.name}, at rest`} loading="lazy" />}
        {near && !still && avatar.preview && <video src={avatar.preview} muted loop autoPlay playsInline aria-hidden />}
      </div>
      <Box p="md">
        <Text component="h2" fw={600}>
          <button type="button" className="fh-cover-button" onClick={onOpen}>
            {avatar.name}
          </button>
        </Text>
        <PresenterBadges avatar={avatar} />
        {avatar.error && (
          <Text size="xs" c="var(--mantine-color-error)" mt={6}>
            {withoutPaths(avatar.error)}
          </Text>
        )}
      </Box>
    </Box>
  );
}

/** Properties of a presenter as badges. */
export function PresenterBadges({ avatar }: { readonly avatar: Avatar }) {
  const looks = looksOf(avatar);
  const { data: voices = [] } = useVoices();
  const voice = avatar.defaultVoice && voiceOf(avatar, voices);
  return (
    <Group gap={6} mt="sm">
      {avatar.status === 'processing' && <Badge color="blue">In progress</Badge>}
      {avatar.status === 'error' && <Badge color="red">Failed</Badge>}
      {avatar.type === 'photo' && <Badge color="orange">Yours</Badge>}
      {avatar.status === 'ready' && !avatar.realtime && <Badge color="gray">Not live</Badge>}
      {looks.length > 1 && <Badge color="gray">{count(looks.length, 'look')}</Badge>}
      {voice && <Badge color="gray">Voice {voice.name}</Badge>}
    </Group>
  );
}
