import { Card, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { SubmitButton } from '../action-buttons.js';
import { CopyText } from '../copy-text.js';
import { IconCode } from '../icons.js';
import { Problem } from '../states.js';

/** Creates a client token for a web page, and the two lines of HTML that embed the presenter, or the agent that it speaks for. */
export function PageSnippet(props: { readonly avatarCode: string | null; readonly agentId?: string }) {
  const { avatarCode, agentId } = props;
  const api = useApi();
  const form = useServerForm(
    { origins: ['https://'], isTransparent: false },
    async ({ origins: [site = ''], isTransparent }) => {
      const code = avatarCode ?? '';
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
  const snippet = form.call.data;
  return (
    <Card>
      <Stack gap="sm" component="form" onSubmit={form.send}>
        <Title order={2}>Put it on a page</Title>
        <Text size="sm" c="dimmed">
          Two lines of HTML with a token for one hour, ten minutes and one viewer at a time. In production, your server
          creates a token for each visit.
        </Text>
        <TextInput
          label="Address of your site"
          placeholder="https://www.example.org"
          {...form.getInputProps('origins.0')}
        />
        <Switch
          label="Transparent"
          description="The page shows through behind the presenter."
          {...form.getInputProps('isTransparent', { type: 'checkbox' })}
        />
        <SubmitButton form={form} variant="default" leftSection={<IconCode size={17} />} disabled={avatarCode === null}>
          Create the snippet
        </SubmitButton>
        <Problem error={form.failure} />
        {snippet && (
          <>
            <pre className="fh-code" style={{ overflowX: 'auto', userSelect: 'all' }} data-testid="snippet">
              {snippet}
            </pre>
            <CopyText value={snippet} />
          </>
        )}
      </Stack>
    </Card>
  );
}
