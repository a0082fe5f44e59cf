import type { Session } from '@figurehead/sdk';
import {
  ActionIcon,
  AppShell,
  Avatar,
  Box,
  Burger,
  Group,
  Menu,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useAction, useApi } from '../api/client.js';
import { RenderNotices } from '../api/render-notices.js';
import {
  IconBroadcast,
  IconCheck,
  IconFileTypePpt,
  IconGauge,
  IconLogout,
  IconMessages,
  IconMicrophone,
  IconMoon,
  IconMovie,
  IconPhoto,
  IconPlugConnected,
  IconSelector,
  IconSettings,
  IconShieldCheck,
  IconSun,
  IconTable,
  IconTextPlus,
  IconUserSquareRounded,
} from './icons.js';
import { Logo } from './logo.js';

interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Pages at another path that belong to it. */
  readonly also?: string;
}

const PLACES: readonly { readonly title: string; readonly places: readonly Place[] }[] = [
  {
    title: 'Create',
    places: [
      { path: '/videos', name: 'Videos', icon: IconMovie },
      { path: '/templates', name: 'Templates', icon: IconTable, also: '/batches' },
      { path: '/import', name: 'Presentations', icon: IconFileTypePpt },
      { path: '/outlines', name: 'Outlines', icon: IconTextPlus },
      { path: '/live', name: 'Live', icon: IconBroadcast },
      { path: '/agents', name: 'Agents', icon: IconMessages },
    ],
  },
  {
    title: 'Assets',
    places: [
      { path: '/presenters', name: 'Presenters', icon: IconUserSquareRounded },
      { path: '/voices', name: 'Voices', icon: IconMicrophone },
      { path: '/library', name: 'Library', icon: IconPhoto },
    ],
  },
  {
    title: 'Workspace',
    places: [
      { path: '/api', name: 'API and webhook', icon: IconPlugConnected },
      { path: '/usage', name: 'Usage', icon: IconGauge },
      { path: '/settings', name: 'Settings', icon: IconSettings },
      { path: '/admin', name: 'Review and mail', icon: IconShieldCheck },
    ],
  },
];

/** The frame around every screen: navigation, workspace, user. */
export function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const burger = useRef<HTMLButtonElement>(null);
  const [path] = useLocation();
  // The editor needs the space; names appear on hover.
  const slim = /\/edit$/.test(path);
  // Going somewhere closes the drawer of small screens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what it reacts to
  useEffect(() => close(), [path]);
  const leave = ({ target }: KeyboardEvent) => {
    // Escape in the menu of the account closes that menu.
    if (!opened || (target instanceof Element && target.closest('[role=menu]'))) return;
    close();
    burger.current?.focus();
  };
  useHotkeys([['Escape', leave, { preventDefault: false }]], []);
  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: { base: 252, sm: slim ? 68 : 252 }, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="fh-skip" href="#main">
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" px="md">
        <Group h="100%" justify="space-between">
          <Logo size={26} />
          <Burger
            ref={burger}
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={opened ? 'Close menu' : 'Open menu'}
          />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Main" data-slim={slim} data-closed={!opened}>
        <Box visibleFrom="sm" px={slim ? 6 : 10} pt={8} pb="xs">
          <Logo bare={slim} />
        </Box>
        <ScrollArea style={{ flex: 1 }} type="auto" viewportProps={{ tabIndex: -1 }}>
          {PLACES.map(({ title, places }) => (
            <Box key={title}>
              <Text className="fh-nav-title">{title}</Text>
              {places
                .filter(({ path: place }) => place !== '/admin' || mayReview(session))
                .map((place) => (
                  <Link
                    key={place.path}
                    title={slim ? nameOf(place, session) : undefined}
                    href={place.path}
                    className="fh-nav"
                    onClick={close}
                    aria-current={isAt(path, place.path) || (place.also && isAt(path, place.also)) ? 'page' : undefined}
                  >
                    <place.icon size={19} stroke={1.7} />
                    <span>{nameOf(place, session)}</span>
                  </Link>
                ))}
            </Box>
          ))}
        </ScrollArea>
        <Person session={session} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        {children}
        <RenderNotices />
      </AppShell.Main>
    </AppShell>
  );
}

/** Whether a path is that of a place, or below it. */
function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function nameOf(place: Place, session: Session): string {
  if (place.path !== '/admin') return place.name;
  return session.user.operator ? 'Administration' : session.role === 'owner' ? place.name : 'Review';
}

function mayReview({ user, role }: Session): boolean {
  return user.operator || role !== 'member';
}

function Person({ session }: { readonly session: Session }) {
  const api = useApi();
  const queries = useQueryClient();
  const signOut = useAction(() => api.signOut(), {
    onDone: () => {
      queries.clear();
      queries.setQueryData(['session'], null);
    },
  });
  const go = useAction((workspaceId: string) => api.updateSession({ body: { workspaceId } }), {
    onDone: (changed) => {
      queries.clear();
      queries.setQueryData(['session'], changed);
    },
  });
  const { name, email } = session.user;
  return (
    <div className="fh-person">
      <Menu width={240} position="top-start">
        <Menu.Target>
          <UnstyledButton
            className="fh-nav"
            style={{ flex: 1, minWidth: 0 }}
            aria-label={`${name}, ${session.workspace.name}`}
          >
            <Avatar size={30} radius="xl" color="verdigris" name={name || email} alt="" />
            <Box className="fh-person-name">
              <Text size="sm" fw={600} truncate>
                {session.workspace.name}
              </Text>
              <Text size="xs" c="dimmed" truncate title={email}>
                {email}
              </Text>
            </Box>
            <IconSelector size={16} className="fh-person-more" />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          <Menu.Label>{email}</Menu.Label>
          {session.workspaces.length > 1 && <Menu.Label>Go to workspace</Menu.Label>}
          {session.workspaces.length > 1 &&
            session.workspaces.map((workspace) => (
              <Menu.Item
                key={workspace._id}
                rightSection={workspace._id === session.workspace._id ? <IconCheck size={15} /> : null}
                onClick={() => go.mutate(workspace._id)}
              >
                {workspace.name}
              </Menu.Item>
            ))}
          {session.workspaces.length > 1 && <Menu.Divider />}
          <Menu.Item component={Link} href="/settings" leftSection={<IconSettings size={16} />}>
            Settings
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SchemeToggle />
    </div>
  );
}

/** Light or dark, stored in this browser. */
export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const next = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Tooltip label={`Use the ${next} colours`}>
      <ActionIcon size="lg" aria-label={`Use the ${next} colours`} onClick={() => setColorScheme(next)}>
        {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
