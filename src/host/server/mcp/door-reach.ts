import { reachOfAsking, withChanges, withinTurn, type Reach } from "../../access/reach.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { DoorCaller } from "./door-call.ts";

/** Returns what an outside agent may know of and change; null: everything. */
export async function reachOfDoor({ token, member = null }: DoorCaller, workspace: Workspace): Promise<Reach | null> {
  const known = await reachOfAsking({ grant: token, member }, workspace);
  const reach = known === null || member === null ? known : withChanges(known, member, workspace.folders);
  const limit = (await token?.narrowedTo?.()) ?? null;
  return limit === null ? reach : withinTurn(reach, limit);
}
