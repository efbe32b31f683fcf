import type { ContainerLog, LogLine } from '@isthmus/sandbox';

/** The output of a run, as lines; the oldest are dropped beyond a limit. */
export interface KeptLog extends ContainerLog {
  add(bytes: Uint8Array, nowMs: number): void;
  /** The run is over. */
  end(nowMs: number): void;
}

/** The limit of each run, in characters. */
const keptLength = 1024 * 1024;
/** The limit of each run, in lines. Short lines take more memory than their characters. */
const keptLines = 100_000;
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
    for (const { onLine } of followers) onLine(line);
  };
  /**
   * Called once for each chunk: removing lines from the start one by one would move all others each
   * time.
   */
  const forget = () => {
    let count = 0;
    const isTooLong = () => length > keptLength || lines.length - count > keptLines;
    for (; isTooLong() && count < lines.length - 1; count++) length -= lines[count]?.text.length ?? 0;
    if (count > 0) lines.splice(0, count);
  };
  const take = (text: string, nowMs: number) => {
    const all = rest + text;
    let at = 0;
    for (;;) {
      const end = all.indexOf('\n', at);
      if (end === -1 && all.length - at < longestLine) break;
      const next = end === -1 || end - at >= longestLine ? at + longestLine : end + 1;
      put(all.slice(at, next), nowMs);
      at = next;
    }
    rest = all.slice(at);
    forget();
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
