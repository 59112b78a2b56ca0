import { WebSocket } from "ws";
import { connectHeddle } from "../../client/connect.ts";
import type { HeddleClient } from "../../client/base/types.ts";
import type { ActorId, PersonId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { workspaceKey, type Chain, type ObjectKey } from "../../core/rights/object-key.ts";
import type { Role } from "../../core/rights/role.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../../testing/test-server.ts";
import type { Accounts } from "../access/accounts.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";

/** A server of a team, whose people send their id as a bearer token. */
export interface TestTeam {
  readonly server: TestServer;
  readonly keeper: RightsKeeper;
  /** Adds somebody with a role on something, or on nothing. */
  add(id: string, role?: Role, object?: ObjectKey): Promise<void>;
  change(change: RightsChange): Promise<void>;
  connect(id: string): HeddleClient;
  fetch(id: string, path: string, init?: RequestInit): Promise<Response>;
  endSession(id: string): void;
}

export async function startTestTeam(
  options: Pick<TestServerOptions, "catalogue" | "filesFolder" | "store"> = {},
): Promise<TestTeam> {
  const ended = new Set<(id: string) => void>();
  const server = await startTestServer({
    ...options,
    welcome: false,
    team: (keeper): Accounts => ({
      keeper,
      find({ headers }) {
        const id = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
        const name = id === undefined ? undefined : keeper.rights.people.get(id as PersonId);
        if (id === undefined || name === undefined) return null;
        const member = { id: id as PersonId, keeper, authenticatedAt: Date.now() };
        return { actor: { type: "person", id: id as ActorId, name }, member, token: null, sessionId: id };
      },
      answer: async () => false,
      onSessionEnded(listener) {
        ended.add(listener);
        return () => ended.delete(listener);
      },
    }),
  });
  const { team } = server.workspace;
  if (team === null) throw new Error("the workspace has a team");
  accept(await team.begin("ada" as PersonId, "Ada"));
  const asker = { type: "person", id: "ada" as PersonId, authenticatedAt: Date.now(), token: null } as const;
  const chain: Chain = [workspaceKey];
  const change = async (wanted: RightsChange): Promise<void> => {
    const by = { asker, credential: "ada", address: null, verb: "workspace.people", chain } as const;
    accept(await team.change({ ...by, changes: [wanted] }));
  };
  return {
    server,
    keeper: team,
    change,
    async add(id, role, object = workspaceKey) {
      await change({ type: "person-added", id: id as PersonId, name: id });
      const subject = { type: "person", id: id as PersonId } as const;
      if (role !== undefined) await change({ type: "role-set", object, subject, role });
    },
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
    endSession: (id) => {
      for (const listener of ended) listener(id);
    },
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
