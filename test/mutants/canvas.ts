import type { Mutant } from "./mutant.ts";

const loop = "test/providers/canvas-loop.test.ts";
const turns = "test/providers/tool-loop.test.ts";
const heartbeats = "src/host/lease/heartbeat.test.ts";
const leaseHold = "src/host/conversation/reply/lease-hold.ts";
const leaseHoldTest = "src/host/conversation/reply/lease-hold.test.ts";
const toolHeartbeats = "src/host/conversation/run/tool-heartbeats.test.ts";
const runCall = "src/host/conversation/run/run-call.ts";
const host = "src/host/tool/heddle-tools.ts";
const project = "src/adapters/providers/shared/project.ts";

/** Defects of an agent's loop at a canvas: what it is told, what keeps its lease, what goes back to its provider. */
export const mutants: readonly Mutant[] = [
  {
    name: "an ambiguous place is taken at its first occurrence",
    file: "src/core/block/patch/apply.ts",
    search: "  if (others.length === 0)\n",
    replacement: "  if (others.length < 2)\n",
    test: loop,
    only: "C-16",
  },
  {
    name: "nobody says what to do about an ambiguous place",
    file: "src/core/block/patch/apply.ts",
    search: ". Give the right line in its header, or more context lines.`",
    replacement: ".`",
    test: loop,
    only: "C-16",
  },
  {
    name: "a patch for a revision before the agent's own last is taken",
    file: "src/core/lease/base-revision.ts",
    search: "if (base.baseVersion >= oldest && ",
    replacement: "if (base.baseVersion >= 0 * oldest && ",
    test: loop,
    only: "C-15",
  },
  {
    name: "a conversation goes on to speak of canvases where they are switched off",
    file: "src/host/canvas/canvas-context.ts",
    search: "return prompt === systemPrompt ? systemPromptWithoutCanvas : prompt;",
    replacement: "return prompt;",
    test: loop,
    only: "C-18",
  },
  {
    name: "what was told of canvases is sent where they are switched off",
    file: "src/host/canvas/canvas-context.ts",
    search: "messages.filter((message) => !isCanvasUpdate(message))",
    replacement: "messages",
    test: loop,
    only: "C-18",
  },
  {
    name: "canvas tools are offered where documents are git's alone",
    file: host,
    search: "canvas: features.canvas && !this.#gitOnly }",
    replacement: "canvas: features.canvas }",
    test: loop,
    only: "C-19",
  },
  {
    name: "a silent tool or request renews no lease",
    file: leaseHold,
    search: "cancelTimer = this.#clock.setTimer(beatMs, beat);",
    replacement: "",
    test: leaseHoldTest,
  },
  {
    name: "words alone hold a lease",
    file: leaseHold,
    search: "isText ? now - usage.lastAt < textMsMax : now",
    replacement: "now",
    test: leaseHoldTest,
  },
  {
    name: "work without a sign holds a lease for ever",
    file: leaseHold,
    search: "now - signedAt < signlessMsMax",
    replacement: "true",
    test: leaseHoldTest,
  },
  {
    name: "rounds that use no lease keep it",
    file: leaseHold,
    search: "this.#idleRounds >= idleRoundsMax",
    replacement: "false",
    test: leaseHoldTest,
  },
  {
    name: "a result is no sign of life",
    file: runCall,
    search: "    work.sign();\n    work.end();",
    replacement: "    work.end();",
    test: toolHeartbeats,
  },
  {
    name: "what a reply says is no sign of life",
    file: "src/host/conversation/reply/reply-stream.ts",
    search: "      job.onActivity(said);\n",
    replacement: "",
    test: heartbeats,
  },
  {
    name: "thinking goes to a model that did not think it",
    file: project,
    search: "if (sameModel && block.unsent !== true) content.push(block);",
    replacement: "content.push(block);",
    test: turns,
    only: "C-35",
  },
  {
    name: "thinking is left out where its model goes on",
    file: project,
    search: "if (sameModel && block.unsent !== true) content.push(block);",
    replacement: "",
    test: turns,
    only: "C-26",
  },
  {
    name: "what was said of a reply that is stopped is lost",
    file: "src/core/model/assemble.ts",
    search: 'replyOf(kept, { role: "assistant", interrupted: true, origin }) : null',
    replacement: "null : null",
    test: turns,
    only: "C-32",
  },
  {
    name: "text within a thinking block is lost",
    file: "src/adapters/providers/anthropic/decode.ts",
    search: 'textAt(delta, "thinking") ?? textAt(delta, "text")',
    replacement: 'textAt(delta, "thinking")',
    test: "src/adapters/providers/anthropic/decode.test.ts",
  },
  {
    name: "a short result gives way too",
    file: "src/host/conversation/reply/large-results.ts",
    search: "if (units < largeResultUnits) return message;",
    replacement: "if (units < 5) return message;",
    test: "src/host/conversation/reply/large-results.test.ts",
  },
];
