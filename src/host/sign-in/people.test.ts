import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { Store } from "../../core/port/store.ts";
import { ada, password, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let store: Store;
let team: SignInServer;
let owner: Browser;

beforeEach(async () => {
  store = openMemoryStore();
  team = await startSignInServer({ store });
  owner = await team.owner();
});
afterEach(() => team.close());

const secretIn = (link: unknown): string => String(link).split("#link=")[1] ?? "";
const codeOf = async (asked: Promise<{ readonly body: { readonly error?: { readonly code: string } } }>) =>
  (await asked).body.error?.code ?? "yes";

/** Invites somebody, who accepts. */
async function joined(name: string, role: string | null): Promise<Browser & { readonly id: PersonId }> {
  const { body } = await owner.post("/auth/people/invite", { email: null, role });
  const browser = team.browser();
  const email = `${name.toLowerCase()}@example.org`;
  const accepted = await browser.post("/auth/accept", { secret: secretIn(body["link"]), name, email, password });
  expect(accepted.body).toEqual({ signedIn: true });
  const state = await browser.get("/auth/state");
  return { ...browser, id: (state.body.person?.id ?? "") as PersonId };
}

test("an invitation gives its role, to its address, once, until it is withdrawn or its maker may no longer invite", async () => {
  const bound = await owner.post("/auth/people/invite", { email: "bob@example.org", role: "editor" });
  const secret = secretIn(bound.body["link"]);
  expect((await team.browser().post("/auth/link", { secret })).body).toMatchObject({
    type: "invitation",
    email: "bob@example.org",
    by: "Ada",
    role: "editor",
  });
  const wanted = { secret, name: "Bob", password };
  expect(await codeOf(team.browser().post("/auth/accept", { ...wanted, email: "eve@example.org" }))).toBe(
    "INVALID_PARAMS",
  );
  const bob = team.browser();
  expect(await codeOf(bob.post("/auth/accept", { ...wanted, email: "bob@example.org" }))).toBe("yes");
  expect(await codeOf(team.browser().post("/auth/accept", { ...wanted, email: "bob@example.org" }))).toBe("NOT_FOUND");
  expect((await bob.get("/auth/people")).body).toMatchObject({
    mayManage: false,
    people: [
      { name: "Ada", role: "owner" },
      { name: "Bob", role: "editor" },
    ],
  });
  expect(JSON.stringify((await bob.get("/auth/people")).body)).not.toContain("@");
  // An editor invites nobody.
  expect(await codeOf(bob.post("/auth/people/invite", { email: null, role: "owner" }))).toBe("FORBIDDEN");

  const withdrawn = await owner.post("/auth/people/invite", { email: null, role: "viewer" });
  expect((await owner.get("/auth/people")).body["invitations"]).toMatchObject([{ role: "viewer", by: "Ada" }]);
  expect(await codeOf(owner.post("/auth/people/withdraw", { id: withdrawn.body["id"] }))).toBe("yes");
  expect(await codeOf(owner.post("/auth/people/withdraw", { id: withdrawn.body["id"] }))).toBe("NOT_FOUND");
  const late = { secret: secretIn(withdrawn.body["link"]), name: "Cy", email: "cy@example.org", password };
  expect(await codeOf(team.browser().post("/auth/accept", late))).toBe("NOT_FOUND");

  const cleo = await joined("Cleo", "owner");
  const hers = await cleo.post("/auth/people/invite", { email: null, role: "owner" });
  expect(await codeOf(owner.post("/api/commands/person.set-role", { personId: cleo.id, role: "editor" }))).toBe("yes");
  const never = { secret: secretIn(hers.body["link"]), name: "Dan", email: "dan@example.org", password };
  expect(await codeOf(team.browser().post("/auth/accept", never))).toBe("FORBIDDEN");
  expect(team.server.workspace.team?.rights.people.size).toBe(3);
});

test("A-18 the last owner is neither removed nor demoted; who is removed is out at once and signs in no more", async () => {
  const ownId = (await owner.get("/auth/state")).body.person?.id;
  expect(await codeOf(owner.post("/api/commands/person.set-role", { personId: ownId, role: "editor" }))).toBe(
    "LAST_OWNER",
  );
  expect(await codeOf(owner.post("/auth/people/remove", { person: ownId }))).toBe("LAST_OWNER");
  const bob = await joined("Bob", "editor");
  expect((await bob.get("/api/roots")).status).toBe(200);
  expect(await codeOf(bob.post("/auth/people/remove", { person: ownId }))).toBe("FORBIDDEN");
  expect(await codeOf(owner.post("/auth/people/remove", { person: bob.id }))).toBe("yes");
  expect((await bob.get("/api/roots")).status).toBe(401);
  const again = await team.browser().post("/auth/sign-in/email", { email: "bob@example.org", password });
  expect(again.status).toBe(401);
  expect(JSON.stringify(await store.signInFacts())).not.toContain(bob.id);
});

test("a recovery link gives another password, ends every session, and takes the second factor away", async () => {
  const bob = await joined("Bob", "viewer");
  const { body } = await owner.post("/auth/people/recover", { person: bob.id });
  const secret = secretIn(body["link"]);
  const later = team.browser();
  expect((await later.post("/auth/link", { secret })).body).toMatchObject({ type: "recovery", name: "Bob" });
  expect(await codeOf(later.post("/auth/accept", { secret, password: "a new long password" }))).toBe("yes");
  expect((await later.get("/auth/state")).body.person?.name).toBe("Bob");
  expect((await bob.get("/auth/state")).body.person).toBeNull();
  const email = "bob@example.org";
  expect((await team.browser().post("/auth/sign-in/email", { email, password })).status).toBe(401);
  expect(await codeOf(later.post("/auth/accept", { secret, password: "another password" }))).toBe("NOT_FOUND");
});

test("A-36 people are managed after a fresh sign-in only, and the same request goes on after one", async () => {
  const [session] = team.signIn.parts.sessions.of((await owner.get("/auth/state")).body.person?.id as PersonId);
  const record = team.signIn.parts.facts.of("session").get(session?.hash ?? "") ?? {};
  const stale = { ...record, authenticatedAt: Date.now() - 11 * 60_000 };
  accept(
    await team.signIn.parts.facts.write(() => ({
      ok: true,
      value: [{ kind: "session", id: session?.hash ?? "", record: stale }],
    })),
  );
  const invite = () => codeOf(owner.post("/auth/people/invite", { email: null, role: "viewer" }));
  expect(await invite()).toBe("REAUTHENTICATE");
  await owner.post("/auth/sign-in/email", { email: ada.email, password });
  expect(await invite()).toBe("yes");
});
