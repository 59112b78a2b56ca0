import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { RightsChange } from "../../core/rights/change-rights.ts";
import { canvasChain, folderPathChain, folderPathKey, type ObjectKey } from "../../core/rights/object-key.ts";
import { roleOn, subjectsOf, type Rights } from "../../core/rights/rights.ts";
import type { CommandCall } from "./call.ts";
import { changeAs, type TeamCall } from "./with-team.ts";

interface Move {
  readonly from: string;
  readonly to: string;
}

type Pair = readonly [from: ObjectKey, to: ObjectKey];

/**
 * Gives a folder's new path the roles and the closure of its old one before anything lies there, so that nobody reads in between what
 * they may not read before or after. Returns what ends those of the old path once all has moved. Refused where documents are at the
 * new path under roles of their own: these would change.
 */
export async function carryRoles(
  call: Pick<CommandCall<never>, "workspace" | "asking">,
  { from, to }: Move,
): Promise<Result<() => Promise<Result<void, Refusal>>, Refusal>> {
  const { workspace, asking } = call;
  const { member } = asking;
  const keeper = workspace.team;
  // Into itself it does not go, which whoever moves the documents says.
  if (keeper === null || !member || to === from || to.startsWith(`${from}/`)) return ok(async () => ok(undefined));
  const pairs = ownedPairs(keeper.rights, member.id, { from, to });
  const [first] = pairs;
  if (first === undefined) return ok(async () => ok(undefined));
  const isCarried = pairs.every(([old, next]) => sameRoles(keeper.rights, old, next));
  if (!isCarried && (to === "" || (await isTaken(call, keeper.rights, to)))) return err(hasRoles);
  const change = (make: (pair: Pair) => RightsChange): Promise<Result<void, Refusal>> => {
    const changes: NonEmptyArray<RightsChange> = [make(first), ...pairs.slice(1).map(make)];
    return changeAs({ keeper, member }, { verb: "folder.share", chain: folderPathChain(from), changes, also: [] });
  };
  const copied = isCarried
    ? ok(undefined)
    : await change(([old, next]) => ({ type: "roles-copied", from: old, to: next }));
  return copied.ok ? ok(() => change(([old]) => ({ type: "roles-ended", object: old }))) : copied;
}

/** The folder and those below it that have roles of their own or are closed, and that somebody owns, with where each goes. */
function ownedPairs(rights: Rights, member: TeamCall["member"]["id"], { from, to }: Move): readonly Pair[] {
  const own = folderPathKey(from);
  const keys = new Set([...rights.shares.keys(), ...rights.closed]);
  return [...keys].flatMap((key): readonly Pair[] => {
    if (key !== own && !key.startsWith(`${own}/`)) return [];
    const path = key.slice(folderPathKey("").length);
    if (roleOn(rights, subjectsOf(rights, member), folderPathChain(path)) !== "owner") return [];
    const rest = path.slice(from.length);
    return [[key, folderPathKey(to === "" ? rest.slice(1) : `${to}${rest}`)]];
  });
}

/** Whether an object has the roles of another already: an earlier request gave them, and did not come to its end. */
function sameRoles({ shares, closed }: Rights, from: ObjectKey, to: ObjectKey): boolean {
  const [old, next] = [shares.get(from), shares.get(to)];
  return (
    closed.has(from) === closed.has(to) && [...(old ?? [])].every(([subject, role]) => next?.get(subject) === role)
  );
}

/** Whether there are documents that the roles of a folder path would be about: those that are closed below it are not. */
async function isTaken(
  { workspace }: Pick<CommandCall<never>, "workspace">,
  { closed }: Rights,
  to: string,
): Promise<boolean> {
  const folder = folderPathKey(to);
  const canvases = await workspace.canvases();
  return canvases.some(({ id, folderPath = "" }) => {
    const chain = canvasChain(id, folderPath);
    const below = chain.indexOf(folder);
    return below > 0 && !chain.slice(0, below).some((object) => closed.has(object));
  });
}

const hasRoles = refusal(
  "INVALID_PARAMS",
  { field: "to" },
  "This folder has roles of its own, or is closed, and there are documents where it would go. Nothing was moved; choose a path where no folder is, or move its documents one by one.",
);
