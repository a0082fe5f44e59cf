import type { Media, PortraitPoint } from '@figurehead/sdk';
import { Alert, Button, Checkbox, Grid, List, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useAction, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { ActButton, SubmitButton } from '../../shell/action-buttons.js';
import { ConsentFields, useConsent } from '../../shell/consent-fields.js';
import { DropZone } from '../../shell/drop-zone.js';
import { IconAlertTriangle, IconArrowLeft, IconSparkles } from '../../shell/icons.js';
import { Problem } from '../../shell/states.js';
import { useUpload } from '../../shell/uploaded-medium.js';
import { allPoints, FacePoints } from './face-points.js';
import { type Portrait, readPortrait } from './portrait.js';

const GENDERS = [
  { value: 'female', label: 'Female' },
  { value: 'male', label: 'Male' },
  { value: 'other', label: 'Other' },
] as const;

const BACKGROUNDS = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'removed', label: 'Remove' },
  { value: 'original', label: 'Keep' },
] as const;

/** What a presenter is made from. */
type Source =
  | { readonly kind: 'photo'; readonly portrait: Portrait; readonly points: PortraitPoint[] }
  | { readonly kind: 'video'; readonly mediaId: string };

const statementsFor = (kind: Source['kind']) =>
  ({
    me: `I am the person in this ${kind}. I agree that a talking presenter is created from it.`,
    other: `The person in this ${kind} has agreed, in writing, that a talking presenter is created from it.`,
  }) as const;

/**
 * From a photo or a video to a presenter: the face of a photo is detected, and the user corrects its points; both get a
 * name and the consent.
 */
export default function PhotoStudio({ onDone }: { readonly onDone: () => void }) {
  const api = useApi();
  const [portrait, setPortrait] = useState<Portrait>();
  const [points, setPoints] = useState<PortraitPoint[]>([]);
  const [film, setFilm] = useState<Media>();
  const upload = useUpload(setFilm);
  const [judged, setJudged] = useState<{ points: PortraitPoint[]; problems: readonly string[] }>();
  useEffect(() => () => void (portrait && URL.revokeObjectURL(portrait.url)), [portrait]);
  const look = useAction(
    async (file: File) => {
      const read = await readPortrait(file);
      const { name, data } = read;
      return { portrait: read, found: await api.findLandmarks({ body: { image: { name, data } } }) };
    },
    {
      quiet: true,
      onDone: ({ portrait: read, found }) => {
        setPortrait(read);
        setJudged(undefined);
        setPoints(allPoints(found.points));
      },
    },
  );
  /** Points placed by the user may be more accurate than the detected ones. */
  const judge = useAction(
    async () => {
      if (!portrait) return undefined;
      const { name, data } = portrait;
      const { problems } = await api.findLandmarks({ body: { image: { name, data }, points } });
      return { points, problems };
    },
    { onDone: setJudged },
  );
  if (film) {
    return (
      <Person
        source={{ kind: 'video', mediaId: film._id }}
        refused={false}
        onDone={onDone}
        back="Another file"
        onBack={() => setFilm(undefined)}
      >
        {/* biome-ignore lint/a11y/useMediaCaption: the user's own recording, shown back before it is used. */}
        <video src={film.url} controls style={{ width: '100%' }} aria-label="Your video" />
        <Text size="sm" c="dimmed" mt="xs">
          A presenter takes about three times as long as the video. The video is then deleted from your media.
        </Text>
      </Person>
    );
  }
  const found = look.data?.found;
  if (!portrait || !found) {
    return (
      <Stack>
        <Problem
          error={look.error ?? upload.error}
          icon={<IconAlertTriangle />}
          title={look.error ? 'We can’t use this photo' : 'We can’t use this video'}
        />
        <DropZone
          accept="image/png,image/jpeg,image/webp,video/mp4,video/webm,video/quicktime"
          title="Drop a portrait or a video"
          about="A portrait: one face, looking at the camera, mouth closed or smiling, evenly lit. A video: 20 seconds to 3 minutes of one person speaking to the camera, without cuts. Both stay on this server."
          busy={look.isPending || upload.isPending}
          onFile={(file) => (file.type.startsWith('video/') ? upload : look).mutate(file)}
        />
      </Stack>
    );
  }
  const verdict = judged ?? { points: allPoints(found.points), problems: found.problems };
  const moved = JSON.stringify(points) !== JSON.stringify(verdict.points);
  const refused = verdict.problems.length > 0;
  return (
    <Stack>
      {refused && (
        <Alert color="red" role="alert" icon={<IconAlertTriangle />} title="We can’t use this photo">
          <List size="sm">
            {verdict.problems.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
          <ActButton act={judge} mt="sm" size="xs" variant="default" disabled={!moved}>
            Check again with my points
          </ActButton>
        </Alert>
      )}
      <Person
        source={{ kind: 'photo', portrait, points }}
        refused={refused}
        onDone={onDone}
        back="Another photo"
        onBack={() => setPortrait(undefined)}
      >
        <FacePoints
          portrait={portrait}
          found={allPoints(found.points)}
          points={points}
          onChange={setPoints}
          onReset={() => setPoints(allPoints(found.points))}
        />
      </Person>
    </Stack>
  );
}

/** What the presenter is made from, beside the form for the person in it. */
function Person(
  props: Parameters<typeof PersonForm>[0] & {
    readonly children: ReactNode;
    readonly back: string;
    readonly onBack: () => void;
  },
) {
  const { children, back, onBack, ...form } = props;
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, sm: 7 }}>{children}</Grid.Col>
      <Grid.Col span={{ base: 12, sm: 5 }}>
        <PersonForm {...form} />
        <Button
          mt="sm"
          fullWidth
          variant="subtle"
          color="gray"
          leftSection={<IconArrowLeft size={16} />}
          onClick={onBack}
        >
          {back}
        </Button>
      </Grid.Col>
    </Grid>
  );
}

