import type { HttpRequest, HttpResponse } from './http-handler.ts';
import { textResponse } from './http-handler.ts';

/** One thing that must be well. */
export interface HealthCheck {
  /** Lower-case with dashes. */
  readonly name: string;
  /**
   * Undefined when all is well, otherwise why not. Is asked for each request: must be cheap. A
   * throw counts as not well.
   */
  readonly check: () => string | undefined;
  /** A note although the check passes; shown with `?verbose`. */
  readonly note?: (() => string | undefined) | undefined;
}

export interface HealthOptions {
  /** Whether the process must be restarted. Default: never. */
  readonly live?: readonly HealthCheck[] | undefined;
  /** Whether it does its work. */
  readonly ready: readonly HealthCheck[];
  readonly metrics?: { readonly contentType: string; render(): Promise<string> } | undefined;
}

export type HealthRequest = Pick<HttpRequest, 'method' | 'url'>;

export type HealthResponse = HttpResponse;

/**
 * Answers `/healthz`, `/readyz` and `/metrics`, as Kubernetes' own components do: `ok` or 500. The
 * result of each check is included with `?verbose`, and always if one fails. Never throws.
 */
export function createHealthHandler(options: HealthOptions): (request: HealthRequest) => Promise<HealthResponse> {
  const answers = new Map<string, (query: string) => Promise<HealthResponse> | HealthResponse>()
    .set('/healthz', (query) => answerChecks('healthz', options.live ?? [], query))
    .set('/readyz', (query) => answerChecks('readyz', options.ready, query));
  if (options.metrics !== undefined) answers.set('/metrics', metricsAnswer(options.metrics));
  return async ({ method, url }) => {
    const [path = '', query = ''] = url.split('?', 2);
    const answer = answers.get(path);
    if (answer === undefined) return textResponse(404, 'not found\n');
    if (method !== 'GET' && method !== 'HEAD') return textResponse(405, 'only GET\n', { allow: 'GET, HEAD' });
    try {
      return await answer(query);
    } catch (error) {
      return textResponse(500, `${path} failed: ${error instanceof Error ? error.message : 'unknown error'}\n`);
    }
  };
}

function metricsAnswer(metrics: NonNullable<HealthOptions['metrics']>): () => Promise<HealthResponse> {
  return async () => textResponse(200, await metrics.render(), { 'content-type': metrics.contentType });
}

function answerChecks(endpoint: string, checks: readonly HealthCheck[], query: string): HealthResponse {
  const results = checks.map((check) => ({ name: check.name, why: resultOf(check), note: noteOf(check) }));
  const failed = results.some(({ why }) => why !== undefined);
  if (!failed && !new URLSearchParams(query).has('verbose')) return textResponse(200, 'ok');
  const lines = results.map(({ name, why, note }) =>
    why === undefined ? `[+]${name} ok${note === undefined ? '' : `: ${note}`}` : `[-]${name} failed: ${why}`,
  );
  return textResponse(
    failed ? 500 : 200,
    [...lines, `${endpoint} check ${failed ? 'failed' : 'passed'}`, ''].join('\n'),
  );
}

function resultOf({ check }: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown error';
  }
}

/** A note is no reason to fail. */
function noteOf({ note }: HealthCheck): string | undefined {
  try {
    return note?.();
  } catch {
    return undefined;
  }
}
