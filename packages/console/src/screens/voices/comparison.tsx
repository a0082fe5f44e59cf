import { Button, Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { aboutVoice, type ListedVoice, sourceLabel, voiceKey } from '../../api/catalogue.js';
import { useSample } from '../../api/use-sample.js';
import { IconPlayerPlayFilled, IconPlayerStopFilled } from '../../shell/icons.js';

/** Maximum number of compared voices. */
export const MAX_COMPARED = 3;

/** The sample sentence in up to three voices side by side; nothing while none is chosen. */
export function Comparison(props: {
  readonly voices: readonly ListedVoice[];
  readonly onRemove: (key: string) => void;
}) {
  const sample = useSample();
  if (props.voices.length === 0) return null;
  return (
    <Card component="section" aria-labelledby="comparison" mb="lg">
      <Title order={2} id="comparison" size="h4" mb="sm">
        The same sentence, side by side
      </Title>
      <SimpleGrid cols={{ base: 1, sm: MAX_COMPARED }}>
        {props.voices.map((voice) => {
          const key = voiceKey(voice);
          const plays = sample.playing === key;
          return (
            <div key={key}>
              <Text fw={500}>{voice.name}</Text>
              <Text size="sm" c="dimmed" mb="xs">
                {[aboutVoice(voice), sourceLabel(voice.voiceProvider)].filter(Boolean).join(' · ')}
              </Text>
              <Group gap="xs">
                <Button
                  size="xs"
                  leftSection={plays ? <IconPlayerStopFilled size={14} /> : <IconPlayerPlayFilled size={14} />}
                  loading={sample.loading === key}
                  onClick={() => sample.toggle(voice)}
                  aria-label={`${plays ? 'Stop' : 'Listen to'} ${voice.name}`}
                >
                  {plays ? 'Stop' : 'Listen'}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => props.onRemove(key)}
                  aria-label={`Remove ${voice.name}`}
                >
                  Remove
                </Button>
              </Group>
            </div>
          );
        })}
      </SimpleGrid>
    </Card>
  );
}
