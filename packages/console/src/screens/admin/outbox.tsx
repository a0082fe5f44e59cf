import { Card, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useRead } from '../../api/client.js';
import { formatWhen } from '../../lib/format.js';
import { IconMail } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Empty, Loaded } from '../../shell/states.js';

const LIMIT = 25;

/** E-mails that were not sent. */
export function Outbox() {
  const [page, setPage] = useState(1);
  const mails = useRead(['mails', page], (api, call) => api.listMails({ query: { page, limit: LIMIT } }, call), {
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={mails}>
      {(list) =>
        list.total === 0 ? (
          <Empty icon={<IconMail />} title="The outbox is empty">
            Without a mail server (FIGUREHEAD_SMTP_URL), e-mails are stored here instead of being sent.
          </Empty>
        ) : (
          <>
            <Stack maw={880}>
              {list.mails.map((mail) => (
                <Card key={mail._id} padding="md">
                  <Group justify="space-between" mb={4}>
                    <Text fw={600}>{mail.subject}</Text>
                    <Text size="sm" c="dimmed">
                      {formatWhen(mail.createdAt)}
                    </Text>
                  </Group>
                  <Text size="sm" c="dimmed" mb="xs">
                    To {mail.to}
                  </Text>
                  <pre className="fh-code">{mail.text}</pre>
                  {mail.error && (
                    <Text size="sm" c="var(--mantine-color-error)" mt="xs">
                      {mail.error}
                    </Text>
                  )}
                </Card>
              ))}
            </Stack>
            <ListPages total={list.total} limit={LIMIT} page={page} onChange={setPage} />
          </>
        )
      }
    </Loaded>
  );
}
