import { compilePattern, defineConfigKind } from '@isthmus/schema';
import type { ConfigKind, ConfigKindInput, InferRead, Schema } from '@isthmus/schema';

/**
 * The API group of all kinds of files in this package. Their objects are files; none is stored in
 * an API server.
 */
export const upgradeGroup = 'upgrade.isthmus.dev';

/** The version of all of them; a change that an older reader would misread raises it. */
export const upgradeVersion = 'v1alpha1';

/**
 * Defines a kind of file of this package: of its group and version, with patterns read as the API
 * server reads them.
 */
export function defineFileKind<S extends Schema<object, boolean, unknown>>(
  input: Pick<ConfigKindInput<S>, 'kind' | 'docs' | 'schema'>,
): ConfigKind<{ readonly apiVersion: string; readonly kind: string } & InferRead<S>> {
  return defineConfigKind({ readPattern: compilePattern, group: upgradeGroup, version: upgradeVersion, ...input });
}
