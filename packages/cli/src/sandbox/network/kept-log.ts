import type { ContainerLog, LogLine } from '@isthmus/sandbox';

/** What a run writes, as lines; the oldest are forgotten beyond a limit. */
export interface KeptLog extends ContainerLog {
  add(bytes: Uint8Array, nowMs: number): void;
  /** The run is over. */
  end(nowMs: number): void;
}

/** Of each run, in characters. */
const keptLength = 1024 * 1024;
/** A line that is longer is cut into several. */
const longestLine = 16 * 1024;

export function keptLog(): KeptLog {
  const lines: LogLine[] = [];
  const followers = new Set<{ readonly onLine: (line: LogLine) => void; readonly onEnd: () => void }>();
  const decoder = new TextDecoder();
  let length = 0;
  let rest = '';
  let isOver = false;
  const put = (text: string, atMs: number) => {
    const line = { atMs, text };
    lines.push(line);
    length += text.length;
    while (length > keptLength && lines.length > 1) length -= lines.shift()?.text.length ?? 0;
    for (const { onLine } of followers) onLine(line);
  };
  const take = (text: string, nowMs: number) => {
    rest += text;
    for (;;) {
      const end = rest.indexOf('\n');
      const cut = end === -1 || end >= longestLine ? longestLine : end + 1;
      if (end === -1 && rest.length < longestLine) return;
      put(rest.slice(0, cut), nowMs);
      rest = rest.slice(cut);
    }
  };
  return {
    add: (bytes, nowMs) => take(decoder.decode(bytes, { stream: true }), nowMs),
    end(nowMs) {
      if (isOver) return;
      take(decoder.decode(), nowMs);
      if (rest !== '') put(rest, nowMs);
      rest = '';
      isOver = true;
      for (const { onEnd } of followers) onEnd();
      followers.clear();
    },
    lines: () => lines,
    follow(onLine, onEnd) {
      if (isOver) {
        onEnd();
        return () => {};
      }
      const follower = { onLine, onEnd };
      followers.add(follower);
      return () => void followers.delete(follower);
    },
  };
}
