import { errorMessage, isRecord } from '@isthmus/machinery';
import type { Client, HealthRequest, HealthResponse, HttpRequestHead } from '@isthmus/kube';
import { askReview, isForbidden, textResponse } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';

/** How long an answer of the API server about a token counts: acceptances, and other answers. */
const allowedMs = 60_000;
const deniedMs = 5_000;
/** Tokens that are remembered at a time. */
const mostTokens = 100;
/** Longer ones are not asked about. */
const longestToken = 16_384;
/**
 * How many unknown tokens the API server is asked about in a second. Every client that reaches the
 * port can make up tokens.
 */
const askedPerSecond = 10;

type Verdict = 'allowed' | 'unauthenticated' | 'forbidden';

/**
 * Allows requests for `/metrics` as the API server decides, like kube-rbac-proxy. It needs a bearer
 * token that a TokenReview accepts, of a user that a SubjectAccessReview allows to `get` the path.
 * Other requests get 401 or 403. The answer is 503 with the reason if the API server cannot be
 * asked, or was asked about too many made-up tokens in this second. Made-up tokens never keep out a
 * client that was allowed before.
 */
export function withAccessReview(
  handler: (request: HealthRequest) => Promise<HealthResponse>,
  { client, clock }: { readonly client: Client; readonly clock: Clock },
): (request: HttpRequestHead) => Promise<HealthResponse> {
  const known = new Map<string, Known>();
  // Tokens that were allowed are asked about again before others. They are few, because only the
  // API server adds to them.
  const allowed = new Set<string>();
  let second = 0;
  let asked = 0;
  return async (request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const token = /^bearer +(\S+) *$/i.exec(request.headers['authorization'] ?? '')?.[1];
    if (token === undefined || token.length > longestToken) return refused('unauthenticated');
    let verdict: Verdict;
    try {
      verdict = await verdictOn(token, path);
    } catch (error) {
      const why = errorMessage(error);
      const cure = isForbidden(error)
        ? '; apply deploy/metrics.yaml with the Namespace of this process, or install the chart with metrics.rbac=true'
        : '';
      return textResponse(503, `cannot ask the API server who may read metrics: ${why}${cure}\n`);
    }
    return verdict === 'allowed' ? handler(request) : refused(verdict);
  };

  async function verdictOn(token: string, path: string): Promise<Verdict> {
    const key = `${path} ${token}`;
    const found = known.get(key);
    if (found !== undefined && clock.monotonic() < found.untilMs) return found.verdict;
    if (!allowed.has(key) && !mayAsk()) throw new Error('too many unknown tokens at a time; try again');
    const answer = review(client, token, path);
    // Requests with the same token wait for the same answer meanwhile.
    remember(key, answer, deniedMs);
    try {
      const verdict = await answer;
      allowed.delete(key);
      if (verdict === 'allowed') allowed.add(key);
      remember(key, answer, verdict === 'allowed' ? allowedMs : deniedMs);
      return verdict;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  }

  function mayAsk(): boolean {
    const now = Math.floor(clock.monotonic() / 1_000);
    if (now !== second) [second, asked] = [now, 0];
    asked += 1;
    return asked <= askedPerSecond;
  }

  function remember(key: string, verdict: Promise<Verdict>, forMs: number): void {
    known.delete(key);
    known.set(key, { verdict, untilMs: clock.monotonic() + forMs });
    if (known.size > mostTokens) {
      const oldest = known.keys().find((one) => !allowed.has(one)) ?? known.keys().next().value;
      if (oldest !== undefined) known.delete(oldest);
    }
    const [first] = allowed.size > mostTokens ? allowed : [];
    if (first !== undefined) allowed.delete(first);
  }
}

interface Known {
  readonly verdict: Promise<Verdict>;
  readonly untilMs: number;
}

function refused(verdict: Exclude<Verdict, 'allowed'>): HealthResponse {
  return verdict === 'unauthenticated'
    ? textResponse(401, 'Unauthorized: send a bearer token of a ServiceAccount\n', { 'www-authenticate': 'Bearer' })
    : textResponse(403, 'Forbidden: bind the ServiceAccount to the ClusterRole isthmus-metrics-reader\n');
}

async function review(client: Client, token: string, path: string): Promise<Verdict> {
  const { authenticated, user } = await askReview(client, 'TokenReview', { token });
  if (authenticated !== true || !isRecord(user)) return 'unauthenticated';
  const { username, groups, uid, extra } = user;
  const spec = { user: username, groups, uid, extra, nonResourceAttributes: { path, verb: 'get' } };
  const { allowed } = await askReview(client, 'SubjectAccessReview', spec);
  return allowed === true ? 'allowed' : 'forbidden';
}
