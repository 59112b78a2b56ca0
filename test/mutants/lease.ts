import type { Mutant } from "./mutant.ts";

const machine = "src/core/lease/transition.ts";
const exploration = "src/core/lease/exploration.test.ts";
const table = "src/adapters/storage/sqlite/tables/leases.ts";
const suite = "src/adapters/storage/sqlite/open-sqlite-store.test.ts";
const keeper = "src/host/lease/keeper.ts";
const canvas = "src/host/tool/canvas-tools.test.ts";

/** Defects of the lease: of its state machine (found by exploring every state), of its rows, and of its keeper. */
export const mutants: readonly Mutant[] = [
  {
    name: "the epoch of a claim is not compared",
    file: machine,
    search: "if (claim.epoch !== null && claim.epoch !== lease.epoch) {",
    replacement: "if (claim.epoch !== null && claim.epoch < 0) {",
    test: exploration,
  },
  {
    name: "an expired lease continues",
    file: machine,
    search: "return monotonicMs >= held.expiresAtMonotonicMs;",
    replacement: "return monotonicMs < 0 && held.expiresAtMonotonicMs < 0;",
    test: exploration,
  },
  {
    name: "a lease is still valid at the instant of its end",
    file: machine,
    search: "return monotonicMs >= held.expiresAtMonotonicMs;",
    replacement: "return monotonicMs > held.expiresAtMonotonicMs;",
    test: exploration,
  },
  {
    name: "the holder of an expired lease may write while nobody else holds the canvas",
    file: machine,
    search: "if (held !== null && held.leaseId === claim.leaseId && isOver(held, monotonicMs)) {",
    replacement: "if (held !== null && held.leaseId === claim.leaseId && monotonicMs < 0) {",
    test: exploration,
  },
  {
    name: "a restart resets the epoch",
    file: machine,
    search: "return ok(lease.held === null ? lease : endByForce(lease));",
    replacement: "return ok(freeLease(lease.canvasId));",
    test: exploration,
  },
  {
    name: "a restart ends a lease without raising its epoch",
    file: machine,
    search: "return ok(lease.held === null ? lease : endByForce(lease));",
    replacement: "return ok({ ...lease, held: null });",
    test: exploration,
  },
  {
    name: "a lease survives the process whose clock measured it",
    file: machine,
    search: "return ok(lease.held === null ? lease : endByForce(lease));",
    replacement: "return ok(lease);",
    test: exploration,
  },
  {
    name: "a new lease reuses the previous epoch",
    file: machine,
    search: "return ok({ ...lease, epoch: lease.epoch + 1, held: { leaseId, holder, holderName, ...fresh } });",
    replacement: "return ok({ ...lease, held: { leaseId, holder, holderName, ...fresh } });",
    test: exploration,
  },
  {
    name: "a person's step does not raise the epoch",
    file: machine,
    search: "  return { ...lease, epoch: lease.epoch + 1, held: null };",
    replacement: "  return { ...lease, held: null };",
    test: exploration,
  },
  {
    name: "another run may write under a lease it knows about",
    file: machine,
    search: "held.holder !== claim.holder || claim.epoch === null) {",
    replacement: "claim.epoch === null) {",
    test: exploration,
  },
  {
    name: "a request takes the canvas from its holder",
    file: machine,
    search: "if (current !== null && current.holder !== holder) {",
    replacement: "if (current !== null && current.holder === holder) {",
    test: exploration,
  },
  {
    name: "a late check-in ends the next holder's lease",
    file: machine,
    search: "lease.held?.leaseId === event.leaseId ? { ...lease, held: null } : lease",
    replacement: "{ ...lease, held: null }",
    test: exploration,
  },
  {
    name: "a row is claimed under a used epoch",
    file: table,
    search: ") AND ?2 > leases.epoch)",
    replacement: ") AND ?2 >= leases.epoch)",
    test: suite,
    only: "leases",
  },
  {
    name: "a row is claimed while it is held",
    file: table,
    search: "WHERE ((leases.lease_id IS NULL OR leases.expires_at_monotonic_ms <= ?10)",
    replacement: "WHERE ((leases.lease_id IS NULL OR ?10 IS NOT NULL)",
    test: suite,
    only: "C-09",
  },
  {
    name: "a write is accepted under an epoch that a person has ended",
    file: table,
    search: "AND lease_id = ?2 AND holder = ?3 AND epoch = ?4 AND expires_at_monotonic_ms > ?5`;",
    replacement: "AND lease_id = ?2 AND holder = ?3 AND ?4 > 0 AND expires_at_monotonic_ms > ?5`;",
    test: suite,
    only: "leases",
  },
  {
    name: "a write is accepted after the lease has expired",
    file: table,
    search: "AND lease_id = ?2 AND holder = ?3 AND epoch = ?4 AND expires_at_monotonic_ms > ?5`;",
    replacement: "AND lease_id = ?2 AND holder = ?3 AND epoch = ?4 AND ?5 >= 0`;",
    test: suite,
    only: "leases",
  },
  {
    name: "a released row loses its epoch",
    file: table,
    search: "`UPDATE leases SET ${emptied} WHERE canvas_id = ?1 AND lease_id = ?2`",
    replacement: "`UPDATE leases SET epoch = 0, ${emptied} WHERE canvas_id = ?1 AND lease_id = ?2`",
    test: suite,
    only: "leases",
  },
  {
    name: "a restart does not store the end of a lease",
    file: keeper,
    search: "if (restarted.value !== stored) {",
    replacement: "if (restarted.value === stored) {",
    test: canvas,
    only: "C-10",
  },
  {
    name: "a heartbeat does not renew the lease",
    file: keeper,
    search: "if (!this.#isRenewalDue(held) || this.#renewalsById.has(leaseId)) continue;",
    replacement: "if (this.#isRenewalDue(held) || this.#renewalsById.has(leaseId)) continue;",
    test: canvas,
    only: "C-05",
  },
];
