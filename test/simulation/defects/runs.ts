import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "a call that had begun runs again after a crash",
    file: "src/core/turn/rows/rows-of-rounds.ts",
    search: "return !tooOften && facts !== undefined && (!facts.started || facts.idempotent);",
    replacement: "return !tooOften && facts !== undefined;",
  },
  {
    name: "a call whose end nobody knows gets no result after a crash",
    file: "src/core/turn/rows/rows-of-rounds.ts",
    search: '    .map((call) => syntheticResult(call, "outcome-unknown"));',
    replacement: '    .map((call) => syntheticResult(call, "outcome-unknown"))\n    .slice(1);',
  },
  {
    name: "a cancelled round leaves a call without a result",
    file: "src/core/turn/step/round.ts",
    search: "  return round.pending.map((call) =>\n    save(",
    replacement: "  return round.pending.slice(1).map((call) =>\n    save(",
  },
  {
    name: "a run is not taken up after a crash",
    file: "src/host/conversation/queue/conversation.ts",
    search: "      if (isSettled(record.state)) continue;\n      const remains",
    replacement: "      if (isSettled(record.state) || record.eventSeq % 2 === 0) continue;\n      const remains",
  },
  {
    name: "a call begins before its intent is stored",
    file: "src/host/conversation/run/run-call.ts",
    search: "    if (!(await this.#reports.intent(order.effectId, noted))) {\n",
    replacement: '    if (order.effectId === "") {\n',
  },
  {
    name: "an event is performed before it is stored",
    file: "src/host/conversation/queue/event-processor.ts",
    search: "    const committed = await this.#owner.commit(plan);\n",
    replacement:
      "    for (const followUp of followUps) await this.#perform(followUp);\n    const committed = await this.#owner.commit(plan);\n",
  },
  {
    name: "what a full disk refused of a run is not tried again",
    file: "src/host/conversation/queue/reported-events.ts",
    search: "    if (isPassing(problem)) this.#later(() => this.take(run, this.#thatFits(run, reported, problem)));\n",
    replacement: "    if (isPassing(problem)) return;\n",
  },
];
