import type { Avatar } from '@figurehead/sdk';
import {
  ENTRANCES,
  EXPRESSIONS,
  FRAMINGS,
  isNameOf,
  isRecorded,
  optionsOf,
  TRANSITIONS,
} from '@figurehead/sdk/document';
import { Button, Group, NumberInput, Select, Stack, Switch } from '@mantine/core';
import { avatarOf, looksOf, speaking, useVoices, voiceAfterRecast, voiceIn, voiceKey } from '../../../api/catalogue.js';
import { tell } from '../../../lib/notices.js';
import { IconUsers } from '../../../shell/icons.js';
import { PresenterPicker, VoiceSelect } from '../../../shell/presenter-pickers.js';
import { backgroundOf, castAs, changeCanvas, entranceOf, hasSpeech, isCastAs } from '../document.js';
import { RecordingLanguage } from '../recording/recording-field.js';
import { useEditor, useEditorState, useSlide, useSlideBesideSpeech } from '../store.js';
import { Background } from './background-field.js';
import { ShowIfField } from './show-if-field.js';
import { SpeechField } from './speech-field.js';

/** Script, presenter, voice and background of a slide. */
export function SlidePanel(props: { readonly isFirst: boolean; readonly avatars: readonly Avatar[] }) {
  const slide = useSlideBesideSpeech();
  const { change, store, setSlide: onChange } = useEditor();
  const catalogue = useVoices();
  const voices = catalogue.data ?? [];
  const key = voiceIn(voices, slide);
  const background = backgroundOf(slide);
  const presenter = slide.hasAvatar === false ? undefined : avatarOf(props.avatars, slide.avatar?.code);
  const looks = presenter ? looksOf(presenter) : [];
  // What the slide has is also listed, which may be of another presenter.
  const framings = optionsOf(FRAMINGS).filter(
    ({ value }) => value === 'auto' || value === slide.framing || presenter?.framings.some((shown) => shown === value),
  );
  const recast = async (code: string | null, to: Avatar | undefined) => {
    // The user may change the presenter before the voices have loaded.
    const all = catalogue.data ?? (await catalogue.refetch()).data ?? [];
    const present = voiceIn(all, slide);
    const voice = voiceAfterRecast({ from: presenter, to }, present, all);
    onChange({
      avatar: code === null ? null : { code },
      hasAvatar: code !== null,
      ...speaking(voice),
    });
    if (voice && present && to) tell({ id: 'recast', message: `The voice is now ${voice.name}, to match ${to.name}.` });
  };
  return (
    <Stack gap="lg">
      <Speech />
      {isRecorded(slide) ? (
        <RecordingLanguage slide={slide} onChange={onChange} />
      ) : (
        <VoiceSelect value={key ? voiceKey(key) : null} onChange={(voice) => onChange({ ...speaking(voice) })} />
      )}
      <PresenterPicker optional value={presenter?.code ?? null} onChange={(code, to) => void recast(code, to)} />
      <CastForAll />
      {presenter && looks.length > 1 && (
        <Select
          label="Look"
          data={looks.map(({ code, name }) => ({ value: code, label: name }))}
          value={slide.avatar?.code ?? presenter.code}
          onChange={(code) => code && onChange({ avatar: { ...slide.avatar, code } })}
        />
      )}
      <Select
        label="Expression"
        description="How the presenter looks while speaking."
        data={optionsOf(EXPRESSIONS)}
        value={slide.expression ?? 'neutral'}
        onChange={(expression) => expression && onChange({ expression })}
      />
      {presenter && (
        <>
          <Select
            label="Framing"
            description="How much of the presenter is shown."
            data={framings}
            value={slide.framing ?? 'auto'}
            onChange={(framing) => framing && onChange({ framing })}
          />
          <Switch
            label="Gestures"
            description="Arms move while the presenter speaks. Seen down to the waist."
            checked={slide.gestures !== false}
            onChange={(event) => onChange({ gestures: event.currentTarget.checked })}
          />
        </>
      )}
      <Background
        background={background}
        onChange={(next) => change((now) => changeCanvas(now, store.getState().at, { background: next }))}
      />
      <Group grow align="flex-start">
        {!props.isFirst && (
          <Select
            label="Transition"
            data={optionsOf(TRANSITIONS)}
            value={isNameOf(TRANSITIONS, slide.transition) ? slide.transition : 'none'}
            onChange={(transition) => transition && onChange({ transition })}
          />
        )}
        <Select
          label="Entrance"
          data={optionsOf(ENTRANCES)}
          value={entranceOf(slide.animation)}
          onChange={(animation) => animation && onChange({ animation })}
        />
      </Group>
      <SilentSeconds />
      <ShowIfField value={slide.showIf} onChange={(showIf) => onChange({ showIf }, `showIf-${slide.id}`)} />
    </Stack>
  );
}

/** Gives all slides the presenter of this one, and its voice where they speak its language. */
function CastForAll() {
  const slide = useSlideBesideSpeech();
  const { change } = useEditor();
  const isShared = useEditorState(({ draft }) => draft.slides.every((one) => one === slide || isCastAs(one, slide)));
  if (isShared) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<IconUsers size={15} />}
      onClick={() => change((now) => ({ ...now, slides: now.slides.map((one) => castAs(one, slide)) }))}
    >
      Presenter and voice for all slides
    </Button>
  );
}

function Speech() {
  const slide = useSlide();
  const { setSlide } = useEditor();
  return slide && <SpeechField slide={slide} onChange={setSlide} />;
}

function SilentSeconds() {
  const slide = useSlide();
  const { setSlide } = useEditor();
  if (!slide || hasSpeech(slide)) return null;
  return (
    <NumberInput
      label="Seconds on screen"
      description="How long a slide without speech is shown."
      min={0.5}
      max={3600}
      step={1}
      value={slide.duration ?? ''}
      onChange={(value) => setSlide({ duration: typeof value === 'number' ? value : null }, `duration-${slide.id}`)}
    />
  );
}
