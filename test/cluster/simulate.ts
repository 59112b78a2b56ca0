import { ClusterNode, type NodeClaim } from "../../src/host/cluster/cluster-node.ts";
import type { ClusterTable } from "../../src/core/port/cluster-table.ts";
import type { Clock, Platform } from "../../src/core/port/platform.ts";
import { MemoryCluster, type MemoryTransaction, type PlantedFaults } from "../../src/testing/cluster/memory-cluster.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { simulatedClock, type SimulatedClock } from "../../src/testing/simulated-clock.ts";

/** Mistakes of a writer to plant. */
interface WriterFaults {
  readonly acknowledgesEarly?: boolean;
  readonly renewedByAnswer?: boolean;
}

export type SimulationFaults = PlantedFaults & WriterFaults;

const ttlMs = 1_500;
const stepMs = 30;

/** What clients know of a write. */
type Told = "acknowledged" | "refused" | "unknown";

/** A simulated world: nodes with the product's own protocol over a database in memory, under faults drawn from a seed. */
class World {
  readonly clock: SimulatedClock = simulatedClock();
  readonly random: SeededRandom;
  readonly cluster: MemoryCluster;
  readonly told = new Map<string, Told>();
  readonly problems: string[] = [];
  readonly faults: SimulationFaults;
  nodes: SimulatedNode[] = [];
  /** Whether the database's clock has jumped: then a node may be declared dead before its own time runs out. */
  hasJumped = false;
  writes = 0;
  /** One transaction in so many is rolled back, after a time of at most so long. */
  rollsBackOneIn: number;
  transactionMsMax: number;

  constructor(seed: number, faults: SimulationFaults) {
    this.random = seededRandom(seed);
    this.faults = faults;
    const isRough = this.random.oneIn(6);
    this.rollsBackOneIn = isRough ? 1 + this.random.below(3) : 12;
    this.transactionMsMax = isRough ? 500 : 10;
    this.cluster = new MemoryCluster(this.clock, {
      faults,
      pause: () => this.wait(this.random.below(this.random.oneIn(4) ? 500 : 8)),
    });
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.setTimer(ms, resolve));
  }
}

/** One process: its timers and answers wait while it is stopped, and its connection may be cut. */
class SimulatedNode {
  readonly world: World;
  readonly nodeId: string;
  isCut = false;
  #isDead = false;
  #held: (() => void)[] | null = null;
  readonly #slownessMs: number;
  #open: MemoryTransaction | null = null;
  readonly node: ClusterNode;

  constructor(world: World, nodeId: string) {
    this.world = world;
    this.nodeId = nodeId;
    this.#slownessMs = 1 + world.random.below(world.random.oneIn(4) ? 120 : 12);
    this.node = this.#start();
  }

