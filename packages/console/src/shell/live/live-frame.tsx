import type { Avatar } from '@figurehead/sdk';
import { Badge } from '@mantine/core';
import type { RefObject } from 'react';

/** The picture of a live presenter; the presenter at rest while no stream is open. */
export function LiveFrame(props: {
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly avatar: Avatar | undefined;
  readonly background: string;
  readonly isLive: boolean;
  readonly isStarting: boolean;
}) {
  const { video, avatar, background, isLive, isStarting } = props;
  return (
    <div className="fh-frame fh-stage" style={{ background }}>
      {!isLive && avatar && <img src={avatar.canvas} alt={`${avatar.name}, waiting`} className="fh-poster" />}
      <Badge
        pos="absolute"
        top={12}
        left={12}
        size="lg"
        color={isLive ? '#b3261e' : 'dark'}
        variant="filled"
        style={{ zIndex: 1 }}
      >
        {isLive ? 'Live' : isStarting ? 'Connecting…' : 'Not live'}
      </Badge>
      {/* biome-ignore lint/a11y/useMediaCaption: captions are below it, word by word */}
      <video
        ref={video}
        autoPlay
        playsInline
        aria-label="The presenter, live"
        style={{ visibility: isLive ? 'visible' : 'hidden' }}
      />
    </div>
  );
}
