import type { ServiceAccount } from '@isthmus/api';
import { isRejected } from '@isthmus/kube';
import type { CommonArea } from '../common-area/common-area.ts';

/** Adds annotations. Returns why the API server rejects them; undefined: they are written. */
export async function annotateAccount(
  { accounts }: Pick<CommonArea, 'accounts'>,
  found: ServiceAccount,
  added: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const annotations = { ...found.metadata.annotations, ...added };
  try {
    await accounts.change(found, { ...found, metadata: { ...found.metadata, annotations } }, signal);
    return undefined;
  } catch (error) {
    if (!isRejected(error)) throw error;
    return error.message;
  }
}
