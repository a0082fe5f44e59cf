import { Badge, Button, Card, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation } from 'wouter';
import { useAll, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { count, formatWhen } from '../../lib/format.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { IconPlus, IconTextPlus } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';

/** List of outlines, which turn a topic or a text into chapters, scripts and a video. */
export default function Outlines() {
  const [opened, { open, close }] = useDisclosure(false);
  const outlines = useAll(['outlines'], (api, call) => api.listOutlines({ query: { limit: 100 } }, call));
  const button = (
    <Button leftSection={<IconPlus size={18} />} onClick={open}>
      New outline
    </Button>
  );
  return (
    <Page
      title="Outlines"
      about="Turn a text into chapters, the chapters into a script, and the script into a video."
      actions={button}
    >
      <Loaded query={outlines}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={<IconTextPlus />} title="No outlines yet" action={button}>
              Paste an article, a manual or meeting notes, and get its chapters.
            </Empty>
          ) : (
            <div className="fh-tiles">
              {list.map((outline) => (
                <Card key={outline._id} pos="relative">
                  <Text component="h2" fw={600} lineClamp={2}>
                    <Link className="fh-cover-link" href={`/outlines/${outline._id}`}>
                      {outline.title}
                    </Link>
                  </Text>
                  <Text size="sm" c="dimmed" mb="sm">
                    {outline.chapters.length === 0 ? 'No chapters yet' : count(outline.chapters.length, 'chapter')} ·{' '}
                    {formatWhen(outline.updatedAt)}
                  </Text>
                  <Badge color={outline.status === 'script' ? 'verdigris' : 'gray'}>
                    {{ draft: 'Draft', chapters: 'Chapters', script: 'Script written' }[outline.status]}
                  </Badge>
                </Card>
              ))}
            </div>
          )
        }
      </Loaded>
      <Modal opened={opened} onClose={close} title="New outline" size="lg">
        <NewOutline />
      </Modal>
    </Page>
  );
}

function NewOutline() {
  const api = useApi();
  const [, go] = useLocation();
  const form = useServerForm(
    { title: '', prompt: '', source: '' },
    ({ title, prompt, source }) =>
      api.createOutline({ body: { title: title.trim(), ...(prompt && { prompt }), ...(source && { source }) } }),
    { keep: 'new-outline', changes: [['outlines']], onDone: (outline) => go(`/outlines/${outline._id}`) },
  );
  const field = form.getInputProps;
  return (
    <Stack component="form" onSubmit={form.send}>
      <TextInput label="Topic" required maxLength={500} data-autofocus {...field('title')} />
      <Textarea
        label="Audience and style"
        description="Who listens, and what they should remember."
        minRows={2}
        {...field('prompt')}
      />
      <Textarea
        label="Text to work from"
        description="Headings in it become chapters. Without a language model, the script uses its own sentences."
        minRows={6}
        maxRows={16}
        {...field('source')}
      />
      <SubmitButton form={form} disabled={form.values.title.trim() === ''}>
        Create outline
      </SubmitButton>
    </Stack>
  );
}
