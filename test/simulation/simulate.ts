import { assert, must } from "../../src/core/base/assert.ts";
import type { BlockId, NodeId, RequestId, RootId } from "../../src/core/base/ids.ts";
import { textOf } from "../../src/core/message/content.ts";
import { checkTranscript } from "../../src/core/message/transcript.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import type { StoreWrite } from "../../src/core/port/store.ts";
import type { Clock, Platform } from "../../src/core/port/platform.ts";
import type { Sleep } from "../../src/adapters/providers/scribe/scribe.ts";
import type { MemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import type { Workspace } from "../../src/host/workspace/workspace.ts";
import { connectHeddle } from "../../src/client/connect.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { simulatedClock, type SimulatedClock } from "../../src/testing/simulated-clock.ts";
import { between, judgeRoom, nameOf, type Person } from "./person.ts";
import { clerkBeside } from "./clerk.ts";
import { Office } from "./office.ts";
import { Ledger, openSimulatedServers } from "./simulated-child.ts";
import { breakingModel, jumpingClock } from "./simulated-faults.ts";
import { SimulatedFolder } from "./simulated-folder.ts";
import { simulatedNetwork, type SimulatedNetwork } from "./simulated-network.ts";
import { simulatedToken, startSimulatedServer, type SimulatedServer } from "./simulated-server.ts";
import { drawWeather, type Weather } from "./weather.ts";
import { Witness } from "./witness.ts";

/** How often each fault came that is neither the network's nor a plain crash. */
interface FaultCounts {
  full: number;
  /** Commits that were made by a server that died before it heard so. */
  unheard: number;
  jumps: number;
  /** Replies whose provider failed. */
  broken: number;
  /** Calls whose MCP server's process failed. */
  child: number;
  /** Steps of the workspace folder's disk that failed. */
  file: number;
}

export interface SimulationReport {
  readonly seed: number;
  readonly typed: number;
  readonly messages: number;
  /** Works that the clerk was asked for. */
  readonly works: number;
  readonly cuts: number;
  readonly crashes: number;
  readonly faults: FaultCounts;
  /** Changes that the server has dropped from the document's history. */
  readonly forgotten: number;
  /** Virtual time, in milliseconds. */
  readonly lastedMs: number;
}

/**
 * One life of a workspace: the real server on a disk that keeps committed data, two or three real clients and the
 * scribe on a network that delays and cuts, with crashes at any instant, full disks, commits whose answer is lost, jumps
 * of the clock, providers and MCP servers that fail in every way, and a folder that another program writes too. When idle,
 * all texts must be equal, no word or message doubled and none lost, every branch a history that providers accept, every
 * call of a tool made once at most, and no run stuck. Throws otherwise, naming the seed.
 */
export async function simulate(seed: number): Promise<SimulationReport> {
  const world = new World(seed);
  try {
    return await world.live();
  } catch (problem) {
    throw new Error(`simulation of seed ${seed}: ${problem instanceof Error ? problem.message : String(problem)}`, {
      cause: problem,
    });
  }
}

const steps = 60;
const requests = [
  "Add a section on testing",
  "Add a section on winter gardens at the end",
  "Write a section on échecs after the introduction",
] as const;
const rougherRequests = [
  ...requests,
  "Tighten the introduction",
  "Add a section on rivers, then tighten the introduction",
] as const;

class World {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #disk: SeededRandom;
  readonly #clock: SimulatedClock = simulatedClock();
  readonly #wallClock = jumpingClock(this.#clock);
  readonly #faults: SeededRandom;
  readonly #network: SimulatedNetwork;
  readonly #platform: Platform;
  readonly #weather: Weather;
  readonly #complaints: string[] = [];
  #server: SimulatedServer | null = null;
  #people: readonly Person[] = [];
  #typed = 0;
  #messages = 0;
  readonly #sentByText = new Map<string, number>();
  #cuts = 0;
  #crashes = 0;
  #undos = 0;
  /** When the disk has space again, on the monotonic clock. */
  #fullUntil = 0;
  /** Whether the server dies at its next commit; `died` when it has. */
  #unheard: "no" | "next" | "died" = "no";
  readonly #counts: FaultCounts = { full: 0, unheard: 0, jumps: 0, broken: 0, child: 0, file: 0 };
  readonly #ledger = new Ledger();
  readonly #folder: SimulatedFolder;
  readonly #office: Office;
  readonly #children: SeededRandom;
  readonly #witness = new Witness();
  /** Messages that the server acknowledged. */
  readonly #acknowledged = new Set<string>();
  /** People who have shown where they are in the canvas. */
  readonly #placed = new Set<Person>();
  #isOver = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#disk = seededRandom(seed ^ 0xd15c);
    this.#network = simulatedNetwork(this.#clock, seededRandom(seed ^ 0x5eed));
    this.#faults = seededRandom(seed ^ 0xfa17);
    const entropy = seededRandom(seed ^ 0xe17);
    this.#platform = {
      clock: this.#wallClock.clock,
      random: { bytes: (count) => entropy.bytes(count) },
      logger: {
        info: () => {},
        warn: () => {},
        error: (event, fields) => {
          // A full disk is no defect, and the log names it.
          if (fields?.["code"] !== "STORE_FULL") this.#complaints.push(`${event} ${JSON.stringify(fields ?? {})}`);
        },
      },
    };
    this.#children = seededRandom(seed ^ 0xc41d);
    const disk = seededRandom(seed ^ 0x0d15);
    this.#folder = new SimulatedFolder(disk, () => {
      const fails = !this.#isOver && this.#server !== null && disk.below(100) < this.#weather.faults.file;
      if (fails) this.#counts.file += 1;
      return fails;
    });
    this.#office = new Office(seededRandom(seed ^ 0x0ff1), this.#folder, this.#ledger);
    this.#weather = drawWeather(seed, this.#random, this.#faults);
  }

  async live(): Promise<SimulationReport> {
    this.#server = await this.#start();
    const root = must((await this.#server.workspace.conversations.list())[0], "a new workspace has a conversation");
    const canvasId = must(root.canvasId, "with a canvas");
    this.#witness.canvasId = canvasId;
    this.#people = Array.from({ length: 2 + this.#random.below(2) }, (_, number) => this.#meet(number, root.id));
    const people = this.#people;
    await this.#until("everybody has the document", () => {
      for (const person of people) person.text ??= person.client.openText(canvasId);
      return people.every((person) => person.text?.ready === true && person.conversation.get() !== null);
    });
    if (this.#weather.office > 0) for (const person of people) this.#office.open(person);
    for (let step = 0; step < steps; step += 1) {
      await this.#fault();
      await this.#step(people, root.id, canvasId);
      await this.#pass(1 + this.#random.below(250));
    }
    await this.#settle(people);
    await this.#judge(people, root.id, canvasId);
    return {
      seed: this.#seed,
      typed: this.#typed,
      messages: this.#messages,
      works: this.#office.asked,
      cuts: this.#cuts,
      crashes: this.#crashes,
      faults: { ...this.#counts, child: this.#ledger.failures },
      forgotten: await this.#forgotten(canvasId),
      lastedMs: Math.round(this.#clock.monotonic()),
    };
  }

  async #forgotten(canvasId: BlockId): Promise<number> {
    const start = await must(this.#server, "a server runs").workspace.store.logStart(canvasId);
    return start === null ? 0 : start.beforeVersion - 1;
  }

  async #start(disk?: MemoryStore): Promise<SimulatedServer> {
    this.#witness.ended();
    const { oneIn, below } = this.#disk;
    const diskMs = (): number => (oneIn(20) ? below(200) : below(8));
    const { retention, faults } = this.#weather;
    // Somebody frees space before they start the server.
    this.#fullUntil = 0;
    this.#unheard = "no";
    const diskFault = () => (this.#clock.monotonic() < this.#fullUntil ? ("STORE_FULL" as const) : null);
    const model = (scribe: LanguageModel, sleep: Sleep) =>
      breakingModel(clerkBeside(scribe, sleep), this.#faults, {
        // Else a reply of many rounds would hardly end.
        percent: () => (this.#isOver ? 0 : faults.broken),
        sleep,
        onBroken: () => (this.#counts.broken += 1),
      });
    const children = { ledger: this.#ledger, random: this.#children, percent: faults.child };
    const mcp = (platform: Platform) => openSimulatedServers(children, platform);
    const files = (clock: Clock) => this.#folder.open(clock);
    const isUnheard = () => this.#isUnheard();
    const world = { platform: this.#platform, network: this.#network, diskMs, retention, diskFault, model, isUnheard };
    const committed = (writes: readonly StoreWrite[]) => this.#witness.saw(writes);
    const parts = { ...world, mcp, files, committed };
    const started = await this.#during(startSimulatedServer(disk === undefined ? parts : { ...parts, disk }));
    this.#witness.started();
    return started;
  }

  /** Advances time until `work` is done. */
  async #during<Value>(work: Promise<Value>): Promise<Value> {
    let done = false;
    const settled = work.finally(() => {
      done = true;
    });
    // The caller that awaits `work` handles its failure.
    settled.catch(() => {});
    const isDone = (): boolean => done;
    while (!isDone()) await this.#pass(5);
    return settled;
  }

  #meet(number: number, rootId: RootId): Person {
    const jitter = seededRandom(this.#seed ^ (number + 7));
    const client = connectHeddle({
      url: "http://127.0.0.1:7420",
      token: simulatedToken,
      clientId: nameOf(number),
      name: `Person ${number}`,
      platform: {
        openSocket: (_url, listener) => this.#network.open(number, listener),
        now: () => this.#clock.now(),
        setTimer: (delayMs, callback) => this.#clock.setTimer(delayMs, callback),
        random: () => jitter.below(1_000_000) / 1_000_000,
        onOnline: () => () => {},
      },
    });
    const conversation = client.conversation(rootId);
    conversation.subscribe(() => {});
    client.workspace.subscribe(() => {});
    return { number, client, conversation, text: null, words: new Set(), shared: null, online: true };
  }

  async #step(people: readonly Person[], rootId: RootId, canvasId: BlockId): Promise<void> {
    const { weather, person } = {
      weather: this.#weather,
      person: must(people[this.#random.below(people.length)], "a person"),
    };
    if (this.#random.below(100) < weather.office) return this.#office.step(person, person.conversation.get(), rootId);
    const draw = this.#random.below(100);
    const bounds = {
      cut: weather.cut,
      crash: weather.cut + weather.crash,
      undo: weather.cut + weather.crash + weather.undo,
    };
    if (draw < bounds.cut) this.#cut(person);
    else if (draw < bounds.crash) await this.#crash();
    else if (draw < bounds.undo) this.#undo(person, canvasId);
    else if (draw < bounds.undo + 8) this.#ask(person, rootId);
    else if (draw < bounds.undo + 10) this.#stop(person, canvasId);
    else if (draw < bounds.undo + 10 + weather.remove) this.#remove(person);
    else this.#type(person);
    for (const other of people) if (!other.online && this.#random.oneIn(8)) this.#reach(other);
  }

  /** Lets a fault come that is neither the network's nor a plain crash. */
  async #fault(): Promise<void> {
    const { full, unheard, jump } = this.#weather.faults;
    const comes = (inThousand: number): boolean => this.#faults.below(1_000) < inThousand;
    if (comes(full)) {
      this.#counts.full += 1;
      this.#fullUntil = this.#clock.monotonic() + 50 + this.#faults.below(5_000);
    }
    if (comes(unheard) && this.#unheard === "no") this.#unheard = "next";
    if (comes(jump)) {
      this.#counts.jumps += 1;
      this.#wallClock.jump(this.#faults);
    }
    await this.#bury();
  }

  #isUnheard(): boolean {
    // A server that starts has nobody to answer.
    if (this.#unheard !== "next" || this.#server === null) return false;
    this.#unheard = "died";
    this.#counts.unheard += 1;
    return true;
  }

  /** Starts the server again where it died at a commit. */
  async #bury(): Promise<void> {
    if (this.#unheard === "died") await this.#crash();
  }

  #type(person: Person): void {
    const text = must(person.text, "an open text");
    const word = `w${person.number}x${this.#typed}z`;
    this.#typed += 1;
    const at = between(text.text(), this.#random.below(text.length + 1));
    text.edit([{ from: at, to: at, insert: ` ${word} ` }]);
    if (this.#typed % 3 === 0) {
      this.#placed.add(person);
      text.setSelection({ anchor: at, head: at });
    }
    person.words.add(word);
  }

  #remove(person: Person): void {
    const text = must(person.text, "an open text");
    const word = [...person.words][this.#random.below(Math.max(1, person.words.size))];
    const at = word === undefined ? -1 : text.text().indexOf(word);
    if (word === undefined || at === -1) return;
    text.edit([{ from: at, to: at + word.length, insert: "" }]);
    person.words.delete(word);
  }

  #undo(person: Person, blockId: BlockId): void {
    this.#undos += 1;
    void person.client.call("block.undo-mine", { blockId });
  }

  #ask(person: Person, rootId: RootId): void {
    const view = person.conversation.get();
    if (view === null) return;
    this.#messages += 1;
    const leaves = [...view.nodesById.values()].filter((node) => view.childrenByParent.get(node.id) === undefined);
    const parent = leaves[this.#random.below(Math.max(1, leaves.length))]?.id ?? null;
    const request = this.#random.pick(this.#weather.gentle ? requests : rougherRequests);
    const clientRequestId = `ask-${this.#seed}-${this.#messages}` as RequestId;
    const edited = this.#random.oneIn(4) ? leaves.find((node) => node.message.role === "user") : undefined;
    const text = edited === undefined ? request : `${request}.`;
    this.#sentByText.set(text, (this.#sentByText.get(text) ?? 0) + 1);
    const queue = this.#random.oneIn(2);
    const sent =
      edited === undefined
        ? person.client.call("message.send", { rootId, parentNodeId: parent, text, queue, clientRequestId })
        : person.client.call("message.edit", { nodeId: edited.id, text, clientRequestId });
    void sent.then((answer) => answer.ok && this.#acknowledged.add(text));
  }

  #stop(person: Person, canvasId: BlockId): void {
    const busy = person.conversation.get()?.runs.find((run) => run.state.type !== "idle" && run.state.type !== "error");
    if (this.#random.oneIn(2) || busy === undefined) {
      void person.client.call("canvas.take-control", { canvasId }).then((taken) => {
        if (taken.ok) this.#witness.told(taken.value.epoch);
      });
    } else void person.client.call("run.cancel", { runId: busy.runId });
  }

  #cut(person: Person): void {
    this.#cuts += 1;
    person.online = this.#random.oneIn(2);
    this.#network.cut(person.number, !person.online);
  }

  #reach(person: Person): void {
    person.online = true;
    this.#network.unbar(person.number);
    person.client.reconnectNow();
  }

  async #crash(): Promise<void> {
    this.#crashes += 1;
    const disk = must(this.#server, "a server runs").crash();
    this.#server = null;
    await this.#pass(this.#random.below(2_000));
    this.#server = await this.#start(disk);
  }

  async #settle(people: readonly Person[]): Promise<void> {
    this.#isOver = true;
    for (const person of people) this.#reach(person);
    this.#fullUntil = 0;
    if (this.#unheard === "next") this.#unheard = "no";
    await this.#bury();
    const atRest = async (): Promise<boolean> => {
      const server = must(this.#server, "a server runs");
      const unsettled = await server.workspace.store.unsettledRuns();
      for (const person of people) this.#office.closeUp(person, person.conversation.get());
      return (
        this.#office.isAtRest(people) &&
        (await hasWritten(server.workspace)) &&
        unsettled.length === 0 &&
        people.every(({ client, text }) => client.state.get().type === "live" && text?.unconfirmed.get() === 0)
      );
    };
    await this.#until("everybody is connected and confirmed, every run idle", async () => {
      if (!(await atRest())) return false;
      // The last message or request may still be in transit.
      await this.#pass(2_000);
      return atRest();
    });
  }

  async #judge(people: readonly Person[], rootId: RootId, canvasId: BlockId): Promise<void> {
    const { store, hub } = must(this.#server, "a server runs").workspace;
    const stored = await this.#during(hub.reader.read(canvasId));
    assert(stored.ok, "the canvas can be read");
    const text = stored.value.text;
    for (const person of people) {
      assert(person.text?.text() === text, `person ${person.number} and the server have the same text`);
      assert(person.text.refused.get() === null, `no edit of person ${person.number} was refused`);
    }
    for (const { words } of people) {
      for (const word of words) {
        const times = text.split(word).length - 1;
        assert(times <= 1, `${word} is there ${times} times`);
        if (this.#weather.gentle && this.#undos === 0) assert(times === 1, `${word} was lost`);
      }
    }
    const nodes = await store.nodes(rootId);
    for (const [text, sent] of this.#sentByText) {
      const there = nodes.filter(({ message }) => message.role === "user" && textOf(message) === text).length;
      assert(there <= sent, `"${text}" was sent ${sent} times and is there ${there} times`);
    }
    const parents = new Set(nodes.map((node) => node.parentId));
    for (const leaf of nodes.filter((node) => !parents.has(node.id))) {
      const path = await store.path(leaf.id);
      const valid = checkTranscript(path.map((node) => node.message));
      assert(
        valid.ok,
        `the branch that ends in ${leaf.id} is a history that providers accept: ${JSON.stringify(valid)}`,
      );
    }
    for (const person of people) {
      const seen = must(person.conversation.get(), "a conversation is shown");
      const known = (id: NodeId): boolean => seen.nodesById.has(id);
      assert(
        seen.nodesById.size === nodes.length && nodes.every(({ id }) => known(id)),
        `person ${person.number} sees every message`,
      );
      const live = seen.runs.filter((run) => run.liveBlocks.length > 0);
      assert(live.length === 0, `person ${person.number} sees no block still live at rest: ${JSON.stringify(live)}`);
    }
    await this.#office.judge({ store }, rootId, people);
    this.#witness.atRest();
    const waiting = (await Promise.all((await store.runs(rootId)).map(({ id }) => store.waiting(id)))).flat();
    const kept = new Set([...nodes, ...waiting].map(({ message }) => textOf(message)));
    for (const said of this.#acknowledged) assert(kept.has(said), `"${said}" was acknowledged and is gone`);
    judgeRoom(people, this.#placed);
    const [gone, ...others] = people;
    gone?.client.close();
    await this.#pass(60_000);
    judgeRoom(others, new Set([...this.#placed].filter((person) => person !== gone)));
    const again = await this.#start(must(this.#server, "a server runs").crash());
    const reread = await this.#during(again.workspace.hub.reader.read(canvasId));
    assert(reread.ok && reread.value.text === text, "a restart shows the same text");
    again.crash();
    for (const { client } of people) client.close();
    assert(this.#complaints.length === 0, `nothing was logged as a defect: ${this.#complaints.join("; ")}`);
  }

  async #until(wish: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let waited = 0; waited < 400; waited += 1) {
      if (await holds()) return;
      await this.#pass(500);
    }
    throw new Error(`after 200 s it is still not so that ${wish}: ${JSON.stringify(await this.#picture())}`);
  }

  /** The state of everything, to debug a failed run. */
  async #picture(): Promise<unknown> {
    const runs = await this.#server?.workspace.store.unsettledRuns();
    return {
      runs: runs?.map(({ id, state }) => ({ id, state })),
      people: this.#people.map(({ client, text }) => ({
        state: client.state.get(),
        unconfirmed: text?.unconfirmed.get(),
        refused: text?.refused.get(),
      })),
      complaints: this.#complaints,
    };
  }

  /** Advances time. The sender collects a tick's messages, so a settled world needs several turns of the event loop. */
  async #pass(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; rest -= 20) {
      await this.#clock.advance(Math.min(20, rest));
      await this.#clock.settle();
      await this.#clock.settle();
    }
  }
}

/** Whether the folder has all text of the documents that are its files: a write that failed is tried again after seconds. */
async function hasWritten({ folders }: Workspace): Promise<boolean> {
  const folder = folders.defaultId === null ? null : await folders.use(folders.defaultId);
  if (folder === null) return true;
  return folder.ok && (await folder.value.files.opened()).every(({ dirty }) => !dirty);
}
