import type { DefinitionVersion, Json } from '@isthmus/schema';
import { same, text } from '../compare/schema-change.ts';
import type { DefinitionView } from '../definition-view.ts';
import { differingKeys, pointerOf } from './definition-change.ts';
import type { DefinitionChange } from './definition-change.ts';

/** Changes of a version outside of its schema: G15, G16, G20, G21, G22. */
export function versionChanges(old: DefinitionView, next: DefinitionView, name: string): readonly DefinitionChange[] {
  const [had, has] = [old.versions.get(name), next.versions.get(name)];
  if (had === undefined || has === undefined) return [];
  const at = (part: string) => ({ version: name, pointer: `${pointerOf(next, name)}/${part}` });
  const found: DefinitionChange[] = [...subresourceChanges(had, has, at)];
  const paths = (version: DefinitionVersion) => (version.selectableFields ?? []).map(({ jsonPath = '' }) => jsonPath);
  const removed = paths(had).filter((path) => !paths(has).includes(path));
  if (removed.length > 0) {
    const message = `lists can no longer be selected by ${removed.join(', ')}`;
    found.push({
      rule: 'G20',
      ...at('selectableFields'),
      old: paths(had),
      new: paths(has),
      message,
      hint: 'Check clients and informers that select by them.',
    });
  } else if (!same(had.selectableFields, has.selectableFields)) {
    found.push({
      rule: 'G21',
      ...at('selectableFields'),
      message: 'lists can be selected by more fields, or by the same in another order',
      hint: '',
    });
  }
  if (!same(had.additionalPrinterColumns, has.additionalPrinterColumns)) {
    found.push({ rule: 'G21', ...at('additionalPrinterColumns'), message: 'the printed columns change', hint: '' });
  }
  if ((had.deprecated === true) !== (has.deprecated === true) || had.deprecationWarning !== has.deprecationWarning) {
    found.push({ rule: 'G22', ...at('deprecated'), message: deprecationMessage(name, has), hint: '' });
  }
  const elsewhere = ['name', 'served', 'storage', 'deprecationWarning'];
  for (const key of differingKeys(had, has)) {
    const isTold = found.some(({ pointer }) => pointer.startsWith(at(key).pointer));
    if (elsewhere.includes(key) || isTold || (key === 'schema' && areSchemas(had, has))) continue;
    const message = `${key} of ${name} changes in a way that no rule covers`;
    found.push({ rule: 'F36', ...at(key), message, hint: 'Compare both CRDs.' });
  }
  return found;
}

/**
 * Whether both have a schema and nothing beside it: then the schemas are compared by themselves.
 */
function areSchemas(...versions: readonly DefinitionVersion[]): boolean {
  return versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined && Object.keys(schema).length === 1);
}

function deprecationMessage(name: string, { deprecated, deprecationWarning }: DefinitionVersion): string {
  if (deprecated !== true) return `${name} is no longer deprecated`;
  return deprecationWarning === undefined
    ? `${name} is deprecated, without a deprecationWarning`
    : `${name} is deprecated: ${text(deprecationWarning)}`;
}

function subresourceChanges(
  had: DefinitionVersion,
  has: DefinitionVersion,
  at: (part: string) => { readonly version: string; readonly pointer: string },
): readonly DefinitionChange[] {
  const found: DefinitionChange[] = [];
  const [statusBefore, statusNow] = [had.subresources?.status !== undefined, has.subresources?.status !== undefined];
  if (statusBefore && !statusNow) {
    const message =
      'status is no longer a subresource: writes to it fail, and every write of status increments the generation';
    found.push({
      rule: 'G15',
      ...at('subresources/status'),
      old: true,
      new: false,
      message,
      hint: 'Keep it in this version.',
    });
  } else if (!statusBefore && statusNow) {
    const message = 'status becomes a subresource: writes of status with the object are ignored';
    found.push({
      rule: 'G15',
      severity: 'C',
      ...at('subresources/status'),
      old: false,
      new: true,
      message,
      hint: 'Upgrade controllers that write status first.',
    });
  }
  const [before, now] = [had.subresources?.scale, has.subresources?.scale];
  if (before !== undefined && !same(before, now)) {
    const message =
      now === undefined ? 'the scale subresource is removed' : 'the paths of the scale subresource change';
    found.push({
      rule: 'G16',
      ...at('subresources/scale'),
      old: before as unknown as Json,
      ...(now !== undefined && { new: now as unknown as Json }),
      message,
      hint: 'Check autoscalers of these objects.',
    });
  } else if (before === undefined && now !== undefined) {
    found.push({ rule: 'G21', ...at('subresources/scale'), message: 'the scale subresource is added', hint: '' });
  }
  return found;
}
