import type { SessionStats } from './host-protocol.js';

/** What is shown of every open stream, by the API as hosts report it every two seconds and by the host itself. */
export const PER_STREAM: Readonly<Record<string, { help: string; read: (stats: SessionStats) => number | null }>> = {
  first_sound_seconds: {
    help: 'Time from accepting the latest text to its first sample on the wire.',
    read: ({ firstSoundMs }) => firstSoundMs && firstSoundMs / 1000,
  },
  synthesis_seconds: {
    help: 'Of that time: from asking for its speech to the first of it.',
    read: ({ synthesisMs }) => synthesisMs && synthesisMs / 1000,
  },
  queue_seconds: {
    help: 'Of that time: behind other speech, or waiting for the connection.',
    read: ({ queueMs }) => queueMs && queueMs / 1000,
  },
  encode_seconds: { help: 'Mean time to encode a frame.', read: ({ encodeMs }) => encodeMs / 1000 },
  draw_seconds: { help: 'Mean time to draw a frame.', read: ({ drawMs }) => drawMs / 1000 },
  frames_per_second: { help: 'Frames sent in a second.', read: ({ framesPerSecond }) => framesPerSecond },
  bitrate_bits: { help: 'Bits sent in a second.', read: ({ bitrate }) => bitrate },
  loss_ratio: { help: 'Share of packets that the viewer reported lost.', read: ({ loss }) => loss },
  round_trip_seconds: {
    help: 'Time to the viewer and back.',
    read: ({ roundTripMs }) => roundTripMs && roundTripMs / 1000,
  },
  av_offset_seconds: {
    help: 'By how much pictures leave later after their instant than sound does.',
    read: ({ avOffsetMs }) => avOffsetMs / 1000,
  },
  queued_utterances: { help: 'Texts that wait or play.', read: ({ queued }) => queued },
};
