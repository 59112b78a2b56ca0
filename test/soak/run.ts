import { parseArgs } from "node:util";
import { soakBounds } from "./bounds.ts";
import { growing, slopesOf, wrongIn } from "./judge.ts";
import { soak } from "./soak.ts";

// node test/soak/run.ts [--minutes N] [--people N] [--agents N] [--seed N]: a server for N minutes under people who come and go and
// agents at work; in the second half it is killed each minute. Prints what it held each few seconds, and how the database grew.
// Below 20 minutes the slopes are printed and not judged.

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    people: { type: "string", default: "200" },
    agents: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
  },
});
const minutes = Number(values.minutes);
const report = await soak({
  calmSeconds: minutes * 30,
  kills: Math.floor(minutes / 2),
  killEvery: 60,
  people: Number(values.people),
  agents: Number(values.agents),
  staySeconds: 60,
  sampleEvery: 10,
  seed: Number(values.seed),
  log: (line) => console.log(line),
});
const bounds = minutes < 20 ? { ...soakBounds, warmUpSeconds: minutes * 10 } : soakBounds;
const slopes = slopesOf(report, bounds);
const wrong = [...wrongIn(report, bounds), ...(minutes < 20 ? [] : growing(slopes, bounds))];
const { edits, visits, turns, conversations, kills, tokens, acknowledged, databaseMb, descriptors } = report;
console.log(
  [
    `${visits} visits, ${edits} edits (${acknowledged} acknowledged to who was still there), ${turns} turns in ${conversations} conversations, ${tokens} tokens, ${kills} kills`,
    `a minute: memory ${slopes.rss.toFixed(2)} MB, heap ${slopes.heap.toFixed(2)} MB, descriptors ${slopes.descriptors.toFixed(2)}; before kills, memory ${slopes.rssOfLives.toFixed(2)} MB`,
    `descriptors before anybody came and after everybody left: ${descriptors.map(({ before, after }) => `${before}, ${after}`).join("; ")}`,
    `database ${databaseMb.toFixed(1)} MB, grown by:`,
    ...report.growth.lines.map((line) => `  ${line}`),
    ...wrong.map((each) => `WRONG: ${each}`),
    wrong.length === 0 ? "nothing lost, nothing stuck, nothing grows" : `${wrong.length} things are wrong`,
  ].join("\n"),
);
process.exit(wrong.length === 0 ? 0 : 1);
