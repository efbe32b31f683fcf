/**
 * A program: `run-truths.ts <first seed> <seeds>` lets faults loose on a fleet for each seed, with
 * and without gateways, and holds its statuses against calls. It prints one JSON document per run,
 * each on a line (a check of `scripts/soak.ts`).
 */
import { truthRun } from './truth-run.ts';

const sequences = 20;
const [first = 1, seeds = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + seeds; seed++) {
  for (const gateways of [false, true]) {
    const { breaches, looks, story } = await truthRun({ seed, sequences, gateways });
    const title = `seed ${seed}${gateways ? ', with gateways' : ''}: ${sequences} sequences`;
    const detail =
      breaches.length === 0
        ? `${looks.all} looks, ${looks.false} false for a while`
        : [...story, ...breaches].join('\n');
    process.stdout.write(`${JSON.stringify({ title, ok: breaches.length === 0, detail })}\n`);
  }
}
