import type { VideoSummary } from '@figurehead/sdk';
import { ActionIcon, Badge, Box, Checkbox, Group, Menu, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { formatTime, formatWhen } from '../../lib/format.js';
import { withoutPaths } from '../../lib/problems.js';
import { IconCopy, IconDots, IconPencil, IconPlayerPlay, IconPlayerStop, IconTrash } from '../../shell/icons.js';
import { StatusBadge } from '../../shell/status-badge.js';
import { useVideoActions } from './use-video-actions.js';
import { VideoPicture } from './video-picture.js';

/** One video of the list: picture, status, actions. The progress of another one does not draw it again. */
export const VideoCard = memo(function VideoCard(props: {
  readonly video: VideoSummary;
  readonly selected: boolean;
  readonly onSelect: (videoId: string) => void;
}) {
  const { video, selected, onSelect } = props;
  const actions = useVideoActions(video);
  const busy = video.status === 'queued' || video.status === 'rendering';
  return (
    <Box component="article" className="fh-tile" pos="relative" data-selected={selected || undefined}>
      <VideoPicture video={video} />
      <Checkbox
        className="fh-tile-check"
        aria-label={`Select ${video.name}`}
        checked={selected}
        onChange={() => onSelect(video._id)}
      />
      <Box p="md" style={{ flex: 1 }}>
        <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
          <Text component="h2" fw={600} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
            <Link className="fh-cover-link" href={`/videos/${video._id}`}>
              {video.name}
            </Link>
          </Text>
          <Menu position="bottom-end" width={190}>
            <Menu.Target>
              <ActionIcon aria-label={`Actions for ${video.name}`} style={{ zIndex: 1 }}>
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component={Link} href={`/videos/${video._id}/edit`} leftSection={<IconPencil size={16} />}>
                Edit
              </Menu.Item>
              {busy ? (
                <Menu.Item leftSection={<IconPlayerStop size={16} />} onClick={() => actions.cancel.mutate()}>
                  Cancel rendering
                </Menu.Item>
              ) : (
                <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => actions.render.mutate()}>
                  Render
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => actions.copy.mutate()}>
                Duplicate
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={actions.remove}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
        <Group gap="xs" mt={8}>
          <StatusBadge status={video.status} />
          {video.type === 'template' && <Badge color="orange">Template</Badge>}
          <Text size="xs" c="dimmed" title={formatTime(video.createdAt)}>
            {video.status === 'rendering'
              ? `${Math.round((video.progress ?? 0) * 100)} %`
              : formatWhen(video.createdAt)}
          </Text>
        </Group>
        {video.error && (
          <Text size="xs" c="var(--mantine-color-error)" mt={6} lineClamp={2}>
            {withoutPaths(video.error)}
          </Text>
        )}
        {video.tags.length > 0 && (
          <Text size="xs" c="dimmed" mt={6} lineClamp={1}>
            {video.tags.map((tag) => `#${tag}`).join('  ')}
          </Text>
        )}
      </Box>
    </Box>
  );
});
