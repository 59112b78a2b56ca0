import { WebSocket } from "ws";
import { connectHeddle } from "../../client/connect.ts";
import type { HeddleClient } from "../../client/base/types.ts";
import type { ActorId, PersonId } from "../../core/base/ids.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { workspaceKey, type Chain, type ObjectKey } from "../../core/rights/object-key.ts";
import type { Role } from "../../core/rights/role.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../../testing/test-server.ts";
import type { AccessTokens } from "../access/access-tokens.ts";
import type { Accounts } from "../access/accounts.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";

/** A server of a team, whose people send their id as a bearer token, and their programs a token of their own. */
export interface TestTeam {
  readonly server: TestServer;
  readonly keeper: RightsKeeper;
  /** Adds somebody with a role on something, or on nothing. */
  add(id: string, role?: Role, object?: ObjectKey): Promise<void>;
  change(change: RightsChange): Promise<void>;
  connect(id: string): HeddleClient;
  fetch(id: string, path: string, init?: RequestInit): Promise<Response>;
  endSession(id: string): void;
  /** Makes a token for a program of somebody, with every right, and returns it. */
  program(id: string): Promise<string>;
}

/** People who send their id as a bearer token, and their programs a token of their own. */
export function testAccounts(keeper: RightsKeeper, tokens: Pick<AccessTokens, "findAt">) {
  const ended = new Set<(id: string) => void>();
  const over = new Set<string>();
  const accounts: Accounts = {
    keeper,
    find({ headers, url }) {
      const sent = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
      const token = sent === undefined ? null : tokens.findAt(sent, url ?? "/");
      const id = token === null ? sent : (token.by.id as string);
      const name = id === undefined ? undefined : keeper.rights.people.get(id as PersonId);
      if (id === undefined || name === undefined) return null;
      const credential = token?.id ?? id;
      const member = { id: id as PersonId, keeper, authenticatedAt: Date.now(), credential };
      const actor = { type: "person", id: id as ActorId, name } as const;
      return { actor, member, token, sessionId: token === null ? id : null };
    },
    answer: async () => false,
    isSessionOpen: (id) => !over.has(id),
    onSessionEnded(listener) {
      ended.add(listener);
      return () => ended.delete(listener);
    },
  };
  const endSession = (id: string): void => {
    over.add(id);
    for (const listener of ended) listener(id);
  };
  return { accounts, endSession };
}

/** Makes Ada the first owner; returns how she changes what others may. */
export async function begin(team: RightsKeeper): Promise<Pick<TestTeam, "add" | "change">> {
  accept(await team.begin("ada" as PersonId, "Ada"));
  const asker = { type: "person", id: "ada" as PersonId, authenticatedAt: Date.now(), token: null } as const;
  const chain: Chain = [workspaceKey];
  const change = async (wanted: RightsChange): Promise<void> => {
    const by = { asker, credential: "ada", address: null, verb: "workspace.people", chain } as const;
    accept(await team.change({ ...by, changes: [wanted] }));
  };
  return {
    change,
    async add(id, role, object = workspaceKey) {
      await change({ type: "person-added", id: id as PersonId, name: id });
      const subject = { type: "person", id: id as PersonId } as const;
      if (role !== undefined) await change({ type: "role-set", object, subject, role });
    },
  };
}

export async function startTestTeam(
  options: Pick<TestServerOptions, "catalogue" | "filesFolder" | "shell" | "store"> = {},
): Promise<TestTeam> {
  let endSession: TestTeam["endSession"] = () => {};
  const server: TestServer = await startTestServer({
    ...options,
    welcome: false,
    team: (keeper, { tokens }): Accounts => {
      const made = testAccounts(keeper, tokens);
      ({ endSession } = made);
      return made.accounts;
    },
  });
  const { team } = server.workspace;
  if (team === null) throw new Error("the workspace has a team");
  return {
    server,
    keeper: team,
    ...(await begin(team)),
    connect: (id) =>
      connectHeddle({
        url: server.url,
        token: "of-no-use",
        clientId: `client-of-${id}-0123456789`,
        platform: { openSocket: (url, listener) => openSocketOf(id, url, listener) },
      }),
    fetch: (id, path, init = {}) =>
      fetch(server.url + path, {
        ...init,
        headers: { authorization: `Bearer ${id}`, "content-type": "application/json" },
      }),
    async program(id) {
      const secret = `token-of-${id}`;
      const by = { type: "person", id: id as ActorId, name: id } as const;
      const wish = { name: "loom", rights: ["read", "write", "run", "share"], scope: null, expiresAt: null } as const;
      accept(await server.workspace.tokens.create(by, { ...wish, hash: sha256Hex(secret) }, () => []));
      return secret;
    },
    endSession,
  };
}

export function openSocketOf(
  id: string,
  ...[url, listener]: Parameters<
    NonNullable<NonNullable<Parameters<typeof connectHeddle>[0]["platform"]>["openSocket"]>
  >
) {
  const socket = new WebSocket(url, { perMessageDeflate: false, headers: { authorization: `Bearer ${id}` } });
  socket.on("open", () => listener.opened());
  socket.on("message", (data: Buffer) => listener.received(data.toString("utf8")));
  socket.on("close", (code: number) => listener.closed(code));
  socket.on("error", () => {});
  return { send: (frame: string) => socket.send(frame), close: () => socket.close() };
}
