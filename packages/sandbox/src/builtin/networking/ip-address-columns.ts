import { none } from '../columns/cell-texts.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface IpAddressShape {
  readonly spec?: {
    readonly parentRef?: {
      readonly group?: string;
      readonly resource?: string;
      readonly namespace?: string;
      readonly name?: string;
    };
  };
}

/** The real server sends the age too, which has no column. */
export const ipAddressColumns = defineColumns<IpAddressShape>({ Name: 'name', ParentRef: 'string' }, (object, now) => [
  object.metadata.name,
  parentOf(object),
  ageOf(object, now),
]);

function parentOf({ spec }: IpAddressShape): string {
  const parent = spec?.parentRef;
  if (parent === undefined) return none;
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  const type = (group === '' ? resource : `${resource}.${group}`).toLowerCase();
  return [type, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
