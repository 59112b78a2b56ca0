import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { folderPathChain, folderPathKey, type ObjectKey } from "../../../core/rights/object-key.ts";
import { isAtLeast, type Role } from "../../../core/rights/role.ts";
import { roleOn, subjectsOf, type Rights } from "../../../core/rights/rights.ts";
import type { SubjectKey } from "../../../core/rights/subject.ts";
import { chainOfDocument } from "../../access/chains.ts";
import type { CommandCall } from "./call.ts";
import { changeAs } from "./with-team.ts";

type Call = Pick<CommandCall<never>, "workspace" | "asking">;

interface Move {
  readonly from: string;
  readonly to: string;
}

/** A folder path with roles of its own, and where they go. */
interface Carried {
  readonly path: string;
  readonly from: ObjectKey;
  readonly to: ObjectKey;
}

/**
 * Gives a folder's new path the roles, the links and the closure of its old one before anything lies there, so that nobody reads in
 * between what they may not read before or after. The old path keeps its roles and its closure: what is still there, is made
 * there meanwhile or comes back from the trash stays as protected as it was. Refused where the roles would be about anything else.
 */
export async function carryRoles(call: Call, move: Move): Promise<Result<void, Refusal>> {
  const { workspace, asking } = call;
  const { member } = asking;
  const keeper = workspace.team;
  const { from, to } = move;
  // Into itself it does not go, which whoever moves the documents says.
  if (keeper === null || !member || to === from || to.startsWith(`${from}/`)) return ok(undefined);
  const { rights } = keeper;
  const roleAt = (path: string): Role | null => roleOn(rights, subjectsOf(rights, member.id), folderPathChain(path));
  const carried = carriedIn(rights, move).filter(({ path }) => roleAt(path) === "owner");
  const isThere = carried.every((each) => sameRoles(rights, each));
  const hasLinks = [...rights.links.values()].some(({ object }) => carried.some((each) => each.from === object));
  if (carried.length === 0 || (isThere && !hasLinks)) return ok(undefined);
  const mayCreate = carried.every(({ to: key }) => {
    const role = roleAt(pathOf(key));
    return role !== null && isAtLeast(role, "editor");
  });
  const isOthers = !isThere && carried.some((each) => hasRoles(rights, each.to));
  if (to === "" || !mayCreate || isOthers || (await areAbout(call, rights, carried))) return err(elsewhere);
  for (const each of carried) {
    const copied = await changeAs(
      { keeper, member },
      {
        verb: "folder.share",
        chain: folderPathChain(each.path),
        changes: [{ type: "roles-copied", from: each.from, to: each.to }],
        also: [],
      },
    );
    if (!copied.ok) return copied;
  }
  return ok(undefined);
}

/** The folder and those below it that have roles of their own or are closed. */
function carriedIn(rights: Rights, { from, to }: Move): readonly Carried[] {
  const own = folderPathKey(from);
  const keys = new Set([...rights.shares.keys(), ...rights.closed]);
  return [...keys].flatMap((key): readonly Carried[] => {
    if (key !== own && !key.startsWith(`${own}/`)) return [];
    const path = pathOf(key);
    const rest = path.slice(from.length);
    return [{ path, from: key, to: folderPathKey(to === "" ? rest.slice(1) : `${to}${rest}`) }];
  });
}

function pathOf(key: ObjectKey): string {
  return key.slice(folderPathKey("").length);
}

function hasRoles({ shares, closed }: Rights, key: ObjectKey): boolean {
  return closed.has(key) || (shares.get(key)?.size ?? 0) > 0;
}

/** Whether the new path has the roles of the old one already: an earlier request gave them, or it was moved from there. */
function sameRoles({ shares, closed }: Rights, { from, to }: Carried): boolean {
  const [old, next] = [peopleOf(shares.get(from)), peopleOf(shares.get(to))];
  const isSame = old.length === next.length && old.every(([who, role]) => shares.get(to)?.get(who) === role);
  return isSame && closed.has(from) === closed.has(to);
}

/** The roles of people and groups: links lead to one path alone. */
function peopleOf(roles: ReadonlyMap<SubjectKey, Role> | undefined): readonly (readonly [SubjectKey, Role])[] {
  return [...(roles ?? [])].filter(([subject]) => !subject.startsWith("link:"));
}

/** Whether there are documents, also in the trash, that the roles would be about at their new paths. */
async function areAbout({ workspace }: Call, { closed }: Rights, carried: readonly Carried[]): Promise<boolean> {
  const wanted = new Set<ObjectKey>(carried.map(({ to }) => to));
  return (await workspace.store.blocks(null)).some((header) => {
    for (const [at, object] of (chainOfDocument(header, workspace.folders) ?? []).entries()) {
      if (at > 0 && wanted.has(object)) return true;
      if (closed.has(object)) return false;
    }
    return false;
  });
}

const elsewhere = refusal(
  "INVALID_PARAMS",
  { field: "to" },
  "This folder has roles of its own, a link, or is closed, and where it would go there are documents or roles already. Nothing was moved; choose a path where no folder is, or move its documents one by one.",
);
