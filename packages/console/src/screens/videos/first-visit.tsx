import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { QuickVideo } from './quick-video.js';

const SCRIPT =
  'Hello! I am a presenter who lives on your own server. Write what I should say, choose how I look and sound, and I will say it — in a video, or live.';

/** Stands in the place of the list while there is nothing to list: a video is one click away. */
export function FirstVisit() {
  return (
    <Card padding="xl" maw={860}>
      <Stack>
        <div>
          <Group gap="xs" mb={6}>
            <Badge color="orange">About a minute</Badge>
          </Group>
          <Title order={2} fz="1.55rem">
            Make your first video
          </Title>
          <Text c="dimmed" maw={560}>
            The script is ready to go; change it if you like. Press the button, and watch the video appear.
          </Text>
        </div>
        <QuickVideo name="My first video" script={SCRIPT} />
      </Stack>
    </Card>
  );
}
