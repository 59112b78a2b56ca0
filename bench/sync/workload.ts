/**
 * Rooms of clients, some of which write at a steady rate. Every client of a room gets every update, including the
 * writer.
 */
export interface Workload {
  readonly name: string;
  readonly rooms: number;
  readonly writersPerRoom: number;
  readonly viewersPerRoom: number;
  /** Updates per second of each writer, and the letters in each. */
  readonly updatesPerSecond: number;
  readonly lettersPerUpdate: number;
  /** Goal for the server's CPU per delivery relative to raw `ws`; null if it is judged by something else. */
  readonly goal: number | null;
  /** The same relative to `ws, on disk`, where the disk alone costs about the goal or more: decision 0016. */
  readonly goalOnDisk?: number;
  /** The longest p99 of an arrival, in milliseconds. */
  readonly p99Max?: number;
}

/**
 * The loads of the specification: deliveries per second are 4,000, 20,000, 40,000, 50,000 and 8,000. T is a document in which 50
 * people type, D 100 documents with two typists each; one more watches, and times what arrives.
 */
export const workloads: readonly Workload[] = [
  {
    name: "A",
    rooms: 1,
    writersPerRoom: 10,
    viewersPerRoom: 40,
    updatesPerSecond: 8,
    lettersPerUpdate: 1,
    goal: 1.3,
    goalOnDisk: 2,
  },
  { name: "B2", rooms: 1, writersPerRoom: 20, viewersPerRoom: 80, updatesPerSecond: 10, lettersPerUpdate: 1, goal: 1 },
  {
    name: "B",
    rooms: 1,
    writersPerRoom: 20,
    viewersPerRoom: 180,
    updatesPerSecond: 10,
    lettersPerUpdate: 1,
    goal: 0.5,
  },
  {
    name: "C",
    rooms: 1,
    writersPerRoom: 10,
    viewersPerRoom: 40,
    updatesPerSecond: 100,
    lettersPerUpdate: 1,
    goal: 0.6,
    goalOnDisk: 0.7,
  },
  {
    name: "S",
    rooms: 100,
    writersPerRoom: 1,
    viewersPerRoom: 3,
    updatesPerSecond: 20,
    lettersPerUpdate: 20,
    goal: 1.7,
    goalOnDisk: 2,
  },
  {
    name: "T",
    rooms: 1,
    writersPerRoom: 50,
    viewersPerRoom: 1,
    updatesPerSecond: 2,
    lettersPerUpdate: 1,
    goal: null,
    goalOnDisk: 1.15,
    p99Max: 25,
  },
  {
    name: "D",
    rooms: 100,
    writersPerRoom: 2,
    viewersPerRoom: 1,
    updatesPerSecond: 5,
    lettersPerUpdate: 1,
    goal: null,
    goalOnDisk: 1.15,
    p99Max: 25,
  },
];

/** Typed before a measurement, so that code which runs once per letter is compiled. */
export function warmUp(workload: Workload): Workload {
  const { rooms, writersPerRoom, updatesPerSecond } = workload;
  const least = warmUpUpdates / warmUpSeconds / (rooms * writersPerRoom);
  return { ...workload, updatesPerSecond: Math.max(updatesPerSecond, least) };
}

export const warmUpSeconds = 8;
const warmUpUpdates = 5_400;

/**
 * Much to read: 670 KB/s for each client. A client that does not read fills the system's buffers soon and reaches the
 * server's limit before half of the load.
 */
export const heavy: Workload = {
  name: "slow",
  rooms: 1,
  writersPerRoom: 5,
  viewersPerRoom: 4,
  updatesPerSecond: 10,
  lettersPerUpdate: 10_000,
  goal: null,
};
export const heavySeconds = 15;
export const heavyWarmUpSeconds = 4;

export function deliveriesPerSecond({ rooms, writersPerRoom, viewersPerRoom, updatesPerSecond }: Workload): number {
  return rooms * writersPerRoom * updatesPerSecond * (writersPerRoom + viewersPerRoom);
}
