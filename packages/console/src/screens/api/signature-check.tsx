import { verifyWebhook, type WebhookRefusal, WebhookVerificationError } from '@figurehead/sdk';
import {
  Alert,
  Button,
  Card,
  List,
  PasswordInput,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../api/client.js';

const ADVICE: Readonly<Record<WebhookRefusal, string>> = {
  missing_header: 'Copy both headers as they came: Service-Timestamp and Service-Signature.',
  bad_timestamp: 'Service-Timestamp is a whole number of milliseconds, nothing else.',
  stale_timestamp: 'The timestamp is far from the clock: an old delivery, or a clock that is wrong.',
  bad_signature:
    'Body, timestamp and secret do not belong together. Most often the body was parsed and written again (spaces and key order change every byte), or the secret has a line break at its end.',
  bad_body: 'The signature is right, but the body is not JSON.',
};

/** Paste a delivery, learn whether its signature holds, and if not, which part differs. Nothing leaves the browser. */
export function SignatureCheck() {
  const [body, setBody] = useState('');
  const [timestamp, setTimestamp] = useState('');
  const [signature, setSignature] = useState('');
  const [secret, setSecret] = useState('');
  const check = useAction(() => judge({ body, timestamp: timestamp.trim(), signature: signature.trim(), secret }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Card>
        <Stack>
          <Title order={2}>Check a signature</Title>
          <Textarea
            label="Body, byte for byte"
            autosize
            minRows={5}
            maxRows={14}
            value={body}
            onChange={(event) => setBody(event.currentTarget.value)}
          />
          <TextInput
            label="Service-Timestamp"
            value={timestamp}
            onChange={(event) => setTimestamp(event.currentTarget.value)}
          />
          <TextInput
            label="Service-Signature"
            value={signature}
            onChange={(event) => setSignature(event.currentTarget.value)}
          />
          <PasswordInput
            label="Secret"
            description="It stays in this browser."
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
          <Button disabled={secret === '' || body === ''} loading={check.isPending} onClick={() => check.mutate()}>
            Check
          </Button>
          {check.data && (
            <Alert role="status" color={check.data.genuine ? 'verdigris' : 'red'} title={check.data.title}>
              {check.data.advice}
            </Alert>
          )}
        </Stack>
      </Card>
      <Stack>
        <Title order={2}>How it is made</Title>
        <List type="ordered" spacing="sm">
          <List.Item>Take the bytes of the body as they came, before anything parses them.</List.Item>
          <List.Item>Put Service-Timestamp and a dot before them.</List.Item>
          <List.Item>HMAC-SHA256 with your secret, written in hexadecimal letters.</List.Item>
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

interface Judgement {
  readonly genuine: boolean;
  readonly title: string;
  readonly advice: string;
}

async function judge(given: {
  body: string;
  timestamp: string;
  signature: string;
  secret: string;
}): Promise<Judgement> {
  const headers = { 'service-timestamp': given.timestamp, 'service-signature': given.signature };
  const options = { toleranceMs: Number.POSITIVE_INFINITY };
  try {
    await verifyWebhook(given.body, headers, given.secret, options);
    return { genuine: true, title: 'Genuine', advice: 'This body was signed with this secret at this time.' };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const cause = error.reason === 'bad_signature' ? await whatDiffers(given) : undefined;
    return { genuine: false, title: error.message, advice: cause ?? ADVICE[error.reason] };
  }
}

/** Tries the usual mistakes one by one: the first that makes the signature right names what differs. */
async function whatDiffers(given: {
  body: string;
  timestamp: string;
  signature: string;
  secret: string;
}): Promise<string | undefined> {
  const compact = compacted(given.body);
  const tries: [string, { body?: string; secret?: string; signature?: string }][] = [
    [
      'The signature is right but for its letters: it is written in lower case.',
      { signature: given.signature.toLowerCase() },
    ],
    ['The secret has blanks or a line break around it.', { secret: given.secret.trim() }],
    ['The body has a line break or blanks around it that were not sent.', { body: given.body.trim() }],
    ['The body was reformatted: it was sent without spaces and line breaks.', { body: compact }],
  ];
  for (const [meaning, change] of tries) {
    const next = { ...given, ...change };
    const headers = { 'service-timestamp': next.timestamp, 'service-signature': next.signature };
    const fits = await verifyWebhook(next.body, headers, next.secret || ' ', {
      toleranceMs: Number.POSITIVE_INFINITY,
    }).then(
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
    // Not JSON at all: then it cannot have been reformatted.
    return body;
  }
}
