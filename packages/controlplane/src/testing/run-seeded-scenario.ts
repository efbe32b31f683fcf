/** A program: `run-seeded-scenario.ts <seed>` prints {@link seededRequestLog}. */
import { seededRequestLog } from './seeded-scenario.ts';

process.stdout.write(`${await seededRequestLog(Number(process.argv[2]))}\n`);
