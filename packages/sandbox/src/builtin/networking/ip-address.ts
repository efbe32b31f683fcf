import { none } from '../columns/cell-texts.ts';
import { defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { ageOf } from '../name-and-age.ts';
import { ipAddressStrategy } from './address-strategies.ts';

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

const columns = defineColumns<IpAddressShape>({ Name: nameColumn, ParentRef: ['string', parentOf] });

export const ipAddress = defineBuiltIn({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  namespaced: false,
  shortNames: ['ip'],
  // The real server sends the age too, which has no column.
  columns: { ...columns, cells: (object, now) => [...columns.cells(object, now), ageOf(object, now)] },
  strategy: ipAddressStrategy,
});

function parentOf({ spec }: IpAddressShape): string {
  const parent = spec?.parentRef;
  if (parent === undefined) return none;
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  const type = (group === '' ? resource : `${resource}.${group}`).toLowerCase();
  return [type, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
