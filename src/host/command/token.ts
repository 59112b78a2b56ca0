import { ok } from "../../core/base/result.ts";
import type { tokenCommands } from "../../core/protocol/command/token.ts";
import type { Performs } from "./base/call.ts";

export const performToken: Performs<keyof typeof tokenCommands> = {
  "token.list": async ({ workspace }) =>
    ok({
      tokens: workspace.tokens.list().map(({ id, name, rights, scope, by, createdAt, expiresAt }) => ({
        tokenId: id,
        name,
        rights,
        scope,
        by: by.name,
        createdAt,
        expiresAt,
      })),
    }),
  "token.create": ({ workspace, actor, remember }, { scope = null, expiresAt = null, ...token }) =>
    workspace.tokens.create(actor, { ...token, scope, expiresAt }, remember),
  "token.revoke": ({ workspace, remember }, { tokenId }) => workspace.tokens.revoke(tokenId, remember),
};
