/** What a failure of `ip`, `bridge` or `nft` often means, and what to do; undefined where nothing is known. */
export function failureHint(stderr: string): string | undefined {
  return hints.find(([pattern]) => pattern.test(stderr))?.[1];
}

const hints: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/Unknown device type/, 'The kernel has no VXLAN devices: load the module vxlan.'],
  [/nexthop group type|"resilient"|nh group type/i, 'Resilient next-hop groups need Linux 5.13 and iproute2 5.15.'],
  [
    /IPv6 is disabled|Address family not supported/,
    'IPv6 is off in the kernel of this Node: remove ipv6.disable=1 from its command line.',
  ],
  [/Operation not permitted|Permission denied/, 'The agent needs the capability NET_ADMIN and user ID 0.'],
  [
    /Could not process rule: (?:No such file or directory|Operation not supported)/,
    'The kernel may lack nf_tables or one of its modules: nft_nat, nft_ct, nft_masq.',
  ],
];
