import { verifyWebhook, type WebhookRefusal, WebhookVerificationError } from '@figurehead/sdk';
import { Alert, Card, List, PasswordInput, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useAction } from '../../api/client.js';
import { ActButton } from '../../shell/action-buttons.js';

const ADVICE: Readonly<Record<WebhookRefusal, string>> = {
  missing_header: 'Copy both headers unchanged: Service-Timestamp and Service-Signature.',
  bad_timestamp: 'Service-Timestamp must be a whole number of milliseconds.',
  stale_timestamp: 'The timestamp differs much from the current time: an old delivery, or a wrong clock.',
  bad_signature:
    'Body, timestamp and secret do not match. Usually the body was parsed and serialised again (which changes spaces and key order), or the secret ends with a line break.',
  bad_body: 'The signature is valid, but the body is not JSON.',
};

/** Checks the signature of a pasted delivery, and says which part differs. Nothing is sent to a server. */
export function SignatureCheck() {
  const [body, setBody] = useInputState('');
  const [timestamp, setTimestamp] = useInputState('');
  const [signature, setSignature] = useInputState('');
  const [secret, setSecret] = useInputState('');
  const check = useAction(() => judge({ body, timestamp: timestamp.trim(), signature: signature.trim(), secret }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Card>
        <Stack>
          <Title order={2}>Check a signature</Title>
          <Textarea label="Body, byte for byte" minRows={5} maxRows={14} value={body} onChange={setBody} />
          <TextInput label="Service-Timestamp" value={timestamp} onChange={setTimestamp} />
          <TextInput label="Service-Signature" value={signature} onChange={setSignature} />
          <PasswordInput
            label="Secret"
            description="It is not sent anywhere."
            autoComplete="off"
            value={secret}
            onChange={setSecret}
          />
          <ActButton act={check} disabled={secret === '' || body === ''}>
            Check
          </ActButton>
          {check.data && (
            <Alert role="status" color={check.data.genuine ? 'verdigris' : 'red'} title={check.data.title}>
              {check.data.advice}
            </Alert>
          )}
        </Stack>
      </Card>
      <Stack>
        <Title order={2}>How to verify it</Title>
        <List type="ordered" spacing="sm">
          <List.Item>Take the raw bytes of the body, before parsing.</List.Item>
          <List.Item>Prefix them with Service-Timestamp and a dot.</List.Item>
          <List.Item>Compute the HMAC-SHA256 with your secret, in hexadecimal.</List.Item>
          <List.Item>Compare with Service-Signature in constant time, and refuse old timestamps.</List.Item>
        </List>
        <pre className="fh-code">{`import { verifyWebhook } from '@figurehead/sdk';

const event = await verifyWebhook(
  rawBody, request.headers, process.env.SECRET,
);`}</pre>
        <Text size="sm" c="dimmed">
          The same in shell: <code>{'printf %s "$TIMESTAMP.$BODY" | openssl dgst -sha256 -hmac "$SECRET"'}</code>
        </Text>
      </Stack>
    </SimpleGrid>
  );
}

/** What was pasted. */
type Given = Readonly<Record<'body' | 'timestamp' | 'signature' | 'secret', string>>;

/** Rejects unless the signature is valid, at whatever time it was made. */
function verify({ body, timestamp, signature, secret }: Given) {
  const headers = { 'service-timestamp': timestamp, 'service-signature': signature };
  return verifyWebhook(body, headers, secret, { toleranceMs: Number.POSITIVE_INFINITY });
}

async function judge(given: Given) {
  try {
    await verify(given);
    return { genuine: true, title: 'Genuine', advice: 'This body was signed with this secret at this time.' };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const cause = error.reason === 'bad_signature' ? await whatDiffers(given) : undefined;
    return { genuine: false, title: error.message, advice: cause ?? ADVICE[error.reason] };
  }
}

/** Tries common mistakes one by one: the first one that makes the signature valid is the difference. */
async function whatDiffers(given: Given): Promise<string | undefined> {
  const tries: [string, Partial<Given>][] = [
    ['The signature must be in lower case.', { signature: given.signature.toLowerCase() }],
    ['The secret has extra spaces or a line break around it.', { secret: given.secret.trim() || ' ' }],
    ['The body has extra spaces or a line break around it.', { body: given.body.trim() }],
    ['The body was reformatted: it was sent without spaces and line breaks.', { body: compacted(given.body) }],
  ];
  for (const [meaning, change] of tries) {
    const fits = await verify({ ...given, ...change }).then(
      () => true,
      () => false,
    );
    if (fits) return meaning;
  }
  return undefined;
}

function compacted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    // Not JSON, so it was not reformatted.
    return body;
  }
}
