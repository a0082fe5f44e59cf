import { AGENT_LIMITS } from '@figurehead/sdk/document';
import { Card, NumberInput, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import type { AgentFields } from './agent-fields.js';

const { minutes, turns, characters, toolSeconds, days } = AGENT_LIMITS;

/** Limits as fields of the form. */
const LIMITS = [
  {
    key: 'maxMinutes',
    label: 'Minutes of a conversation',
    min: 1,
    max: minutes.most,
    about: 'Then it ends after the current answer.',
  },
  { key: 'maxTurns', label: 'Answers in a conversation', min: 1, max: turns.most, about: 'Then it ends.' },
  {
    key: 'maxAnswerCharacters',
    label: 'Characters of an answer',
    min: 50,
    max: characters.most,
    about: 'Then it is cut after a whole word.',
  },
  {
    key: 'toolSeconds',
    label: 'Seconds for a tool',
    min: toolSeconds.least,
    max: toolSeconds.most,
    about: 'For the page to return a result.',
  },
  { key: 'transcriptDays', label: 'Days to keep transcripts', min: 0, max: days.most, about: '0 stores none.' },
] as const;

/** Limits of an agent's conversations, how long transcripts are kept, and the language model. */
export function AgentLimits({ form }: AgentFields) {
  return (
    <Card>
      <Stack>
        <Title order={2}>Limits and model</Title>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {LIMITS.map(({ key, label, about, min, max }) => (
            <NumberInput
              key={key}
              label={label}
              description={about}
              min={min}
              max={max}
              allowDecimal={key === 'maxMinutes' || key === 'toolSeconds'}
              {...form.getInputProps(key)}
            />
          ))}
          <NumberInput
            label="Temperature"
            description="Low is even, high is inventive."
            placeholder="Default of the model"
            min={0}
            max={2}
            step={0.1}
            {...form.getInputProps('temperature')}
          />
        </SimpleGrid>
        <TextInput
          label="Language model"
          placeholder="Default of this server"
          maxLength={200}
          {...form.getInputProps('model')}
        />
      </Stack>
    </Card>
  );
}
