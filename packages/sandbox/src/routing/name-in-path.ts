import { badRequest } from '../refusal/refusal.ts';

/** Errors: 400 for a name that would be something else in a path of etcd. */
export function checkNameInPath(name: string | undefined): void {
  if (name === undefined) return;
  const why =
    name === '.' || name === '..'
      ? `may not be '${name}'`
      : ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`)[0];
  if (why !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}
