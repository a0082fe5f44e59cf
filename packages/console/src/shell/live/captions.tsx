import { Text } from '@mantine/core';
import type { SpokenWord } from './use-spoken.js';

/** The spoken words, with the current one marked. */
export function Captions({ words }: { readonly words: readonly SpokenWord[] }) {
  return (
    <div className="fh-captions" aria-live="off">
      {words.length === 0 ? (
        <Text c="dimmed" size="sm">
          Captions appear here, in step with the voice.
        </Text>
      ) : (
        words.map((word, index) => (
          <span key={word.key} data-now={index === words.length - 1}>
            {word.text}{' '}
          </span>
        ))
      )}
    </div>
  );
}
