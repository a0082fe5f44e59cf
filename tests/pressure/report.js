/** Limit for an innocent workspace's `GET /videos` during the attack. */
const P99_MS = 300;
const SLOTS_BACK_MS = 1000;

/** Effect of an attack on a server; `missed` lists the missed targets. */
export function judge(attack, { watched, result, backMs }) {
  const counts = countStatuses(result.answers);
  const statuses = [...result.answers.map(({ status }) => status), ...watched.statuses];
  // 503 is the correct response in an outage.
  const fiveHundreds = statuses.filter((status) => status >= 500 && !(attack.isOutage && status === 503)).length;
  const unanswered = result.answers.filter(({ status }) => status === 0).length;
  const missed = [
    ...(result.missed ?? []),
    ...(unanswered > 0 ? [`${unanswered} without an answer`] : []),
    ...(attack.isOutage || watched.p99 <= P99_MS ? [] : [`p99 over ${P99_MS} ms`]),
    ...(fiveHundreds > 0 ? [`${fiveHundreds} × 5xx`] : []),
    ...(backMs !== undefined && backMs <= SLOTS_BACK_MS ? [] : ['slots not back in 1 s']),
  ];
  return {
    name: attack.name,
    what: attack.what,
    sent: result.sent ?? result.answers.length,
    statuses: Object.entries(counts)
      .map(([status, count]) => `${count} × ${status === '0' ? 'none' : status}`)
      .join(', '),
    healthWorst: Math.round(watched.healthWorst),
    p50: Math.round(watched.p50),
    p99: Math.round(watched.p99),
    worst: Math.round(watched.worst),
    not200: `${watched.not200} of ${watched.calls}`,
    fiveHundreds,
    backMs: backMs === undefined ? null : Math.round(backMs),
    note: result.note ?? '',
    missed,
  };
}

function countStatuses(answers) {
  const counts = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The rows as a table for a terminal. */
export function print(rows) {
  console.table(
    Object.fromEntries(
      rows.map((row) => [
        row.name,
        {
          sent: row.sent,
          'healthz worst': ms(row.healthWorst),
          p50: ms(row.p50),
          p99: ms(row.p99),
          worst: ms(row.worst),
          'not 200': row.not200,
          '5xx': row.fiveHundreds,
          'slots back': row.backMs === null ? 'never' : ms(row.backMs),
          met: row.missed.length === 0 ? 'yes' : 'NO',
        },
      ]),
    ),
  );
  for (const { name, statuses, note, missed } of rows) {
    const parts = [statuses, note, missed.length > 0 ? `MISSED: ${missed.join('; ')}` : ''].filter(
      (part) => part !== '',
    );
    console.log(`${name}: ${parts.join(' · ')}`);
  }
}

const ms = (value) =>
  value >= 10_000 ? `${(value / 1000).toFixed(0)} s` : value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value} ms`;
