import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommandLine } from "../run.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-replay-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(input: string, ...args: string[]): Promise<{ code: number; printed: string; noted: string }> {
  const said = { printed: "", noted: "" };
  const code = await runCommandLine(args, {
    print: (line) => void (said.printed += `${line}\n`),
    note: (line) => void (said.noted += `${line}\n`),
    input: async () => input,
    env: { HEDDLE_DATA: join(folder, "none"), XDG_CONFIG_HOME: folder },
    isInteractive: false,
    colours: false,
  });
  return { code, ...said };
}

const message = { role: "user", content: [{ type: "text", text: "Hi \u202e" }] };
const lines = [
  { type: "heddle-trace", version: 1, rootId: "root_1", at: 0 },
  {
    type: "run",
    runId: "run_1",
    model: "m/1",
    context: { kind: "conversation", roundsMax: 200 },
    state: { type: "idle" },
  },
  { type: "event", seq: 1, at: 1, event: { type: "message-sent", message } },
  { type: "event", seq: 2, at: 2, event: { type: "request-prepared" } },
  { type: "event", seq: 3, at: 3, event: { type: "message-sent", message } },
  { type: "event", seq: 4, at: 4, event: { type: "approval-expired", callId: "gone" } },
];

function written(...entries: readonly object[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

test("replay shows every state and effect, marks absorbed and refused events, and reports that all states match", async () => {
  const file = join(folder, "trace");
  await writeFile(file, written(...lines));
  const { code, printed, noted } = await run("", "replay", file);
  expect([code, noted]).toEqual([0, "4 events of 1 run: every state as recorded. (1 refused)\n"]);
  expect(printed.split("\n").slice(2)).toEqual([
    "run_1 · m/1 · conversation, up to 200 tool rounds · idle",
    "     1  message-sent       → awaiting",
    "        save-message: user",
    "        preempt-leases",
    "        prepare-request",
    "     2  request-prepared   → requesting, attempt 1",
    "        request-model: attempt 1",
    "     3  message-sent       → requesting, attempt 1   (refused: AGENT_BUSY)",
    "     4  approval-expired   → requesting, attempt 1   (absorbed)",
    "",
  ]);
});

test("replay --json prints an object per line with state, saved and performed effects, in visible characters only", async () => {
  const { printed } = await run(written(...lines), "replay", "-", "--json");
  const steps = printed
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(steps[2]).toMatchObject({ type: "event", seq: 1, verdict: { type: "applied" }, state: { type: "awaiting" } });
  expect(steps[2]).toMatchObject({
    saved: [{ type: "save-message", message }, { type: "preempt-leases" }],
    performed: [{ type: "prepare-request" }],
  });
  expect(printed).not.toContain("\u202e");
});

test("replay stops at the first differing state, names its event and line, and exits with 1", async () => {
  const differing = { ...lines[3], state: { type: "idle", hash: "\u001b[2J" } };
  const { code, printed, noted } = await run(
    written(...lines.slice(0, 3), differing, ...lines.slice(4)),
    "replay",
    "-",
  );
  expect(code).toBe(1);
  expect(noted).toBe(
    "heddle: Event 2 (request-prepared, line 4): the record has idle (\\u001b[2J), the machine gives requesting, attempt 1.\n",
  );
  expect(printed).not.toContain("AGENT_BUSY");
});

test.each<[string, string, string]>([
  [
    "is not JSON",
    `${written(...lines.slice(0, 2))}nonsense
`,
    "Line 3: This is not JSON.",
  ],
  ["is empty", "", "holds no trace"],
  ["has an unknown event", written(...lines.slice(0, 2), { ...lines[2], event: { type: "x" } }), "Line 3, event.type"],
])("replay refuses a file that %s with exit code 2 and its line", async (_name, input, words) => {
  const { code, noted } = await run(input, "replay", "-");
  expect([code, noted.includes(words)]).toEqual([2, true]);
});

test("a missing file and a missing argument are mistakes of the command line", async () => {
  expect(await run("", "replay", join(folder, "nowhere"))).toMatchObject({
    code: 2,
    noted: expect.stringContaining("could not be read"),
  });
  expect(await run("", "replay")).toMatchObject({ code: 2, noted: expect.stringContaining("Which trace?") });
  expect(await run("", "trace")).toMatchObject({ code: 2, noted: expect.stringContaining("Which conversation?") });
  expect(await run("", "trace", "loom")).toMatchObject({
    code: 1,
    noted: expect.stringContaining("There is no data in"),
  });
});
