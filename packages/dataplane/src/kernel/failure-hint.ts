/**
 * The output of a program that failed, on one line. If the cause is known, it also has what the
 * output often means, and the next step.
 */
export function failureText(stderr: string): string {
  const text = stderr.trim().replaceAll(/\s*\n\s*/g, '; ');
  const hint = hints.find(([pattern]) => pattern.test(text))?.[1];
  return hint === undefined ? text : `${text}${text.endsWith('.') ? '' : '.'} ${hint}`;
}

const hints: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/Unknown device type/, 'The kernel has no VXLAN devices: load the module vxlan.'],
  [/nexthop group type|"resilient"|nh group type/i, 'Resilient next-hop groups need Linux 5.13 and iproute2 5.15.'],
  [
    /IPv6 is disabled|Address family not supported/,
    'The kernel turns IPv6 off on tunnels that are too small for it: the device with the address of the Node needs an MTU of 1,350 bytes, or 1,430 with encryption. Otherwise IPv6 is off in the kernel of this Node: remove ipv6.disable=1 from its command line.',
  ],
  [/Operation not permitted|Permission denied/, 'The agent needs the capability NET_ADMIN and user ID 0.'],
  [
    /Could not process rule: (?:No such file or directory|Operation not supported)/,
    'The kernel may lack nf_tables or one of its modules: nft_nat, nft_ct, nft_masq, nft_fib_inet.',
  ],
  [
    /ended by SIGSEGV/,
    'nft crashes up to version 1.1.1 where 1.1.2 or later has written sets or maps in the network of this Node, in any table. docs/guides/agent.md shows how to find them.',
  ],
];
