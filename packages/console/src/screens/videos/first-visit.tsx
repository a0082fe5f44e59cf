import { Button, Card, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSession } from '../../api/client.js';
import { IconTemplate } from '../../shell/icons.js';
import { NaturalVoices } from '../voices/natural-voices.js';
import { NewVideo } from './new-video.js';
import { QuickVideo } from './quick-video.js';

const SCRIPT =
  'Hello! I am a presenter on your own server. Write a text, choose a look and a voice, and I will speak it — in a video, or live.';

/** Shown instead of an empty list: three choices that create a first video. */
export function FirstVisit() {
  const [choosing, { open, close }] = useDisclosure(false);
  const isOperator = useSession().data?.user.operator ?? false;
  return (
    <Card padding="xl" maw={1180}>
      <Stack gap="lg">
        <div>
          <Title order={2} fz="1.55rem">
            Create your first video
          </Title>
          <Text c="dimmed" maw={640}>
            Three steps, about a minute. Everything is ready to go; change what you like, press the button, and watch
            the video appear.
          </Text>
          <Button
            variant="subtle"
            size="compact-sm"
            ml={-8}
            mt={6}
            leftSection={<IconTemplate size={16} />}
            onClick={open}
          >
            Start with a template instead
          </Button>
          <NewVideo tab="template" opened={choosing} onClose={close} />
        </div>
        <QuickVideo guided name="My first video" script={SCRIPT} />
        {isOperator && <NaturalVoices firstOnly />}
      </Stack>
    </Card>
  );
}
