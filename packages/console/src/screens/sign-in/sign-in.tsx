import { AuthenticationError } from '@figurehead/sdk';
import { Alert, Box, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { describeError, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { Logo } from '../../shell/logo.js';
import { SchemeToggle } from '../../shell/shell.js';

/** Sign-in with e-mail and password. */
export function SignIn() {
  useDocumentTitle('Sign in · Figurehead');
  const api = useApi();
  const queries = useQueryClient();
  const form = useServerForm(
    { email: '', password: '' },
    ({ email, password }) => api.signIn({ body: { email: email.trim(), password } }),
    { quiet: true, onDone: (session) => queries.setQueryData(['session'], session) },
  );
  return (
    <Center mih="100vh" p="md" component="main">
      <Box w="100%" maw={400}>
        <Group justify="space-between" mb="xl">
          <Logo size={34} />
          <SchemeToggle />
        </Group>
        <Card padding="xl" component="form" onSubmit={form.send}>
          <Stack>
            <div>
              <Title order={1} fz="1.6rem">
                Sign in
              </Title>
              <Text c="dimmed" mt={4}>
                Sign in to create videos and live streams.
              </Text>
            </div>
            {form.failure && (
              <Alert color="red" role="alert">
                {form.failure instanceof AuthenticationError
                  ? 'Wrong e-mail or password.'
                  : describeError(form.failure)}
              </Alert>
            )}
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              required
              autoFocus
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              {...form.getInputProps('password')}
            />
            <SubmitButton form={form} size="md" mt="xs">
              Sign in
            </SubmitButton>
          </Stack>
        </Card>
        <Text size="sm" c="dimmed" mt="md">
          First time here? The server printed the owner’s e-mail and password when it was started for the first time.
        </Text>
      </Box>
    </Center>
  );
}
