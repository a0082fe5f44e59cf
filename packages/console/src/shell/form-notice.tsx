import { Alert, Button, Text } from '@mantine/core';
import type { KeptForm } from '../api/kept-form.js';
import { formatWhen } from '../lib/format.js';
import { IconAlertTriangle, IconHistory } from './icons.js';

/** Says when values of a form were left behind, or were changed elsewhere, and offers the server's ones; nothing otherwise. */
export function FormNotice({ form }: { readonly form: NoticedForm }) {
  const { theirs, restored, discard } = form;
  const names = Object.keys(theirs);
  if (names.length > 0) {
    return (
      <Alert w="100%" color="orange" role="alert" icon={<IconAlertTriangle />} title="This was changed elsewhere">
        <Text size="sm">Another tab or user has saved this meanwhile. If you save now, yours replaces it.</Text>
        {Object.entries(theirs).map(([name, value]) => (
          <Text key={name} size="sm" mt={4} lineClamp={4}>
            <b>{inWords(name)}</b>
            {typeof value === 'string' || typeof value === 'number' ? `: ${value || 'nothing'}` : ''}
          </Text>
        ))}
        <Button mt="xs" size="xs" variant="default" onClick={() => discard('theirs')}>
          Take theirs
        </Button>
      </Alert>
    );
  }
  if (restored === undefined) return null;
  return (
    <Alert w="100%" color="orange" role="status" icon={<IconHistory />} title="You have unsaved changes">
      <Text size="sm">What you entered here {formatWhen(restored)} was not saved. This browser kept it.</Text>
      <Button mt="xs" size="xs" variant="default" onClick={() => discard()}>
        Discard it
      </Button>
    </Alert>
  );
}

/** What the notice needs of a form. */
export type NoticedForm = Pick<KeptForm<Record<string, unknown>>, 'theirs' | 'restored' | 'discard'>;

/** `maxTurns` as `Max turns`. */
function inWords(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
