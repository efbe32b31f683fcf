import { groupOf, none } from '../columns/cell-texts.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

export const controllerRevisionColumns = defineColumns<{ readonly revision?: number }>(
  { Name: 'name', Controller: 'string', Revision: 'string', Age: 'string' },
  (object, now) => {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const controller =
      owner === undefined ? none : `${[owner.kind, groupOf(owner.apiVersion)].filter(Boolean).join('.')}/${owner.name}`;
    return [object.metadata.name, lowerType(controller), object.revision ?? 0, ageOf(object, now)];
  },
);

/** The type in lower case; the name as it is. */
function lowerType(controller: string): string {
  const [type = '', ...name] = controller.split('/');
  return [type.toLowerCase(), ...name].join('/');
}