function PersonForm(props: { readonly source: Source; readonly refused: boolean; readonly onDone: () => void }) {
  const api = useApi();
  const { source } = props;
  const statements = statementsFor(source.kind);
  const consent = useConsent(statements);
  const form = useServerForm(
    {
      name: '',
      gender: null as (typeof GENDERS)[number]['value'] | null,
      background: 'automatic' as (typeof BACKGROUNDS)[number]['value'],
      drawnByViewers: false,
    },
    async ({ name, gender, background, drawnByViewers }) =>
      gender &&
      api.createAvatar({
        body: {
          name: name.trim(),
          gender,
          ...(source.kind === 'video'
            ? { footage: { mediaId: source.mediaId } }
            : { image: { name: source.portrait.name, data: source.portrait.data }, points: source.points }),
          ...(background === 'automatic' ? {} : { background }),
          ...(consent.given === undefined ? {} : { consent: consent.given }),
          drawnByViewers,
        },
      }),
    { changes: [['avatars']], done: 'The presenter is being created.', onDone: props.onDone, quiet: true },
  );
  const { name, gender } = form.values;
  return (
    <Stack component="form" onSubmit={form.send}>
      <TextInput label="Name" required maxLength={200} {...form.getInputProps('name')} />
      <Select
        label="Voice and pronouns"
        required
        placeholder="Choose"
        data={GENDERS}
        {...form.getInputProps('gender')}
      />
      <Select
        label="Background"
        description="Automatic removes it, unless the picture cuts the head."
        data={BACKGROUNDS}
        {...form.getInputProps('background')}
      />
      <ConsentFields what="presenter" statements={statements} consent={consent} />
      <Checkbox
        label="The person also agrees that viewers’ pages draw the presenter of live streams"
        description="Such a page gets pictures of the whole face. It can keep them, and make the person say anything."
        {...form.getInputProps('drawnByViewers', { type: 'checkbox' })}
      />
      <Problem error={form.failure} />
      <SubmitButton
        form={form}
        leftSection={<IconSparkles size={17} />}
        disabled={props.refused || consent.given === undefined || gender === null || name.trim() === ''}
      >
        Create presenter
      </SubmitButton>
      {(props.refused || consent.given === undefined) && (
        <Text size="xs" c="dimmed">
          {props.refused
            ? 'The photo must pass the check first.'
            : `A presenter needs the consent of the person in the ${source.kind}.`}
        </Text>
      )}
    </Stack>
  );
}
