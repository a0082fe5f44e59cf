import type { Slide } from '@figurehead/sdk';
import { isRecorded, withTexts } from '@figurehead/sdk/document';
import { Button, FileButton, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import {
  avatarOf,
  type ListedVoice,
  languagesOf,
  speaking,
  substitutions,
  useAvatars,
  useVoices,
  voiceIn,
} from '../../../api/catalogue.js';
import { describeError, useAction, useApi } from '../../../api/client.js';
import { count } from '../../../lib/format.js';
import { tell } from '../../../lib/notices.js';
import { save as download } from '../../../lib/save.js';
import { IconFileExport, IconFileImport, IconLanguage } from '../../../shell/icons.js';
import { useEditor } from '../store.js';
import { useKeepVersion } from '../versions/use-keep-version.js';
import { readXliff, xliffOf } from './xliff.js';

/** Translates the whole video: with the server's language model, or manually with an XLIFF file. */
export function TranslationFields() {
  const api = useApi();
  const [, go] = useLocation();
  const { videoId, flush, store } = useEditor();
  const voices = useVoices().data ?? [];
  const languages = languagesOf(voices);
  const [language, setLanguage] = useState<string | null>(null);
  const translate = useAction(
    async (to: string) => {
      await flush();
      return api.translateVideo({ videoId, body: { language: to } });
    },
    {
      changes: [['videos']],
      onDone: ({ _id, slides }) => {
        const before = store.getState().draft.slides;
        tell({ message: `The translation is a new video.${revoiced(before, slides)}` });
        tellVoices(before, slides, voices);
        go(`/videos/${_id}/edit`);
      },
    },
  );
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Select
          allowDeselect
          label="Translate to"
          placeholder="Language"
          searchable
          style={{ flex: 1 }}
          data={languages}
          value={language}
          onChange={setLanguage}
        />
        <Button
          variant="default"
          leftSection={<IconLanguage size={16} />}
          disabled={language === null}
          loading={translate.isPending}
          onClick={() => language && translate.mutate(language)}
        >
          Translate
        </Button>
      </Group>
      <XliffButtons />
    </Stack>
  );
}

/** Says which voices took the place of others; it stays on the screen where a presenter got a voice of the other sex. */
function tellVoices(before: readonly Slide[], after: readonly Slide[], voices: readonly ListedVoice[]): void {
  const changed = substitutions(before, after, voices);
  const message = changed.map(({ text }) => text).join(' ');
  if (changed.some(({ isOther }) => isOther))
    tell({ failed: 'This server has no fitting voice in that language', message });
  else if (message !== '') tell({ message });
}

/** Says how many slides spoke a recording and speak with a voice now, because their scripts are others. */
function revoiced(before: readonly Slide[], after: readonly Slide[]): string {
  const changed = before.filter((slide, index) => {
    const now = after[index];
    return isRecorded(slide) && now !== undefined && !isRecorded(now);
  });
  if (changed.length === 0) return '';
  return ` ${count(changed.length, 'recording', 'recordings')} became speech of the voice.`;
}

function XliffButtons() {
  const { store, change, videoId } = useEditor();
  const keep = useKeepVersion();
  const voices = useVoices().data ?? [];
  const avatars = useAvatars().data ?? [];
  const save = () => {
    const { name, slides } = store.getState().draft;
    const [first] = slides;
    const voice = voices.find((one) => one.voice === first?.voice && one.language === first?.language);
    const file = new Blob([xliffOf({ id: videoId, slides, language: voice?.locale ?? 'en' })], {
      type: 'application/xliff+xml',
    });
    download(file, `${name}.xlf`);
  };
  const open = async (file: File | null) => {
    if (!file) return;
    try {
      const { language, texts } = readXliff(await file.text());
      const tag = language?.split('-')[0];
      const spoken = voices.filter((one) => tag !== undefined && one.locale.split('-')[0] === tag);
      await keep({ reason: 'import' });
      const before = store.getState().draft.slides;
      const after = withTexts(before, texts).map((slide) => {
        const gender = avatarOf(avatars, slide.avatar?.code)?.gender ?? voiceIn(voices, slide)?.gender;
        return { ...slide, ...speaking(spoken.find((one) => one.gender === gender) ?? spoken[0]) };
      });
      change((now) => ({ ...now, slides: after }));
      tell({
        message: `${count(texts.size, 'text')} replaced.${revoiced(before, after)} You can undo this.`,
      });
      tellVoices(before, after, voices);
    } catch (error) {
      tell({ failed: 'Not imported', message: describeError(error) });
    }
  };
  return (
    <>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" leftSection={<IconFileExport size={15} />} onClick={save}>
          Export XLIFF
        </Button>
        <FileButton accept=".xlf,.xliff,application/xliff+xml" onChange={(file) => void open(file)}>
          {(props) => (
            <Button size="compact-sm" variant="default" leftSection={<IconFileImport size={15} />} {...props}>
              Import XLIFF
            </Button>
          )}
        </FileButton>
      </Group>
      <Text size="xs" c="dimmed">
        XLIFF is for people who translate by hand: import the translated file here.
      </Text>
    </>
  );
}
