import { isRecord } from '@isthmus/machinery';
import type { Client, HealthRequest, HealthResponse, HttpRequestHead } from '@isthmus/kube';
import { askReview, isForbidden, textResponse } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';

/** How long an answer of the API server about a token counts: an allowed one, another one. */
const allowedMs = 60_000;
const deniedMs = 5_000;
/** Tokens that are remembered at a time. */
const mostTokens = 100;
/** Longer ones are not asked about. */
const longestToken = 16_384;

type Verdict = 'allowed' | 'unauthenticated' | 'forbidden';

/**
 * Lets in who may read `/metrics` by the word of the API server, as kube-rbac-proxy does: a bearer token that a TokenReview accepts, of a user
 * that a SubjectAccessReview allows to `get` the path. Everybody else gets 401 or 403; where the API server cannot be asked, 503 with the reason.
 */
export function withAccessReview(
  handler: (request: HealthRequest) => Promise<HealthResponse>,
  { client, clock }: { readonly client: Client; readonly clock: Clock },
): (request: HttpRequestHead) => Promise<HealthResponse> {
  const known = new Map<string, { readonly verdict: Promise<Verdict>; readonly untilMs: number }>();
  return async (request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const token = /^bearer +(\S+) *$/i.exec(request.headers['authorization'] ?? '')?.[1];
    if (token === undefined || token.length > longestToken) return refused('unauthenticated');
    let verdict: Verdict;
    try {
      verdict = await verdictOn(token, path);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const cure = isForbidden(error) ? '; apply deploy/metrics.yaml in the Namespace of the controller' : '';
      return textResponse(503, `cannot ask the API server who may read metrics: ${why}${cure}\n`);
    }
    return verdict === 'allowed' ? handler(request) : refused(verdict);
  };

  async function verdictOn(token: string, path: string): Promise<Verdict> {
    const key = `${path} ${token}`;
    const found = known.get(key);
    if (found !== undefined && clock.monotonic() < found.untilMs) return found.verdict;
    const remember = (verdict: Promise<Verdict>, forMs: number) => {
      known.delete(key);
      known.set(key, { verdict, untilMs: clock.monotonic() + forMs });
      const [oldest] = known.size > mostTokens ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
    };
    const asked = review(client, token, path);
    // Those that come meanwhile wait for the same answer.
    remember(asked, deniedMs);
    try {
      const verdict = await asked;
      remember(asked, verdict === 'allowed' ? allowedMs : deniedMs);
      return verdict;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  }
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
