import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BenchChild, type Listening } from "./sync/child.ts";
import { noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";
import { besideWorks } from "./workspace/beside.ts";
import { fillCanvases } from "./workspace/canvases.ts";
import { conversationWorks, type Sample, type Work } from "./workspace/conversations.ts";
import { fillWorkspace, sizes, type WorkspaceSize } from "./workspace/generate.ts";
import { listWorks } from "./workspace/lists.ts";

const subjects = ["small", "big"] as const;
const works: readonly Work[] = [...conversationWorks, ...listWorks, ...besideWorks];

const bench: Bench = {
  name: "workspace",
  rounds: 1,
  question: "What does a large workspace cost those who look at little of it?",
  async run({ rounds, isAsked, log }) {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
    try {
      const rows: BenchRow[] = [];
      const samples = new Map<string, Sample[]>();
      for (let round = 0; round < rounds; round += 1) {
        for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
          const filled = join(folder, `${subject}.db`);
          if (round === 0) {
            const began = performance.now();
            fillWorkspace(filled, sizes[subject]);
            await fillCanvases(filled, sizes[subject].canvases);
            log(`${subject}: filled in ${Math.round(performance.now() - began)} ms`);
          }
          const file = join(folder, `${subject}-${round}.db`);
          copyFileSync(filled, file);
          for (const work of works.filter(({ name }) => isAsked(name))) {
            const sample = await measured(work, file, sizes[subject]);
            log(`${subject} ${work.name}: ${JSON.stringify(sample)}`);
            const key = `${work.name}/${subject}`;
            samples.set(key, [...(samples.get(key) ?? []), sample]);
          }
          rmSync(file);
        }
      }
      for (const work of works.filter(({ name }) => isAsked(name))) rows.push(...rowsOf(work, samples));
      return rows;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

export default bench;

/** Measures one work on a server of its own, after a start that nothing else warmed up. */
async function measured(work: Work, file: string, size: WorkspaceSize): Promise<Sample> {
  const server = await BenchChild.start<Listening>("../workspace/serve.ts", [file]);
  try {
    return await work.measure(server, size);
  } finally {
    await server.stop();
  }
}

function rowsOf(work: Work, samples: ReadonlyMap<string, readonly Sample[]>): readonly BenchRow[] {
  const small = samples.get(`${work.name}/small`) ?? [];
  return work.units.flatMap(({ key, unit, goal }) =>
    subjects.map((subject): BenchRow => {
      const figures = (samples.get(`${work.name}/${subject}`) ?? []).map((sample) => sample[key] ?? Number.NaN);
      const value = median(figures);
      const ratio = median(figures.map((figure, round) => figure / (small[round]?.[key] ?? Number.NaN)));
      const isBig = subject === "big";
      const twin = median(small.map((sample) => sample[key] ?? Number.NaN));
      return {
        work: `${work.title}: ${key}`,
        subject: work.subjects[subject],
        value,
        unit,
        ratio: isBig ? ratio : null,
        ...(isBig && goal !== undefined ? goal(value, twin) : noGoal),
      };
    }),
  );
}
