import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { PendingToolCall } from './use-conversation.js';

/** Answers a call of a tool in place of the page on which the agent will be. */
export function ToolCallForm({ call }: { readonly call: PendingToolCall }) {
  const [result, setResult] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    call.answer(parsed(result));
  };
  return (
    <Alert color="blue" role="status" title={`The agent calls ${call.name}`}>
      <Text size="xs" ff="monospace" mb="xs">
        {JSON.stringify(call.given)}
      </Text>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            label="Result"
            description="Text or JSON. Your page will return it by itself."
            style={{ flex: 1 }}
            value={result}
            onChange={(event) => setResult(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Return
          </Button>
        </Group>
      </form>
    </Alert>
  );
}

/** JSON where it is JSON, otherwise the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
