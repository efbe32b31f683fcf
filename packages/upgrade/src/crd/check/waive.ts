import type { CrdFinding, CrdReport } from '../crd-finding.ts';
import type { Waiver } from '../waivers.ts';

/**
 * Marks the findings that a waiver accepts, and reports waivers that accept none: `until` is the
 * last day, inclusive; errors of the API server are never waived.
 */
export function waive(
  findings: readonly CrdFinding[],
  { waivers, today }: { readonly waivers: readonly Waiver[]; readonly today: string },
): { readonly findings: readonly CrdFinding[]; readonly idle: CrdReport['idleWaivers'] } {
  const day = today.slice(0, 10);
  const valid = waivers.filter(({ until }) => until >= day);
  const waived = findings.map((finding) => {
    const waiver = finding.severity === 'X' ? undefined : valid.find((one) => isMeant(one, finding));
    return waiver === undefined ? finding : { ...finding, waivedBy: waiver };
  });
  const used = new Set(waived.map(({ waivedBy }) => waivedBy));
  const idle = waivers
    .filter((waiver) => !used.has(waiver))
    .map((waiver) => ({ waiver, why: whyIdle(waiver, { findings, day }) }));
  return { findings: waived, idle };
}

function isMeant({ rule, version, path }: Waiver, finding: CrdFinding): boolean {
  if (rule !== finding.rule) return false;
  if (version !== undefined && version !== finding.version) return false;
  return path === undefined || path === finding.field;
}

function whyIdle(
  waiver: Waiver,
  { findings, day }: { readonly findings: readonly CrdFinding[]; readonly day: string },
): string {
  if (waiver.until < day) return `it expired after ${waiver.until}`;
  if (findings.some((finding) => finding.severity === 'X' && isMeant(waiver, finding))) {
    return 'rejections by the API server cannot be waived';
  }
  if (findings.some((finding) => isMeant(waiver, finding))) return 'it duplicates another waiver';
  return 'it matches no finding';
}
