import { addressText, parseAddress } from '@isthmus/machinery';
import type { Address } from '@isthmus/machinery';
import type { Library } from './library.ts';

/** An address of CEL. */
class Ip {
  readonly address: Address;
  constructor(address: Address) {
    this.address = address;
  }
  toString(): string {
    return addressText(this.address);
  }
}

/** A network of CEL: an address, whose bits after the prefix stay, and the length of the prefix. */
class Network {
  readonly address: Address;
  readonly length: number;
  constructor(address: Address, length: number) {
    this.address = address;
    this.length = length;
  }
  toString(): string {
    return `${addressText(this.address)}/${this.length}`;
  }
}

/** Addresses and networks (Kubernetes' ip and cidr libraries). */
export const addressLibrary: Library = {
  types: { 'net.IP': Ip, 'net.CIDR': Network },
  namespaces: ['ip'],
  functions: {
    'isIP(string): bool': (text: string) => parseAddress(text) !== undefined,
    'ip(string): net.IP': ipOf,
    'IpSpace.isCanonical(string): bool': (_: unknown, text: string) => ipOf(text).toString() === text,
    'string(net.IP): string': String,
    'net.IP.family(): int': ({ address }: Ip) => (address.family === 'IPv4' ? 4n : 6n),
    'net.IP.isUnspecified(): bool': ({ address }: Ip) => address.value === 0n,
    'net.IP.isLoopback(): bool': (ip: Ip) => isWithin(ip, '127.0.0.0/8', '::1/128'),
    'net.IP.isLinkLocalMulticast(): bool': (ip: Ip) => isWithin(ip, '224.0.0.0/24', 'ff02::/16'),
    'net.IP.isLinkLocalUnicast(): bool': (ip: Ip) => isWithin(ip, '169.254.0.0/16', 'fe80::/10'),
    'net.IP.isGlobalUnicast(): bool': (ip: Ip) =>
      ip.address.value !== 0n &&
      ip.toString() !== '255.255.255.255' &&
      !['127.0.0.0/8 ::1/128', '224.0.0.0/4 ff00::/8', '169.254.0.0/16 fe80::/10'].some((pair) => {
        const [v4 = '', v6 = ''] = pair.split(' ');
        return isWithin(ip, v4, v6);
      }),
    'isCIDR(string): bool': (text: string) => typeof readNetwork(text) !== 'string',
    'cidr(string): net.CIDR': networkOf,
    'string(net.CIDR): string': String,
    'net.CIDR.ip(): net.IP': ({ address }: Network) => new Ip(address),
    'net.CIDR.masked(): net.CIDR': (network: Network) => masked(network),
    'net.CIDR.prefixLength(): int': ({ length }: Network) => BigInt(length),
    'net.CIDR.containsIP(string): bool': (network: Network, text: string) => holds(network, ipOf(text).address),
    'net.CIDR.containsIP(net.IP): bool': (network: Network, ip: Ip) => holds(network, ip.address),
    'net.CIDR.containsCIDR(string): bool': (network: Network, text: string) => holdsNetwork(network, networkOf(text)),
    'net.CIDR.containsCIDR(net.CIDR): bool': (network: Network, other: Network) => holdsNetwork(network, other),
  },
};

function ipOf(text: string): Ip {
  const address = parseAddress(text);
  if (address !== undefined) return new Ip(address);
  const quoted = JSON.stringify(text);
  throw new Error(
    `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
  );
}

function networkOf(text: string): Network {
  const network = readNetwork(text);
  if (typeof network !== 'string') return network;
  const frame = 'network address parse error during conversion from string: ';
  throw new Error(`${frame}${frame}netip.ParsePrefix(${JSON.stringify(text)}): ${network}`);
}

/** Returns the network, or why the text is not a network. */
function readNetwork(text: string): Network | string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  const address = parseAddress(text.slice(0, slash));
  if (address === undefined) return `ParseAddr(${JSON.stringify(text.slice(0, slash))}): unable to parse IP`;
  const length = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return `bad bits after slash: ${JSON.stringify(length)}`;
  return Number(length) > bitsOf(address) ? 'prefix length out of range' : new Network(address, Number(length));
}

function bitsOf({ family }: Address): number {
  return family === 'IPv4' ? 32 : 128;
}

function masked({ address, length }: Network): Network {
  const free = BigInt(bitsOf(address) - length);
  return new Network({ ...address, value: (address.value >> free) << free }, length);
}

function holds({ address, length }: Network, other: Address): boolean {
  if (address.family !== other.family) return false;
  const free = BigInt(bitsOf(address) - length);
  return address.value >> free === other.value >> free;
}

function holdsNetwork(network: Network, other: Network): boolean {
  return network.length <= other.length && holds(network, other.address);
}

function isWithin({ address }: Ip, v4: string, v6: string): boolean {
  return holds(networkOf(address.family === 'IPv4' ? v4 : v6), address);
}
