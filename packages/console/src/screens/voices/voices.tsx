import { ActionIcon, Badge, Button, Card, Grid, Group, Select, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import {
  aboutVoice,
  type ListedVoice,
  languagesOf,
  providerLabel,
  regionOf,
  sourceLabel,
  useVoices,
  voiceKey,
} from '../../api/catalogue.js';
import { useSession } from '../../api/client.js';
import { useSample } from '../../api/use-sample.js';
import { contains } from '../../lib/contains.js';
import { count } from '../../lib/format.js';
import {
  IconColumns3,
  IconMicrophone,
  IconMicrophoneOff,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconSearch,
  IconVocabulary,
} from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';
import { PronunciationsModal } from '../pronunciations/pronunciations.js';
import { ClonedVoices, CloneVoiceModal } from './cloned-voices.js';
import { Comparison, MAX_COMPARED } from './comparison.js';
import { NaturalVoices } from './natural-voices.js';
import { VoiceTuner } from './voice-tuner.js';

const MAX_SHOWN = 60;

/** All voices: search, listen, adjust. */
export default function Voices() {
  const voices = useVoices();
  const [filter, setFilter] = useState<Filter>({ words: '', language: 'English', gender: null });
  const narrow = (change: Partial<Filter>) => setFilter((now) => ({ ...now, ...change }));
  const [chosen, setChosen] = useState<string | null>(null);
  const [compared, setCompared] = useState<readonly string[]>([]);
  const [dictionaryOpen, dictionary] = useDisclosure(false);
  const [cloning, clone] = useDisclosure(false);
  const isOperator = useSession().data?.user.operator ?? false;
  const toggleCompared = (key: string) =>
    setCompared((keys) =>
      keys.includes(key) ? keys.filter((each) => each !== key) : [...keys.slice(1 - MAX_COMPARED), key],
    );
  return (
    <Page
      title="Voices"
      about="Listen, adjust, and save how a voice sounds in this workspace."
      actions={
        <Group gap="xs">
          <Button variant="default" leftSection={<IconMicrophone size={18} />} onClick={clone.open}>
            Clone a voice
          </Button>
          <Button variant="default" leftSection={<IconVocabulary size={18} />} onClick={dictionary.open}>
            Pronunciations
          </Button>
        </Group>
      }
    >
      <PronunciationsModal opened={dictionaryOpen} onClose={dictionary.close} />
      <CloneVoiceModal
        opened={cloning}
        onClose={clone.close}
        onMade={(voice) => {
          narrow({ language: voice.language });
          setChosen(voiceKey(voice));
        }}
      />
      <Loaded query={voices}>
        {(all) => {
          const languages = languagesOf(all);
          const { words, language, gender } = filter;
          const known = language !== null && languages.includes(language) ? language : null;
          const shown = all.filter(
            (voice) =>
              (known === null || voice.language === known) &&
              (gender === null || voice.gender === gender) &&
              contains(`${voice.name} ${voice.character} ${voice.locale} ${voice.voice}`, words),
          );
          const voice = all.find((one) => voiceKey(one) === chosen) ?? shown[0];
          const beside = compared.flatMap((key) => all.find((one) => voiceKey(one) === key) ?? []);
          return (
            <>
              <Comparison voices={beside} onRemove={toggleCompared} />
              <Grid gap="xl">
                <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
                  <Filters filter={{ words, language: known, gender }} languages={languages} onChange={narrow} />
                  <Text size="sm" c="dimmed" mb="xs" role="status">
                    {count(shown.length, 'voice')}
                  </Text>
                  {shown.length === 0 ? (
                    <Empty icon={<IconMicrophoneOff />} title="No voice found">
                      Try another language, or fewer letters.
                    </Empty>
                  ) : (
                    <VoiceTable
                      voices={shown.slice(0, MAX_SHOWN)}
                      chosen={voice}
                      onChoose={(one) => setChosen(voiceKey(one))}
                      compared={compared}
                      onCompare={toggleCompared}
                    />
                  )}
                  {shown.length > MAX_SHOWN && (
                    <Text size="sm" c="dimmed" mt="sm">
                      The first {MAX_SHOWN} are shown. Narrow the search for the others.
                    </Text>
                  )}
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
                  <Card pos={{ base: 'static', md: 'sticky' }} top={24}>
                    {voice ? (
                      <VoiceTuner key={voiceKey(voice)} voice={voice} />
                    ) : (
                      <Text c="dimmed">Choose a voice.</Text>
                    )}
                  </Card>
                </Grid.Col>
              </Grid>
            </>
          );
        }}
      </Loaded>
      {/* After the list, because it would move when the list arrives. */}
      {voices.data && <ClonedVoices />}
      {isOperator && voices.data && <NaturalVoices />}
    </Page>
  );
}

/** Which voices are listed. */
interface Filter {
  readonly words: string;
  readonly language: string | null;
  readonly gender: string | null;
}

function Filters(props: {
  readonly filter: Filter;
  readonly languages: readonly string[];
  readonly onChange: (change: Partial<Filter>) => void;
}) {
  const { filter, languages, onChange } = props;
  return (
    <Group mb="md" gap="sm" align="flex-end">
      <TextInput
        label="Find"
        placeholder="Name"
        leftSection={<IconSearch size={16} />}
        value={filter.words}
        onChange={(event) => onChange({ words: event.currentTarget.value })}
        style={{ flex: '1 1 110px' }}
      />
      <Select
        allowDeselect
        label="Language"
        w={140}
        clearable
        searchable
        placeholder="All"
        data={languages}
        value={filter.language}
        onChange={(language) => onChange({ language })}
      />
      <Select
        allowDeselect
        label="Sounds"
        w={104}
        clearable
        placeholder="Any"
        data={[
          { value: 'female', label: 'Female' },
          { value: 'male', label: 'Male' },
        ]}
        value={filter.gender}
        onChange={(gender) => onChange({ gender })}
      />
    </Group>
  );
}

function VoiceTable(props: {
  readonly voices: readonly ListedVoice[];
  readonly chosen: ListedVoice | undefined;
  readonly onChoose: (voice: ListedVoice) => void;
  readonly compared: readonly string[];
  readonly onCompare: (key: string) => void;
}) {
  const sample = useSample();
  return (
    <Stack gap={4} component="ul" className="fh-plain">
      {props.voices.map((voice) => {
        const key = voiceKey(voice);
        const current = props.chosen !== undefined && key === voiceKey(props.chosen);
        const plays = sample.playing === key;
        return (
          <Group key={key} component="li" gap={6} wrap="nowrap">
            <ActionIcon
              size="lg"
              variant={plays ? 'filled' : 'light'}
              color="verdigris"
              radius="xl"
              aria-label={
                plays
                  ? `Stop ${voice.name}`
                  : `Hear ${voice.name}, ${regionOf(voice)}, ${providerLabel(voice.voiceProvider)}`
              }
              loading={sample.loading === key}
              onClick={() => sample.toggle(voice)}
            >
              {plays ? <IconPlayerStopFilled size={15} /> : <IconPlayerPlayFilled size={15} />}
            </ActionIcon>
            <Tooltip label="Compare: the same sentence, side by side">
              <ActionIcon
                size="lg"
                variant={props.compared.includes(key) ? 'filled' : 'subtle'}
                color="gray"
                aria-label={`Compare ${voice.name}`}
                aria-pressed={props.compared.includes(key)}
                onClick={() => props.onCompare(key)}
              >
                <IconColumns3 size={16} />
              </ActionIcon>
            </Tooltip>
            <Button
              fullWidth
              h="auto"
              py={9}
              px="md"
              variant={current ? 'light' : 'subtle'}
              color={current ? 'verdigris' : 'gray'}
              justify="space-between"
              ta="left"
              styles={{ label: { display: 'block', whiteSpace: 'normal', overflow: 'visible' } }}
              aria-pressed={current}
              onClick={() => props.onChoose(voice)}
              rightSection={
                <Group gap={6} wrap="nowrap">
                  {voice.premium && <Badge color="orange">Premium</Badge>}
                  {(voice.stability !== undefined || voice.speed !== undefined) && <Badge>Adjusted</Badge>}
                  <Text size="xs" c="dimmed" visibleFrom="xs" style={{ whiteSpace: 'nowrap' }}>
                    {sourceLabel(voice.voiceProvider)}
                  </Text>
                </Group>
              }
            >
              <Text component="span" fw={600} size="sm" c="var(--mantine-color-text)" mr={10}>
                {voice.name}
              </Text>
              <Text component="span" display="inline-block" size="xs" c="dimmed">
                {aboutVoice(voice)}
              </Text>
            </Button>
          </Group>
        );
      })}
    </Stack>
  );
}
