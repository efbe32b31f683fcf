import { Environment } from '@marcbachmann/cel-js';

import { addLibrary } from './library/library.ts';
import { addressLibrary } from './library/library-addresses.ts';
import { listLibrary } from './library/library-lists.ts';
import { optionalLibrary } from './library/library-optionals.ts';
import { quantityLibrary } from './library/library-quantity.ts';
import { patternLibrary } from './library/library-patterns.ts';
import { stringLibrary } from './library/library-strings.ts';
import { textLibrary } from './library/library-texts.ts';
import { timeLibrary } from './library/library-times.ts';
import { addOptionalMacros } from './syntax/optional-macros.ts';
import { sameOptional, sameValue } from './values/values.ts';
import { addTwoVariableMacros } from './syntax/two-variables.ts';

export type { Environment } from '@marcbachmann/cel-js';

/**
 * CEL with the libraries that Kubernetes adds, without variables. Left out: `authorizer`, semver
 * and what else is not in the libraries of this folder.
 */
export function kubernetesEnvironment(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  const libraries = [
    stringLibrary,
    patternLibrary,
    listLibrary,
    addressLibrary,
    quantityLibrary,
    textLibrary,
    timeLibrary,
    optionalLibrary,
  ];
  for (const library of libraries) addLibrary(environment, library);
  for (const type of ['google.protobuf.Timestamp', 'google.protobuf.Duration']) {
    environment.registerOperator(`${type} == null`, sameValue);
  }
  environment.registerOperator('optional<A> == optional<A>', sameOptional);
  const byBytes: Readonly<Record<string, (order: number) => boolean>> = {
    '<': (order) => order < 0,
    '<=': (order) => order <= 0,
    '>': (order) => order > 0,
    '>=': (order) => order >= 0,
  };
  for (const [operator, holds] of Object.entries(byBytes)) {
    environment.registerOperator(`bytes ${operator} bytes`, (a: Uint8Array, b: Uint8Array) =>
      holds(Buffer.compare(a, b)),
    );
  }
  // cel-go lets every opaque value be compared with null, which none is: neither is an optional
  // without a value.
  environment.registerOperator('optional<dyn> == null', () => false);
  addTwoVariableMacros(environment);
  addOptionalMacros(environment);
  return environment;
}
