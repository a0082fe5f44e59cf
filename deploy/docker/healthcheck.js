// Health of a container: the API's port, or the metrics port of a worker or stream host. Exit status 0 is healthy.
const { PORT = '8080', FIGUREHEAD_METRICS_PORT } = process.env;

async function isAlive(port) {
  if (port === undefined) return false;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) });
    return answer.ok;
  } catch {
    return false;
  }
}

process.exit((await isAlive(PORT)) || (await isAlive(FIGUREHEAD_METRICS_PORT)) ? 0 : 1);
