import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

const NAME = 'figurehead_http_request_duration_seconds';
const HELP = 'Time from the request to the end of its answer.';
/** Upper bounds of the response times that are counted together, seconds. */
const BOUNDS = [0.005, 0.02, 0.1, 0.5, 2, 10] as const;

/** Answers of a route with one method and status. */
interface Series {
  readonly labels: { readonly route: string; readonly method: string; readonly status: number };
  /** Answers up to each of {@link BOUNDS} and above the one before it; slower ones last. */
  readonly counts: number[];
  seconds: number;
}

/** Metrics of the process and response times by route. */
export function measureCalls(app: FastifyInstance, metrics: Registry): void {
  collectDefaultMetrics({ register: metrics });
  const times = new CallTimes(metrics);
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    // The duration of an event stream says nothing about this server.
    if (config.route?.events === undefined) {
      const route = config.routeId ?? (request.is404 ? 'unknown' : (url ?? 'other'));
      times.add({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1000);
    }
    done();
  });
}

/** A histogram that adds a value in a hundredth of the library's time, which was a tenth of a small request. */
class CallTimes extends Histogram<'route' | 'method' | 'status'> {
  readonly #series = new Map<string, Series[]>();

  constructor(metrics: Registry) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['route', 'method', 'status'],
      buckets: [...BOUNDS],
      registers: [metrics],
    });
  }

  add(labels: Series['labels'], seconds: number): void {
    const series = this.#seriesOf(labels);
    const bound = BOUNDS.findIndex((most) => seconds <= most);
    series.counts[bound < 0 ? BOUNDS.length : bound]! += 1;
    series.seconds += seconds;
  }

  /** The library's method for its own counts, which `get` and `Registry.metrics` call. */
  async getForPromString(): Promise<object> {
    const values = [...this.#series.values()].flat().flatMap(valuesOf);
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values };
  }

  #seriesOf(labels: Series['labels']): Series {
    const { route, method, status } = labels;
    let known = this.#series.get(route);
    if (known === undefined) {
      known = [];
      this.#series.set(route, known);
    }
    const found = known.find((series) => series.labels.status === status && series.labels.method === method);
    if (found !== undefined) return found;
    const added: Series = { labels, counts: [...BOUNDS, 0].map(() => 0), seconds: 0 };
    known.push(added);
    return added;
  }
}

/** A series in the library's form: how many took at most each bound, their sum and their number. */
function valuesOf({ labels: sharedLabels, counts, seconds }: Series): object[] {
  let count = 0;
  const buckets = [...BOUNDS, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le }, sharedLabels, value: count };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, sharedLabels, value: seconds },
    { metricName: `${NAME}_count`, sharedLabels, value: count },
  ];
}
