import type { LiveStream } from '@figurehead/sdk';
import { Alert, Button, Card, ColorInput, Grid, Group, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useCast, voiceKey } from '../../api/catalogue.js';
import { useAction } from '../../api/client.js';
import { count } from '../../lib/format.js';
import { IconBroadcast, IconHandStop, IconPlayerStop, IconSend } from '../../shell/icons.js';
import { Captions } from '../../shell/live/captions.js';
import { LiveFrame } from '../../shell/live/live-frame.js';
import { PageSnippet } from '../../shell/live/page-snippet.js';
import { useBackground, useLiveStream } from '../../shell/live/use-live-stream.js';
import { useSpoken } from '../../shell/live/use-spoken.js';
import { Page } from '../../shell/page.js';
import { PresenterPicker, VoiceSelect } from '../../shell/presenter-pickers.js';
import { Problem } from '../../shell/states.js';
import { ConnectionCheck } from './connection-check.js';
import { StreamNumbers } from './stream-numbers.js';

/** A live stream in which the presenter speaks the text that the user types. */
export default function Live() {
  const { code, avatar, voice, setPresenter, setVoice } = useCast((one) => one.realtime && one.status === 'ready');
  const [chosenBackground, setBackground] = useState<string>();
  const [record, setRecord] = useState(false);
  const usual = useBackground();
  const background = chosenBackground ?? usual;
  const { video, stream, ended, start, end } = useLiveStream();
  const spoken = useSpoken(stream);

  return (
    <Page
      title="Live"
      about="The presenter speaks the text that you send. Each connected minute uses half a minute of your balance."
      actions={
        stream ? (
          <Button color="red" variant="light" leftSection={<IconPlayerStop size={17} />} onClick={end}>
            End the stream
          </Button>
        ) : (
          <Button
            leftSection={<IconBroadcast size={18} />}
            loading={start.isPending}
            disabled={code === null}
            onClick={() =>
              start.mutate({
                background,
                record,
                ...(code !== null && { avatarCode: code }),
                ...(voice && { voiceId: voice.voice, voiceProvider: voice.voiceProvider, language: voice.language }),
              })
            }
          >
            Go live
          </Button>
        )
      }
    >
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
          <Stack>
            <Problem error={start.error} title="The stream could not be started" />
            {ended !== null && !stream && !start.isPending && (
              <Alert color="gray" role="status">
                The stream has ended{ended}.{record && ' Its recording is in the library.'}
              </Alert>
            )}
            <LiveFrame {...{ video, avatar, background }} isLive={stream !== null} isStarting={start.isPending} />
            <Captions words={spoken.words} />
            <SpeechBox stream={stream} spoken={spoken} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
          {stream ? (
            <StreamNumbers stream={stream} firstSoundMs={spoken.firstSoundMs} />
          ) : (
            <Stack gap="lg">
              <Card>
                <Stack>
                  <PresenterPicker realtime value={code} onChange={setPresenter} />
                  <VoiceSelect value={voice ? voiceKey(voice) : null} onChange={setVoice} />
                  <ColorInput label="Background" value={background} onChangeEnd={setBackground} />
                  <Switch
                    label="Record it"
                    description="Added to the library after the stream."
                    checked={record}
                    onChange={(event) => setRecord(event.currentTarget.checked)}
                  />
                </Stack>
              </Card>
              <ConnectionCheck />
              <PageSnippet avatarCode={code} />
            </Stack>
          )}
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function SpeechBox(props: { readonly stream: LiveStream | null; readonly spoken: ReturnType<typeof useSpoken> }) {
  const { stream, spoken } = props;
  const [text, setText] = useState('Hello! I am live. Type something, and I will say it.');
  const speak = useAction(
    (words: string) => (stream ? stream.speak(words) : Promise.reject(new Error('The stream is not open.'))),
    { onDone: () => setText('') },
  );
  const interrupt = useAction(() => stream?.interrupt() ?? Promise.resolve({ interrupted: false, dropped: 0 }));
  const send = () => text.trim() && speak.mutate(text.trim());
  return (
    <>
      <Textarea
        label="What to say"
        description="Press Ctrl Enter to send."
        minRows={2}
        maxRows={8}
        maxLength={7000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
      />
      <Group>
        <Button
          leftSection={<IconSend size={17} />}
          disabled={!stream || !text.trim()}
          loading={speak.isPending}
          onClick={send}
        >
          Say it
        </Button>
        <Button
          variant="default"
          leftSection={<IconHandStop size={17} />}
          disabled={!stream}
          loading={interrupt.isPending}
          onClick={() => interrupt.mutate()}
        >
          Interrupt
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {stream
            ? spoken.speaking
              ? `Speaking${spoken.queued ? `, ${count(spoken.queued, 'text')} waiting` : ''}`
              : 'Listening'
            : 'Not connected'}
        </Text>
      </Group>
    </>
  );
}
