/** Names of document fields as the editor labels them. */
const FIELDS: Readonly<Record<string, string>> = {
  avatar: 'presenter',
  voice: 'voice',
  voiceProvider: 'voice',
  language: 'language',
  speech: 'speech',
  duration: 'seconds on screen',
  'canvas.background': 'background',
  transition: 'transition',
  animation: 'entrance',
  expression: 'expression',
};

const PATH = /\bslides\[(\d+)\]((?:\.[A-Za-z]\w*|\[\d+\])*)/g;

/** Field paths in a text as people count and call them: `slides[2].voice` becomes `Slide 3, voice`. The rest stays as it is. */
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
