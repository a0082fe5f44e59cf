import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../../../../tests/support/postgres.js';
import { findSystemPostgres, startSystemPostgres } from '../../../../tests/support/system-postgres.js';
import { loadConfig } from '../kernel/config/config.js';
import { openDatabase } from '../kernel/database/database.js';
import { migrate, migrationNames } from '../kernel/database/migrations.js';
import { waitForDatabase } from '../kernel/database/wait.js';
import { QUEUES } from '../kernel/jobs/definitions.js';
import { installQueue } from '../kernel/jobs/tables.js';
import { copyBeforeUpgrade } from './before-upgrade.js';
import { restoreBackup } from './restore.js';

const PROGRAM = fileURLToPath(new URL('../../bin/figurehead.js', import.meta.url));
const postgres = findSystemPostgres();

describe.runIf(postgres !== undefined)('a database', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof startSystemPostgres>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-move-'));
    await chmod(folder, 0o755);
    server = await startSystemPostgres(postgres!);
    await waitForDatabase(server.url, () => undefined);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function figurehead(args: string[], env: Record<string, string> = {}) {
    const whole = { PATH: process.env['PATH'] ?? '', FIGUREHEAD_DATA: join(folder, 'data'), ...env };
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args, '--json'], { cwd: folder, env: whole }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  }
  const names = async (env: Record<string, string> = {}) => {
    const { stdout } = await figurehead(['workspace', 'list'], env);
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort();
  };
  const create = (name: string, env: Record<string, string> = {}) =>
    figurehead(['workspace', 'create', '--name', name, '--plan', 'Team'], env);

  test('moves from the embedded database to a server and back, with all contents, but never over existing data', async () => {
    expect((await create('Made embedded')).code).toBe(0);
    const there = await figurehead(['database', 'move', '--to', server.url]);
    expect([there.code, there.stderr]).toEqual([0, '']);
    expect(JSON.parse(there.stdout)).toMatchObject({ rows: expect.any(Number), objects: 0 });
    const onServer = { DATABASE_URL: server.url };
    expect(await names(onServer)).toEqual(['Made embedded']);
    expect((await create('Made on the server', onServer)).code).toBe(0);

    const back = ['database', 'move', '--to', 'embedded'];
    expect(await figurehead(back, onServer)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty'),
    });
    const replaced = await figurehead([...back, '--replace'], onServer);
    expect([replaced.code, replaced.stderr]).toEqual([0, '']);
    expect(JSON.parse(replaced.stdout).replaced).toMatch(/copies\/replaced-\w+\.tar$/);
    expect(await names()).toEqual(['Made embedded', 'Made on the server']);
    expect(await names(onServer)).toEqual(['Made embedded', 'Made on the server']);
    expect(await readdir(join(folder, 'data', 'copies'))).toEqual([expect.stringMatching(/^replaced-/)]);
    expect(await figurehead(back)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is already the embedded one'),
    });
    expect((await figurehead(['database', 'move', '--to', 'mysql://x'])).code).toBe(1);
  });

  test('is not moved while it is in use', async () => {
    const client = new pg.Client({ connectionString: server.url, application_name: 'figurehead worker' });
    await client.connect();
    const refused = await figurehead(['database', 'move', '--to', 'embedded', '--replace'], {
      DATABASE_URL: server.url,
    });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('in use (worker); stop Figurehead') });
    await client.end();
  });
});

describe('an embedded database of an older program', () => {
  test('is copied before it is changed, and the newest copies are kept', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-upgrade-'));
    const older = await createEmptyDatabase();
    const restored = await createEmptyDatabase();
    const notices: string[] = [];
    const notice = (line: string) => notices.push(line);
    const config = loadConfig({ env: { FIGUREHEAD_DATA: dataDir, FIGUREHEAD_MIGRATION_COPIES: '2' }, cwd: dataDir });
    const connection = openDatabase({ url: older.url, onError: () => undefined });
    const all = await migrationNames();
    await migrate(connection.db, { only: all.slice(0, 3) });
    await installQueue(connection, QUEUES);
    await sql`insert into workspaces (id, name, plan, status) values ('w', 'Old one', 'Team', 'active')`.execute(
      connection.db,
    );

    const copies = [];
    for (let i = 0; i < 3; i++) copies.push(await copyBeforeUpgrade({ config, url: older.url, notice }));
    expect(notices[0]).toMatch(/^The database will be migrated; a copy of its \d+ rows is in .*\.tar\.$/);
    const kept = await readdir(join(dataDir, 'copies'));
    expect(kept.map((name) => join(dataDir, 'copies', name)).sort()).toEqual(copies.slice(1).sort());
    expect(kept[0]).toContain(`before-${all[3]}`);

    await restoreBackup({ config, url: restored.url, file: copies[2] ?? '' });
    const other = openDatabase({ url: restored.url, onError: () => undefined });
    const { rows } = await sql<{ name: string }>`select name from workspaces`.execute(other.db);
    expect(rows).toEqual([{ name: 'Old one' }]);
    await other.close();

    await migrate(connection.db);
    expect(await copyBeforeUpgrade({ config, url: older.url, notice })).toBeUndefined();
    expect(notices).toHaveLength(3);
    await connection.close();
    await older.close();
    await restored.close();
    await rm(dataDir, { recursive: true });
  });

  test('is unchanged when the copy cannot be written; an external server only causes a notice; an empty one causes neither', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-upgrade-'));
    const database = await createEmptyDatabase();
    const notices: string[] = [];
    const ask = (env: Record<string, string> = {}) =>
      copyBeforeUpgrade({
        config: loadConfig({ env: { FIGUREHEAD_DATA: dataDir, ...env }, cwd: dataDir }),
        url: database.url,
        notice: (line) => notices.push(line),
      });
    expect(await ask()).toBeUndefined();
    const connection = openDatabase({ url: database.url, onError: () => undefined });
    await migrate(connection.db, { only: (await migrationNames()).slice(0, 2) });
    await connection.close();
    expect(await ask({ DATABASE_URL: 'postgres://db.example/x' })).toBeUndefined();
    expect(notices).toEqual([expect.stringContaining('To downgrade later, you need your own backup')]);
    await writeFile(join(dataDir, 'copies'), 'in the way');
    await expect(ask()).rejects.toThrow('EEXIST');
    await database.close();
    await rm(dataDir, { recursive: true });
  });
});
