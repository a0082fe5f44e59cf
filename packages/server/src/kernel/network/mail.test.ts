import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';

let plain: TestKernel;
let smtp: TestKernel;
let server: Server;
const received: string[] = [];

beforeAll(async () => {
  server = createServer(speakSmtp);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  plain = await openTestKernel();
  smtp = await openTestKernel({
    FIGUREHEAD_SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?ignoreTLS=true`,
    FIGUREHEAD_MAIL_FROM: 'Figurehead <fh@example.org>',
  });
});
afterAll(async () => {
  await plain.close();
  await smtp.close();
  await new Promise((resolve) => server.close(resolve));
});

async function outbox(house: TestKernel): Promise<unknown[]> {
  const { rows } = await sql`select recipient, subject, status from mail_outbox order by id`.execute(house.kernel.db);
  return rows;
}

describe('mail', () => {
  test('without an SMTP server stays in the outbox', async () => {
    await plain.kernel.mailer.send({ to: 'a@example.org', subject: 'Hello', text: 'There' });
    expect(await outbox(plain)).toEqual([{ recipient: 'a@example.org', subject: 'Hello', status: 'kept' }]);
  });

  test('is sent to exactly one bare address, and a second header cannot be injected', async () => {
    await smtp.kernel.mailer.send({ to: 'a@example.org', subject: 'Hi\r\nBcc: evil@example.org', text: 'There' });
    const wrong = [
      'a@example.org, b@example.org',
      'A <a@example.org>',
      'a@example.org\r\nBcc: b@example.org',
      'nobody',
      '',
    ];
    for (const to of wrong) await smtp.kernel.mailer.send({ to, subject: 'x', text: 'y' });
    expect((await outbox(smtp)).map((row) => (row as { status: string }).status)).toEqual([
      'sent',
      ...wrong.map(() => 'failed'),
    ]);
    const wire = received.join('');
    expect(wire.match(/^RCPT TO:.*$/gm)).toEqual(['RCPT TO:<a@example.org>']);
    expect(wire).toMatch(/^Subject: Hi Bcc: evil@example.org\r$/m);
    expect(wire).not.toMatch(/^Bcc:/m);
  });

  test('that cannot be sent is recorded without an error', async () => {
    const dead = await openTestKernel({ FIGUREHEAD_SMTP_URL: 'smtp://127.0.0.1:1' });
    await dead.kernel.mailer.send({ to: 'a@example.org', subject: 'Hello', text: 'There' });
    expect(await outbox(dead)).toEqual([{ recipient: 'a@example.org', subject: 'Hello', status: 'failed' }]);
    await dead.close();
  });
});

/** The part of an SMTP server that one e-mail needs. */
function speakSmtp(socket: Socket): void {
  let inData = false;
  socket.setEncoding('utf8');
  socket.write('220 test\r\n');
  socket.on('data', (chunk: string) => {
    received.push(chunk);
    if (inData) {
      if (!chunk.endsWith('\r\n.\r\n')) return;
      inData = false;
      socket.write('250 kept\r\n');
    } else if (chunk.startsWith('DATA')) {
      inData = true;
      socket.write('354 go on\r\n');
    } else if (chunk.startsWith('QUIT')) {
      socket.end('221 bye\r\n');
    } else {
      socket.write('250 fine\r\n');
    }
  });
  socket.on('error', () => socket.destroy());
}
