import { type Avatar, LiveStream } from '@figurehead/sdk';
import {
  Alert,
  Badge,
  Button,
  Card,
  ColorInput,
  Grid,
  Group,
  Stack,
  Switch,
  Text,
  Textarea,
  useComputedColorScheme,
} from '@mantine/core';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { type ListedVoice, useAvatars, useVoices, voiceAfterRecast, voiceKey, voiceOf } from '../../api/catalogue.js';
import { describeError, useAction, useApi } from '../../api/client.js';
import { count } from '../../lib/format.js';
import { IconBroadcast, IconHandStop, IconPlayerStop, IconSend } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { PresenterPicker, VoiceSelect } from '../../shell/presenter-pickers.js';
import { Captions } from './captions.js';
import { ConnectionCheck } from './connection-check.js';
import { PageSnippet } from './page-snippet.js';
import { StreamNumbers } from './stream-numbers.js';
import { useSpoken } from './use-spoken.js';

/** As wide as the frame on the page, small enough for a server without a GPU. */
const PICTURE = { width: 848, height: 480 };

function EndButton({ onEnd }: { readonly onEnd: () => void }) {
  return (
    <Button color="red" variant="light" leftSection={<IconPlayerStop size={17} />} onClick={onEnd}>
      End the stream
    </Button>
  );
}

/** A live stream in which the presenter speaks the text that the user types. */
export default function Live() {
  const api = useApi();
  const avatars = useAvatars().data ?? [];
  const voices = useVoices().data ?? [];
  const [chosen, setChosen] = useState<string>();
  const [chosenVoice, setChosenVoice] = useState<ListedVoice>();
  const [chosenBackground, setBackground] = useState<string>();
  const [record, setRecord] = useState(false);
  const scheme = useComputedColorScheme('light');
  // A light background is too bright in the dark scheme.
  const background = chosenBackground ?? (scheme === 'dark' ? '#26302c' : '#e7efe9');
  const [stream, setStream] = useState<LiveStream | null>(null);
  const [ended, setEnded] = useState<string | null>(null);
  const video = useRef<HTMLVideoElement>(null);
  const spoken = useSpoken(stream);
  const code = chosen ?? avatars.find((one) => one.realtime && one.status === 'ready')?.code ?? null;
  const avatar = avatars.find((one) => one.code === code);
  const voice = chosenVoice ?? voiceOf(avatar, voices);

  const start = useAction(
    async () => {
      setEnded(null);
      const opened = await LiveStream.open(api, {
        background,
        ...PICTURE,
        record,
        ...(video.current && { video: video.current }),
        ...(code !== null && { avatarCode: code }),
        ...(voice && { voiceId: voice.voice, voiceProvider: voice.voiceProvider, language: voice.language }),
      });
      opened.on('closed', ({ reason }) => {
        // A new stream may already be open.
        setStream((current) => (current === opened ? null : current));
        setEnded(reason);
      });
      return opened;
    },
    { quiet: true, onDone: setStream },
  );
  // Leaving the screen closes the stream. The components that poll its numbers unmount first.
  useEffect(() => () => void stream?.close(), [stream]);

  return (
    <Page
      title="Live"
      about="The presenter speaks the text that you send. Each connected minute uses half a minute of your balance."
      actions={
        stream ? (
          <EndButton onEnd={() => setStream(null)} />
        ) : (
          <Button
            leftSection={<IconBroadcast size={18} />}
            loading={start.isPending}
            disabled={code === null}
            onClick={() => start.mutate()}
          >
            Go live
          </Button>
        )
      }
    >
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack>
            {start.error && (
              <Alert color="red" role="alert" title="The stream could not be started">
                {describeError(start.error)}
              </Alert>
            )}
            {ended && !stream && !start.isPending && (
              <Alert color="gray" role="status">
                The stream has ended: {ended}.{record && ' Its recording is in the library.'}
              </Alert>
            )}
            <Frame {...{ video, avatar, background }} isLive={stream !== null} isStarting={start.isPending} />
            <Captions words={spoken.words} />
            <SpeechBox stream={stream} spoken={spoken} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          {stream ? (
            <StreamNumbers stream={stream} firstSoundMs={spoken.firstSoundMs} />
          ) : (
            <Stack gap="lg">
              <Card>
                <Stack>
                  <PresenterPicker
                    realtime
                    value={code}
                    onChange={(next, to) => {
                      if (next) setChosen(next);
                      setChosenVoice(voiceAfterRecast({ from: avatar, to }, voice, voices) ?? voice);
                    }}
                  />
                  <VoiceSelect value={voice ? voiceKey(voice) : null} onChange={setChosenVoice} />
                  <ColorInput
                    label="Background"
                    format="hex"
                    value={background}
                    onChangeEnd={setBackground}
                    eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
                  />
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

function Frame(props: {
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly avatar: Avatar | undefined;
  readonly background: string;
  readonly isLive: boolean;
  readonly isStarting: boolean;
}) {
  const { video, avatar, background, isLive, isStarting } = props;
  return (
    <div className="fh-frame fh-stage" style={{ background }}>
      {!isLive && avatar && <img src={avatar.canvas} alt={`${avatar.name}, waiting`} className="fh-poster" />}
      {!isLive && (
        <Badge pos="absolute" top={12} left={12} size="lg" color="dark" variant="filled">
          {isStarting ? 'Connecting…' : 'Not live'}
        </Badge>
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: captions are below it, word by word */}
      <video
        ref={video}
        autoPlay
        playsInline
        aria-label="The presenter, live"
        style={{ visibility: isLive ? 'visible' : 'hidden' }}
      />
      {isLive && (
        <Badge pos="absolute" top={12} left={12} size="lg" color="#b3261e" variant="filled">
          Live
        </Badge>
      )}
    </div>
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
        autosize
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
