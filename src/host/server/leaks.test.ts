import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { scaled } from "../../../test/scale.ts";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, GroupId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import {
  conversationKey,
  documentKey,
  folderPathKey,
  workspaceKey,
  type ObjectKey,
} from "../../core/rights/object-key.ts";
import type { Subject } from "../../core/rights/subject.ts";
import { seededRandom, type SeededRandom } from "../../testing/seeded-random.ts";
import { allCanvases, allConversations, until } from "../../testing/test-client.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// Random sequences of giving, taking, closing, moving, grouping: after each step everybody sees by every way exactly what a model
// says that knows nothing of the code. `HEDDLE_SEED=N` repeats one sequence.

const people = ["bob", "cy", "dee"] as const;
const roles = ["viewer", "commenter", "editor"] as const;
const folders = ["Red", "Blue", ""] as const;
const word = "shuttle";
let team: TestTeam;
let ada: HeddleClient;
const documents: BlockId[] = [];
const talks: RootId[] = [];

/** What was done, as plainly as it can be written down. */
interface Model {
  /** The role of a subject on an object, by `object subject`. */
  readonly roles: Map<string, number>;
  readonly closed: Set<string>;
  readonly members: Set<string>;
  /** The folder of each document. */
  readonly places: Map<string, string>;
}

beforeAll(async () => {
  team = await startTestTeam();
  ada = team.connect("ada");
  for (const id of people) await team.add(id);
  await team.change({ type: "group-set", id: "weavers" as GroupId, name: "Weavers", isNew: true });
  for (const at of [0, 1, 2]) {
    const { canvasId } = accept(await ada.call("canvas.create", { title: `Plan ${at}`, text: `${word} ${at}\n` }));
    documents.push(canvasId);
  }
  for (const at of [0, 1]) {
    const { rootId } = accept(await ada.call("conversation.create", { title: `Talk ${at}` }));
    accept(await ada.call("message.add", { rootId, parentNodeId: null, text: `${word} ${at}` }));
    talks.push(rootId);
  }
  const found = async () => accept(await ada.call("search.words", { words: word, in: "blocks" })).matches.length;
  await vi.waitUntil(async () => (await found()) === 3, { timeout: 10_000 });
});
afterAll(async () => {
  ada.close();
  await team.server.close();
});

function roleOf(model: Model, person: string, object: string): number {
  const place = model.places.get(object);
  const chain = [object, ...(place === undefined || place === "" ? [] : [folderPathKey(place)]), workspaceKey];
  let role = -1;
  for (const each of chain) {
    const subjects = [`person:${person}`, "everyone", ...(model.members.has(person) ? ["group:weavers"] : [])];
    for (const subject of subjects) role = Math.max(role, model.roles.get(`${each} ${subject}`) ?? -1);
    if (model.closed.has(each)) break;
  }
  return role;
}

async function step(model: Model, { pick, oneIn, below }: SeededRandom): Promise<string> {
  const objects: readonly ObjectKey[] = [
    workspaceKey,
    folderPathKey("Red"),
    folderPathKey("Blue"),
    ...documents.map(documentKey),
    ...talks.map(conversationKey),
  ];
  const object = objects[below(objects.length)] ?? workspaceKey;
  const person = pick(people) as string as PersonId;
  switch (below(5)) {
    case 0:
    case 1: {
      const subject: Subject = pick([
        { type: "person", id: person },
        { type: "person", id: person },
        { type: "everyone" },
        { type: "group", id: "weavers" as GroupId },
      ]);
      const role = oneIn(2) ? null : pick(roles);
      await team.change({ type: "role-set", object, subject, role });
      const key = `${object} ${subject.type === "everyone" ? "everyone" : `${subject.type}:${subject.id}`}`;
      if (role === null) model.roles.delete(key);
      else model.roles.set(key, roles.indexOf(role));
      return `${key}: ${role}`;
    }
    case 2: {
      if (object === workspaceKey) return "nothing";
      const inherits = oneIn(2);
      await team.change({ type: "inherits-set", object, inherits, by: "ada" as PersonId });
      if (inherits) model.closed.delete(object);
      else model.closed.add(object);
      return `${object} ${inherits ? "opens" : "closes"}`;
    }
    case 3: {
      const isMember = oneIn(2);
      await team.change({ type: "member-set", group: "weavers" as GroupId, person, isMember });
      if (isMember) model.members.add(person);
      else model.members.delete(person);
      return `${person} ${isMember ? "joins" : "leaves"}`;
    }
    default: {
      const canvasId = must(documents[below(documents.length)], "a document");
      const folderPath = pick(folders);
      accept(await ada.call("canvas.arrange", { canvasId, folderPath }));
      model.places.set(documentKey(canvasId), folderPath);
      return `${canvasId} moves to "${folderPath}"`;
    }
  }
}

