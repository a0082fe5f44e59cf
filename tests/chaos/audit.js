import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A silent stream ends after its idle time, or earlier when its host was killed, which the missing heartbeat shows. */
const STREAMS_END_WITHIN_MS = 90_000;

/**
 * Waits until renders, jobs, deliveries and streams have ended and workers have removed their temporary folders: a
 * worker whose job was taken over removes its folder after the job has ended elsewhere.
 * @returns what remains after `patienceMs`.
 */
export async function settle(installation, patienceMs) {
  const until = Date.now() + patienceMs;
  for (;;) {
    const [rows] = await installation.query(`
      select (select count(*)::int from renders where state in ('queued', 'rendering')) as renders,
        (select count(*)::int from videos where status in ('queued', 'rendering', 'importing')) as videos,
        (select count(*)::int from boss.job where name = 'renders' and state in ('created', 'retry', 'active')) as jobs,
        (select count(*)::int from deliveries where status in ('pending', 'sending')) as deliveries,
        (select count(*)::int from streams where state <> 'closed') as streams,
        (select count(*)::int from media where status = 'processing') as media,
        (select count(*)::int from photo_avatars where status = 'processing') as presenters`);
    const open = { ...rows, folders: temporaryFolders(installation).length };
    if (Object.values(open).every((count) => count === 0) || Date.now() > until) return open;
    await sleep(1000);
  }
}

/**
 * Compares acknowledged calls and received events with the database, and checks the database's consistency.
 * @returns `{faults, facts}`: numbers by name; all faults must be 0.
 */
