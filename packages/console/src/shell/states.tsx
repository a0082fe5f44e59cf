import { FigureheadError, NotFoundError } from '@figurehead/sdk';
import {
  Alert,
  type AlertProps,
  Box,
  Button,
  Center,
  Code,
  Fieldset,
  Loader,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { describeError, useSession } from '../api/client.js';
import { IconAlertTriangle, IconCompass, IconPlugConnectedX } from './icons.js';

/** Empty state: why a list is empty, and the action that fills it. */
export function Empty(props: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** The only content of the page, so its title is the page's heading. */
  readonly whole?: boolean;
}) {
  return (
    <Stack align="center" gap="sm" py={56} px="md" ta="center">
      <ThemeIcon size={56} radius="xl" variant="light">
        {props.icon}
      </ThemeIcon>
      <Title order={props.whole ? 1 : 2} size="h2">
        {props.title}
      </Title>
      <Text c="dimmed" maw={440}>
        {props.children}
      </Text>
      {props.action && <Box mt="xs">{props.action}</Box>}
    </Stack>
  );
}

/** An error with its reason and a retry. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const requestId = error instanceof FigureheadError ? error.requestId : undefined;
  return (
    <Alert role="alert" color="red" icon={<IconAlertTriangle />} title="This could not be loaded">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{describeError(error)}</Text>
        {requestId && (
          <Text size="xs">
            Request <Code>{requestId}</Code>
          </Text>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Why an action failed, where it was started; nothing without an `error`. */
export function Problem({ error, ...look }: AlertProps & { readonly error: unknown }) {
  if (error === undefined || error === null) return null;
  return (
    <Alert color="red" role="alert" {...look}>
      {describeError(error)}
    </Alert>
  );
}

/** A query's data once it has loaded; until then a skeleton, or the error. */
export function Loaded<T>(props: {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  readonly height?: number;
}) {
  const { query, children, height = 220 } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    // A route that this installation does not serve is not the user's fault.
    if (query.error instanceof NotFoundError)
      return query.error.code === 'unknownPath' ? <Unavailable /> : <NotFound>{query.error.message}</NotFound>;
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton height={height} radius="lg" />
      <Skeleton height={Math.round(height / 3)} radius="lg" />
    </Stack>
  );
}

function Unavailable() {
  return (
    <Empty icon={<IconPlugConnectedX />} title="Not on this server">
      This part is not served by the Figurehead version that runs here. Everything else works as usual.
    </Empty>
  );
}

/** Page for an unknown address, or for an item that is not there. */
export function NotFound(props: { readonly children?: ReactNode }) {
  return (
    <Empty
      whole
      icon={<IconCompass />}
      title="Not found"
      action={
        <Button component={Link} href="/videos">
          To your videos
        </Button>
      }
    >
      {props.children ?? 'There is no page at this address.'} It may have been deleted, or the link is incomplete.
    </Empty>
  );
}

/** Settings that only an owner of the workspace can change: others see them disabled, and why. */
export function OwnersOnly({ children }: { readonly children: ReactNode }) {
  if (useSession().data?.role === 'owner') return children;
  return (
    <Fieldset variant="unstyled" disabled>
      <Alert color="gray" mb="md">
        Only an owner of this workspace can change this.
      </Alert>
      {children}
    </Fieldset>
  );
}

/** A loading indicator; `whole` fills the height of a page. */
export function Waiting({ whole = false }: { readonly whole?: boolean }) {
  return (
    <Center mih={whole ? '60vh' : 180}>
      <Loader role="status" aria-label="Loading" />
    </Center>
  );
}