interface Seen {
  readonly documents: readonly string[];
  readonly talks: readonly string[];
}

const ask = async (who: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await (await team.fetch(who, path, init)).json()) as Readonly<Record<string, unknown>>;
};
const idsIn = (found: unknown, key: string): readonly string[] =>
  [...new Set((found as readonly Readonly<Record<string, string>>[]).map((each) => each[key] ?? ""))].toSorted();

/** What somebody sees, by each way. */
async function seenBy(who: string): Promise<Readonly<Record<string, Partial<Seen> | string>>> {
  const isThere = async (ids: readonly string[], path: (id: string) => string, body?: (id: string) => object) => {
    const seen: string[] = [];
    for (const id of ids) {
      const { error } = await ask(who, path(id), body?.(id));
      const code = (error as { readonly code?: string } | undefined)?.code ?? "ok";
      if (code === "ok") seen.push(id);
      else if (!code.endsWith("_NOT_FOUND")) seen.push(`${id} ${code}`);
    }
    return seen.toSorted();
  };
  const words = (place: string) => ask(who, "/api/commands/search.words", { words: word, in: place, limit: 50 });
  const all = await ask(who, "/api/commands/search.all", { words: word });
  const told = JSON.stringify(all);
  return {
    list: { talks: idsIn((await ask(who, "/api/roots"))["roots"], "id") },
    words: {
      documents: idsIn((await words("blocks"))["matches"], "id"),
      talks: idsIn((await words("messages"))["matches"], "rootId"),
    },
    all: { documents: documents.filter((id) => told.includes(id)).toSorted() },
    byId: {
      documents: await isThere(
        documents,
        () => "/api/commands/canvas.text",
        (canvasId) => ({ canvasId, revisionId: null }),
      ),
      talks: await isThere(talks, (id) => `/api/roots/${id}`),
    },
    shares: {
      documents: await isThere(
        documents,
        () => "/api/commands/share.list",
        (id) => ({ on: { type: "document", id } }),
      ),
      talks: await isThere(
        talks,
        () => "/api/commands/share.list",
        (id) => ({ on: { type: "conversation", id } }),
      ),
    },
    export: { talks: await isThere(talks, (id) => `/api/roots/${id}/export`) },
  };
}

test("A-42 after each of many random changes everybody sees by lists, search, ids, shares and exports what a model says", async () => {
  const seeds = process.env["HEDDLE_SEED"] === undefined ? undefined : [Number(process.env["HEDDLE_SEED"])];
  const model: Model = { roles: new Map(), closed: new Set(), members: new Set(), places: new Map() };
  // From nothing, the first changes would show little.
  for (const [who, object] of [
    ["bob", workspaceKey],
    ["cy", folderPathKey("Red")],
  ] as const) {
    const subject = { type: "person", id: who as string as PersonId } as const;
    await team.change({ type: "role-set", object, subject, role: "viewer" });
    model.roles.set(`${object} person:${who}`, roles.indexOf("viewer"));
  }
  const done: string[] = [];
  let compared = 0;
  for (const seed of seeds ?? Array.from({ length: scaled(1, 400) }, (_each, at) => at + 1)) {
    const random = seededRandom(seed);
    for (let at = 0; at < 8; at += 1) {
      done.push(await step(model, random));
      for (const who of people) {
        const may = (object: string): boolean => roleOf(model, who, object) >= 0;
        const right = {
          documents: documents.filter((id) => may(documentKey(id))).toSorted(),
          talks: talks.filter((id) => may(conversationKey(id))).toSorted(),
        };
        for (const [way, seen] of Object.entries(await seenBy(who))) {
          compared += 1;
          expect({ seed, way, who, done, ...(seen as object) }).toMatchObject({
            way,
            ...onlyOf(right, seen as object),
          });
        }
      }
    }
    // What a page has open follows too.
    for (const who of people) {
      const client = team.connect(who);
      const [canvases, conversations] = [client.list(allCanvases), client.list(allConversations)];
      const count = (ids: readonly string[], key: (id: never) => string): number =>
        ids.filter((id) => roleOf(model, who, key(id as never)) >= 0).length;
      await until(canvases, (view) => view?.total === count(documents, documentKey));
      await until(conversations, (view) => view?.total === count(talks, conversationKey));
      client.close();
    }
  }
  expect(compared).toBeGreaterThan(60);
}, 3_600_000);

function onlyOf(right: Seen, seen: object): object {
  return Object.fromEntries(Object.entries(right).filter(([key]) => key in seen));
}
