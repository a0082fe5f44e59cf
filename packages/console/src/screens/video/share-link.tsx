import { Button, Popover, Text, TextInput } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import { IconCheck, IconLink } from '../../shell/icons.js';

/** Copies the link of a video. Where the browser does not allow that, on pages without HTTPS, it shows the link selected. */
export function ShareLink({ url }: { readonly url: string }) {
  const clipboard = useClipboard({ timeout: 4000 });
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Popover opened={opened} onClose={close} onDismiss={close} width={340} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={clipboard.copied ? <IconCheck size={17} /> : <IconLink size={17} />}
          onClick={() => {
            if (!window.isSecureContext) return open();
            clipboard.copy(url);
          }}
        >
          {clipboard.copied ? 'Link copied' : 'Copy link'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <TextInput
          label="Link to the video"
          description="Press Ctrl C, or ⌘ C, to copy it."
          readOnly
          data-autofocus
          value={url}
          onFocus={(event) => event.currentTarget.select()}
        />
      </Popover.Dropdown>
      <Text span size="xs" c="dimmed" role="status">
        {clipboard.copied
          ? 'Send it to anyone: it plays in every browser, and works for a week.'
          : 'The link works for a week.'}
      </Text>
    </Popover>
  );
}
