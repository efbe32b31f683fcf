import type { ApiResponse } from '@isthmus/kube';
import { oneLine } from '../../../render/printable-output.ts';
import type { RegistryCredential } from './docker-config.ts';
import type { Place } from './mirrors.ts';
import { jsonIn, listIn } from './registry-json.ts';
import type { WebResponse } from './web.ts';
import { bytesOf } from './web.ts';

/** Answers of token services, and errors, are not larger. */
export const maxAnswerBytes = 64 * 1024;

/** The next step about credentials, as the end of an error. */
export function adviceFor({ host }: Place, credential: RegistryCredential): string {
  if (credential.kind === 'helper') {
    return (
      `; the docker config leaves the credentials of ${host} to the credential helper docker-credential-${oneLine(credential.name)}, which isthmus does not run: ` +
      'log in to a config without credHelpers and credsStore (docker --config DIR login), and pass that with --registry-config'
    );
  }
  return credential.kind === 'none'
    ? `; pass a docker config with credentials for ${host} with --registry-config`
    : `; check the credentials for ${host} in the docker config`;
}

/** Why a server that the registry redirects to gets no credentials. */
export async function elsewhere({ host, repository }: Place, response: WebResponse): Promise<string> {
  const other = response.url.host;
  return (
    `${host} redirects ${repository} to ${other}, which answers ${await statusText(response)}: credentials for ${host} are not sent there; ` +
    `if you trust ${other}, ask it directly with --mirror ${host}=${other}`
  );
}

/** `404 (MANIFEST_UNKNOWN: manifest unknown)`. */
export async function statusText(response: ApiResponse): Promise<string> {
  const json = await bytesOf(response, maxAnswerBytes).then(jsonIn, () => undefined);
  const [first] = listIn(json?.['errors']);
  const { code, message } = first ?? {};
  const words = [code, message].filter((one) => typeof one === 'string' && one !== '');
  return `${response.status}${words.length === 0 ? '' : ` (${oneLine(words.join(': ').slice(0, 200))})`}`;
}
