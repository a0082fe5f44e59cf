import { Anchor, Box, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { IconArrowLeft } from './icons.js';

/** Letters of a title that no longer fits large. */
const LONG_TITLE = 60;

/** A screen: title, one sentence about it, actions, and content. */
export function Page(props: {
  readonly title: string;
  /** The list that it belongs to. */
  readonly from?: { readonly href: string; readonly list: string };
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** Maximum width of its content in px. */
  readonly width?: number;
}) {
  useDocumentTitle(`${props.title} · Figurehead`);
  return (
    <Box maw={props.width ?? 1180} mx="auto" w="100%">
      {props.from && (
        <Anchor component={Link} href={props.from.href} size="sm" display="inline-flex" mb={6}>
          <IconArrowLeft size={18} aria-hidden="true" />
          &nbsp;{props.from.list}
        </Anchor>
      )}
      <Group justify="space-between" align="flex-start" mb="lg" gap="md">
        <Box style={{ flex: '1 1 260px', minWidth: 0 }}>
          <Title order={1} lineClamp={3} {...(props.title.length > LONG_TITLE && { size: 'h2', title: props.title })}>
            {props.title}
          </Title>
          {props.about && (
            <Text c="dimmed" mt={4} maw={640}>
              {props.about}
            </Text>
          )}
        </Box>
        {props.actions && <Group gap="xs">{props.actions}</Group>}
      </Group>
      {props.children}
    </Box>
  );
}
