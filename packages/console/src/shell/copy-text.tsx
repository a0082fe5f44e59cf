import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from './icons.js';

/** Copies a text to the clipboard, and says so for a moment. */
export function CopyText(props: { readonly value: string; readonly label?: string; readonly size?: 'xs' | 'sm' }) {
  const { value, label = 'Copy', size = 'xs' } = props;
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button
          size={size}
          variant="default"
          leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          onClick={copy}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}
