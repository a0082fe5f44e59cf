import { describe, expect, it } from 'vitest';
import { foreignVoices } from './foreign-voices.js';

const german = 'Unsere Kosten sind im vergangenen Jahr leicht gestiegen.';

describe('voices of another language than the text', () => {
  it('are named with both languages, without tags, for each slide', async () => {
    const speech = `<break time="1s"/>${german}`;
    expect(
      await foreignVoices([
        { id: 1, language: 'English', speech: 'Good morning.' },
        { id: 2, language: 'English', speech },
      ]),
    ).toEqual([{ field: 'slides[1].voice', message: 'The text seems to be German, and its voice speaks English.' }]);
  });

  it('are not named where the text is short, recorded or of close relatives, or the language is unknown', async () => {
    const slides = [
      { id: 1, language: 'English', speech: 'Danke!' },
      { id: 2, language: 'English', speech: german, voiceType: 'audio' as const },
      {
        id: 3,
        language: 'Danish',
        speech: 'Salget økte i alle kvartaler i fjor, og vi er veldig fornøyde med resultatet.',
      },
      { id: 4, speech: german },
      { id: 5, language: 'German', speech: german },
    ];
    expect(await foreignVoices(slides)).toEqual([]);
  });
});
