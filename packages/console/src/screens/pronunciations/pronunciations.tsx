import type { CallOptions, Figurehead, Pronunciation } from '@figurehead/sdk';
import { ActionIcon, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useLanguages } from '../../api/catalogue.js';
import { allOf, useAction, useAll, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { IconPlus, IconTrash } from '../../shell/icons.js';
import { Loaded } from '../../shell/states.js';

const EVERYWHERE = 'All languages';

/** Pronunciations of this workspace. Opened for a word, it starts with a line for it. */
export function PronunciationsModal(props: {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly word?: string;
  readonly language?: string | undefined;
}) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Pronunciations" size="lg">
      <Pronunciations word={props.word ?? ''} language={props.language} />
    </Modal>
  );
}

function Pronunciations({ word, language }: { readonly word: string; readonly language: string | undefined }) {
  const api = useApi();
  const all = useAll(['pronunciations'], listed);
  // The list is stored as a whole, so a change starts from the server's current list.
  const save = async (change: (now: readonly Pronunciation[]) => Pronunciation[]) =>
    api.savePronunciations({ body: { pronunciations: change(await allOf(listed(api))) } });
  const remove = useAction((line: Pronunciation) => save((now) => now.filter((one) => !sameWord(one, line))), {
    changes: [['pronunciations']],
  });
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Names and abbreviations that a voice mispronounces: write them as they sound. Applies to all videos and streams
        of this workspace.
      </Text>
      <NewLine
        word={word}
        language={language}
        onAdd={(added) => save((now) => [...now.filter((one) => !sameWord(one, added)), added])}
      />
      <Loaded query={all} height={90}>
        {(lines) =>
          lines.length === 0 ? (
            <Text size="sm" c="dimmed">
              None yet: voices use their default pronunciations.
            </Text>
          ) : (
            <ul className="fh-plain">
              {lines.map((line) => (
                <li key={`${line.word}|${line.language ?? ''}`} className="fh-line">
                  <Text fw={600} style={{ flex: '1 1 0', minWidth: 0 }}>
                    {line.word}
                  </Text>
                  <Text style={{ flex: '1 1 0', minWidth: 0 }}>“{line.spoken}”</Text>
                  <Text size="sm" c="dimmed">
                    {line.language ?? EVERYWHERE}
                  </Text>
                  <ActionIcon
                    aria-label={`Delete ${line.word}`}
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(line)}
                  >
                    <IconTrash size={17} />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Stack>
  );
}

function NewLine(props: {
  readonly word: string;
  readonly language: string | undefined;
  readonly onAdd: (line: Pronunciation) => Promise<unknown>;
}) {
  const form = useServerForm(
    { word: props.word, spoken: '', language: props.language ?? EVERYWHERE },
    ({ word, spoken, language }) =>
      props.onAdd({ word: word.trim(), spoken: spoken.trim(), ...(language !== EVERYWHERE && { language }) }),
    { changes: [['pronunciations']], onDone: () => form.setValues({ word: '', spoken: '' }) },
  );
  const { word, spoken } = form.values;
  const languages = useLanguages();
  const field = form.getInputProps;
  return (
    <form onSubmit={form.send}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Word"
          placeholder="SQL"
          maxLength={100}
          data-autofocus
          style={{ flex: '1 1 130px' }}
          {...field('word')}
        />
        <TextInput
          label="Pronounced as"
          placeholder="sequel"
          maxLength={300}
          style={{ flex: '1 1 150px' }}
          {...field('spoken')}
        />
        <Select label="Language" w={150} searchable data={[EVERYWHERE, ...languages]} {...field('language')} />
        <SubmitButton form={form} leftSection={<IconPlus size={16} />} disabled={!word.trim() || !spoken.trim()}>
          Add
        </SubmitButton>
      </Group>
    </form>
  );
}

function sameWord(one: Pronunciation, other: Pronunciation): boolean {
  return (
    one.word.toLowerCase() === other.word.toLowerCase() &&
    (one.language ?? EVERYWHERE) === (other.language ?? EVERYWHERE)
  );
}

const listed = (api: Figurehead, call?: CallOptions) => api.listPronunciations({ query: { limit: 100 } }, call);
