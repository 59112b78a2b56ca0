import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { TextReplica } from "../../src/client/base/types.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import type { TestServer } from "../../src/testing/test-server.ts";
import { startAgents } from "./agents.ts";
import { isAtWork, type Crew, type CrewWish, type Hours, type Written } from "./crew.ts";
import { startPeople } from "./people.ts";

export interface CrowdReport {
  /** Edits of agents that were acknowledged, and words of people. */
  readonly edits: number;
  readonly words: number;
  /** What was acknowledged and is not in the text, or is there under another name. */
  readonly lost: readonly string[];
  readonly misattributed: readonly string[];
  /** A person's keystroke until another person has it: while the agents rest, and while they are at work. */
  readonly alone: Delays;
  readonly together: Delays;
}

/** Milliseconds; of nothing, 0. */
interface Delays {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What a thread with a crew is given. */
export interface CrewThreadData {
  readonly who: "agents" | "people";
  readonly wish: CrewWish;
}

interface Wish {
  readonly agents: number;
  readonly people: number;
  readonly seconds: number;
  readonly shiftSeconds?: number;
  /** Whether agents and people have a thread each, as programs and browsers elsewhere do: their work is not the server's. */
  readonly apart?: boolean;
}

/** Lets agents of other programs and people write one canvas at the same time, and looks for what is missing afterwards. */
export async function runCrowd(server: TestServer, wish: Wish): Promise<CrowdReport> {
  const page = connectTestClient(server, { name: "observer" });
  try {
    const { canvasId } = accept(await page.call("canvas.create", { title: "Crowd", text: "top\n" }));
    const { url, token } = server;
    const crewOf = (who: "agents" | "people"): Promise<Crew> => {
      const ofCrew: CrewWish = { to: { url, token }, count: wish[who], canvasId };
      if (wish.apart === true) return startApart({ who, wish: ofCrew });
      return who === "agents" ? startAgents(ofCrew) : startPeople(ofCrew);
    };
    const agents = await crewOf("agents");
    const people = await crewOf("people");
    const edits: Written[] = [];
    const words: Written[] = [];
    const hours: Hours = { from: Date.now(), seconds: wish.seconds, shiftSeconds: wish.shiftSeconds ?? null };
    await Promise.all([
      agents.work(hours, (written) => edits.push(written)),
      people.work(hours, (written) => words.push(written)),
    ]);
    const final = accept(await server.workspace.hub.reader.read(canvasId)).text;
    await Promise.all([agents.finish(final), people.finish(final)]);
    const text = page.openText(canvasId);
    await until(text.header, (header) => header !== null && text.text() === final);
    return report(text, hours, { edits, words });
  } finally {
    page.close();
  }
}

function report(
  text: TextReplica,
  hours: Hours,
  { edits, words }: { readonly edits: readonly Written[]; readonly words: readonly Written[] },
): CrowdReport {
  const final = text.text();
  const all = [...edits, ...words];
  const places = new Map(Array.from(final.matchAll(/\[[^[\]]+\]/g), ({ 0: mark, index }) => [mark, index]));
  const authors = authorsOf(text);
  const isBy = ({ mark, by }: Written): boolean => {
    const from = places.get(mark);
    return from === undefined || authors.slice(from, from + mark.length).every((author) => author === by);
  };
  const settled = words.filter(({ at }) => isAtWork(hours, at) === isAtWork(hours, at - settlingMs));
  return {
    edits: edits.length,
    words: words.length,
    lost: all.filter(({ mark }) => !places.has(mark)).map(({ mark }) => mark),
    misattributed: all.filter((written) => !isBy(written)).map(({ mark, by }) => `${mark} is not by ${by}`),
    alone: delaysOf(settled.filter(({ at }) => !isAtWork(hours, at))),
    together: delaysOf(settled.filter(({ at }) => isAtWork(hours, at))),
  };
}

/** For so long after a change of shift, what the agents began may go on. Milliseconds. */
const settlingMs = 300;

function delaysOf(words: readonly Written[]): Delays {
  const sorted = words.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const share = (part: number): number => Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 10) / 10;
  return { p50Ms: share(0.5), p99Ms: share(0.99) };
}

/** Starts agents or people in a thread of their own. */
async function startApart(data: CrewThreadData): Promise<Crew> {
  const worker = new Worker(new URL("crew-thread.ts", import.meta.url), { workerData: data });
  const exit = once(worker, "exit") as Promise<[number]>;
  await once(worker, "message");
  return {
    async work(hours, note) {
      const over = new Promise<void>((resolve) =>
        worker.on("message", (message: Written | "over") => (message === "over" ? resolve() : note(message))),
      );
      worker.postMessage(hours, []);
      await Promise.race([over, exit]);
    },
    async finish(final) {
      worker.postMessage(final, []);
      const [code] = await exit;
      if (code !== 0) throw new Error(`the thread of the ${data.who} failed`);
    },
  };
}

/** Returns the author of each unit of a text; undefined where nobody is named. */
function authorsOf(text: TextReplica): readonly (string | undefined)[] {
  return text.blame(0, text.text().length).flatMap(({ id, from, to }) => {
    const name = text.actorOf(id.replica)?.name;
    return Array.from({ length: to - from }, () => name);
  });
}
