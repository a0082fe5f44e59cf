import type { Avatar } from '@figurehead/sdk';
import { Input, Select, Skeleton, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ListedVoice, languagesOf, useAvatars, useVoices, voiceKey, voiceLabel } from '../api/catalogue.js';
import { useChosenShown } from '../lib/use-chosen-shown.js';
import { Failure } from './states.js';

/** Tiles shown until the presenters are known, so that what is below stays in place: as many as are built in. */
const BUILT_IN = Array.from({ length: 12 }, (_, index) => index);

/** Pictures of presenters for a selection. `null` means no presenter, offered when `optional`. */
export function PresenterPicker(props: {
  readonly value: string | null;
  readonly onChange: (code: string | null, avatar: Avatar | undefined) => void;
  readonly optional?: boolean;
  readonly realtime?: boolean;
}) {
  const avatars = useAvatars();
  const queries = useQueryClient();
  const shown = (avatars.data ?? []).filter(
    (avatar) => avatar.status === 'ready' && (!props.realtime || avatar.realtime),
  );
  // Small screens have them in one line.
  const box = useChosenShown<HTMLDivElement>('[aria-checked=true]', `${props.value} ${shown.length}`);
  const codes = [...(props.optional ? [null] : []), ...shown.map((avatar) => avatar.code)];
  const choose = (code: string | null) =>
    props.onChange(
      code,
      shown.find((avatar) => avatar.code === code),
    );
  // Keyboard control of a radio group: arrows choose, one tab stop.
  const move = (by: number) => {
    const next = (codes.indexOf(props.value) + by + codes.length) % codes.length;
    choose(codes[next] ?? null);
  };
  const known = codes.includes(props.value);
  return (
    <Input.Wrapper label="Presenter" labelElement="div">
      {avatars.isLoadingError && (
        <Failure
          error={avatars.error}
          retry={() =>
            void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
          }
        />
      )}
      {avatars.data && shown.length === 0 && (
        <Text size="sm" c="dimmed">
          This server has no presenters yet.
        </Text>
      )}
      <div
        ref={box}
        role="radiogroup"
        aria-label="Presenter"
        aria-busy={avatars.isPending}
        className="fh-tiles-small"
        style={{ gridTemplateColumns: 'repeat(auto-fill, minmax(68px, 1fr))', gap: 8, marginTop: 4 }}
        onKeyDown={(event) => {
          const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          move(by);
        }}
      >
        {codes.map((code, index) => {
          const avatar = shown.find((one) => one.code === code);
          const checked = code === props.value;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a picture that is a radio button, as WAI-ARIA's pattern has it
            <button
              key={code ?? ''}
              type="button"
              role="radio"
              aria-checked={checked}
              tabIndex={checked || (!known && index === 0) ? 0 : -1}
              className="fh-pick"
              onClick={() => choose(code)}
            >
              {avatar ? (
                <img src={avatar.thumbnail} alt="" loading="lazy" />
              ) : (
                <span style={{ aspectRatio: 1, display: 'grid', placeItems: 'center' }} aria-hidden="true">
                  —
                </span>
              )}
              <span>{avatar?.name ?? 'None'}</span>
            </button>
          );
        })}
        {avatars.isPending &&
          BUILT_IN.map((index) => (
            <div key={index} className="fh-pick" aria-hidden="true">
              <Skeleton radius={0} style={{ aspectRatio: 1 }} />
              <span>&nbsp;</span>
            </div>
          ))}
      </div>
    </Input.Wrapper>
  );
}

const NONE: readonly ListedVoice[] = [];

/** All voices by language; the value is a {@link voiceKey}. With `onClear` it may be empty, which `placeholder` explains. */
export function VoiceSelect(props: {
  readonly value: string | null;
  readonly onChange: (voice: ListedVoice) => void;
  readonly onClear?: () => void;
  readonly placeholder?: string;
}) {
  const { data: all = NONE, isPending, isLoadingError } = useVoices();
  // Not again with each letter that is typed beside it.
  const data = useMemo(
    () =>
      languagesOf(all).map((group) => ({
        group,
        items: all
          .filter(({ language }) => language === group)
          .map((voice) => ({ value: voiceKey(voice), label: voiceLabel(voice, all) })),
      })),
    [all],
  );
  return (
    <Select
      label="Voice"
      placeholder={isPending ? 'Loading voices…' : (props.placeholder ?? 'Choose a voice')}
      searchable
      clearable={props.onClear !== undefined}
      clearButtonProps={{ 'aria-label': 'Clear the voice' }}
      onClear={() => props.onClear?.()}
      error={isLoadingError && 'The voices could not be loaded.'}
      maxDropdownHeight={320}
      nothingFoundMessage="No voice with this name"
      data={data}
      value={props.value}
      onChange={(key) => {
        const found = all.find((voice) => voiceKey(voice) === key);
        if (found) props.onChange(found);
      }}
    />
  );
}
