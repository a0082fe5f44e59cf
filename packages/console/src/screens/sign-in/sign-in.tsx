import { AuthenticationError } from '@figurehead/sdk';
import { Alert, Box, Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDocumentTitle, useInputState } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { describeError, useAction, useApi } from '../../api/client.js';
import { submits } from '../../lib/submit.js';
import { Logo } from '../../shell/logo.js';
import { SchemeToggle } from '../../shell/shell.js';

/** Sign-in with e-mail and password. */
export function SignIn() {
  useDocumentTitle('Sign in · Figurehead');
  const api = useApi();
  const queries = useQueryClient();
  const [email, setEmail] = useInputState('');
  const [password, setPassword] = useInputState('');
  const signIn = useAction(() => api.signIn({ body: { email: email.trim(), password } }), {
    quiet: true,
    onDone: (session) => queries.setQueryData(['session'], session),
  });
  const refused = signIn.error instanceof AuthenticationError;
  return (
    <Center mih="100vh" p="md" component="main">
      <Box w="100%" maw={400}>
        <Group justify="space-between" mb="xl">
          <Logo size={34} />
          <SchemeToggle />
        </Group>
        <Card padding="xl" component="form" onSubmit={submits(() => signIn.mutate())}>
          <Stack>
            <div>
              <Title order={1} fz="1.6rem">
                Sign in
              </Title>
              <Text c="dimmed" mt={4}>
                Sign in to create videos and live streams.
              </Text>
            </div>
            {signIn.error && (
              <Alert color="red" role="alert">
                {refused ? 'Wrong e-mail or password.' : describeError(signIn.error)}
              </Alert>
            )}
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              required
              autoFocus
              value={email}
              onChange={setEmail}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              value={password}
              onChange={setPassword}
            />
            <Button type="submit" size="md" mt="xs" loading={signIn.isPending}>
              Sign in
            </Button>
          </Stack>
        </Card>
        <Text size="sm" c="dimmed" mt="md">
          First time here? The server printed the owner’s e-mail and password when it was started for the first time.
        </Text>
      </Box>
    </Center>
  );
}
