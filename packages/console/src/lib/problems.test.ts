import { expect, it } from 'vitest';
import { withoutPaths } from './problems.js';

it('describes the place of a problem in words', () => {
  expect(withoutPaths('slides[0].avatar: There is no avatar "x".')).toBe('Slide 1, presenter: There is no avatar "x".');
  expect(withoutPaths('slides[2].canvas.objects[1].src: gone; slides[9]: empty')).toBe(
    'Slide 3, object 2: gone; Slide 10: empty',
  );
  expect(withoutPaths('slides[1].canvas.background')).toBe('Slide 2, background');
  expect(withoutPaths('You have 0 minutes left.')).toBe('You have 0 minutes left.');
});
