import type { ResourceVerb } from '../../request/verbs.ts';
import { defineBuiltIn } from '../define.ts';

/** What can be done with kinds that would limit others: a sandbox limits nothing, so it lists none and takes none. */
export const onlyRead: readonly ResourceVerb[] = ['get', 'list', 'watch'];

/** `kubectl describe namespace` asks for them. */
export const limitRange = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  verbs: onlyRead,
});
