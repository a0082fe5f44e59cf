import type { Slide, Video } from '@figurehead/sdk';
import type { FilledTemplate } from '@figurehead/sdk/document';
import { Alert, Loader, Modal, Pagination, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { describeError } from '../../api/client.js';
import { withoutPaths } from '../../lib/problems.js';
import { useFrame } from '../editor/canvas/use-frame.js';

/** Seconds into a slide at which entrances have finished. */
const SETTLED_SECONDS = 1.5;

/** One row before rendering: each slide drawn by the renderer, with its speech and its problems. */
export function RowPreview(props: {
  readonly template: Video;
  readonly filled: FilledTemplate;
  readonly row: number;
  readonly onClose: () => void;
}) {
  const { template, filled, row } = props;
  const [number, setNumber] = useState(1);
  const slide = filled.slides[number - 1];
  return (
    <Modal opened onClose={props.onClose} size="lg" title={`Row ${row}: ${filled.name}`}>
      <Stack>
        {filled.problems.length > 0 && (
          <Alert color="orange">
            {filled.problems.map(({ field, message }) => `${withoutPaths(field)}: ${message}`).join('; ')}
          </Alert>
        )}
        {slide && <SlideFrame key={slide.id} template={template} slide={slide} number={number} />}
        {filled.slides.length > 1 && (
          <Pagination
            total={filled.slides.length}
            value={number}
            onChange={setNumber}
            getItemProps={(page) => ({ 'aria-label': `Slide ${page}` })}
            getControlProps={(control) => ({ 'aria-label': `${control} slide` })}
          />
        )}
      </Stack>
    </Modal>
  );
}

function SlideFrame({ template, slide, number }: { template: Video; slide: Slide; number: number }) {
  const { url, error } = useFrame({ videoId: template._id, slide, data: template.data, at: SETTLED_SECONDS });
  return (
    <>
      <div className="fh-frame" aria-busy={url === undefined && error === undefined}>
        {url === undefined && error === undefined && <Loader role="status" aria-label="Drawing the slide" />}
        {url && <img src={url} alt={`Slide ${number} as the video will show it`} style={{ objectFit: 'contain' }} />}
        {error !== undefined && (
          <Text size="sm" p="md">
            {describeError(error)}
          </Text>
        )}
      </div>
      {slide.speech && <Text size="sm">“{slide.speech}”</Text>}
    </>
  );
}
