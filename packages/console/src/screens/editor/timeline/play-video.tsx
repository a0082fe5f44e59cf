import { Button, Tooltip } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '../../../shell/icons.js';
import { hasSpeech } from '../document.js';
import { useEditor, useEditorState } from '../store.js';

/** Volume of music under speech, as in rendering (−8 dB). */
const DUCKED = 0.4;

/** Plays the video from the playhead on: slide after slide, with voices, presenters and music. */
export function PlayVideo() {
  const { store } = useEditor();
  const isPlaying = useEditorState(({ playing }) => playing === 'video');
  useMusic(isPlaying);
  return (
    <Tooltip label={isPlaying ? 'Pause the video' : 'Play the video from here on, with sound'}>
      <Button
        size="compact-sm"
        variant="light"
        leftSection={isPlaying ? <IconPlayerPauseFilled size={14} /> : <IconPlayerPlayFilled size={14} />}
        onClick={() => store.setState({ playing: isPlaying ? null : 'video' })}
      >
        {isPlaying ? 'Pause video' : 'Play video'}
      </Button>
    </Tooltip>
  );
}

function useMusic(isPlaying: boolean) {
  const { musicUrl, musicVolume } = useEditorState(({ draft }) => draft.data);
  const isSpoken = useEditorState(({ draft, at }) => {
    const slide = draft.slides[at];
    return slide !== undefined && hasSpeech(slide);
  });
  const music = useMemo(() => Object.assign(new Audio(), { loop: true }), []);
  useEffect(() => {
    music.volume = (musicVolume ?? 0.25) * (isSpoken ? DUCKED : 1);
  }, [music, musicVolume, isSpoken]);
  useEffect(() => {
    if (!isPlaying || !musicUrl) return;
    if (music.src !== musicUrl) music.src = musicUrl;
    // The video plays on without music that this browser cannot read.
    music.play().catch((error: unknown) => console.info('The music does not play.', error));
    return () => music.pause();
  }, [music, isPlaying, musicUrl]);
}
