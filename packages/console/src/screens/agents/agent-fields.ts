import type { AgentPatch, ConversationAgent } from '@figurehead/sdk';
import type { UseFormReturnType } from '@mantine/form';

/** Settings that may be absent: an empty input. */
const OPTIONAL = ['disclosure', 'greeting', 'apology', 'model', 'temperature'] as const;

/** What a part of the form gets. */
export interface AgentFields {
  readonly form: Pick<UseFormReturnType<AgentValues>, 'values' | 'setValues' | 'getInputProps' | 'insertListItem'>;
}

export type AgentValues = ReturnType<typeof valuesOf>;

/** An agent's settings as values of inputs. */
export function valuesOf({ _id, createdAt: _created, updatedAt: _updated, ...settings }: ConversationAgent) {
  const { disclosure, greeting, apology, model, temperature } = settings;
  return {
    ...settings,
    ...{ disclosure: disclosure ?? '', greeting: greeting ?? '', apology: apology ?? '', model: model ?? '' },
    temperature: temperature ?? ('' as const),
  };
}

/** Values of inputs as settings. */
export function settingsIn(values: Partial<AgentValues>): AgentPatch {
  const empty = OPTIONAL.filter((key) => values[key] === '').map((key) => [key, null] as const);
  return { ...values, ...Object.fromEntries(empty) } as AgentPatch;
}
