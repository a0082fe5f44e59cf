import { namesOf, type Slide } from '@figurehead/sdk/document';
import { LAYOUT_GROUPS, type LayoutName, type Making, SLIDE_LAYOUTS, slideFrom } from '@figurehead/sdk/layouts';
import { Stack, Text, TextInput, Title } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { IconSearch } from '../../shell/icons.js';
import { PictureTile } from './picture-tile.js';

/** Slide layouts in groups, with a search by purpose. The layouts are only loaded with it. @param props.making of the chosen slide. */
export default function LayoutPicker(props: { readonly making: Making; readonly onPick: (slide: Slide) => void }) {
  const [wanted, setWanted] = useInputState('');
  const found = namesOf(SLIDE_LAYOUTS).filter((name) => matches(name, wanted));
  return (
    <Stack gap="lg">
      <TextInput
        aria-label="Search layouts"
        type="search"
        placeholder="Search: chart, quote, steps …"
        leftSection={<IconSearch size={16} />}
        value={wanted}
        onChange={setWanted}
        data-autofocus
      />
      {found.length === 0 && <Text c="dimmed">No layout matches. Try another word.</Text>}
      {LAYOUT_GROUPS.map((group) => {
        const names = found.filter((name) => SLIDE_LAYOUTS[name].group === group);
        return (
          names.length > 0 && (
            <section key={group} aria-label={group}>
              <Title order={3} size="h5" mb="xs">
                {group}
              </Title>
              <div className="fh-starts">
                {names.map((name) => (
                  <PictureTile
                    key={name}
                    picture={name}
                    label={SLIDE_LAYOUTS[name].label}
                    onClick={() => props.onPick(slideFrom(name, { ...props.making, id: 0 }))}
                  />
                ))}
              </div>
            </section>
          )
        );
      })}
    </Stack>
  );
}

/** True when every search word is the beginning of a word of the layout. */
function matches(name: LayoutName, wanted: string): boolean {
  const { label, group, words } = SLIDE_LAYOUTS[name];
  const own = `${label} ${group} ${words}`.toLowerCase().split(/\s+/);
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((part) => own.some((word) => word.startsWith(part)));
}
