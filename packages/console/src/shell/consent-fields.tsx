import { Button, Checkbox, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../api/client.js';

/** Statements to begin with: of the user, and of another person. */
export interface ConsentStatements {
  readonly me: string;
  readonly other: string;
}

/** State of {@link ConsentFields}. `given` is the statement once it is confirmed. */
export function useConsent({ me }: ConsentStatements) {
  const [statement, setStatement] = useState(me);
  const [agreed, setAgreed] = useState(false);
  const given = agreed && statement.trim() !== '' ? statement.trim() : undefined;
  return { statement, setStatement, agreed, setAgreed, given };
}

/** The consent of a person who is imitated: a statement that the user confirms. @param props.what keeps it, such as `presenter`. */
export function ConsentFields(props: {
  readonly what: string;
  readonly statements: ConsentStatements;
  readonly consent: ReturnType<typeof useConsent>;
}) {
  const { what, statements, consent } = props;
  const user = useSession().data?.user;
  return (
    <>
      <Textarea
        label="Consent"
        description={`Stored with the ${what}, with your name and the time.`}
        minRows={3}
        maxLength={2000}
        value={consent.statement}
        onChange={(event) => consent.setStatement(event.currentTarget.value)}
      />
      <Group gap={6} mt={-8}>
        <Button size="compact-xs" variant="default" onClick={() => consent.setStatement(statements.me)}>
          This is me
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => consent.setStatement(statements.other)}>
          Another person
        </Button>
      </Group>
      <Checkbox
        label="I confirm that this statement is true."
        description={user ? `Recorded for ${user.name || user.email}` : ''}
        checked={consent.agreed}
        onChange={(event) => consent.setAgreed(event.currentTarget.checked)}
      />
    </>
  );
}