  #start(): ClusterNode {
    const { world } = this;
    const clock: Clock = {
      now: () => world.clock.now(),
      monotonic: () => world.clock.monotonic(),
      setTimer: (ms, callback) => world.clock.setTimer(ms, () => this.run(callback)),
    };
    const quiet = (): void => {};
    const platform: Platform = {
      clock,
      random: { bytes: world.random.bytes },
      logger: { info: quiet, warn: quiet, error: quiet },
    };
    return new ClusterNode({
      identity: { nodeId: this.nodeId, ttlMs },
      address: `${this.nodeId}:1`,
      table: this.#table(),
      platform,
      isFatal: () => false,
      open: (claim) => this.#serve(claim),
    });
  }

  /** Runs something in this process: later while it is stopped, never once it is dead. */
  run(callback: () => void): void {
    if (this.#isDead) return;
    if (this.#held === null) callback();
    else this.#held.push(callback);
  }

  kill(): void {
    this.#isDead = true;
    this.#endSoon(this.#open, 10);
  }

  get isRunning(): boolean {
    return !this.#isDead;
  }

  stop(): void {
    this.#held ??= [];
  }

  goOn(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const callback of held) this.run(callback);
  }

  get isStopped(): boolean {
    return this.#held !== null;
  }

  /** Asks the database: it takes time both ways, and a cut connection loses the question or the answer. */
  ask<Value>(work: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const lost = (): void => this.run(() => reject(new Error("the connection was lost")));
      const { world } = this;
      world.clock.setTimer(world.random.below(this.#slownessMs), () => {
        if (this.isCut) return void world.clock.setTimer(ttlMs / 4, lost);
        work().then(
          (value) =>
            world.clock.setTimer(world.random.below(this.#slownessMs), () => {
              if (this.isCut) lost();
              else this.run(() => resolve(value));
            }),
          lost,
        );
      });
    });
  }

  #table(): ClusterTable {
    const table = this.world.cluster.table();
    const { random } = this.world;
    return {
      secret: table.secret,
      join: (node) => this.ask(() => table.join(node)),
      renew: (incarnation) => this.ask(() => table.renew(incarnation)),
      look: () => this.ask(() => table.look()),
      reap: (incarnation) => this.ask(() => table.reap(incarnation)),
      acquire: (incarnation, epoch) => this.ask(() => table.acquire(incarnation, epoch)),
      handOver: (incarnation, epoch, to) => this.ask(() => table.handOver(incarnation, epoch, to)),
      drain: (incarnation) => this.ask(() => table.drain(incarnation)),
      leave: (incarnation) => this.ask(() => table.leave(incarnation)),
      // Hints are lost, doubled and late; a look follows each at once, which finds more than after they were joined.
      onHint: () =>
        table.onHint(() => {
          for (let count = random.below(3); count > 0; count -= 1)
            this.world.clock.setTimer(random.below(random.oneIn(5) ? 2_000 : 20), () =>
              this.run(() => this.node.look("hint")),
            );
        }),
      close: async () => {},
    };
  }

  /** Writes while it has the right, and tells clients what became of each write. */
  async #serve(claim: NodeClaim): Promise<{ close(): Promise<void> }> {
    const { world } = this;
    const batch = await this.ask(() => world.cluster.settledBatch(claim.incarnation));
    await this.#sleep(world.random.below(80));
    let isClosing = false;
    const writing = this.#write(claim, batch ?? 0, () => isClosing);
    return {
      close: async () => {
        // Some work was planned before and ends after: its write must be refused, whatever has happened meanwhile.
        if (world.random.oneIn(3)) return;
        isClosing = true;
        await writing;
      },
    };
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.world.clock.setTimer(ms, () => this.run(resolve)));
  }

  async #write(claim: NodeClaim, from: number, isClosing: () => boolean): Promise<void> {
    const { world } = this;
    let batch = from;
    while (!isClosing()) {
      await this.#sleep(5 + world.random.below(60));
      world.writes += 1;
      const value = `${this.nodeId} ${claim.incarnation} ${world.writes}`;
      world.told.set(value, "unknown");
      const outcome = await this.#make(claim, batch + 1, value);
      world.told.set(value, outcome);
      if (outcome === "acknowledged") batch += 1;
      else if (outcome === "refused") return this.node.refusedAsStale(claim.incarnation);
    }
  }

  /** Answers from memory, which is right only while nobody else has written. */
  #read({ epoch }: NodeClaim): void {
    const { world } = this;
    if (world.hasJumped || this.node.isLate || this.node.serving?.epoch !== epoch) return;
    const last = world.cluster.log.at(-1)?.epoch ?? 0;
    if (last > epoch) world.problems.push(`epoch ${epoch} was read from memory after a write of epoch ${last}`);
  }

  /** One transaction: fence, statements, COMMIT; after a lost connection its fate is asked for. */
  async #make({ incarnation, epoch }: NodeClaim, batch: number, value: string): Promise<Told> {
    const { world } = this;
    const { acknowledgesEarly, renewedByAnswer } = world.faults;
    for (;;) {
      this.#read({ incarnation, epoch });
      let sent = this.#instant();
      const open: { transaction: MemoryTransaction | null } = { transaction: null };
      try {
        const transaction = await this.ask(async () => {
          open.transaction = await world.cluster.begin(incarnation, epoch, batch);
          if (open.transaction !== null) this.#open = open.transaction;
          return open.transaction;
        });
        if (transaction === null) return "refused";
        if (acknowledgesEarly === true) world.told.set(value, "acknowledged");
        await this.#sleep(world.random.below(world.random.oneIn(8) ? 400 : world.transactionMsMax));
        if (world.random.oneIn(world.rollsBackOneIn)) {
          await this.ask(async () => transaction.rollBack());
          continue;
        }
        const isMade = await this.ask(async () => {
          transaction.isCommitting = true;
          // A slow disk, or a standby that is waited for.
          await world.wait(world.random.below(world.random.oneIn(10) ? 600 : 4));
          return transaction.commit([value]);
        });
        if (!isMade) throw new Error("the session was ended");
        if (renewedByAnswer === true) sent = this.#instant();
        this.node.committed(incarnation, sent);
        return "acknowledged";
      } catch {
        // The server notices the lost connection some time later; a COMMIT under way goes on.
        this.#endSoon(open.transaction, 1_000);
      }
      await this.#sleep(20);
      const settled = await this.#settled(incarnation);
      if (settled === null) return world.told.get(value) ?? "unknown";
      if (settled >= batch) return "acknowledged";
    }
  }

  #endSoon(transaction: MemoryTransaction | null, ms: number): void {
    this.world.clock.setTimer(ms, () => {
      if (transaction?.isCommitting === false) transaction.terminate();
    });
  }

  async #settled(incarnation: number): Promise<number | null> {
    for (;;) {
      try {
        return await this.ask(() => this.world.cluster.settledBatch(incarnation));
      } catch {
        await this.#sleep(50);
      }
    }
  }

  #instant() {
    return { monotonicMs: this.world.clock.monotonic(), wallMs: this.world.clock.now() };
  }
}

