/**
 * A program: `run-losses.ts <first seed> <seeds>` loses combinations of objects of a Common Area
 * for each seed. It prints one JSON document per run, each on a line (a check of
 * `scripts/soak.ts`).
 */
import { lossRun } from './loss-run.ts';

const [first = 1, seeds = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + seeds; seed++) {
  const { breaches, story } = await lossRun(seed);
  const detail = [...story, ...breaches].join('\n');
  process.stdout.write(`${JSON.stringify({ title: `seed ${seed}`, ok: breaches.length === 0, detail })}\n`);
}
