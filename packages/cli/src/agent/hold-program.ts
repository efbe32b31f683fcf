import type { HoldProgram } from '@isthmus/dataplane';
import type { Io } from '../world/io.ts';

/** Keeps programs of this machine open. They end with this process, as their input does. */
export function holdProgram(io: Pick<Io, 'env' | 'startProgram'>): HoldProgram {
  return async (program, args, { onError, onEnd }) => {
    const decoder = new TextDecoder();
    const child = await io.startProgram(program, args, {
      // Programs with a command line write what they were asked to a file at home.
      env: { PATH: io.env['PATH'] ?? '', HOME: '/nonexistent' },
      onStderr(bytes) {
        onError(decoder.decode(bytes, { stream: true }));
      },
    });
    void child.exited.then(({ code, signal }) =>
      onEnd(signal === undefined ? `it ended with code ${code}` : `it was ended by ${signal}`),
    );
    return { write: child.write, close: child.endInput };
  };
}
