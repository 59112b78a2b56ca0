import { rmSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { must } from "../../src/core/base/assert.ts";
import { connectHeddle } from "../../src/client/connect.ts";
import type { BlockId, RequestId, RootId } from "../../src/core/base/ids.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import { until } from "../../src/testing/test-client.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { Api } from "../e2e/api.ts";
import { startPostgres, type PostgresServer } from "../postgres/start-server.ts";
import { assertHistory, toolResultsOf, wordsOf } from "../process/history.ts";
import { judge, longestGapMs, noteHistory, query, readHistory, type Acknowledged } from "./history.ts";
import { freePorts, LinkProxy, NodeProcess, temporaryFolder } from "./nodes.ts";
import { Balancer, Person } from "./people.ts";

export interface ChaosOptions {
  readonly seed: number;
  readonly ttlMs: number;
  readonly documents: number;
  readonly conversations: number;
  readonly people: number;
  /** How often each fault strikes. */
  readonly rounds: number;
  readonly typesEveryMs: number;
  /** In so many of the documents somebody more types every 50 ms, as the specification measures a gap. */
  readonly measured: number;
  /** Only faults whose name has these words strike. */
  readonly only?: string;
  readonly note?: (said: string) => void;
}

export interface ChaosReport {
  readonly problems: readonly string[];
  readonly acknowledged: number;
  readonly transactions: number;
  readonly owners: number;
  readonly questions: number;
  /** The longest time in which nothing was acknowledged in a measured document, over all faults but a restart of PostgreSQL. */
  readonly gapMs: number;
  /** The same while PostgreSQL itself was away. */
  readonly gapOfDatabaseMs: number;
  readonly gaps: Readonly<Record<string, number>>;
}

/** What strikes, in this order in each round. */
const faults = [
  "SIGKILL of the owner",
  "SIGSTOP of the owner, longer than its time",
  "links cut",
  "links delayed",
  "sessions ended",
  "SIGTERM of the owner",
  "SIGKILL of another",
  "PostgreSQL restarted",
] as const;
type Fault = (typeof faults)[number];

const measuredEveryMs = 50;

/** Three real processes on one real PostgreSQL, at work while everything is killed, stopped, cut and delayed. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const postgres = await startPostgres(() => ({ fsync: "on" }));
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const ports = await freePorts(6);
  const url = postgres.urlOf("postgres");
  const nodes = [0, 1, 2].map(
    (number) =>
      new NodeProcess({
        folder,
        number,
        url,
        ttlMs: options.ttlMs,
        port: ports[number] ?? 0,
        linkPort: ports[number + 3] ?? 0,
      }),
  );
  const proxies = await Promise.all(nodes.map(({ linkPort }) => LinkProxy.open(() => linkPort)));
  const world = new Chaos(options, { postgres, url, nodes, proxies, folder });
  try {
    return await world.run();
  } catch (problem) {
    throw new Error(
      `seed ${options.seed}\n${nodes.map(({ name, said }) => `${name}:\n${said.slice(-3_000)}`).join("\n")}`,
      {
        cause: problem,
      },
    );
  } finally {
    if (process.env["HEDDLE_NODES_SAID"] !== undefined)
      for (const { name, said } of nodes) options.note?.(`${name}\n${said}`);
    world.close();
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    for (const proxy of proxies) proxy.close();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly postgres: PostgresServer;
  readonly url: string;
  readonly nodes: readonly NodeProcess[];
  readonly proxies: readonly LinkProxy[];
  readonly folder: string;
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #parts: Parts;
  readonly #balancer: Balancer;
  readonly #random: SeededRandom;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #people: Person[] = [];
  readonly #asked = new Map<RootId, string[]>();
  #asking = true;
  #token = "";

  constructor(options: ChaosOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.#balancer = new Balancer(parts.nodes);
    this.#random = seededRandom(options.seed);
  }

  close(): void {
    this.#asking = false;
    for (const person of this.#people) person.close();
  }

  async run(): Promise<ChaosReport> {
    const { url, nodes, folder } = this.#parts;
    const [first, ...others] = nodes;
    await must(first, "there are nodes").start();
    await noteHistory(url);
    await this.#throughProxies();
    await Promise.all(others.map((node) => node.start()));
    this.#token = readFileSync(join(folder, "shared", "token"), "utf8").trim();
    const canvases = await this.#begin();
    const measured = new Set<string>(canvases.slice(0, this.#options.measured));
    const talks = [...this.#asked.keys()].map((rootId, index) => this.#talk(rootId, index));
    await Promise.all(this.#people.map(({ text }) => until(text.header, () => text.ready, 30_000)));
    const gaps: Record<string, number> = {};
    for (let round = 0; round < this.#options.rounds; round += 1) {
      for (const fault of faults.filter((name) => name.includes(this.#options.only ?? ""))) {
        // Sixty people have sixty browsers: what this process holds for all of them is collected before a fault, not in it.
        globalThis.gc?.();
        const from = this.#acknowledged.length;
        await delay(1_000);
        await this.#strike(fault);
        await this.#settled();
        await delay(500);
        const isMeasured = ({ canvasId }: Acknowledged): boolean => measured.has(canvasId);
        const gapMs = longestGapMs(this.#acknowledged.slice(from).filter(isMeasured));
        gaps[fault] = Math.max(gaps[fault] ?? 0, Math.round(gapMs));
        this.#options.note?.(`${fault}: longest gap ${Math.round(gapMs)} ms`);
      }
    }
    this.#asking = false;
    for (const person of this.#people) person.rest();
    await Promise.all(talks);
    await Promise.all(this.#people.map(({ text }) => until(text.unconfirmed, (count) => count === 0, 30_000)));
    return this.#judged(canvases, gaps);
  }

  /** Other nodes reach each node through the proxy before it. */
  async #throughProxies(): Promise<void> {
    const { url, nodes, proxies } = this.#parts;
    const cases = nodes.map(
      ({ linkPort }, index) => `WHEN '127.0.0.1:${linkPort}' THEN '127.0.0.1:${proxies[index]?.port}'`,
    );
    await query(
      url,
      `CREATE FUNCTION through_proxy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         NEW.address := CASE NEW.address ${cases.join(" ")} ELSE NEW.address END; RETURN NEW; END $$;
       CREATE TRIGGER through_proxy BEFORE INSERT OR UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION through_proxy();
       UPDATE nodes SET address = address;`,
    );
  }

  /** Makes the documents and conversations, and seats the people. */
  async #begin(): Promise<readonly BlockId[]> {
    const { documents, conversations, people, typesEveryMs, measured } = this.#options;
    const maker = connectHeddle({
      url: must(this.#parts.nodes[0], "there are nodes").origin,
      token: this.#token,
      clientId: "maker-of-a-cluster",
      platform: { openSocket: (_url, listener) => this.#balancer.open(listener) },
    });
    const canvases: BlockId[] = [];
    for (let index = 0; index < documents; index += 1) {
      const made = await maker.call("canvas.create", {
        title: `Document ${index}`,
        clientRequestId: requestId(`canvas-${index}`),
      });
      canvases.push(must(made.ok ? made.value.canvasId : null, "a canvas is made"));
    }
    for (let index = 0; index < conversations; index += 1) {
      const made = await maker.call("conversation.create", {
        title: `Talk ${index}`,
        clientRequestId: requestId(`talk-${index}`),
      });
      this.#asked.set(must(made.ok ? made.value.rootId : null, "a conversation is made"), []);
    }
    maker.close();
    for (let number = 0; number < people + measured; number += 1) {
      this.#people.push(
        new Person({
          balancer: this.#balancer,
          token: this.#token,
          number,
          canvasId: must(
            canvases[(number < people ? number : number - people) % canvases.length],
            "there are documents",
          ),
          everyMs: number < people ? typesEveryMs : measuredEveryMs,
          acknowledged: this.#acknowledged,
        }),
      );
    }
    return canvases;
  }

  /** Asks one question after the other, each as soon as the last one is answered, whatever happens meanwhile. */
  async #talk(rootId: RootId, index: number): Promise<void> {
    const { client } = must(this.#people[index % this.#people.length], "there are people");
    const view = client.conversation(rootId);
    view.subscribe(() => {});
    const asked = must(this.#asked.get(rootId), "the conversation was made");
    while (this.#asking) {
      const question = `Question ${asked.length} of talk ${index}: what is a heddle?`;
      asked.push(question);
      const answer = await client.call("message.send", {
        rootId,
        parentNodeId: view.get()?.runs[0]?.headNodeId ?? null,
        text: question,
        clientRequestId: requestId(`question-${index}-${asked.length}`),
      });
      if (!answer.ok) throw new Error(`${question} was refused: ${JSON.stringify(answer.error)}`);
      await until(view, (now) => isAnswered(now, asked.length), 60_000);
      await delay(200 + this.#random.below(800));
    }
  }

  async #owner(): Promise<NodeProcess> {
    for (const deadline = performance.now() + 20_000; performance.now() < deadline; await delay(20)) {
      for (const node of this.#parts.nodes) {
        if (node.isUp && (await node.readiness())?.owns === true) return node;
      }
    }
    throw new Error("no node owns the workspace");
  }

  /** Resolves when all nodes are up, and somebody's edit was acknowledged since. */
  async #settled(): Promise<void> {
    await this.#owner();
    const from = this.#acknowledged.length;
    for (const deadline = performance.now() + 30_000; this.#acknowledged.length === from; await delay(20)) {
      if (performance.now() > deadline) throw new Error("nothing is acknowledged any more");
    }
  }

  async #strike(fault: Fault): Promise<void> {
    const { nodes, proxies, postgres, url } = this.#parts;
    const { ttlMs } = this.#options;
    const owner = await this.#owner();
    const other = must(nodes.filter((node) => node !== owner)[this.#random.below(2)], "there are other nodes");
    switch (fault) {
      case "SIGKILL of the owner":
      case "SIGKILL of another":
      case "SIGTERM of the owner": {
        const struck = fault === "SIGKILL of another" ? other : owner;
        const signal = fault === "SIGTERM of the owner" ? "SIGTERM" : "SIGKILL";
        const ending = struck.end(signal);
        if (signal === "SIGKILL") this.#balancer.down(struck);
        const code = await ending;
        this.#balancer.down(struck);
        if (signal === "SIGTERM" && code !== 0) throw new Error(`${struck.name} ended with ${code}`);
        await delay(ttlMs + 500);
        return struck.start();
      }
      case "SIGSTOP of the owner, longer than its time":
        owner.signal("SIGSTOP");
        this.#balancer.down(owner);
        await delay(ttlMs * 2.5);
        owner.signal("SIGCONT");
        await delay(500);
        owner.isUp = true;
        return;
      case "links cut":
        for (const proxy of proxies) proxy.cut();
        // A balancer does not notice: each node still answers. Who owns serves its own people.
        await delay(1_000);
        for (const proxy of proxies) proxy.mend();
        return;
      case "links delayed":
        for (const proxy of proxies) proxy.delayMs = 200;
        await delay(1_500);
        for (const proxy of proxies) proxy.delayMs = 0;
        return;
      case "sessions ended":
        await query(
          url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'heddle%' AND pid <> pg_backend_pid()",
        );
        return;
      case "PostgreSQL restarted":
        await postgres.crash();
        await delay(500);
        await postgres.restart();
    }
  }

  /** Reads everything again through a process that has seen nothing, and judges. */
  async #judged(canvases: readonly BlockId[], gaps: Readonly<Record<string, number>>): Promise<ChaosReport> {
    const { nodes, url } = this.#parts;
    this.close();
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    const history = await readHistory(url);
    const reader = must(nodes[0], "there are nodes");
    await reader.start();
    const api = new Api({ origin: reader.origin, token: this.#token });
    const texts = new Map<string, string>();
    for (const canvasId of canvases) texts.set(canvasId, await api.textOf(canvasId));
    const typed = new Map<string, string[]>(canvases.map((canvasId) => [canvasId, []]));
    for (const person of this.#people) typed.get(person.canvasId)?.push(...person.typed);
    const problems: string[] = [];
    for (const [rootId, asked] of this.#asked) problems.push(...(await wrongIn(api, rootId, asked)));
    // Last, as it takes many seconds of this thread, in which a connection that is kept open would end.
    problems.push(...judge({ history, acknowledged: this.#acknowledged, typed, texts }));
    const { ["PostgreSQL restarted"]: gapOfDatabaseMs = 0, ...others } = gaps;
    return {
      problems,
      acknowledged: this.#acknowledged.length,
      transactions: history.filter(({ kind }) => kind === "write").length,
      owners: history.filter(({ kind }) => kind === "owner").length,
      questions: [...this.#asked.values()].reduce((sum, asked) => sum + asked.length, 0),
      gapMs: Math.max(0, ...Object.values(others)),
      gapOfDatabaseMs,
      gaps,
    };
  }
}

function requestId(name: string): RequestId {
  return `${name}-of-a-cluster-under-faults` as RequestId;
}

function isAnswered(
  view: {
    readonly runs: readonly { readonly state: { readonly type: string } }[];
    readonly nodesById: ReadonlyMap<unknown, ForestNode>;
  } | null,
  questions: number,
): boolean {
  if (view === null || view.runs.some(({ state }) => state.type !== "idle")) return false;
  const roles = [...view.nodesById.values()].map(({ message }) => message.role);
  // A view without the last question is an older one, whose idle run says nothing; a turn that was interrupted leaves a reply more.
  const times = (role: string): number => roles.filter((each) => each === role).length;
  return times("user") >= questions && times("assistant") >= questions;
}

/** Each question is there once, each call has one result, and providers would take every branch. */
async function wrongIn(api: Api, rootId: RootId, asked: readonly string[]): Promise<readonly string[]> {
  const { nodes } = await api.get<{ nodes: readonly ForestNode[] }>(`/api/conversations/${rootId}`);
  const problems: string[] = [];
  try {
    assertHistory(nodes, "idle");
  } catch (problem) {
    problems.push(String(problem));
  }
  const users = nodes.flatMap(({ message }) => (message.role === "user" ? [wordsOf(message)] : []));
  for (const question of asked) {
    const count = users.filter((words) => words === question).length;
    if (count !== 1) problems.push(`"${question}" is there ${count} times`);
  }
  const results = toolResultsOf(nodes).map(({ tool_call_id: id }) => id);
  if (new Set(results).size !== results.length) problems.push(`a call of ${rootId} has two results`);
  return problems;
}
