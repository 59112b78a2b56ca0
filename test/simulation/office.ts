import { assert, must } from "../../src/core/base/assert.ts";
import type { RequestId, RootId } from "../../src/core/base/ids.ts";
import { isJsonObject } from "../../src/core/base/json.ts";
import { textOf, toolUses } from "../../src/core/message/content.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import type { ConversationView, HeddleClient, RunView, TextReplica } from "../../src/client/base/types.ts";
import type { Workspace } from "../../src/host/workspace/workspace.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import { contentOf, fileFor, wordsFor, works, type Work } from "./clerk.ts";
import type { Ledger } from "./simulated-child.ts";
import type { SimulatedFolder } from "./simulated-folder.ts";

/** A person as the office knows one. */
export interface Visitor {
  readonly number: number;
  readonly client: HeddleClient;
  /** The file that everybody shares, once it is open. */
  shared: TextReplica | null;
}

const sharedPath = "shared.md";
const sharedMiddle = "# Shared\n\nOne line.\n\nAnother line.\n\nA third line.\n\nEnd of the shared file.\n";

const kinds = Object.keys(works) as readonly Work[];
const tools: ReadonlySet<string> = new Set(Object.values(works));

/** What people ask the clerk for, allow and deny, what they and another program write into a shared file, and what must come of it. */
export class Office {
  readonly #random: SeededRandom;
  readonly #folder: SimulatedFolder;
  readonly #ledger: Ledger;
  readonly #askedByEntry = new Map<string, Work>();
  /** Entries whose call a person tried to allow, with the hash that was shown to them. */
  readonly #allowed = new Set<string>();
  /** Whether somebody allowed every call of a tool. */
  #allowedAll = false;
  readonly #outsiderLines: string[] = [];
  readonly #words: string[] = [];

  constructor(random: SeededRandom, folder: SimulatedFolder, ledger: Ledger) {
    this.#random = random;
    this.#folder = folder;
    this.#ledger = ledger;
    folder.write(sharedPath, sharedMiddle);
  }

  get asked(): number {
    return this.#askedByEntry.size;
  }

  /** Everybody opens the shared file. */
  open(visitor: Visitor): void {
    void visitor.client.call("file.open", { path: sharedPath }).then((opened) => {
      if (opened.ok) visitor.shared ??= visitor.client.openText(opened.value.blockId);
    });
  }

  /** One of the things that happen in an office. */
  step(visitor: Visitor, view: ConversationView | null, rootId: RootId): void {
    const draw = this.#random.below(10);
    if (draw < 4) this.#ask(visitor, view, rootId);
    else if (draw < 7) this.#type(visitor);
    else this.#writeOutside();
    if (this.#random.oneIn(4)) this.#resolve(visitor);
    for (const run of view?.runs ?? []) if (this.#random.oneIn(2)) this.#decide(visitor, run);
  }

  #ask({ client }: Visitor, view: ConversationView | null, rootId: RootId): void {
    if (view === null) return;
    const entry = `e${this.#askedByEntry.size}z`;
    const work = kinds[this.#random.below(kinds.length)] ?? "Add";
    this.#askedByEntry.set(entry, work);
    const leaves = [...view.nodesById.values()].filter((node) => view.childrenByParent.get(node.id) === undefined);
    const parentNodeId = this.#random.oneIn(2)
      ? null
      : (leaves[this.#random.below(Math.max(1, leaves.length))]?.id ?? null);
    const text = wordsFor(work, entry);
    const clientRequestId = `office-${entry}` as RequestId;
    void client.call("message.send", { rootId, parentNodeId, text, queue: true, clientRequestId });
  }

  /** Allows or denies a call that waits, sometimes by what was shown for another one. */
  #decide({ client }: Visitor, { runId, state }: RunView): void {
    if (state.type !== "awaiting-approval") return;
    const { callId, argumentsHash } = state.request;
    const call = state.pending.find(({ id }) => id === callId);
    const entry = entryIn(JSON.stringify(call?.parameters ?? {}));
    const isStale = this.#random.oneIn(6);
    const allows = isStale || this.#random.below(10) < 6;
    const remember = this.#random.oneIn(8) ? "conversation" : "once";
    if (allows && !isStale && entry !== null) this.#allowed.add(entry);
    if (allows && !isStale && remember !== "once") this.#allowedAll = true;
    void client.call("approval.answer", {
      runId,
      callId,
      argumentsHash: isStale ? "0".repeat(64) : argumentsHash,
      decision: allows ? "allow" : "deny",
      remember,
    });
  }

  /** Keeps both texts of a file that another program changed in the same place. */
  #resolve({ client, shared }: Visitor): void {
    const conflict = shared?.header.get()?.metadata["conflict"];
    const hash = isJsonObject(conflict) ? conflict["hash"] : undefined;
    if (shared === null || typeof hash !== "string") return;
    void client.call("file.resolve", { blockId: shared.blockId, keep: "both", hash });
  }

  /** Decides what still waits, when everybody goes home. */
  closeUp(visitor: Visitor, view: ConversationView | null): void {
    const { client } = visitor;
    this.#resolve(visitor);
    for (const { runId, state } of view?.runs ?? []) {
      if (state.type !== "awaiting-approval") continue;
      const { callId, argumentsHash } = state.request;
      void client.call("approval.answer", { runId, callId, argumentsHash, decision: "deny", remember: "once" });
    }
  }

  #type({ number, shared }: Visitor): void {
    if (shared?.ready !== true) return;
    const word = `s${number}x${this.#words.length}z`;
    const at = shared.text().indexOf("End of the shared file.");
    if (at === -1) return;
    this.#words.push(word);
    shared.edit([{ from: at, to: at, insert: `${word}\n` }]);
  }

  /** Another program puts a line at the top of the shared file, as an editor saves one: the whole file. */
  #writeOutside(): void {
    const now = this.#folder.text(sharedPath);
    if (now === null) return;
    const line = `o${this.#outsiderLines.length}z`;
    this.#outsiderLines.push(line);
    this.#folder.write(sharedPath, `${line}\n${now}`);
  }

