import { type AspectFormat, FORMATS, namesOf, optionsOf, placeholdersOf } from '@figurehead/sdk/document';
import { lookOf, slidesFrom, type TemplateName, templateLook, VIDEO_TEMPLATES } from '@figurehead/sdk/layouts';
import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { castOf, useIngredients } from '../../api/brand.js';
import { useAction, useApi } from '../../api/client.js';
import { PictureTile } from './picture-tile.js';

/** Video templates. Choosing one creates a video in the workspace's brand and opens the editor. */
export default function TemplatePicker() {
  const api = useApi();
  const [, go] = useLocation();
  const { brand, avatars, voices, isPending } = useIngredients();
  const [format, setFormat] = useState<AspectFormat>('16_9');
  const make = useAction(
    (name: TemplateName) => {
      const cast = castOf(brand, avatars, voices);
      const look = brand ? lookOf(brand, templateLook(name)) : templateLook(name);
      const slides = slidesFrom(name, { cast, size: FORMATS[format], look });
      // Texts with {{placeholders}} are filled in for each video of a batch.
      const type = placeholdersOf(slides).names.length > 0 ? 'template' : 'video';
      return api.createVideo({ body: { name: VIDEO_TEMPLATES[name].label, type, slides, data: { format } } });
    },
    { changes: [['videos']], onDone: (video) => go(`/videos/${video._id}/edit`) },
  );
  return (
    <Stack>
      <SegmentedControl aria-label="Format" data={optionsOf(FORMATS)} value={format} onChange={setFormat} />
      <div className="fh-starts" aria-busy={make.isPending || isPending}>
        {namesOf(VIDEO_TEMPLATES).map((name) => {
          const { label, about, slides } = VIDEO_TEMPLATES[name];
          return (
            <PictureTile
              key={name}
              picture={`video-${name}`}
              label={label}
              about={`${about} ${slides.length} slides.`}
              disabled={make.isPending || isPending}
              onClick={() => make.mutate(name)}
            />
          );
        })}
      </div>
    </Stack>
  );
}
