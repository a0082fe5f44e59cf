import type { SessionStats } from './host/host-protocol.js';

/** Metrics of every open stream, shown by the API (from the hosts' reports every two seconds) and by the host itself. */
export const PER_STREAM: Readonly<Record<string, { help: string; read: (stats: SessionStats) => number | null }>> = {
  first_sound_seconds: {
    help: 'Time from accepting the latest text to its first sample on the wire.',
    read: ({ firstSoundMs }) => firstSoundMs && firstSoundMs / 1000,
  },
  synthesis_seconds: {
    help: 'Part of first_sound_seconds: from the start of synthesis to its first audio.',
    read: ({ synthesisMs }) => synthesisMs && synthesisMs / 1000,
  },
  queue_seconds: {
    help: 'Part of first_sound_seconds: queued behind other speech or waiting for the connection.',
    read: ({ queueMs }) => queueMs && queueMs / 1000,
  },
  encode_seconds: { help: 'Mean time to encode a frame.', read: ({ encodeMs }) => encodeMs / 1000 },
  draw_seconds: { help: 'Mean time to draw a frame.', read: ({ drawMs }) => drawMs / 1000 },
  frames_per_second: { help: 'Frames sent per second.', read: ({ framesPerSecond }) => framesPerSecond },
  bitrate_bits: { help: 'Bits sent per second.', read: ({ bitrate }) => bitrate },
  loss_ratio: { help: 'Share of packets that the viewer reported lost.', read: ({ loss }) => loss },
  round_trip_seconds: {
    help: 'Round-trip time to the viewer.',
    read: ({ roundTripMs }) => roundTripMs && roundTripMs / 1000,
  },
  av_offset_seconds: {
    help: 'Sending delay of video minus that of audio.',
    read: ({ avOffsetMs }) => avOffsetMs / 1000,
  },
  queued_utterances: { help: 'Queued and playing texts.', read: ({ queued }) => queued },
};
