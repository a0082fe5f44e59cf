import type { AgentTool } from '@figurehead/sdk';
import { AGENT_LIMITS } from '@figurehead/sdk/document';
import { ActionIcon, Button, Card, Fieldset, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { IconPlus, IconTrash } from '../../shell/icons.js';
import type { AgentFields } from './agent-fields.js';

const NEW: AgentTool = { name: '', description: '', parameters: { type: 'object', properties: {} } };

/** Functions of the page that the language model may call. */
export function AgentTools({ form }: AgentFields) {
  // A removed tool moves the others, whose fields keep text of their own.
  const [generation, setGeneration] = useState(0);
  const { tools } = form.values;
  return (
    <Card>
      <Stack>
        <Title order={2}>Tools</Title>
        <Text size="sm" c="dimmed">
          Functions of your page that the model may call, such as showing a product. Under “Talk” you return their
          results by hand.
        </Text>
        {tools.map((tool, index) => (
          <ToolFields
            // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
            key={`${generation}-${index}`}
            form={form}
            tool={tool}
            index={index}
            onRemove={() => {
              form.setValues({ tools: tools.toSpliced(index, 1) });
              setGeneration((now) => now + 1);
            }}
          />
        ))}
        <Button
          variant="default"
          leftSection={<IconPlus size={17} />}
          disabled={tools.length >= AGENT_LIMITS.tools.most}
          onClick={() => form.insertListItem('tools', NEW)}
        >
          Add a tool
        </Button>
      </Stack>
    </Card>
  );
}

function ToolFields(props: {
  readonly form: AgentFields['form'];
  readonly tool: AgentTool;
  readonly index: number;
  readonly onRemove: () => void;
}) {
  const { form, tool, index, onRemove } = props;
  const field = (name: keyof AgentTool) => form.getInputProps(`tools.${index}.${name}`);
  const [schema, setSchema] = useState(() => JSON.stringify(tool.parameters, null, 2));
  const [isBroken, setBroken] = useState(false);
  return (
    <Fieldset legend={`Tool ${index + 1}`}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            label="Name"
            placeholder="show_product"
            required
            pattern="[a-zA-Z0-9_\-]{1,64}"
            title="Letters, digits, - and _"
            style={{ flex: 1 }}
            {...field('name')}
          />
          <ActionIcon size="lg" aria-label={`Delete tool ${index + 1}`} onClick={onRemove}>
            <IconTrash size={17} />
          </ActionIcon>
        </Group>
        <TextInput
          label="When to call it"
          placeholder="Shows a product on the page."
          required
          maxLength={1000}
          {...field('description')}
        />
        <Textarea
          label="Arguments, as a JSON Schema"
          minRows={3}
          maxRows={12}
          styles={{ input: { fontFamily: 'ui-monospace, monospace', fontSize: '0.8rem' } }}
          error={isBroken ? 'This is not a JSON object; the last valid one is kept.' : field('parameters').error}
          value={schema}
          onChange={(event) => {
            const text = event.currentTarget.value;
            const parameters = objectIn(text);
            setSchema(text);
            setBroken(parameters === undefined);
            if (parameters) field('parameters').onChange(parameters);
          }}
        />
      </Stack>
    </Fieldset>
  );
}

function objectIn(text: string): AgentTool['parameters'] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as AgentTool['parameters'])
      : undefined;
  } catch {
    return undefined;
  }
}