  /** Whether the shared file has what everybody wrote, and each page shows the file. */
  isAtRest(visitors: readonly Visitor[]): boolean {
    const onDisk = this.#folder.text(sharedPath);
    return visitors.every(
      ({ shared }) => shared === null || (shared.unconfirmed.get() === 0 && shared.text() === onDisk),
    );
  }

  /** Throws where a promise about tools, approvals or files was broken. */
  async judge({ store }: Pick<Workspace, "store">, rootId: RootId, visitors: readonly Visitor[]): Promise<void> {
    const nodes = await store.nodes(rootId);
    const answers = answersIn(nodes);
    for (const [entry, work] of this.#askedByEntry) this.#judgeWork(entry, work, answers.get(entry) ?? []);
    const asked = nodes.filter(({ message }) => message.role === "user").map(({ message }) => textOf(message));
    for (const [entry, work] of this.#askedByEntry) {
      const times = asked.filter((text) => text === wordsFor(work, entry)).length;
      assert(times <= 1, `the message about ${entry} is there ${times} times`);
    }
    this.#judgeShared(visitors);
  }

  #judgeWork(entry: string, work: Work, answers: readonly Answer[]): void {
    for (const { isOk, text } of answers) {
      assert(!isOk || text.includes(entry), `the answer about ${entry} is its own: ${text.slice(0, 200)}`);
      assert(!text.includes("an answer to another call"), `${entry} got one answer`);
    }
    const isDone = answers.some(({ isOk }) => isOk);
    if (work === "Write" || work === "Guard") {
      const path = fileFor(work, entry);
      const onDisk = this.#folder.text(path);
      assert(onDisk === null || onDisk === contentOf(entry), `${path} is whole: ${JSON.stringify(onDisk)}`);
      assert(!isDone || onDisk !== null, `${path} was written, so it is on the disk`);
      assert(work === "Write" || onDisk === null || this.#allowed.has(entry), `nobody allowed ${path}`);
      return;
    }
    if (work === "Look up") return;
    const tool = work === "Record" ? "record" : "add";
    const times = this.#ledger.times(tool, entry);
    assert(times <= 1, `${tool} ${entry} took effect ${times} times`);
    assert(!isDone || times === 1, `${tool} ${entry} was answered, so it took effect`);
    const wasAllowed = work === "Add" || this.#allowedAll || this.#allowed.has(entry);
    assert(times === 0 || wasAllowed, `nobody allowed ${tool} ${entry}`);
  }

  #judgeShared(visitors: readonly Visitor[]): void {
    const onDisk = must(this.#folder.text(sharedPath), "the shared file exists");
    for (const { number, shared } of visitors) {
      assert(shared === null || shared.text() === onDisk, `person ${number} and the disk have the same shared file`);
      assert(shared === null || shared.refused.get() === null, `no edit of person ${number} was refused`);
    }
    for (const word of [...this.#words, ...this.#outsiderLines]) {
      const times = onDisk.split(`${word}\n`).length - 1;
      assert(times === 1, `${word} is in the shared file ${times} times`);
    }
    const strays = this.#folder.names.filter((name) => name.includes(".heddle-"));
    assert(strays.length === 0, `nothing is left aside: ${strays.join(", ")}`);
  }
}

interface Answer {
  readonly isOk: boolean;
  readonly text: string;
}

/** The results of the clerk's calls, by the entry that the call was about. */
function answersIn(nodes: readonly ForestNode[]): ReadonlyMap<string, readonly Answer[]> {
  const entryByCall = new Map<string, string>();
  for (const { message } of nodes) {
    if (message.role !== "assistant") continue;
    for (const { id, name, parameters } of toolUses(message)) {
      // The other model repeats people's words in calls of its own.
      const entry = tools.has(name) ? entryIn(JSON.stringify(parameters)) : null;
      if (entry !== null) entryByCall.set(id, entry);
    }
  }
  const answers = new Map<string, Answer[]>();
  for (const { message } of nodes) {
    const entry = message.role === "tool" ? entryByCall.get(message.tool_call_id) : undefined;
    if (message.role !== "tool" || entry === undefined) continue;
    const of = answers.get(entry) ?? [];
    answers.set(entry, of);
    of.push({ isOk: message.outcome === "ok", text: textOf(message) });
  }
  return answers;
}

function entryIn(text: string): string | null {
  return /e\d+z/.exec(text)?.[0] ?? null;
}
