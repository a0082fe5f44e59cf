import type { Slide } from '@figurehead/sdk/document';
import type { Making } from '@figurehead/sdk/layouts';
import { Button, Group, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { memo, Suspense, useDeferredValue } from 'react';
import { castOf, useBrand, useIngredients } from '../../../api/brand.js';
import { late } from '../../../lib/late.js';
import { IconCopyPlus, IconPlus } from '../../../shell/icons.js';
import { Waiting } from '../../../shell/states.js';
import { canvasSizeOf } from '../document.js';
import { useEditor, useEditorState, useSlide } from '../store.js';
import { lookFor } from './branded.js';

const LayoutPicker = late(() => import('../../start/layout-picker.js'));

/** Adds a slide after the current one: from a layout, or a copy of the current one without its texts. */
export const AddSlide = memo(function AddSlide({ disabled }: { readonly disabled: boolean }) {
  const { insertSlide } = useEditor();
  const [opened, { open, close }] = useDisclosure(false);
  // The dialog opens at once; its pictures follow.
  const filled = useDeferredValue(opened);
  // Asked for before the dialog needs it.
  useBrand();
  const put = (made: Slide) => {
    insertSlide(made);
    close();
  };
  return (
    <>
      <Button size="compact-sm" variant="light" leftSection={<IconPlus size={15} />} onClick={open} disabled={disabled}>
        Slide
      </Button>
      <Modal opened={opened} onClose={close} title="New slide" size="xl">
        <Group mb="md">
          <Button
            variant="default"
            leftSection={<IconCopyPlus size={16} />}
            onClick={() => {
              insertSlide();
              close();
            }}
          >
            Empty slide
          </Button>
        </Group>
        <Suspense fallback={<Waiting />}>{filled && <Layouts onPick={put} />}</Suspense>
      </Modal>
    </>
  );
});

/** The layouts in the look of the brand, or of the other slides, with presenter and voice of the current slide. */
function Layouts({ onPick }: { readonly onPick: (slide: Slide) => void }) {
  const { brand, avatars, voices, isPending } = useIngredients();
  const usual = castOf(brand, avatars, voices);
  const { avatar, voice, voiceProvider, language } = useSlide() ?? usual;
  const size = useEditorState(({ draft }) => canvasSizeOf(draft));
  const slides = useEditorState(({ draft }) => draft.slides);
  if (isPending) return <Waiting />;
  const cast = { avatar: avatar ?? usual.avatar ?? null, voice, voiceProvider, language } as typeof usual;
  const making: Making = { cast, size, look: lookFor(brand, slides) };
  return <LayoutPicker making={making} onPick={onPick} />;
}
