import { errorMessage } from '@isthmus/machinery';
import { versionsOf } from './ask.ts';
import type { Run } from './ask.ts';
import type { Newer } from './newer.ts';
import { newerOf } from './newer.ts';
import type { Pinned } from './pinned.ts';

/** The lines about updates of these pins, and the exit code: 1 if a source could not be asked. */
export async function updatesOf(
  pins: readonly Pinned[],
  run: Run,
): Promise<{ readonly text: string; readonly exitCode: 0 | 1 }> {
  const updates: Newer[] = [];
  const unknown: string[] = [];
  for (const pinned of pins) {
    try {
      const newer = newerOf(pinned, await versionsOf(pinned, run));
      if (newer !== undefined) updates.push(newer);
    } catch (error) {
      const { source, name, version, file } = pinned;
      const [why = ''] = errorMessage(error).split('\n');
      unknown.push(`not known: ${source} ${name} ${version} (${file}): ${why}`);
    }
  }
  const summary = `${pins.length} pinned, ${updates.length} with an update${unknown.length > 0 ? `, ${unknown.length} not known` : ''}`;
  const parts = [updates.length > 0 ? tableOf(updates) : [], unknown, [summary]].filter((lines) => lines.length > 0);
  return { text: parts.map((lines) => lines.join('\n')).join('\n\n'), exitCode: unknown.length > 0 ? 1 : 0 };
}

function tableOf(updates: readonly Newer[]): readonly string[] {
  const rows = [
    ['SOURCE', 'NAME', 'PINNED', 'SAME MAJOR', 'LATER MAJOR', 'FILE'],
    ...updates.map(({ pinned, sameMajor = '-', laterMajor = '-' }) => [
      pinned.source,
      pinned.name,
      pinned.version,
      sameMajor,
      laterMajor,
      pinned.file,
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
