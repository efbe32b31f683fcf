import { errorMessage } from '@isthmus/machinery';
import type { Challenge } from './challenge.ts';
import { challengesIn } from './challenge.ts';
import type { RegistryCredential } from './docker-config.ts';
import type { Place } from './mirrors.ts';
import { adviceFor, maxAnswerBytes, statusText } from './refusals.ts';
import { jsonIn } from './registry-json.ts';
import type { Web, WebRequest } from './web.ts';
import { bytesOf } from './web.ts';

/** The answer to a challenge. */
export type Authorization =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'stopped' };

/** The request and credentials that an answer to a challenge needs. */
export interface Challenged {
  readonly web: Web;
  readonly place: Place;
  readonly credential: RegistryCredential;
  readonly signal: AbortSignal;
}

/**
 * Answers the challenge of a `WWW-Authenticate` header. Never rejects: a refusal is a result that
 * can be remembered, so that wrong credentials are not presented for every image.
 */
export async function authorizationFor(header: string, challenged: Challenged): Promise<Authorization> {
  try {
    return { kind: 'value', value: await authorize(header, challenged) };
  } catch (error) {
    if (challenged.signal.aborted) return { kind: 'stopped' };
    return { kind: 'refused', why: errorMessage(error) };
  }
}

async function authorize(header: string, challenged: Challenged): Promise<string> {
  const { place, credential } = challenged;
  const challenges = challengesIn(header);
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (credential.kind === 'bearer') return `Bearer ${credential.token}`;
  if (bearer !== undefined) return fetchToken(bearer, challenged);
  const wantsBasic = challenges.some(({ scheme }) => scheme === 'basic');
  if (wantsBasic && credential.kind === 'basic') return basic(credential);
  const what = wantsBasic ? 'requires a user and password' : `requires a type of authentication that is not supported`;
  throw new Error(`${place.host} ${what}${adviceFor(place, credential)}`);
}

async function fetchToken(challenge: Challenge, { web, place, credential, signal }: Challenged): Promise<string> {
  const request = tokenRequest(challenge, place, credential);
  const { host } = request.url;
  const response = await web.send(request, signal);
  if (response.status !== 200) {
    const why = `the token service ${host} of ${place.host} answers ${await statusText(response)}`;
    throw new Error(`${why}${adviceFor(place, credential)}`);
  }
  const answer = jsonIn(await bytesOf(response, maxAnswerBytes));
  const token = answer?.['token'] ?? answer?.['access_token'];
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(`the token service ${host} of ${place.host} answers without a token`);
  }
  return `Bearer ${token}`;
}

/** The request for a token that a challenge asks for. Errors: a token service without TLS. */
function tokenRequest({ parameters }: Challenge, place: Place, credential: RegistryCredential): WebRequest {
  const realm = parameters.get('realm') ?? '';
  const url = URL.canParse(realm) ? new URL(realm) : undefined;
  if (url?.protocol !== 'https:' || url.username + url.password !== '') {
    throw new Error(`${place.host} names a token service that does not use TLS`);
  }
  const service = parameters.get('service');
  const scope = parameters.get('scope') ?? `repository:${place.repository}:pull`;
  const asked = { ...(service !== undefined && { service }), scope };
  if (credential.kind === 'identity') {
    const form = { ...asked, grant_type: 'refresh_token', refresh_token: credential.token, client_id: 'isthmus' };
    return { url, form };
  }
  Object.entries(asked).forEach(([name, value]) => url.searchParams.set(name, value));
  return { url, headers: credential.kind === 'basic' ? { authorization: basic(credential) } : {} };
}

function basic({ user, password }: Extract<RegistryCredential, { kind: 'basic' }>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
