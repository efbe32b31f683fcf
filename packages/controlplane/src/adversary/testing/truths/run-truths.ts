/**
 * A program: `run-truths.ts <first seed> <seeds>` lets faults loose on a fleet for each seed and
 * network, and holds its statuses against calls. It prints one JSON document per run,
 * each on a line (a check of `scripts/soak.ts`).
 */
import { networks, truthRun } from './truth-run.ts';

const sequences = 20;
const [first = 1, seeds = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + seeds; seed++) {
  for (const network of networks) {
    const { breaches, looks, story } = await truthRun({ seed, sequences, network });
    const title = `seed ${seed}, network ${network}: ${sequences} sequences`;
    const detail =
      breaches.length === 0
        ? `${looks.all} looks, ${looks.false} false for a while`
        : [...story, ...breaches].join('\n');
    process.stdout.write(`${JSON.stringify({ title, ok: breaches.length === 0, detail })}\n`);
  }
}
