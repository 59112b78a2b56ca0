/** Rooms of clients, of which some write at a steady rate. Every client of a room gets every update, the writer's own too. */
export interface Workload {
  readonly name: string;
  readonly rooms: number;
  readonly writersPerRoom: number;
  readonly viewersPerRoom: number;
  /** Updates a second of each writer, and the letters in each. */
  readonly updatesPerSecond: number;
  readonly lettersPerUpdate: number;
  /** Server CPU a delivery, to raw `ws`; null where something else is measured. */
  readonly goal: number | null;
  /** The same to `ws, on disk`, where being on disk alone costs more than the goal or about as much: decision 0016. */
  readonly goalOnDisk?: number;
}

/** The loads of the specification: deliveries a second are 4,000, 20,000, 40,000, 50,000 and 8,000. */
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
];

/** What is typed before a measurement: so that code which runs once a letter is compiled at any rate. */
export function warmUp(workload: Workload): Workload {
  const { rooms, writersPerRoom, updatesPerSecond, goal } = workload;
  if (goal === null) return workload;
  const least = warmUpUpdates / warmUpSeconds / (rooms * writersPerRoom);
  return { ...workload, updatesPerSecond: Math.max(updatesPerSecond, least) };
}

export const warmUpSeconds = 8;
const warmUpUpdates = 5_400;

/**
 * Much to read: 670 KB/s to each client. Who does not read has the system's buffers full soon and the server's bound reached
 * before the load is half over.
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
