import { claimTypes, type NodeMeters } from "../../core/port/node-meters.ts";
import { Counter, Gauge, Histogram, type Registry } from "./metrics-package.ts";

const takeOverSeconds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const commitSeconds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 3];
const commitCounts = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** Opens the meters of a node in a registry. Labels are outcomes and directions alone. */
export function openNodeMeters(registers: Registry[]): NodeMeters {
  const counter = (name: string, help: string, label?: string) =>
    new Counter({ name: `heddle_node_${name}`, help, labelNames: label === undefined ? [] : [label], registers });
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    new Histogram({ name: `heddle_node_${name}`, help, buckets: [...buckets], registers });
  const renewals = counter("renewals_total", "Renewals of the node's row.", "outcome");
  const fences = counter("fences_refused_total", "Writes refused since another node has the right to write.");
  const reaps = counter("reaps_total", "Other nodes that this one declared dead.");
  const sessions = counter("sessions_ended_total", "Database sessions of dead nodes that this one ended.");
  const claim = new Gauge({
    name: "heddle_node_claim",
    help: "1 for how far the node is with the right to write, else 0.",
    labelNames: ["state"],
    registers,
  });
  const takeOvers = histogram(
    "take_over_seconds",
    "From asking for the right to write until serving.",
    takeOverSeconds,
  );
  const handOvers = histogram(
    "hand_over_seconds",
    "From the request to stop until the right is another's.",
    takeOverSeconds,
  );
  const clients = counter("clients_total", "Clients that connected, served here or passed on.", "way");
  const bytes = counter("link_bytes_total", "Bytes of clients over links between nodes.", "direction");
  const stalls = counter("link_stalls_total", "Writes to a link that waited until the other side had read.");
  const hints = counter("hints_total", "Hints that rows of nodes changed.", "type");
  const commits = histogram(
    "commit_seconds",
    "Transactions of the writer, from the first statement to the answer.",
    commitSeconds,
  );
  const batches = histogram("commits_in_transaction", "Commits that went into one transaction.", commitCounts);
  const pauses = counter("pauses_told_total", "Clients refused or let go since the node's time had run out.");
  const claimChanged: NodeMeters["claimChanged"] = (now) => {
    for (const state of claimTypes) claim.set({ state }, state === now ? 1 : 0);
  };
  claimChanged("none");
  return {
    renewed: (outcome) => renewals.inc({ outcome }),
    fenceRefused: () => fences.inc(),
    reaped: () => reaps.inc(),
    sessionsEnded: (count) => sessions.inc(count),
    claimChanged,
    tookOver: (seconds) => takeOvers.observe(seconds),
    handedOver: (seconds) => handOvers.observe(seconds),
    clientCame: (way) => clients.inc({ way }),
    linkCarried: (direction, count) => bytes.inc({ direction }, count),
    linkStalled: () => stalls.inc(),
    hint: (type) => hints.inc({ type }),
    committed({ commits: count, seconds }) {
      commits.observe(seconds);
      batches.observe(count);
    },
    pauseTold: () => pauses.inc(),
  };
}
