import { parseArgs } from "node:util";
import { startTestServer } from "../../src/testing/test-server.ts";
import { runCrowd } from "./crowd.ts";

// node test/agents/run.ts [--seconds N]: people alone, then as long with 20 agents in a thread of their own; prints what was lost and how long keystrokes took.

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const seconds = Number(values.seconds);
const server = await startTestServer({ store: "sqlite", welcome: false });
const alone = await runCrowd(server, { agents: 0, people: 5, seconds });
const together = await runCrowd(server, { agents: 20, people: 5, seconds, apart: true });
await server.close();
console.log(JSON.stringify({ alone, together, p99Ratio: Math.round((together.p99Ms / alone.p99Ms) * 100) / 100 }));
const failures = [...together.lost, ...together.misattributed, ...alone.lost, ...alone.misattributed];
process.exit(failures.length === 0 ? 0 : 1);
