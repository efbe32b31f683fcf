import { describe, expect, test } from 'vitest';
import { cidr } from '../testing/addresses.ts';
import { readFirewalls } from './firewall.ts';

const forward = (family: string, table: string, name: string, policy: string) => ({
  chain: { family, table, name, handle: 1, type: 'filter', hook: 'forward', prio: 0, policy },
});

/** A Node with these chains, whose tables have this text. */
const found = (chains: readonly object[], text = '') =>
  readFirewalls(
    (_, args) =>
      Promise.resolve({
        code: 0,
        stdout: args[0] === '-j' ? JSON.stringify({ nftables: [{ metainfo: {} }, ...chains] }) : text,
        stderr: '',
      }),
    [cidr('10.10.0.0/16')],
  );

describe('firewalls that drop what is forwarded', () => {
  test.each([
    ['Docker', [forward('ip', 'filter', 'FORWARD', 'drop')], 'Chain FORWARD of the nft table ip filter'],
    [
      'firewalld',
      [forward('inet', 'firewalld', 'filter_FORWARD', 'accept')],
      'Chain filter_FORWARD of the nft table inet firewalld',
    ],
  ])('are reported: %s', async (_, chains, what) => {
    const [message, ...others] = await found(chains, 'ct state established,related accept');
    expect(message).toContain(`${what} drops what its rules do not accept`);
    expect(others).toEqual([]);
  });

  test.each([
    ['its rules name our devices', [forward('ip', 'filter', 'FORWARD', 'drop')], 'iifname "isthmus-*" accept'],
    [
      'its rules name a Pod CIDR of the cluster, as those of flannel',
      [forward('ip', 'filter', 'FORWARD', 'drop')],
      'ip saddr 10.10.0.0/16 accept',
    ],
    ['it accepts by default', [forward('ip', 'filter', 'FORWARD', 'accept')], ''],
    ['it is of a family that the cluster does not have', [forward('ip6', 'filter', 'FORWARD', 'drop')], ''],
    [
      'it is of another hook',
      [{ chain: { family: 'ip', table: 'filter', name: 'INPUT', hook: 'input', policy: 'drop' } }],
      '',
    ],
    ['it is ours', [forward('inet', 'isthmus', 'forwarded', 'drop')], ''],
  ])('are none where %s', async (_, chains, text) => {
    expect(await found(chains, text)).toEqual([]);
  });

  test('are none where nft fails, which is reported elsewhere', async () => {
    const failing = () => Promise.resolve({ code: -1, stdout: '', stderr: 'it was ended by SIGSEGV' });
    expect(await readFirewalls(failing, [])).toEqual([]);
  });
});
