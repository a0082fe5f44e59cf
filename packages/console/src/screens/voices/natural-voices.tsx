import type { NaturalVoice } from '@figurehead/sdk';
import { Alert, Anchor, Button, Card, FileButton, Group, Progress, Select, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAction, useApi, useRead } from '../../api/client.js';
import { count } from '../../lib/format.js';
import { IconAlertTriangle } from '../../shell/icons.js';

/** How often the progress of a download is asked for. */
const LOOK_MS = 1500;

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });

/** English name of the visitor's language. */
function ownLanguage(): string {
  return LANGUAGES.of(navigator.language.split('-')[0] ?? 'en') ?? 'English';
}

/** Samples that come with the console, by language: spoken by Kokoro, so that they play without a network. */
const SAMPLES = import.meta.glob<string>('./samples/*.mp3', { eager: true, query: '?url', import: 'default' });

/**
 * For administrators: natural voices that can be added with one click. `firstOnly` offers only the recommended one for the visitor's language, for a
 * first visit.
 */
export function NaturalVoices({ firstOnly = false }: { readonly firstOnly?: boolean }) {
  const api = useApi();
  const [wanted, setWanted] = useState<string | null>(ownLanguage);
  const voices = useRead(['natural-voices'], (api, call) => api.listNaturalVoices({ query: { limit: 100 } }, call), {
    refetchInterval: ({ state }) =>
      state.data?.voices.some((voice) => voice.state === 'installing') ? LOOK_MS : false,
  });
  const add = useAction((name: string) => api.addNaturalVoice({ name }), { changes: [['natural-voices']] });
  const all = voices.data?.voices ?? [];
  useFreshVoices(all.filter((voice) => voice.state === 'installed').length);
  if (all.length === 0) return null;
  const missing = all.find((voice) => voice.missing !== undefined)?.missing;
  const engineBytes = all.find((voice) => voice.engineBytes !== undefined)?.engineBytes;
  const languages = [...new Set(all.flatMap((voice) => voice.languages))].sort();
  const language = wanted !== null && languages.includes(wanted) ? wanted : null;
  const shown = language === null ? all : all.filter((voice) => voice.languages.includes(language));
  const sample = SAMPLES[`./samples/${language ?? 'English'}.mp3`];
  return (
    <Card component="section" aria-labelledby="natural-voices" mt={firstOnly ? 0 : 'xl'}>
      <Title order={firstOnly ? 3 : 2} id="natural-voices" size={firstOnly ? 'h4' : 'h3'}>
        {firstOnly ? `Add a natural voice${language === null ? '' : ` in ${language}`}` : 'Natural voices'}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        They speak on this server and send nothing anywhere. Adding one agrees to its licence.
        {firstOnly && ' It then appears in the list of voices; more are under Voices.'}
        {engineBytes !== undefined &&
          ` The first one includes their engine, sherpa-onnx (${megabytes(engineBytes)} MB, Apache-2.0).`}
      </Text>
      {missing !== undefined && (
        <Alert color="orange" mb="md" icon={<IconAlertTriangle size={20} />}>
          {missing}
        </Alert>
      )}
      {!firstOnly && (
        <Group align="flex-end" mb="md">
          <Select
            allowDeselect
            clearable
            searchable
            label="Language"
            placeholder="All"
            w={220}
            data={languages}
            value={language}
            onChange={setWanted}
          />
          <UploadVoice />
        </Group>
      )}
      <Stack component="ul" className="fh-plain" gap="md">
        {shown.slice(0, firstOnly ? 1 : undefined).map((voice) => (
          <Row
            key={voice.name}
            voice={voice}
            sample={voice.name === 'kokoro' ? sample : undefined}
            isStarting={add.isPending && add.variables === voice.name}
            onAdd={add.mutate}
          />
        ))}
      </Stack>
    </Card>
  );
}

/** Adds a Piper voice from its two files. */
function UploadVoice() {
  const api = useApi();
  const upload = useAction(
    async (files: readonly File[]) => {
      const model = files.find(({ name }) => name.endsWith('.onnx'));
      const description = files.find(({ name }) => name.endsWith('.onnx.json'));
      if (model === undefined || description === undefined || files.length !== 2)
        throw new Error('Choose both files of a Piper voice together: the .onnx and the .onnx.json file.');
      return api.uploadVoice({ file: model, body: { description: await description.text() } });
    },
    { changes: [['voices']], done: 'The voice is in the list of voices.' },
  );
  return (
    <FileButton multiple accept=".onnx,.json" onChange={(files) => files.length > 0 && upload.mutate(files)}>
      {(props) => (
        <Button {...props} variant="default" loading={upload.isPending}>
          Upload a Piper voice
        </Button>
      )}
    </FileButton>
  );
}

/** Reloads the list of voices when the number of installed natural voices changes. */
function useFreshVoices(installed: number): void {
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new number is the reason to reload
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['voices'] });
  }, [installed, queries]);
}

function Row(props: {
  readonly voice: NaturalVoice;
  /** Address of the sample that comes with the console. */
  readonly sample: string | undefined;
  readonly isStarting: boolean;
  readonly onAdd: (name: string) => void;
}) {
  const { voice, sample, isStarting, onAdd } = props;
  const share = Math.round((100 * voice.received) / voice.bytes);
  const label = voice.received > 0 ? 'Continue' : voice.error === undefined ? 'Add' : 'Try again';
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div style={{ flex: 1, minWidth: 0 }}>
          <Text fw={500}>{voice.title}</Text>
          <Text size="sm" c="dimmed">
            {voice.languages.join(', ')} · {voice.voices === 0 ? 'clones voices' : count(voice.voices, 'voice')} ·{' '}
            {megabytes(voice.bytes)} MB ·{' '}
            <Anchor href={voice.licenceUrl} target="_blank" rel="noreferrer" size="sm" underline="always">
              {voice.licence}
            </Anchor>{' '}
            ·{' '}
            <Anchor href={voice.samples} target="_blank" rel="noreferrer" size="sm" underline="always">
              Samples
            </Anchor>
          </Text>
          {sample !== undefined && (
            // biome-ignore lint/a11y/useMediaCaption: one sentence that only shows how the voice sounds
            <audio controls preload="none" className="fh-sample" aria-label={`Hear ${voice.title}`} src={sample} />
          )}
        </div>
        {voice.state === 'installed' ? (
          <Text size="sm">Installed</Text>
        ) : (
          <Button
            variant="default"
            loading={isStarting || voice.state === 'installing'}
            disabled={voice.missing !== undefined}
            onClick={() => onAdd(voice.name)}
            aria-label={`${label}: ${voice.title}`}
          >
            {label}
          </Button>
        )}
      </Group>
      {voice.state === 'installing' && (
        <>
          <Progress value={share} mt={6} aria-label={`${voice.title}: ${share} percent`} />
          <Text size="xs" c="dimmed" mt={4}>
            {share < 100 ? `${megabytes(voice.received)} of ${megabytes(voice.bytes)} MB` : 'Unpacking…'}
          </Text>
        </>
      )}
      {voice.error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4} role="alert">
          {voice.error}
        </Text>
      )}
    </li>
  );
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