/** What a seed draws: how often each fault comes. */
interface Rates {
  readonly kill: number;
  readonly stop: number;
  readonly cut: number;
  readonly restart: number;
  readonly jump: number;
  readonly leave: number;
}

const steps = 400;
const quietMs = 6_000;

export interface Outcome {
  readonly problems: readonly string[];
  readonly writes: number;
  readonly epochs: number;
}

/** Runs one seed: faults for twelve seconds, then quiet, then the checks. */
export async function simulateCluster(seed: number, faults: SimulationFaults = {}): Promise<Outcome> {
  const world = new World(seed, faults);
  const { random } = world;
  const rate = (usual: number): number => (random.oneIn(3) ? 0 : usual + random.below(usual * 2));
  const rates: Rates = {
    kill: rate(40),
    stop: rate(25),
    cut: rate(25),
    restart: rate(80),
    jump: rate(150),
    leave: rate(60),
  };
  const count = 3 + random.below(3);
  for (let index = 0; index < count; index += 1) world.nodes.push(new SimulatedNode(world, `node-${index}`));
  for (let step = 0; step < steps; step += 1) {
    strike(world, rates);
    await world.clock.advance(stepMs);
  }
  calm(world);
  const before = world.cluster.log.length;
  await world.clock.advance(quietMs);
  if (world.cluster.log.length === before) world.problems.push("nobody writes once all is quiet");
  for (const { node } of world.nodes) void node.stop();
  await world.clock.advance(quietMs);
  check(world);
  for (const simulated of world.nodes) simulated.kill();
  return { problems: world.problems, writes: world.cluster.log.length, epochs: world.cluster.claim.epoch };
}

function strike(world: World, rates: Rates): void {
  const { random, clock, cluster } = world;
  const comes = (oneIn: number): boolean => oneIn > 0 && random.oneIn(oneIn);
  const place = random.below(world.nodes.length);
  const simulated = world.nodes[place];
  if (simulated === undefined) return;
  if (comes(rates.kill)) {
    simulated.kill();
    clock.setTimer(random.below(3_000), () => revive(world, place));
  } else if (comes(rates.stop)) {
    simulated.stop();
    clock.setTimer(random.below(random.oneIn(3) ? 6_000 : 800), () => simulated.goOn());
  } else if (comes(rates.cut)) {
    simulated.isCut = true;
    clock.setTimer(random.below(random.oneIn(3) ? 5_000 : 500), () => (simulated.isCut = false));
  } else if (comes(rates.restart)) {
    cluster.restart();
    for (const each of world.nodes) each.isCut = true;
    clock.setTimer(random.below(3_000), () => {
      for (const each of world.nodes) each.isCut = false;
    });
  } else if (comes(rates.jump)) {
    world.hasJumped = true;
    cluster.clockOffsetMs += random.oneIn(2) ? 3_600_000 : -3_600_000;
  } else if (comes(rates.leave) && simulated.isRunning) {
    void simulated.node.stop();
    clock.setTimer(random.below(3_000), () => revive(world, place));
  }
}

/** Starts a process again where one was killed or has left; some start while the earlier one is still there. */
function revive(world: World, place: number): void {
  const earlier = world.nodes[place];
  if (earlier === undefined) return;
  earlier.kill();
  world.nodes[place] = new SimulatedNode(world, earlier.nodeId);
}

function calm(world: World): void {
  world.rollsBackOneIn = 12;
  world.transactionMsMax = 10;
  for (const [place, simulated] of world.nodes.entries()) {
    simulated.isCut = false;
    simulated.goOn();
    revive(world, place);
  }
}

/** Judges by the log and by what clients were told, never by what nodes think. */
function check({ cluster: { log }, told, problems }: World): void {
  const times = new Map<string, number>();
  const owners = new Map<number, number>();
  let epochBefore = 0;
  for (const { value, incarnation, epoch } of log) {
    times.set(value, (times.get(value) ?? 0) + 1);
    if (epoch < epochBefore)
      problems.push(`a stale write was accepted: epoch ${epoch} after ${epochBefore} (${value})`);
    epochBefore = epoch;
    if ((owners.get(epoch) ?? incarnation) !== incarnation) problems.push(`epoch ${epoch} had two owners`);
    owners.set(epoch, incarnation);
  }
  for (const [value, outcome] of told) {
    const count = times.get(value) ?? 0;
    if (count > 1) problems.push(`${value} was made ${count} times`);
    if (outcome === "acknowledged" && count === 0) problems.push(`${value} was acknowledged and is lost`);
    if (outcome === "refused" && count > 0) problems.push(`${value} was refused and made`);
  }
}
