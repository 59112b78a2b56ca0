import { reachOfAsking, withChanges, type Reach } from "../../access/reach.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { DoorCaller } from "./door-call.ts";

/** Returns what an outside agent may know of and change; null: everything. */
export async function reachOfDoor({ token, member = null }: DoorCaller, workspace: Workspace): Promise<Reach | null> {
  const reach = await reachOfAsking({ grant: token, member }, workspace);
  return reach === null || member === null ? reach : withChanges(reach, member, workspace.folders);
}
