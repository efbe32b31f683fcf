import { expect, test } from 'vitest';
import { readNftTable } from './read-nft-table.ts';
import { writeBatches } from './write-network.ts';

test('a failure names the program, what it wrote, and what the kernel or the agent lacks', async () => {
  const failing = (stderr: string) =>
    writeBatches([{ program: 'ip', lines: ['link add isthmus-node type vxlan'] }], () =>
      Promise.resolve({ code: 2, stdout: '', stderr }),
    );
  await expect(failing('Error: Unknown device type.')).rejects.toThrow(
    'cannot write the network of this Node: ip failed for 1 commands: Error: Unknown device type. The kernel has no VXLAN devices: load the module vxlan.',
  );
  await expect(failing('RTNETLINK answers: Operation not permitted')).rejects.toThrow('NET_ADMIN');
  await expect(failing('Error: IPv6 is disabled on this device.')).rejects.toThrow(
    'IPv6 is disabled on this device. The kernel turns IPv6 off on tunnels that are too small for it: the device with the address of the Node needs an MTU of 1,350 bytes, or 1,430 with encryption. Otherwise IPv6 is off in the kernel of this Node: remove ipv6.disable=1 from its command line.',
  );
  await expect(failing('RTNETLINK answers: File exists')).rejects.toThrow(/File exists$/);
});

test('the other batches are written where one program is missing', async () => {
  const ran: string[] = [];
  const batches = (['bridge', 'ip', 'nft'] as const).map((program) => ({ program, lines: ['x'] }));
  const written = writeBatches(batches, (program) => {
    if (program === 'bridge') return Promise.reject(new Error('cannot run bridge: spawn bridge ENOENT'));
    ran.push(program);
    return Promise.resolve({ code: 0, stdout: '', stderr: '' });
  });
  await expect(written).rejects.toThrow(
    'cannot write the network of this Node: cannot run bridge: spawn bridge ENOENT',
  );
  expect(ran).toEqual(['ip', 'nft']);
});

test('an nft that crashes is named with the sets of a later nft, which it cannot read, whether it reads or writes', async () => {
  const crashing = () => Promise.resolve({ code: -1, stdout: '', stderr: 'it was ended by SIGSEGV' });
  const cause = /it was ended by SIGSEGV\.? nft crashes up to version 1\.1\.1 where 1\.1\.2 or later has written sets/;
  await expect(readNftTable(crashing)).rejects.toThrow(cause);
  await expect(writeBatches([{ program: 'nft', lines: ['add table inet isthmus'] }], crashing)).rejects.toThrow(cause);
});
