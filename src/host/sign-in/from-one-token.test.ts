import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { connectHeddle } from "../../client/connect.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { startTestServer } from "../../testing/test-server.ts";
import { accountsRefusal } from "../cli/start/start-team.ts";
import { password, startSignInServer } from "./sign-in.test-support.ts";

test("A-41 what one token opened is the first owner’s alone, its names are unverified, and it goes back to no token", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-team-"));
  const open = () => openSqliteStore({ file: join(folder, "heddle.db") });
  const before = await startTestServer({ store: await open(), welcome: false });
  const old = connectHeddle({ url: before.url, token: before.token, name: "Ada", clientId: "page-of-ada-0123456789" });
  const { canvasId } = accept(await old.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const { rootId } = accept(await old.call("conversation.create", { title: "Talk" }));
  accept(await old.call("message.add", { rootId, parentNodeId: null, text: "Hello." }));
  accept(await old.call("comment.add", { blockId: canvasId, text: "Why?" }));
  old.close();
  await before.close();

  const store = await open();
  const team = await startSignInServer({ store });
  try {
    const owner = await team.owner();
    const invited = await owner.post("/auth/people/invite", { email: null, role: null });
    const eve = team.browser();
    const secret = String(invited.body["link"]).split("#link=")[1];
    await eve.post("/auth/accept", { secret, name: "Eve", email: "eve@example.org", password });
    // The owner is called Ada too, and is not taken for who wrote before.
    const comments = await owner.post("/api/commands/comment.list", { blockId: canvasId });
    expect(JSON.stringify(comments.body)).toContain('"name":"Ada (unverified)"');
    expect(JSON.stringify(comments.body)).not.toContain('"name":"Ada"');
    expect((await owner.get(`/api/roots/${rootId}`)).status).toBe(200);
    expect((await eve.get(`/api/roots/${rootId}`)).status).toBe(404);
    expect((await eve.get("/api/roots")).body).toEqual({ roots: [] });
    expect((await eve.post("/api/commands/comment.list", { blockId: canvasId })).body.error.code).toBe(
      "BLOCK_NOT_FOUND",
    );
    const { origin } = team.signIn.parts;
    const asked = await fetch(`${origin.replace("localhost", "127.0.0.1")}/api/roots`, {
      headers: { authorization: `Bearer ${before.token}`, host: new URL(origin).host },
    });
    expect(asked.status).toBe(401);
    expect(await accountsRefusal(false, store)).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
  } finally {
    await team.close();
    await rm(folder, { recursive: true, force: true });
  }
});
