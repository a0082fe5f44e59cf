import { Alert, Button, Card, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { describeError, useAction, useApi } from '../../api/client.js';
import { CopyText } from '../copy-text.js';
import { IconCode } from '../icons.js';

/** Creates a client token for a web page, and the two lines of HTML that embed the presenter, or the agent that it speaks for. */
export function PageSnippet(props: { readonly avatarCode: string | null; readonly agentId?: string }) {
  const { avatarCode, agentId } = props;
  const api = useApi();
  const [site, setSite] = useState('https://');
  const [isTransparent, setTransparent] = useState(false);
  const make = useAction(
    async (code: string) => {
      const origin = URL.canParse(site) ? new URL(site).origin : site;
      const { token } = await api.createClientToken({
        body: { origins: [origin], avatarCode: code, ...(agentId && { agentId }) },
      });
      const attributes = `${isTransparent ? ' background="transparent"' : ''}${agentId ? ' microphone' : ''}`;
      return [
        `<script type="module" src="${window.location.origin}/embed/figurehead.js"></script>`,
        `<figurehead-presenter token="${token}" avatar="${code}"${attributes}></figurehead-presenter>`,
      ].join('\n');
    },
    { quiet: true },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (avatarCode !== null) make.mutate(avatarCode);
  };
  return (
    <Card>
      <Stack gap="sm" component="form" onSubmit={submit}>
        <Title order={2}>Put it on a page</Title>
        <Text size="sm" c="dimmed">
          Two lines of HTML with a token for one hour, ten minutes and one viewer at a time. In production, your server
          creates a token for each visit.
        </Text>
        <TextInput
          label="Address of your site"
          placeholder="https://www.example.org"
          value={site}
          onChange={(event) => setSite(event.currentTarget.value)}
        />
        <Switch
          label="Transparent"
          description="The page shows through behind the presenter."
          checked={isTransparent}
          onChange={(event) => setTransparent(event.currentTarget.checked)}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<IconCode size={17} />}
          loading={make.isPending}
          disabled={avatarCode === null}
        >
          Create the snippet
        </Button>
        {make.error && (
          <Alert color="red" role="alert">
            {describeError(make.error)}
          </Alert>
        )}
        {make.data && (
          <>
            <pre className="fh-code" style={{ overflowX: 'auto', userSelect: 'all' }} data-testid="snippet">
              {make.data}
            </pre>
            <CopyText value={make.data} />
          </>
        )}
      </Stack>
    </Card>
  );
}
