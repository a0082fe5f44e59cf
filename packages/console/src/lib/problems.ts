/** Labels of document fields in the editor. */
const FIELDS: Readonly<Record<string, string>> = {
  avatar: 'presenter',
  voice: 'voice',
  voiceProvider: 'voice',
  language: 'language',
  speech: 'speech',
  recording: 'recording',
  duration: 'seconds on screen',
  'canvas.background': 'background',
  transition: 'transition',
  animation: 'entrance',
  expression: 'expression',
  framing: 'framing',
};

const PATH = /\bslides\[(\d+)\]((?:\.[A-Za-z]\w*|\[\d+\])*)/g;

/**
 * Replaces field paths in a text by the editor's labels, counted from 1: `slides[2].voice` becomes `Slide 3, voice`.
 * Other text is unchanged.
 */
export function withoutPaths(text: string): string {
  return text.replace(PATH, (_whole, index: string, rest: string) => {
    const slide = `Slide ${Number(index) + 1}`;
    const inside = rest.replace(/^\./, '');
    if (inside === '') return slide;
    const object = /^canvas\.objects\[(\d+)\]/.exec(inside);
    if (object) return `${slide}, object ${Number(object[1]) + 1}`;
    return `${slide}, ${FIELDS[inside] ?? FIELDS[inside.split('.')[0] ?? ''] ?? inside.replaceAll('.', ' ')}`;
  });
}
