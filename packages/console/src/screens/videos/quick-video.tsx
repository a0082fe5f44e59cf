import type { Avatar } from '@figurehead/sdk';
import { ActionIcon, Button, Group, Stack, Textarea, TextInput, Tooltip } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { plainSlide, useIngredients } from '../../api/brand.js';
import { useCast, voiceKey } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { useKeptForm } from '../../api/kept-form.js';
import { noteRender } from '../../api/render-notices.js';
import { useSample } from '../../api/use-sample.js';
import { FormNotice } from '../../shell/form-notice.js';
import { IconPencil, IconPlayerPlayFilled, IconPlayerStopFilled, IconSparkles } from '../../shell/icons.js';
import { PresenterPicker, VoiceSelect } from '../../shell/presenter-pickers.js';

/**
 * Presenter, voice and script: everything that a video needs. Ends on the video's page, or in the editor. `guided`
 * numbers the steps and shows the presenter.
 */
export function QuickVideo(props: { readonly script?: string; readonly name?: string; readonly guided?: boolean }) {
  const guided = props.guided ?? false;
  const api = useApi();
  const [, go] = useLocation();
  const { isPending } = useIngredients();
  const { code, avatar, voice, setPresenter, setVoice } = useCast();
  const sample = useSample();
  // Not the same: one begins with a sample.
  const form = useKeptForm(
    { name: props.name ?? '', speech: props.script ?? '' },
    guided ? 'first-video' : 'new-video',
  );
  const { name, speech } = form.values;
  const heard = voice !== undefined && sample.playing === voiceKey(voice);

  const make = useAction(
    async (render: boolean) => {
      const video = await api.createVideo({
        body: {
          name: name.trim() || 'Untitled video',
          slides: [plainSlide(speech, code, voice)],
        },
      });
      if (render) {
        await api.renderVideo({ videoId: video._id });
        noteRender(video._id);
      }
      return { video, render };
    },
    {
      changes: [['videos']],
      onDone: ({ video, render }) => {
        form.settle(form.getValues(), form.getValues());
        go(render ? `/videos/${video._id}${guided ? '?first' : ''}` : `/videos/${video._id}/edit`);
      },
    },
  );

  return (
    <div className={guided ? 'fh-guide' : undefined}>
      <Stack gap="lg">
        <Step number={1} guided={guided}>
          <PresenterPicker value={code} onChange={setPresenter} />
        </Step>
        <Step number={2} guided={guided}>
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <div style={{ flex: 1, minWidth: 0 }}>
              <VoiceSelect value={voice ? voiceKey(voice) : null} onChange={setVoice} />
            </div>
            <Tooltip label={heard ? 'Stop' : 'Hear this voice'}>
              <ActionIcon
                size={36}
                variant="default"
                aria-label={heard ? 'Stop the voice' : 'Hear this voice'}
                disabled={!voice}
                loading={sample.loading !== null}
                onClick={() => voice && sample.toggle(voice)}
              >
                {heard ? <IconPlayerStopFilled size={16} /> : <IconPlayerPlayFilled size={16} />}
              </ActionIcon>
            </Tooltip>
          </Group>
        </Step>
        <Step number={3} guided={guided}>
          <Stack>
            <Textarea
              label="What should they say?"
              minRows={guided ? 4 : 6}
              maxRows={14}
              {...form.getInputProps('speech')}
            />
            <TextInput label="Name" placeholder="What is it about?" maxLength={500} {...form.getInputProps('name')} />
            <FormNotice form={form} />
          </Stack>
        </Step>
        <Group justify="flex-end">
          <Button
            variant="default"
            leftSection={<IconPencil size={17} />}
            disabled={isPending}
            loading={make.isPending && make.variables === false}
            onClick={() => make.mutate(false)}
          >
            Open the editor
          </Button>
          <Button
            leftSection={<IconSparkles size={17} />}
            disabled={speech.trim() === '' || isPending}
            loading={make.isPending && make.variables}
            onClick={() => make.mutate(true)}
          >
            Create video
          </Button>
        </Group>
      </Stack>
      {guided && <Portrait avatar={avatar} />}
    </div>
  );
}

function Step(props: { readonly number: number; readonly guided: boolean; readonly children: ReactNode }) {
  if (!props.guided) return props.children;
  return (
    <div className="fh-guide-step">
      <span className="fh-guide-number" aria-hidden="true">
        {props.number}
      </span>
      <div style={{ minWidth: 0 }}>{props.children}</div>
    </div>
  );
}

/** The idle presenter, moving unless the user prefers reduced motion. */
function Portrait({ avatar }: { readonly avatar: Avatar | undefined }) {
  const still = useReducedMotion();
  return (
    <div className="fh-frame fh-stage fh-guide-portrait">
      {avatar?.canvas && <img className="fh-poster" src={avatar.canvas} alt={`${avatar.name}, at rest`} />}
      {avatar?.preview && !still && (
        <video key={avatar.id} src={avatar.preview} muted loop autoPlay playsInline aria-hidden />
      )}
    </div>
  );
}
