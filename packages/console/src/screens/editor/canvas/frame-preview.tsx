import type { Slide, VideoData } from '@figurehead/sdk';
import type { CanvasSize } from '@figurehead/sdk/document';
import { Badge } from '@mantine/core';
import { SlideSketch } from '../../../shell/slide-sketch.js';
import { Problem } from '../../../shell/states.js';
import { useEditor, useEditorState } from '../store.js';
import { useFrame } from './use-frame.js';

/** The frame at the playhead, rendered by the server with unsaved edits. */
export function FramePreview(props: {
  readonly slide: Slide;
  readonly data: VideoData;
  readonly size: CanvasSize;
  readonly number: number;
}) {
  const { slide, data, size } = props;
  const { videoId, store } = useEditor();
  const isPlaying = useEditorState(({ playing }) => playing !== null);
  const at = useEditorState((state) => state.playhead);
  const frame = useFrame({ videoId, slide, data, at });
  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: keys have the control of the view */}
      <div
        className="fh-frame fh-stage"
        onClick={() => store.setState({ view: 'canvas', playing: null })}
        style={{ aspectRatio: `${size.width} / ${size.height}` }}
        aria-busy={frame.busy}
      >
        {frame.url ? (
          <img src={frame.url} alt={`Slide ${props.number} at ${at.toFixed(1)} seconds, as the video will show it`} />
        ) : (
          <SlideSketch slide={slide} size={size} />
        )}
        <Badge
          pos="absolute"
          top={10}
          right={10}
          color="dark"
          variant="filled"
          style={{ opacity: frame.busy && !isPlaying ? 1 : 0 }}
        >
          Drawing…
        </Badge>
      </div>
      <Problem error={frame.error} mt="sm" />
    </div>
  );
}
