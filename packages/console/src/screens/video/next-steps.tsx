import { Card, SimpleGrid, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { IconBroadcast, IconPencil, IconPlugConnected } from '../../shell/icons.js';

/** After the first video: what to do next. */
export function NextSteps({ videoId }: { readonly videoId: string }) {
  const steps = [
    {
      href: `/videos/${videoId}/edit`,
      icon: IconPencil,
      name: 'Make it yours',
      about: 'Add slides, texts, pictures and clips, and see each frame as it will be rendered.',
    },
    {
      href: '/live',
      icon: IconBroadcast,
      name: 'Talk live',
      about: 'The same presenter speaks your text a moment after you typed it.',
    },
    {
      href: '/api',
      icon: IconPlugConnected,
      name: 'Call it from code',
      about: 'Create a token, and do the same from your own program.',
    },
  ];
  return (
    <section aria-labelledby="next">
      <Title order={2} id="next" mt="xl" mb="sm">
        Your first video is done. What next?
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {steps.map(({ href, icon: Icon, name, about }) => (
          <Card key={href} pos="relative" padding="md" className="fh-tile">
            <Icon size={26} stroke={1.5} color="var(--fh-accent-text)" aria-hidden="true" />
            <Text component="h3" fw={600} mt="xs">
              <Link className="fh-cover-link" href={href}>
                {name}
              </Link>
            </Text>
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </section>
  );
}