export async function audit(installation, { acknowledged, received, patienceMs }) {
  const { query, workspaces, bucket } = installation;
  const stuck = await settle(installation, Math.max(patienceMs, STREAMS_END_WITHIN_MS));
  const ids = [...acknowledged.videos.keys()];
  const videos = new Map((await query('select * from videos where id = any($1)', [ids])).map((row) => [row.id, row]));
  const renders = await query('select * from renders');
  const deliveries = await query('select id, video_id, event, status, resend_of from deliveries');
  const ofVideo = (rows, id) => rows.filter((row) => row.video_id === id);

  const lostVideos = ids.filter((id) => {
    const name = acknowledged.videos.get(id);
    return !videos.has(id) || (name !== undefined && videos.get(id).name !== name);
  });
  const lostRenders = [...acknowledged.renders].filter((id) => {
    const ended = ofVideo(renders, id).some(({ state }) => state === 'done' || state === 'failed');
    return !ended && !acknowledged.cancelled.has(id);
  });
  const rows = await query('select request_id, count(*)::int as n from videos where request_id is not null group by 1');
  const lostBatches = [...acknowledged.batches].filter(
    ([id, wanted]) => rows.find((row) => row.request_id === id)?.n !== wanted,
  );
  const folders = new Set((await query('select id from folders')).map(({ id }) => id));
  const lostFolders = [...acknowledged.folders.keys()].filter((id) => !folders.has(id));
  const countOf = async (table, names) => {
    const found = await query(`select name, count(*)::int as n from ${table} where name = any($1) group by 1`, [names]);
    return new Map(found.map(({ name, n }) => [name, n]));
  };
  const unlikeOnce = async (table, wanted) => {
    const made = await countOf(table, [...wanted.keys()]);
    // An unanswered call may or may not have been executed.
    return [...wanted].filter(([name, id]) => (made.get(name) ?? 0) > 1 || (id !== undefined && !made.has(name)));
  };
  const keyedWrong = await unlikeOnce('videos', acknowledged.keyed);
  const uploadsWrong = await unlikeOnce('media', acknowledged.uploads);
  const unanswered = (wanted) => [...wanted.values()].filter((id) => id === undefined).length;
  const closed = await query(`select id from streams where id = any($1) and state = 'closed'`, [
    [...acknowledged.closedStreams],
  ]);
  const streams = await query('select count(*)::int as n from streams where id = any($1)', [[...acknowledged.streams]]);

  const presenters = await query('select id, status, error from photo_avatars');
  const recordings = await query('select id, status, file_key from media where id = any($1)', [
    [...acknowledged.recordings],
  ]);
  const missing = (wanted, rows) => {
    const found = new Set(rows.map(({ id }) => id));
    return [...wanted].filter((id) => !found.has(id));
  };
  const emptyRecordings = [];
  for (const { id, file_key } of recordings.filter(({ status }) => status === 'ready')) {
    if (!(await isMp4(bucket, file_key))) emptyRecordings.push(id);
  }
  // A film of a short video is refused; a presenter whose workers died too often is given up, with this sentence.
  const presentersWrong = presenters.filter(
    ({ status, error }) => status === 'error' && !/s are needed|to 3 min|interrupted/.test(error),
  );

  const ended = renders.filter(({ state }) => state === 'done' || state === 'failed');
  const eventsWrong = ended.filter(({ video_id }) => ofVideo(deliveries, video_id).length !== 1);
  const eventsOfNothing = deliveries.filter(({ video_id }) => !ended.some((render) => render.video_id === video_id));
  const perDelivery = counts(received.map(({ delivery }) => delivery));
  const perVideo = counts(received.map(({ videoId }) => videoId));
  const unreceived = deliveries.filter(({ id }) => !perDelivery.has(id));
  const byStatus = counts(deliveries.map(({ status }) => status));

  const errors = await query(
    `select id, error from videos where status = 'error' and (request_id is null or batch_row_id <> 2)`,
  );
  const unreadable = [];
  for (const { video_key } of await query(`select video_key from videos where status = 'ready'`)) {
    if (!(await isMp4(bucket, video_key))) unreadable.push(video_key);
  }
  const [charged] = await query(`
    select count(*) filter (where lines <> 1)::int as wrong from (
      select count(l.id) as lines from renders r left join ledger l on l.kind = 'video' and l.subject_id = r.id
      where r.state = 'done' group by r.id) s`);
  const [overcharged] = await query(`
    select count(*)::int as wrong from streams s join ledger l on l.kind = 'stream' and l.subject_id = s.id
    where -l.amount_ms > 0.5 * extract(epoch from coalesce(s.closed_at, now()) - s.created_at) * 1000 + 1000`);
  const [balance] = await query(
    `
    select count(*)::int as wrong from workspaces w
    where balance_ms <> coalesce((select sum(amount_ms) from ledger l where l.workspace_id = w.id), 0) + $1::bigint * (name = 'Free')::int
      + $2::bigint * (name <> 'Free')::int - coalesce((select sum(amount_ms) from ledger l where l.workspace_id = w.id and kind = 'grant'), 0)
      and id = any($3)`,
    [workspaces.free.minutes * 60_000, workspaces.busy.minutes * 60_000, Object.values(workspaces).map(({ id }) => id)],
  );
  const [quota] = await query(
    `select (select count(*)::int from creations where workspace_id = $1 and entity = 'videos') as counted,
      (select count(*)::int from videos where workspace_id = $1) as made`,
    [workspaces.free.id],
  );
  const [hosts] = await query(`
    select count(*)::int as miscounted from stream_hosts h
    where open <> (select count(*) from streams s where s.host_id = h.id and s.state <> 'closed') or open > capacity`);
  const [left] = await query(`select (select count(*)::int from render_spans) as spans,
    (select count(*)::int from renders where plan is not null) as spread,
    (select count(*)::int from renders where attempt > case when plan is null then 1 else 2 end) as repeated,
    (select count(*)::int from boss.job where name = 'renders' and state = 'failed') as jobs_given_up`);

  return {
    faults: {
      'acknowledged videos lost or not as acknowledged': lostVideos.length,
      'acknowledged renders lost': lostRenders.length,
      'acknowledged batches lost or in part': lostBatches.length,
      'acknowledged folders lost': lostFolders.length,
      'videos of repeated calls with a key lost or doubled': keyedWrong.length,
      'calls with a key never answered': unanswered(acknowledged.keyed),
      'uploads lost or doubled': uploadsWrong.length,
      'uploads never finished': unanswered(acknowledged.uploads),
      'acknowledged streams unknown': acknowledged.streams.size - streams[0].n,
      'closed streams still open': acknowledged.closedStreams.size - closed.length,
      'videos and renders stuck': stuck.renders + stuck.videos + stuck.jobs,
      'streams stuck': stuck.streams,
      'recordings and other media stuck': stuck.media,
      'presenters stuck': stuck.presenters,
      'acknowledged presenters and recordings lost':
        missing(acknowledged.presenters, presenters).length + missing(acknowledged.recordings, recordings).length,
      'presenters in error although their portraits are valid': presentersWrong.length,
      'ready recordings without a readable file': emptyRecordings.length,
      'deliveries stuck': stuck.deliveries,
      'events received more than once': excess(perDelivery) + excess(perVideo),
      'ended renders without exactly one event': eventsWrong.length,
      'events of renders that did not end': eventsOfNothing.length,
      'deliveries recorded as delivered, never received': unreceived.filter(({ status }) => status === 'delivered')
        .length,
      'events neither received nor recorded as failed or unknown': unreceived.filter(
        ({ status }) => status !== 'failed' && status !== 'unknown',
      ).length,
      'videos in error although they are valid': errors.length,
      'ready videos without a readable file': unreadable.length,
      'ready videos not charged exactly once': charged.wrong,
      'streams charged for more than they lasted': overcharged.wrong,
      'balances that their ledgers do not explain': balance.wrong,
      'videos over the quota of the Free plan': Math.max(0, quota.counted - 50, quota.made - 50),
      'spans left behind': left.spans,
      'temporary folders left behind': stuck.folders,
      'stream hosts whose streams are miscounted': hosts.miscounted,
    },
    facts: {
      'videos acknowledged': ids.length,
      'renders acknowledged': acknowledged.renders.size,
      'renders in the database': renders.length,
      'of them spread over workers': left.spread,
      'of them started more than once': left.repeated,
      'render jobs given up': left.jobs_given_up,
      'calls repeated until they were answered': acknowledged.keyed.size,
      'uploads resumed until they were done': acknowledged.uploads.size,
      'batches acknowledged': acknowledged.batches.size,
      'streams acknowledged': acknowledged.streams.size,
      'presenters acknowledged; of them ready': `${acknowledged.presenters.size}; ${presenters.filter(({ status }) => status === 'ready').length}`,
      'recordings acknowledged; of them ready': `${recordings.length}; ${recordings.filter(({ status }) => status === 'ready').length}`,
      'events received': received.length,
      'deliveries unknown (their sender died; never sent again, not counted as failures)': byStatus.get('unknown') ?? 0,
      'of them received': deliveries.filter(({ id, status }) => status === 'unknown' && perDelivery.has(id)).length,
      'quota of the Free plan: made, refused': `${quota.made}, ${acknowledged.freeRefused}`,
    },
    examples: {
      lostVideos,
      lostRenders,
      keyedWrong,
      uploadsWrong,
      presentersWrong,
      errors,
      eventsWrong: eventsWrong.map(({ id, video_id, state }) => ({ id, video_id, state })),
    },
  };
}

function counts(values) {
  const out = new Map();
  for (const value of values) out.set(value, (out.get(value) ?? 0) + 1);
  return out;
}

function excess(counted) {
  return [...counted.values()].filter((count) => count > 1).length;
}

/** Reads the file in which the storage keeps an object. */
async function isMp4({ fileOf }, key) {
  const file = await open(fileOf(key)).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
    return buffer.toString('latin1', 4) === 'ftyp';
  } finally {
    await file.close();
  }
}

function temporaryFolders({ roles }) {
  const folders = new Set(roles.map(({ dataDir }) => dataDir));
  return [...folders].flatMap((folder) => {
    try {
      return readdirSync(`${folder}/tmp`).filter((name) => name.startsWith('render-'));
    } catch {
      // This machine has none.
      return [];
    }
  });
}
