// One of the modules that open connections: a connection through a SOCKS 5 proxy (RFC 1928, RFC
// 1929).
import { connect, isIPv4, isIPv6 } from 'node:net';
import type { Socket } from 'node:net';

export interface SocksOptions {
  readonly proxy: {
    readonly host: string;
    readonly port: number;
    readonly login: { readonly user: string; readonly password: string } | undefined;
  };
  /** The target of the tunnel; `name` is for messages. */
  readonly target: { readonly host: string; readonly port: number; readonly name: string };
  /** How long the proxy may be silent before the tunnel is open. */
  readonly answersWithinMs: number;
}

/**
 * Opens a connection through a SOCKS proxy and calls `done` at least once: with the socket when the
 * tunnel is open, otherwise with the cause. The name of the target is looked up by the proxy. Calls
 * after the first one report what happened to the socket later.
 */
export function openSocksTunnel(
  { proxy, target, answersWithinMs }: SocksOptions,
  done: (error: NodeJS.ErrnoException | undefined, socket?: Socket) => void,
): void {
  const socket = connect({ host: proxy.host, port: proxy.port });
  const fail = (error: Error) => {
    socket.destroy();
    done(error);
  };
  const onTimeout = () => fail(new Error(`no answer in ${answersWithinMs / 1000} s`));
  const onEnd = () => fail(new Error('it closed the connection'));
  const talk = negotiation(proxy.login, target);
  let wanted = 0;
  const proceed = (input: Buffer): boolean => {
    const { value, done: isOver } = talk.next(input);
    if (isOver === true) return false;
    if (value.send !== undefined) socket.write(value.send);
    wanted = value.wanted;
    return true;
  };
  // Reads no more than it asked for: the rest belongs to the user of the tunnel.
  const onReadable = () => {
    try {
      for (;;) {
        const part = socket.read(wanted) as Buffer | null;
        if (part === null) return;
        if (part.length < wanted) return onEnd();
        if (!proceed(part)) return open();
      }
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const open = () => {
    socket.off('readable', onReadable).off('error', fail).off('end', onEnd).off('timeout', onTimeout);
    socket.setTimeout(0);
    done(undefined, socket);
  };
  socket.setTimeout(answersWithinMs);
  socket.on('readable', onReadable).on('error', fail).on('end', onEnd).on('timeout', onTimeout);
  socket.once('connect', () => void proceed(Buffer.alloc(0)));
}

/** The bytes to send next, and how many bytes of an answer to wait for. */
interface Turn {
  readonly send?: Buffer | undefined;
  readonly wanted: number;
}

/**
 * The conversation with a SOCKS 5 proxy until the tunnel is open: yields turns and receives the
 * answers. Throws if the proxy rejects.
 */
function* negotiation(
  login: SocksOptions['proxy']['login'],
  target: SocksOptions['target'],
): Generator<Turn, void, Buffer> {
  const methods = login === undefined ? [withoutLogin] : [withoutLogin, withLogin];
  const [version, method] = yield { send: Buffer.from([socks, methods.length, ...methods]), wanted: 2 };
  if (version !== socks) throw new Error('it does not answer as a SOCKS 5 proxy');
  if (method === withLogin && login !== undefined) {
    const [, status] = yield { send: loginOf(login), wanted: 2 };
    if (status !== 0) throw new Error('it rejected the user and password in proxy-url');
  } else if (method !== withoutLogin) {
    throw new Error(
      login === undefined
        ? 'it requires a login; put user and password into proxy-url'
        : 'it does not accept a login with a password',
    );
  }
  const head = yield { send: Buffer.concat([Buffer.from([socks, connectCommand, 0]), addressOf(target)]), wanted: 4 };
  const [, reply = 1, , type = 0] = head;
  if (reply !== 0)
    throw new Error(`it refused the connection to ${target.name}: ${refusals[reply] ?? `code ${reply}`}`);
  const length = type === domain ? (yield { wanted: 1 })[0] : type === ipv4 ? 4 : type === ipv6 ? 16 : undefined;
  if (length === undefined) throw new Error('it does not answer as a SOCKS 5 proxy');
  yield { wanted: length + 2 };
}

function loginOf({ user, password }: { readonly user: string; readonly password: string }): Buffer {
  const [name, secret] = [Buffer.from(user, 'utf8'), Buffer.from(password, 'utf8')];
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]);
}

function addressOf({ host, port }: SocksOptions['target']): Buffer {
  const portBytes = Buffer.from([port >> 8, port & 0xff]);
  if (isIPv4(host)) return Buffer.concat([Buffer.from([ipv4, ...host.split('.').map(Number)]), portBytes]);
  if (isIPv6(host)) return Buffer.concat([Buffer.from([ipv6, ...ipv6Bytes(host)]), portBytes]);
  const name = Buffer.from(host, 'utf8');
  return Buffer.concat([Buffer.from([domain, name.length]), name, portBytes]);
}

/** The sixteen bytes of an IPv6 address; a URL writes it without dotted numbers. */
function ipv6Bytes(text: string): readonly number[] {
  const written = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [front = '', back] = written.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16)));
  const [left, right] = [groups(front), groups(back ?? '')];
  const middle = back === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...middle, ...right].flatMap((group) => [group >> 8, group & 0xff]);
}

const socks = 5;
const connectCommand = 1;
const withoutLogin = 0;
const withLogin = 2;
const ipv4 = 1;
const domain = 3;
const ipv6 = 4;

/** RFC 1928 §6. */
const refusals: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'its rules do not allow it',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'the connection was refused',
  6: 'the time to live expired',
  7: 'it does not support the command',
  8: 'it does not support the type of address',
};
