import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { ownKeyCommands } from "../../core/protocol/command/own-key.ts";
import { nothing, type CommandCall, type Performs } from "./base/call.ts";
import { withTeam, type TeamCall } from "./base/with-team.ts";

export const performOwnKey: Performs<keyof typeof ownKeyCommands> = {
  "own-key.list": withTeam(async ({ workspace, member }) => {
    const providers = workspace.personKeys?.list(member.id) ?? [];
    return ok({
      providers: providers.map(({ key, ...provider }) => ({
        ...provider,
        isSet: key !== null,
        ending: key?.ending ?? null,
      })),
    });
  }),
  "own-key.set": withTeam(async (call, { provider, key }) =>
    nothing((await call.workspace.personKeys?.set(key, changeOf(call, provider))) ?? noPlace),
  ),
  "own-key.remove": withTeam(async (call, { provider }) =>
    nothing((await call.workspace.personKeys?.remove(changeOf(call, provider))) ?? noPlace),
  ),
};

function changeOf(call: CommandCall<Record<never, never>> & TeamCall, provider: string) {
  const { id: person, credential = null, network: address = null } = call.member;
  return { person, provider, credential, address, also: call.remember({}, null) };
}

const noPlace = err(refusal("FORBIDDEN", {}, "This server has no place to keep keys."));
