import { expect, it } from 'vitest';
import { localPortName } from './local-port-name.ts';

const port = (name: string | undefined, number: number, protocol?: string) => ({ name, port: number, protocol });

it.each([
  ['the only port may stay unnamed', [port(undefined, 80)], undefined, undefined],
  ['an empty name is none', [port('', 80)], '', undefined],
  ['names stay', [port('http', 80), port('dns', 53)], 'dns', 'dns'],
  [
    'the unnamed port beside others is called by protocol and number',
    [port('', 80), port('dns', 53, 'UDP')],
    '',
    'tcp-80',
  ],
  ['absent and empty are the same', [port(undefined, 53, 'UDP'), port('http', 80)], undefined, 'udp-53'],
  ['the named ones beside it stay', [port('', 80), port('dns', 53)], 'dns', 'dns'],
  ['a name that is taken is avoided', [port('', 80), port('tcp-80', 81)], '', 'tcp-80-x'],
  ['and that one too', [port('', 80), port('tcp-80', 81), port('tcp-80-x', 82)], '', 'tcp-80-x-x'],
])('%s', (_, ports, name, local) => {
  expect(localPortName(ports)(name)).toBe(local);
});
