import { afterAll, beforeAll, expect, test } from "vitest";
import { linkProof } from "../../../client/base/link-proof.ts";
import { sha256Hex } from "../../../core/base/hash.ts";
import { password, startSignInServer, type Browser, type SignInServer } from "../../sign-in/sign-in.test-support.ts";
import { startTestServer } from "../../../testing/test-server.ts";
import { heddleAt } from "../run.test-support.ts";

let team: SignInServer;
let owner: Browser;
const tokens = { ada: "hdl_of-ada", reader: "hdl_of-ada-who-reads" };

beforeAll(async () => {
  team = await startSignInServer();
  owner = await team.owner();
  await joined("Bob");
  await joined("Cy");
  await call("canvas.create", { title: "Plan", text: "warp\n", folderPath: "Plans" });
  await token(tokens.ada, ["read", "share"]);
  await token(tokens.reader, ["read"]);
  const { groupId } = await call("group.create", { name: "Weavers" });
  const { people } = (await call("person.list", {})) as unknown as { people: { personId: string; name: string }[] };
  const cy = people.find(({ name }) => name === "Cy")?.personId;
  await call("group.set-member", { groupId, personId: cy, member: true });
});
afterAll(() => team.close());

const call = async (name: string, params: object) => {
  const { status, body } = await owner.post(`/api/commands/${name}`, params);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};
const token = (secret: string, rights: readonly string[]) =>
  call("token.create", { name: rights.join(" "), hash: sha256Hex(secret), rights, scope: null, expiresAt: null });

async function joined(name: string): Promise<void> {
  const { body } = await owner.post("/auth/people/invite", { email: null, role: null });
  const browser = team.browser();
  const secret = String(body["link"]).split("#link=")[1] ?? "";
  const email = `${name.toLowerCase()}@example.org`;
  expect((await browser.post("/auth/accept", { secret, name, email, password })).status).toBe(200);
}

const share = (args: readonly string[], by = tokens.ada) => heddleAt({ ...team.server, token: by }, ["share", ...args]);
const listed = async (thing: string, ...more: readonly string[]) =>
  JSON.parse((await share(["list", thing, ...more, "--json"])).printed) as {
    people: { name: string; role: string; from: string; group: string | null }[];
    links: { linkId: string; role: string; expiresAt: number }[];
    inherits: boolean;
  };
const readers = async (thing: string, ...more: readonly string[]) =>
  (await listed(thing, ...more)).people.map(({ name, role, from, group }) => [name, role, from, group]);

test("21.4 heddle share gives and takes roles by name, and says who can see a document and from where", async () => {
  expect(await readers("Plan")).toEqual([["Ada", "owner", "workspace", null]]);
  expect(await share(["give", "Plan", "Bob", "editor"])).toMatchObject({
    code: 0,
    noted: expect.stringContaining("Bob is editor"),
  });
  expect((await share(["give", "Plan", "Weavers", "viewer"])).code).toBe(0);
  expect(await readers("Plan")).toEqual([
    ["Ada", "owner", "workspace", null],
    ["Bob", "editor", "here", null],
    ["Cy", "viewer", "here", "Weavers"],
  ]);
  expect((await share(["list", "Plan"])).printed).toBe(
    "owner  Ada  from the workspace\neditor  Bob  here\nviewer  Cy  here, through the group Weavers\nviewer  group Weavers (1)  here\n",
  );
  expect((await share(["give", "Plans", "everyone", "commenter", "--kind", "folder"])).code).toBe(0);
  expect(await readers("Plan")).toContainEqual(["Cy", "commenter", "folder", null]);
  expect((await share(["inherit", "Plan", "no"])).noted).toContain("do not count here");
  expect(await readers("Plan")).toContainEqual(["Cy", "viewer", "here", "Weavers"]);
  expect((await share(["take", "Plan", "Bob"])).code).toBe(0);
  expect(await readers("Plan")).not.toContainEqual(expect.arrayContaining(["Bob"]));
  expect((await share(["inherit", "Plan", "yes"])).code).toBe(0);
  expect(await readers("Plans", "--kind", "folder")).toContainEqual(["Bob", "commenter", "here", null]);
});

