import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import type { ActorId, PersonId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { PersonActor } from "../../core/base/actor.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { startMockProvider, type MockProvider } from "../../testing/mock-provider/server.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { memorySealedValues, type SealedValues } from "../base/sealed-values.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { noChoices } from "./provider-choices.ts";
import { openModelSettings } from "./model-settings.ts";
import { PersonKeys } from "./person-keys.ts";
import { must } from "../../core/base/assert.ts";

const theirs = { ada: "sk-the-key-of-ada-aaaa", bob: "sk-the-key-of-bob-bbbb", all: "sk-the-key-of-all-cccc" };
const [ada, bob] = ["ada", "bob"].map((id): PersonActor => ({ type: "person", id: id as ActorId, name: id })) as [
  PersonActor,
  PersonActor,
];
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const platform = { ...systemPlatform(), logger: quiet };
const store = () => openMemoryStore();

let mock: MockProvider;
let data: ReturnType<typeof store>;
let sealed: SealedValues & { readonly names: Set<string> };
let workspace: Workspace;

beforeEach(async () => {
  mock = await startMockProvider({
    api: "chat",
    strict: false,
    reply: async function* () {
      yield* says("Done.");
    },
  });
  data = store();
  const inner = memorySealedValues();
  const names = new Set<string>();
  sealed = {
    names,
    get: (name, at) => inner.get(name, at),
    set: (name, secret, at) => (names.add(name), inner.set(name, secret, at)),
    remove: (name) => (names.delete(name), inner.remove(name)),
  };
  await open();
  accept(await must(workspace.team, "a team").begin(ada.id as string as PersonId, "ada"));
  const bobsId = bob.id as string as PersonId;
  await change({ type: "person-added", id: bobsId, name: "bob" });
  await change({
    type: "role-set",
    object: workspaceKey,
    subject: { type: "person", id: bobsId },
    role: "editor",
  });
});
afterEach(async () => {
  await workspace.close();
  await mock.close();
});

async function open(): Promise<void> {
  const settings = accept(
    await openModelSettings({
      config: { keys: { mine: theirs.all } },
      choices: {
        known: {
          ...noChoices,
          added: [{ id: "mine", name: "Mine", api: "openai-chat", baseUrl: mock.url }],
          models: { mine: ["big"] },
        },
        save: async () => ok(undefined),
      },
      deps: { fetch, clock: platform.clock, sleep: () => Promise.resolve() },
      logger: quiet,
    }),
  );
  workspace = await openWorkspace({
    store: data,
    catalogue: settings.catalogue,
    modelSettings: settings,
    platform,
    cwd: "/",
    welcome: false,
    team: true,
    sealed,
  });
}

async function change(wanted: RightsChange): Promise<void> {
  const asker = { type: "person", id: ada.id as string as PersonId, authenticatedAt: null, token: null } as const;
  const by = { asker, credential: null, address: null, verb: "workspace.people", chain: [workspaceKey] } as const;
  accept(await must(workspace.team, "a team").change({ ...by, changes: [wanted] }));
}

const keys = (): PersonKeys => must(workspace.personKeys, "keys of people");
const by = (person: PersonActor) => ({
  person: person.id as string as PersonId,
  provider: "mine",
  credential: null,
  address: null,
  also: [],
});

/** What the next start reads of the same data. */
function afterRestart(): Promise<PersonKeys> {
  const { team, modelSettings } = workspace;
  return PersonKeys.open({ store: data, sealed, keeper: must(team, "a team"), settings: modelSettings, logger: quiet });
}

/** Asks as somebody, and returns the key that the provider was sent. */
async function keyOfTurn(person: PersonActor): Promise<string> {
  const before = mock.requests.length;
  const model = must(
    workspace.catalogue.list().find(({ id }) => id.startsWith("mine/")),
    "a model",
  ).id;
  const made = accept(await workspace.conversations.create({ title: "Looms", model }));
  const rootId = made.id;
  accept(await workspace.conversations.messages.send(person, { rootId, parentNodeId: null, text: "Hi" }));
  await expect.poll(() => mock.requests.length, { timeout: 5_000 }).toBeGreaterThan(before);
  return mock.requests[before]?.headers["authorization"]?.replace("Bearer ", "") ?? "none";
}

test("21.7 a person's own key wins over the workspace's in the turns that they begin, and in nobody else's", async () => {
  accept(await keys().set(theirs.bob, by(bob)));
  expect([await keyOfTurn(bob), await keyOfTurn(ada)]).toEqual([theirs.bob, theirs.all]);
  accept(await keys().set(theirs.ada, by(ada)));
  expect([await keyOfTurn(bob), await keyOfTurn(ada)]).toEqual([theirs.bob, theirs.ada]);
  accept(await keys().remove(by(bob)));
  expect([await keyOfTurn(bob), await keyOfTurn(ada)]).toEqual([theirs.all, theirs.ada]);
});

test("21.7 a key is told to nobody, is in no row and no entry of the audit log, and is there after a restart", async () => {
  accept(await keys().set(theirs.bob, by(bob)));
  expect(keys().list(bob.id as string as PersonId)).toContainEqual({
    provider: "mine",
    name: "Mine",
    key: expect.objectContaining({ ending: "bbbb" }) as object,
  });
  expect(
    keys()
      .list(ada.id as string as PersonId)
      .every(({ key }) => key === null),
  ).toBe(true);
  const entries = await data.audit(0, 100);
  expect(entries.at(-1)).toMatchObject({ actor: "bob", act: "own-key.set", object: "mine", outcome: "done" });
  expect(JSON.stringify([entries, await data.meta("own-keys")])).not.toContain(theirs.bob);
  const again = await afterRestart();
  expect(again.modelFor(bob.id as string as PersonId, "mine/big")?.info.id).toBe("mine/big");
  expect(again.modelFor(ada.id as string as PersonId, "mine/big")).toBeUndefined();
  await again.close();
});

test("21.7 a key goes with its person's account, also where a stop came in between", async () => {
  accept(await keys().set(theirs.bob, by(bob)));
  expect([...sealed.names]).toEqual(["own-key/bob/mine"]);
  const index = must(await data.meta("own-keys"), "the index");
  await change({ type: "person-removed", id: bob.id as string as PersonId });
  await expect.poll(() => [...sealed.names]).toEqual([]);
  await expect.poll(() => data.meta("own-keys")).toEqual({ keys: [] });
  accept(await data.commit([{ type: "put-meta", key: "own-keys", value: index }]));
  accept(await sealed.set("own-key/bob/mine", theirs.bob, mock.url));
  await (await afterRestart()).close();
  expect([...sealed.names]).toEqual([]);
});

test("21.7 a key goes to no other address than it was set for, and to no provider that takes none", async () => {
  accept(await keys().set(theirs.bob, by(bob)));
  const elsewhere = must(workspace.modelSettings, "settings");
  const moved = elsewhere.providers().map((each) => ({ ...each, address: "http://127.0.0.1:1" }));
  const ports = { store: data, sealed, keeper: must(workspace.team, "a team"), logger: quiet };
  const there = await PersonKeys.open({
    ...ports,
    settings: { providers: () => moved, modelWith: (model, key) => elsewhere.modelWith(model, key) },
  });
  expect(there.modelFor(bob.id as string as PersonId, "mine/big")).toBeUndefined();
  expect(await keys().set(theirs.bob, { ...by(bob), provider: "nowhere" })).toMatchObject({
    error: { code: "NOT_FOUND" },
  });
  await there.close();
});
