import { expect, test } from 'vitest';
import { readLocalAddresses } from './local-addresses.ts';

const answers =
  (ipv6: { readonly code: number; readonly stdout: string; readonly stderr: string }) =>
  (_: string, args: readonly string[]) =>
    Promise.resolve(
      args.includes('-6') ? ipv6 : { code: 0, stdout: '[{"dst":"192.0.2.1"},{"dst":"127.0.0.0/8"}]', stderr: '' },
    );

test('the addresses of a Node are those of the families that it has', async () => {
  const both = answers({ code: 0, stdout: '[{"dst":"2001:db8::1"}]', stderr: '' });
  expect(await readLocalAddresses(both)).toEqual(['192.0.2.1', '2001:db8::1']);
  for (const stderr of ['RTNETLINK answers: Operation not supported', 'Error: ipv6: FIB table does not exist.'])
    expect(await readLocalAddresses(answers({ code: 2, stdout: '', stderr }))).toEqual(['192.0.2.1']);
});

test('a failure of ip is not taken for a family that a Node does not have', async () => {
  const failing = answers({ code: 1, stdout: '', stderr: 'Cannot allocate memory\n' });
  await expect(readLocalAddresses(failing)).rejects.toThrow(
    'cannot read the routes of this Node: ip -j -6 route show table local: Cannot allocate memory',
  );
});
