import type { Brand } from '@figurehead/sdk';
import { FONT_FAMILIES, MAX_AI_LABEL } from '@figurehead/sdk/document';
import { DEFAULT_LOOK, lookOf, slideFrom } from '@figurehead/sdk/layouts';
import { Button, Card, ColorInput, Group, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useBrand } from '../../api/brand.js';
import { speaking, useAvatars, voiceKey } from '../../api/catalogue.js';
import { useApi } from '../../api/client.js';
import { useFonts, useWorkspaceFonts } from '../../api/fonts.js';
import { useServerForm } from '../../api/form.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { IconPhoto, IconX } from '../../shell/icons.js';
import { PickButton } from '../../shell/pick-button.js';
import { PresenterPicker, VoiceSelect } from '../../shell/presenter-pickers.js';
import { SlideSketch } from '../../shell/slide-sketch.js';
import { Loaded } from '../../shell/states.js';

const { background, text, accent } = DEFAULT_LOOK;
const SIZE = { width: 640, height: 360 };
const COLORS = [
  ['background', 'Background'],
  ['text', 'Text'],
  ['accent', 'Accent'],
] as const;

/** Default colours, fonts, logo, presenter and voice of new videos, imports and outlines. */
export function BrandCard() {
  const brand = useBrand();
  return (
    <Card>
      <Title order={2}>Brand</Title>
      <Text size="sm" c="dimmed" mb="md">
        New videos, imports and outlines begin with it; in the editor one click applies it to a whole video.
      </Text>
      <Loaded query={brand} height={300}>
        {(data) => <BrandForm stored={data} />}
      </Loaded>
    </Card>
  );
}

function BrandForm({ stored }: { readonly stored: Brand }) {
  const api = useApi();
  const form = useServerForm(stored, (brand) => api.saveBrand({ body: brand }), {
    keep: 'brand',
    present: () => api.readBrand({}),
    saved: (brand) => brand,
    changes: [['brand']],
    done: 'The brand was saved.',
  });
  const { values: brand, setValues: set } = form;
  const { voice, voiceProvider, language } = brand;
  return (
    <form onSubmit={form.send}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 3, md: 1, lg: 3 }} spacing="sm">
            {COLORS.map(([key, label]) => (
              <ColorInput
                key={key}
                label={label}
                value={brand.colors?.[key] ?? DEFAULT_LOOK[key]}
                onChangeEnd={(color) => set({ colors: { background, text, accent, ...brand.colors, [key]: color } })}
              />
            ))}
          </SimpleGrid>
          <FontFields brand={brand} onChange={set} />
          <LogoField logo={brand.logo} onChange={(logo) => set({ logo })} />
          <TextInput
            label="Label of films and live presenters"
            description="Shown in the upper left, such as “Made with AI”. Empty: none."
            maxLength={MAX_AI_LABEL}
            value={brand.aiLabel ?? ''}
            onChange={(event) => set({ aiLabel: event.currentTarget.value || null })}
          />
          <BrandSample brand={brand} />
        </Stack>
        <Stack>
          <PresenterPicker optional value={brand.avatar} onChange={(avatar) => set({ avatar })} />
          <VoiceSelect
            value={voice && voiceProvider && language ? voiceKey({ voice, voiceProvider, language }) : null}
            onChange={(chosen) => set({ ...speaking(chosen) })}
          />
          <Group mt="auto" justify="flex-end">
            <SubmitButton form={form} disabled={!form.isChanged}>
              Save the brand
            </SubmitButton>
          </Group>
        </Stack>
      </SimpleGrid>
    </form>
  );
}

interface FieldProps {
  readonly brand: Brand;
  readonly onChange: (change: Partial<Brand>) => void;
}

function FontFields({ brand, onChange }: FieldProps) {
  const fonts = useFonts().data;
  useWorkspaceFonts(fonts);
  const families = [...new Set([...FONT_FAMILIES, ...(fonts ?? []).map((font) => font.family)])];
  const fields = [
    ['headingFont', 'Headings'],
    ['bodyFont', 'Text font'],
  ] as const;
  return (
    <Group grow>
      {fields.map(([key, label]) => (
        <Select
          key={key}
          label={label}
          searchable
          data={families}
          value={brand[key] ?? DEFAULT_LOOK[key]}
          onChange={(family) => onChange({ [key]: family })}
        />
      ))}
    </Group>
  );
}

function LogoField({ logo, onChange }: { logo: string | null; onChange: (logo: string | null) => void }) {
  return (
    <Group gap="xs">
      {logo && <img src={logo} alt="The logo" style={{ height: 36, maxWidth: 140, objectFit: 'contain' }} />}
      <PickButton
        kind="image"
        onPick={({ url }) => onChange(url)}
        variant="default"
        leftSection={<IconPhoto size={16} />}
      >
        {logo ? 'Another logo' : 'Choose a logo'}
      </PickButton>
      {logo && (
        <Button variant="default" px={10} aria-label="No logo" onClick={() => onChange(null)}>
          <IconX size={16} />
        </Button>
      )}
    </Group>
  );
}

/** A sample slide in the brand's look. */
function BrandSample({ brand }: { readonly brand: Brand }) {
  const avatars = useAvatars().data ?? [];
  const avatar = avatars.find(({ code }) => code === brand.avatar) ?? avatars.find(({ status }) => status === 'ready');
  const cast = { avatar: avatar ? { code: avatar.code } : null };
  return (
    <div className="fh-start-sample">
      {(['title', 'barChart'] as const).map((layout) => (
        <SlideSketch key={layout} slide={slideFrom(layout, { id: 1, cast, look: lookOf(brand) })} size={SIZE} />
      ))}
    </div>
  );
}
