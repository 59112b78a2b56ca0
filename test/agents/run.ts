import { parseArgs } from "node:util";
import { startTestServer } from "../../src/testing/test-server.ts";
import { runCrowd } from "./crowd.ts";

// node test/agents/run.ts [--seconds N]: five people type in a canvas; 20 agents of other programs, which rest and work in turns of
// ten seconds, are at work in it for N seconds. Prints what was lost and how long keystrokes took without and with the agents.

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const shiftSeconds = 10;
const server = await startTestServer({ store: "sqlite", welcome: false });
const report = await runCrowd(server, {
  agents: 20,
  people: 5,
  seconds: 2 * Number(values.seconds),
  shiftSeconds,
  apart: true,
});
await server.close();
const p99Ratio = Math.round((report.together.p99Ms / report.alone.p99Ms) * 100) / 100;
console.log(JSON.stringify({ ...report, p99Ratio }));
process.exit(report.lost.length + report.misattributed.length === 0 ? 0 : 1);