test("A-19 heddle share makes a link that opens until it ends, and ends it", async () => {
  const made = await share(["link", "Plan", "--expires", "12h", "--as", "commenter", "--json"]);
  const { url, linkId, expiresAt } = JSON.parse(made.printed) as { url: string; linkId: string; expiresAt: number };
  expect(expiresAt).toBeGreaterThan(Date.now() + 11 * 3_600_000);
  const secret = url.split("#visit=")[1] ?? "";
  const visit = async () => (await team.browser().post("/auth/visit", { secret })).body;
  expect(await visit()).toMatchObject({ content: { title: "Plan" } });
  expect((await listed("Plan")).links).toMatchObject([{ linkId, role: "commenter", expiresAt }]);
  expect((await share(["unlink", "Plan", linkId])).code).toBe(0);
  expect((await visit()).error.code).toBe("NOT_FOUND");
  expect(await share(["unlink", "Plan", linkId])).toMatchObject({ code: 1, noted: expect.stringContaining("No link") });
});

test("A-19 heddle share asks for a link's password on standard input, and visitors prove that they know it", async () => {
  const make = (input: string) =>
    heddleAt({ ...team.server, token: tokens.ada }, ["share", "link", "Plan", "--password", "--json"], { input });
  expect(await make("short\n")).toMatchObject({ code: 2, noted: expect.stringContaining("8 to 128 characters") });
  const { url, linkId } = JSON.parse((await make("warp and weft\n")).printed) as { url: string; linkId: string };
  const secret = url.split("#visit=")[1] ?? "";
  const visit = async (more: object) => (await team.browser().post("/auth/visit", { secret, ...more })).body;
  expect((await visit({})).error.code).toBe("UNAUTHENTICATED");
  const proof = await linkProof(secret, "warp and weft");
  expect(await visit({ proof })).toMatchObject({ content: { title: "Plan" } });
  expect((await share(["list", "Plan"])).printed).toContain(", with a password");
  expect((await share(["unlink", "Plan", linkId])).code).toBe(0);
});

test.each([
  ["an unknown action", ["lend", "Plan"], 2, "list, give, take, inherit, link, unlink"],
  ["an unknown document", ["list", "Plann"], 1, 'Did you mean the canvas "Plan"'],
  ["an unknown name", ["give", "Plan", "Bobb", "editor"], 1, "Did you mean Bob?"],
  ["an unknown role", ["give", "Plan", "Bob", "king"], 2, "viewer, commenter, editor, owner"],
  ["a role to take", ["take", "Plan", "Bob", "editor"], 2, "without a role"],
  ["a link that edits", ["link", "Plan", "--as", "editor"], 2, "viewer or a commenter"],
  ["a link for ever", ["link", "Plan", "--expires", "400d"], 2, "90 days"],
  ["a time in the past", ["link", "Plan", "--expires", "yesterday"], 2, "--expires is a time"],
  ["an unknown kind", ["list", "Plan", "--kind", "picture"], 2, "document, conversation or folder"],
])("21.4 heddle share refuses %s with words, and changes nothing", async (_, args, code, words) => {
  const before = await listed("Plan");
  expect(await share(args)).toMatchObject({ code, printed: "", noted: expect.stringContaining(words) });
  expect(await listed("Plan")).toEqual(before);
});

test("21.6 heddle budgets shows what people and groups may spend, and spent", async () => {
  const budgets = () => heddleAt({ ...team.server, token: tokens.reader }, ["budgets"]);
  expect(await budgets()).toMatchObject({ code: 0, printed: "", noted: "There are no budgets.\n" });
  const { people } = (await call("person.list", {})) as unknown as { people: { personId: string; name: string }[] };
  const id = people.find(({ name }) => name === "Bob")?.personId;
  await call("budget.set", { of: { type: "person", id }, per: "day", tokens: 5_000, dollars: 2.5 });
  expect((await budgets()).printed).toBe("Bob  0 of 5,000 tokens, 0.00 of 2.5 US dollars a day\n");
});

test("21.4 a token without the right to share, and a server without accounts, are told why nothing was shared", async () => {
  const refused = await share(["give", "Plan", "Bob", "owner"], tokens.reader);
  expect(refused).toMatchObject({ code: 1, noted: expect.stringContaining("right to share") });
  expect((await share(["list", "Plan"], tokens.reader)).code).toBe(0);
  const unknown = await share(["list", "Plan"], "hdl_unknown");
  expect(unknown).toMatchObject({ code: 1, noted: expect.stringContaining("refused this token") });
  const alone = await startTestServer({ welcome: false });
  try {
    const root = await heddleAt(alone, ["share", "list", "Plans", "--kind", "folder"]);
    expect(root).toMatchObject({ code: 1, noted: expect.stringContaining("serve --team") });
  } finally {
    await alone.close();
  }
});
