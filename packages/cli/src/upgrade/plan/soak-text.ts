import type { Step } from '@isthmus/upgrade';

/**
 * How long an upgraded component runs before the next wave begins: `soak 1 h 30 min`, to the
 * second; undefined if nothing waits.
 */
export function soakText(steps: readonly Pick<Step, 'gates'>[]): string | undefined {
  const waits = steps.flatMap(({ gates }) =>
    gates.flatMap(({ kind, seconds = 0 }) => (kind === 'soak' ? seconds : [])),
  );
  if (waits.length === 0) return undefined;
  const total = Math.max(...waits);
  const parts = [
    [Math.floor(total / 3600), 'h'],
    [Math.floor(total / 60) % 60, 'min'],
    [total % 60, 's'],
  ] as const;
  return `soak ${parts.flatMap(([many, unit]) => (many === 0 ? [] : `${many} ${unit}`)).join(' ')}`;
}
