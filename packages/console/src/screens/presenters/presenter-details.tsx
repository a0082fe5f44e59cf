import type { Avatar } from '@figurehead/sdk';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { plainSlide } from '../../api/brand.js';
import { looksOf, useVoices, voiceOf } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { formatTime } from '../../lib/format.js';
import { ActButton } from '../../shell/action-buttons.js';
import { CopyText } from '../../shell/copy-text.js';
import { IconMovie, IconPlayerPlay, IconShieldCheck, IconTrash } from '../../shell/icons.js';
import { PresenterBadges } from './presenter-card.js';

/** Details of a presenter: preview, all looks, and the recorded consent of a photo avatar. */
export function PresenterDetails({ avatar, onGone }: { readonly avatar: Avatar; readonly onGone: () => void }) {
  const api = useApi();
  const still = useReducedMotion();
  const [asked, setAsked] = useState(false);
  const moving = asked || !still;
  const [, go] = useLocation();
  const voices = useVoices().data ?? [];
  const [look, setLook] = useState(avatar.code);
  const remove = useAction(() => api.deleteAvatar({ avatarId: avatar.id }), {
    changes: [['avatars']],
    done: `${avatar.name} was deleted.`,
    onDone: onGone,
  });
  const use = useAction(
    () => {
      const slides = [plainSlide('', look, voiceOf(avatar, voices))];
      return api.createVideo({ body: { name: `A video with ${avatar.name}`, slides } });
    },
    { changes: [['videos']], onDone: ({ _id }) => go(`/videos/${_id}/edit`) },
  );
  const looks = looksOf(avatar);
  const shown = looks.find((one) => one.code === look);
  const films = moving && look === avatar.code && avatar.preview !== undefined;
  return (
    <Stack>
      <div className="fh-frame fh-stage" style={{ aspectRatio: '4 / 3' }}>
        {films ? (
          <video src={avatar.preview} poster={avatar.canvas} muted loop autoPlay playsInline aria-label={avatar.name} />
        ) : (
          <img className="fh-poster" src={shown?.canvas || avatar.thumbnail} alt={`${avatar.name}, at rest`} />
        )}
      </div>
      {still && !moving && avatar.preview && (
        <Button variant="default" leftSection={<IconPlayerPlay size={17} />} onClick={() => setAsked(true)}>
          Play the preview
        </Button>
      )}
      {looks.length > 1 && (
        <div>
          <Text size="sm" fw={600} mb={6}>
            Looks
          </Text>
          <ul
            className="fh-tiles-small fh-plain"
            style={{ gridTemplateColumns: 'repeat(auto-fill, minmax(92px, 1fr))' }}
          >
            {looks.map((one) => (
              <li key={one.code}>
                <button
                  type="button"
                  className="fh-pick"
                  aria-pressed={one.code === look}
                  onClick={() => setLook(one.code)}
                >
                  <img src={one.thumbnail} alt="" loading="lazy" />
                  <span>{one.name}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {avatar.status === 'ready' && (
        <ActButton act={use} disabled={voices.length === 0} leftSection={<IconMovie size={17} />}>
          Use in a video
        </ActButton>
      )}
      <Group justify="space-between" align="flex-end">
        <div>
          <Text size="sm" c="dimmed">
            Code, for slides and the API
          </Text>
          <Text ff="monospace">{look}</Text>
        </div>
        <CopyText value={look} size="sm" />
      </Group>
      <PresenterBadges avatar={avatar} />
      {avatar.error && (
        <Alert color="red" title="The presenter could not be created">
          {avatar.error}
        </Alert>
      )}
      {avatar.consent && (
        <Alert color="gray" icon={<IconShieldCheck size={20} />} title="Consent on record">
          <Text size="sm">“{avatar.consent.statement}”</Text>
          <Text size="xs" c="dimmed" mt={6}>
            Given by {avatar.consent.givenBy}, {formatTime(avatar.consent.givenAt)}
          </Text>
        </Alert>
      )}
      {avatar.type === 'photo' && (
        <ActButton
          act={remove}
          question={`Delete ${avatar.name}? Videos that use them can no longer be rendered.`}
          variant="light"
          color="red"
          leftSection={<IconTrash size={17} />}
        >
          Delete {avatar.name}
        </ActButton>
      )}
    </Stack>
  );
}
