import { afterEach, beforeEach, expect, test } from "vitest";
import { firstBrokenEntry, type AuditEntry } from "../../core/rights/audit.ts";
import { password, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let team: SignInServer;
let owner: Browser;

beforeEach(async () => {
  team = await startSignInServer();
  owner = await team.owner();
});
afterEach(() => team.close());

const entriesAfter = async (after: number): Promise<{ readonly entries: readonly AuditEntry[]; more: unknown }> => {
  const { body } = await owner.post("/auth/audit", { after });
  return { entries: body["entries"] as readonly AuditEntry[], more: body["more"] };
};

test("A-40 an owner reads the whole audit log in pages, and the log has that they did", async () => {
  const { keeper } = team.signIn.parts;
  const about = { actor: "person_x", credential: null, address: null, object: "workspace", outcome: "done" } as const;
  for (let made = 0; made < 600; made += 1) await keeper.record({ ...about, act: `test.${made}` });
  const first = await entriesAfter(0);
  expect([first.entries.length, first.more]).toEqual([500, true]);
  const rest = await entriesAfter(500);
  expect(rest.more).toBe(false);
  const log = [...first.entries, ...rest.entries];
  expect(firstBrokenEntry(log)).toBeNull();
  expect(log.at(-1)).toMatchObject({ act: "workspace.audit", outcome: "done" });
  expect(JSON.stringify(log)).not.toContain(password);
  expect((await owner.post("/auth/audit", { after: -1 })).status).toBe(400);
});

test("A-40 who is no owner reads no entry, and their try is one", async () => {
  const invited = await owner.post("/auth/people/invite", { email: null, role: "editor" });
  const secret = String(invited.body["link"]).split("#link=")[1];
  const bob = team.browser();
  await bob.post("/auth/accept", { secret, name: "Bob", email: "bob@example.org", password });
  const refused = await bob.post("/auth/audit", { after: 0 });
  expect([refused.status, refused.body.error.code, refused.body["entries"]]).toEqual([403, "FORBIDDEN", undefined]);
  expect((await team.browser().post("/auth/audit", { after: 0 })).status).toBe(401);
  const { entries } = await entriesAfter(0);
  const bobId = (await bob.get("/auth/state")).body.person?.id;
  expect(entries).toContainEqual(expect.objectContaining({ act: "workspace.audit", actor: bobId, outcome: "refused" }));
});
