import type { KnownCluster } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { AskedRanges, GrantDecision } from './decide-grant.ts';
import { decideGrant, grantWarnings, readRanges } from './decide-grant.ts';

const asked: AskedRanges = { pods: ['10.10.0.0/16'], services: ['10.96.0.0/12'] };
const knownAs = (spec: Partial<KnownCluster['spec']>): KnownCluster => ({
  metadata: { name: 'east' },
  spec: { clusterID: 'east', origin: 'Granted', state: 'Accepted', ...spec },
});
const granted = { clusterID: 'east', origin: 'Granted', state: 'Accepted' };

describe('what may not be meant in a grant', () => {
  const other = (spec: Partial<KnownCluster['spec']>): KnownCluster => ({
    metadata: { name: 'west' },
    spec: { ...knownAs({ pods: ['10.10.7.0/24'] }).spec, clusterID: 'west', ...spec },
  });

  it.each<[string, KnownCluster['spec'], readonly KnownCluster[], readonly (string | RegExp)[]]>([
    ['is nothing of usual ranges', knownAs(asked).spec, [other({ pods: ['10.20.0.0/16'] })], []],
    [
      'are ranges of the Internet, and very wide or narrow ones',
      knownAs({ pods: ['8.8.8.0/24', '10.0.0.0/7'], services: ['10.96.0.1/32'] }).spec,
      [],
      [/8\.8\.8\.0\/24 .* Internet/, /\/7 .* wider than \/8/, /\/32 .* narrower than \/28/],
    ],
    [
      'are Pod CIDRs of another cluster',
      knownAs(asked).spec,
      [other({}), knownAs(asked)],
      [/10\.10\.0\.0\/16 overlaps .* cluster west/],
    ],
    ['is nothing that the leader observed of another', knownAs(asked).spec, [other({ origin: 'Observed' })], []],
  ])('%s', (_title, spec, others, wanted) => {
    expect(grantWarnings(spec, others)).toEqual(wanted.map((one) => expect.stringMatching(one) as string));
  });
});

describe('the grant of a cluster', () => {
  it.each<[string, KnownCluster | undefined, AskedRanges, boolean, GrantDecision]>([
    [
      'that is not known has what is named',
      undefined,
      asked,
      false,
      { kind: 'create', spec: { ...granted, ...asked } as never },
    ],
    [
      'that is not known needs both lists',
      undefined,
      { pods: ['10.10.0.0/16'] },
      true,
      { kind: 'incomplete', lacks: ['services'] },
    ],
    ['that is known stays if no range is named', knownAs({ pods: ['10.20.0.0/16'] }), {}, false, { kind: 'keep' }],
    [
      'stays if the same is named in another form',
      knownAs({ pods: ['10.10.0.0/16', 'fd00::/48'] }),
      { pods: ['fd00:0::/48', '10.10.0.0/16'] },
      false,
      { kind: 'keep' },
    ],
    [
      'with other ranges shows what differs, and does not change',
      knownAs({ pods: ['10.20.0.0/16'], services: [] }),
      asked,
      false,
      { kind: 'differs', differences: ['pods: 10.20.0.0/16 -> 10.10.0.0/16', 'services: none -> 10.96.0.0/12'] },
    ],
    [
      'without a list shows that it restricts nothing yet',
      knownAs({}),
      { gateways: ['192.0.2.0/28'] },
      false,
      { kind: 'differs', differences: ['gateways: any -> 192.0.2.0/28'] },
    ],
    [
      'with other ranges changes if that is asked for, and keeps the lists that are not named',
      knownAs({ pods: ['10.20.0.0/16'], gateways: ['192.0.2.0/28'] }),
      { pods: ['10.10.0.0/16'] },
      true,
      { kind: 'change', spec: { ...granted, pods: ['10.10.0.0/16'], gateways: ['192.0.2.0/28'] } as never },
    ],
    [
      'that was observed is granted as it is',
      knownAs({ origin: 'Observed', ...asked }),
      asked,
      false,
      { kind: 'change', spec: { ...granted, ...asked } as never },
    ],
    [
      'that is held is accepted',
      knownAs({ state: 'Held', ...asked }),
      asked,
      false,
      { kind: 'change', spec: { ...granted, ...asked } as never },
    ],
  ])('%s', (_title, known, named, replace, decision) => {
    expect(decideGrant({ clusterID: 'east', known, asked: named, replace })).toEqual(decision);
  });
});

describe('a list of ranges', () => {
  it('is read in canonical form', () => {
    expect(readRanges('10.10.0.0/16, FD00:0::/48')).toEqual(['10.10.0.0/16', 'fd00::/48']);
  });

  it.each([['10.10.0.0'], ['here'], ['10.0.0.0/8,'], ['::ffff:10.0.0.0/104x'], ['10.0.0.0/33']])(
    'is not %s',
    (text) => {
      expect(() => readRanges(text)).toThrow('is not a range such as 10.10.0.0/16');
    },
  );

  it('has at most 64 ranges', () => {
    const many = Array.from({ length: 65 }, (_, index) => `10.${index}.0.0/16`).join(',');
    expect(() => readRanges(many)).toThrow('more than 64 ranges');
  });
});
