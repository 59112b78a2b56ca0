import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import type { Member } from "../../access/member.ts";
import type { RightsKeeper, RightsRequest } from "../../access/rights-keeper.ts";
import type { CommandCall } from "./call.ts";

/** What a command about people and sharing works with: it is a team's alone. */
export interface TeamCall {
  readonly keeper: RightsKeeper;
  readonly member: Member;
}

type Performed<Answer> = Promise<Result<Answer, Refusal>>;

/** Refuses where one person owns everything, so that there is nobody to share with. */
export function withTeam<Call extends CommandCall<never>, Params, Answer>(
  perform: (call: Call & TeamCall, params: Params) => Performed<Answer>,
): (call: Call, params: Params) => Performed<Answer> {
  return async (call, params) => {
    const { workspace, asking } = call;
    const keeper = workspace.team;
    if (keeper === null || !asking.member) {
      const message =
        'This server has no accounts, so there is nobody to share with. Nothing was changed; "heddle serve --team" begins a team.';
      return err(refusal("FORBIDDEN", {}, message));
    }
    return perform({ ...call, keeper, member: asking.member }, params);
  };
}

/** Makes a change of rights as the caller, with its entry in the audit log. */
export function changeAs(
  { keeper, member }: TeamCall,
  wanted: Pick<RightsRequest, "chain" | "changes"> & { readonly verb: Access[0]; readonly also: readonly StoreWrite[] },
): Performed<void> {
  const { id, authenticatedAt, credential = null, network = null } = member;
  const asker = { type: "person", id, authenticatedAt, token: null } as const;
  return keeper.change({ asker, credential, address: network, ...wanted });
}
