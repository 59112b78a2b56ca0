import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "an approval that ran out counts as given",
    file: "src/core/turn/rows/rows-of-rounds.ts",
    search:
      '  "approval-expired": (state, event, context) =>\n    event.callId === state.request.callId\n      ? addResult(activeRound(state, context, event), syntheticResult(callIn(state, event.callId), "approval-expired"))\n      : absorb(),',
    replacement:
      '  "approval-expired": (state, event) =>\n    step({ type: "running-tools", ...roundOf(state), running: [event.callId], progress: state.progress }, [], [\n      { type: "run-tool", call: callIn(state, event.callId), approved: state.request.argumentsHash },\n    ]),',
  },
  {
    name: "a lease lasts until a time of the wall clock",
    file: "src/core/lease/transition.ts",
    search: "expiresAtMonotonicMs: at.monotonicMs + ttlMs",
    replacement: "expiresAtMonotonicMs: at.wallMs + ttlMs",
  },
  {
    name: "a retry waits until a time of the wall clock",
    file: "src/host/conversation/run/run-performer.ts",
    search: "        return this.#after(effect.delayMs, activity, () => {",
    replacement:
      "        return this.#after(Math.abs(this.#ports.platform.clock.now() - Date.UTC(2030, 0, 1)) + effect.delayMs, activity, () => {",
  },
];
