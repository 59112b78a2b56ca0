import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "a lease outlives the server that gave it",
    file: "src/host/lease/keeper.ts",
    search: "    if (restarted.value !== stored) {",
    replacement: "    if (restarted.value === undefined) {",
  },
  {
    name: "a new lease has the epoch of the one before",
    file: "src/core/lease/transition.ts",
    search: "epoch: lease.epoch + 1, held: { leaseId,",
    replacement: "epoch: lease.epoch, held: { leaseId,",
  },
  {
    name: "a lease that is given back stays in the store",
    file: "src/host/lease/keeper.ts",
    search: 'const refused = await this.#commit({ type: "release-lease", canvasId, leaseId });',
    replacement: "const refused = null as Refusal | null;",
  },
  {
    name: "a person takes control in memory alone",
    file: "src/host/lease/keeper.ts",
    search: 'const refused = await this.#commit({ type: "preempt-lease", canvasId, epoch: ended.value.epoch });',
    replacement: "const refused = null as Refusal | null;",
  },
];
