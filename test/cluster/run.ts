import { runChaos } from "./chaos.ts";

// Three processes on one PostgreSQL under every fault, for as long as asked: `node test/cluster/run.ts --rounds 20`. One fault
// again and again: `--only "SIGKILL of the owner"`.

const given = (name: string, usual: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? usual : Number(process.argv[at + 1]);
};

const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const ttlMs = given("ttl-ms", 1_500);
const report = await runChaos({
  seed: given("seed", 20_261),
  ttlMs,
  documents: given("documents", 30),
  conversations: given("conversations", 20),
  people: given("people", 60),
  rounds: given("rounds", 20),
  typesEveryMs: given("types-every-ms", 500),
  measured: given("measured", 3),
  ...(only === undefined ? {} : { only }),
  note: (said) => console.log(said),
});
console.log(JSON.stringify({ ...report, problems: report.problems.slice(0, 20) }, null, 2));
const bound = ttlMs + 500;
if (report.problems.length > 0) process.exitCode = 1;
else console.log(`0 stale writes, 0 acknowledged edits lost; longest gap ${report.gapMs} ms (bound ${bound} ms)`);
if (report.gapMs > bound) process.exitCode = 1;
