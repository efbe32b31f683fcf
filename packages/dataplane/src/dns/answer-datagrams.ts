/** The used part of a bound UDP socket. */
interface BoundSocket {
  on(event: 'message', listener: (message: Uint8Array, from: Sender) => void): unknown;
  send(message: Uint8Array, port: number, address: string, sent: () => void): void;
}

interface Sender {
  readonly address: string;
  readonly port: number;
}

/** Answers each datagram. `respond`: the response to a message; undefined: it is not answered. */
export function answerDatagrams(socket: BoundSocket, respond: (message: Uint8Array) => Uint8Array | undefined): void {
  socket.on('message', (message, { address, port }) => {
    // A client that may send raw packets can send from port 0. No answer can be sent there: `send`
    // throws.
    if (port === 0) return;
    const response = respond(message);
    // An answer that cannot be sent is lost: the client asks again.
    if (response !== undefined) socket.send(response, port, address, () => {});
  });
}
