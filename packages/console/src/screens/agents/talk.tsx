import type { ConversationAgent, LiveStream } from '@figurehead/sdk';
import { Alert, Badge, Button, Card, Grid, Group, Stack, Switch, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { describeError, useAction } from '../../api/client.js';
import { microphoneMissing, microphoneProblem } from '../../lib/microphone.js';
import { IconBroadcast, IconMicrophone, IconMicrophoneOff, IconPlayerStop, IconSend } from '../../shell/icons.js';
import { Captions } from '../../shell/live/captions.js';
import { LiveFrame } from '../../shell/live/live-frame.js';
import { useBackground, useLiveStream } from '../../shell/live/use-live-stream.js';
import { useSpoken } from '../../shell/live/use-spoken.js';
import { ToolCallForm } from './tool-call-form.js';
import { Transcript } from './transcript.js';
import { useConversation, useToolCalls } from './use-conversation.js';
import { usePresenter } from './use-presenter.js';

const INSTEAD = 'switch the microphone off and type';

/** A conversation with the agent in this page: by microphone or in writing, with its transcript. */
export function Talk({ agent }: { readonly agent: ConversationAgent }) {
  const background = useBackground();
  const avatar = usePresenter(agent);
  const { video, stream, ended, start, end } = useLiveStream();
  const spoken = useSpoken(stream);
  const { state, turns, failure } = useConversation(stream);
  const { calls, tools } = useToolCalls(agent, stream);
  const begin = (microphone: boolean) =>
    start.mutate({ agentId: agent._id, background, tools, microphone, inWriting: !microphone });
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack>
          {start.error && (
            <Alert color="red" role="alert" title="The conversation could not be started">
              {microphoneProblem(start.error, INSTEAD) ?? describeError(start.error)}
            </Alert>
          )}
          {ended !== null && !stream && !start.isPending && (
            <Alert color="gray" role="status">
              The conversation has ended{ended}.
            </Alert>
          )}
          <LiveFrame {...{ video, avatar, background }} isLive={stream !== null} isStarting={start.isPending} />
          <Captions words={spoken.words} />
          <Group>
            {stream ? (
              <>
                <Button color="red" variant="light" leftSection={<IconPlayerStop size={17} />} onClick={end}>
                  End the conversation
                </Button>
                {stream.microphone && <MuteButton key={stream.id} track={stream.microphone} />}
              </>
            ) : (
              <Begin isStarting={start.isPending} onBegin={begin} />
            )}
          </Group>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Card>
          <Stack>
            <Group justify="space-between">
              <Title order={2}>Transcript</Title>
              {stream && (
                <Badge role="status" tt="capitalize">
                  {state}
                </Badge>
              )}
            </Group>
            <Transcript
              live
              turns={turns}
              agent={agent.name}
              viewer="You"
              empty="What you and the agent say appears here."
            />
            {failure && (
              <Alert color="red" role="alert">
                {failure}
              </Alert>
            )}
            {calls.map((call) => (
              <ToolCallForm key={call.key} call={call} />
            ))}
            <Composer stream={stream} />
          </Stack>
        </Card>
      </Grid.Col>
    </Grid>
  );
}

/** Starts the conversation, with the microphone or without. */
function Begin(props: { readonly isStarting: boolean; readonly onBegin: (microphone: boolean) => void }) {
  const missing = microphoneMissing('type instead');
  const [isHeard, setHeard] = useState(missing === undefined);
  return (
    <>
      <Button
        leftSection={<IconBroadcast size={18} />}
        loading={props.isStarting}
        onClick={() => props.onBegin(isHeard)}
      >
        Start the conversation
      </Button>
      <Switch
        label="Microphone"
        description={missing}
        disabled={missing !== undefined}
        checked={isHeard}
        onChange={(event) => setHeard(event.currentTarget.checked)}
      />
    </>
  );
}

/** Mutes the microphone of this conversation; the stream continues. */
function MuteButton({ track }: { readonly track: MediaStreamTrack }) {
  const [isMuted, setMuted] = useState(false);
  const toggle = () => {
    track.enabled = isMuted;
    setMuted(!isMuted);
  };
  return (
    <Button
      variant="default"
      aria-pressed={isMuted}
      leftSection={isMuted ? <IconMicrophoneOff size={17} /> : <IconMicrophone size={17} />}
      onClick={toggle}
    >
      Mute microphone
    </Button>
  );
}

function Composer({ stream }: { readonly stream: LiveStream | null }) {
  const [text, setText] = useState('');
  const tell = useAction(
    (words: string) => (stream ? stream.tell(words) : Promise.reject(new Error('The stream is not open.'))),
    { onDone: () => setText('') },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) tell.mutate(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label="Type instead of speaking"
          maxLength={2000}
          style={{ flex: 1 }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" px={12} aria-label="Send" disabled={!stream || !text.trim()} loading={tell.isPending}>
          <IconSend size={18} />
        </Button>
      </Group>
    </form>
  );
}
