import { refusal, type Refusal } from "../../core/base/errors.ts";
import { timeSortedId, type GroupId, type LinkId, type PersonId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { CommandParams } from "../../core/protocol/commands.ts";
import type { shareCommands } from "../../core/protocol/command/share.ts";
import { resourceOf, sharing, type SharedThing } from "../../core/protocol/shape/shared.ts";
import { conversationKey, documentKey, type Chain } from "../../core/rights/object-key.ts";
import { readersOf } from "../../core/rights/readers.ts";
import { linkRoles } from "../../core/rights/rights-row.ts";
import { quotesByAskers, roleOn, subjectsOf, type Rights } from "../../core/rights/rights.ts";
import { subjectKey } from "../../core/rights/subject.ts";
import { chainOf, chainOfDocument } from "../access/chains.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { nothing, type CommandCall, type Performs } from "./base/call.ts";
import { portsOf } from "./base/questions.ts";
import { quotedDocuments } from "./base/quoted-documents.ts";
import { changeAs, withTeam, type TeamCall } from "./base/with-team.ts";

export const performShare: Performs<keyof typeof shareCommands> = {
  "share.list": withTeam(async ({ workspace, keeper, may }, { on }) => {
    const chain = await chainOfShared(on, workspace);
    if (!chain.ok) return chain;
    const { rights } = keeper;
    const [object] = chain.value;
    const mayShare = await may(sharing({ on }));
    return ok({
      people: readersOf(rights, chain.value).map(({ person, group, ...rest }) => ({
        personId: person,
        name: rights.people.get(person) ?? "",
        ...rest,
        group: group === null ? null : (rights.groups.get(group)?.name ?? null),
      })),
      groups: groupsOn(rights, object),
      everyone: rights.shares.get(object)?.get(subjectKey({ type: "everyone" })) ?? null,
      inherits: !rights.closed.has(object),
      mayShare,
      quoting: on.type !== "conversation" ? null : quotesByAskers(rights, chain.value) ? "askers" : "readers",
      links: mayShare ? linksTo(rights, object, workspace.platform.clock.now()) : [],
    });
  }),
  "share.give": withTeam(async (call, { on, to, role }) => {
    const chain = await chainOfShared(on, call.workspace);
    if (!chain.ok) return chain;
    return share(call, on, chain.value, { type: "role-set", object: chain.value[0], subject: to, role });
  }),
  "share.inherit": withTeam(async (call, { on, inherits }) => {
    const chain = await chainOfShared(on, call.workspace);
    if (!chain.ok) return chain;
    const change = { type: "inherits-set", object: chain.value[0], inherits, by: call.member.id } as const;
    return share(call, on, chain.value, change);
  }),
  "share.quoting": withTeam(async (call, { rootId, by }) => {
    const on = { type: "conversation", id: rootId } as const;
    const chain = await chainOfShared(on, call.workspace);
    if (!chain.ok) return chain;
    return share(call, on, chain.value, { type: "quoting-set", object: chain.value[0], by });
  }),
  "share.unseen": withTeam(async ({ workspace, keeper, reach }, { rootId, to }) => {
    const chain = await chainOfShared({ type: "conversation", id: rootId }, workspace);
    if (!chain.ok) return chain;
    const all = await quotedDocuments(rootId, workspace);
    const unseen = all.filter((header) => {
      if (reach !== null && !reach.document(header)) return false;
      const of = chainOfDocument(header, workspace.folders);
      return of !== null && !mayAllRead(keeper.rights, to, of);
    });
    return ok({
      documents: unseen.slice(0, unseenMax).map((header) => ({ blockId: header.id, title: nameOf(header) })),
      total: unseen.length,
    });
  }),
  "share.link": withTeam(async (call, { on, hash, proofHash, role, expiresAt }) => {
    const chain = await chainOfShared(on, call.workspace);
    if (!chain.ok) return chain;
    // Files of the machine that nobody has opened are no documents, so a visitor would see a part of the folder.
    if (on.type === "folder") {
      const message = "A link is to a document, a conversation or a document folder. Nothing was shared.";
      return err(refusal("INVALID_PARAMS", { field: "on" }, message));
    }
    const { clock, random } = call.workspace.platform;
    const now = clock.now();
    const id = timeSortedId("link", now, random.bytes(12)) as LinkId;
    const protection = proofHash === undefined ? {} : { proofHash };
    const link = { id, object: chain.value[0], hash, ...protection, by: call.member.id, expiresAt };
    const refused = whyNoLink(call.keeper.rights, hash);
    if (refused !== null) return err(refused);
    const answer = { linkId: id };
    const made = await changeAs(call, {
      verb: sharing({ on })[0],
      chain: chain.value,
      changes: [{ type: "link-made", link, role, now }],
      also: call.remember(answer, null),
    });
    return made.ok ? ok(answer) : made;
  }),
  "share.end-link": withTeam(async (call, { on, linkId }) => {
    const chain = await chainOfShared(on, call.workspace);
    if (!chain.ok) return chain;
    // A link to something else is not for this one's owners to end.
    const isHere = call.keeper.rights.links.get(linkId)?.object === chain.value[0];
    if (!isHere)
      return err(refusal("NOT_FOUND", { link: linkId }, "No link to this has this id. Nothing was changed."));
    return share(call, on, chain.value, { type: "link-ended", id: linkId });
  }),
};

/** The most documents that are named to somebody who shares a conversation. */
const unseenMax = 100;

/** Whether everybody to whom something is given may read a document; who has a link alone may read none. */
function mayAllRead(rights: Rights, to: CommandParams<"share.unseen">["to"], chain: Chain): boolean {
  if (to.type === "link") return false;
  const people = to.type === "person" ? [to.id] : to.type === "group" ? membersOf(rights, to.id) : rights.people.keys();
  return [...people].every((person) => roleOn(rights, subjectsOf(rights, person), chain) !== null);
}

function membersOf({ groups }: Rights, id: GroupId): Iterable<PersonId> {
  return groups.get(id)?.members ?? [];
}

function nameOf(header: BlockHeader): string {
  const { title } = header.metadata;
  return blockPath(header) ?? (typeof title === "string" ? title : "");
}

/** The most links of a workspace that are in force. */
const linksMax = 5_000;

function whyNoLink({ links, locks }: Rights, hash: string): Refusal | null {
  if (locks.has("links")) {
    const message =
      "Share links are switched off here. Nothing was shared; an owner of the workspace switches them on.";
    return refusal("SETTING_LOCKED", { setting: "links" }, message);
  }
  if (links.size >= linksMax) {
    return refusal(
      "INVALID_PARAMS",
      { links_max: linksMax },
      `No link was made: there are ${linksMax} already. End some.`,
    );
  }
  const isTaken = [...links.values()].some((link) => link.hash === hash);
  return isTaken
    ? refusal(
        "INVALID_PARAMS",
        {},
        "No link was made: there is one with this hash. Make another of fresh random bytes.",
      )
    : null;
}

async function share(
  call: CommandCall<Record<never, never>> & TeamCall,
  on: SharedThing,
  chain: Chain,
  change: Parameters<typeof changeAs>[1]["changes"][0],
): Promise<Result<Record<never, never>, Refusal>> {
  const verb = sharing({ on })[0];
  return nothing(await changeAs(call, { verb, chain, changes: [change], also: call.remember({}, null) }));
}

/** Returns what is shared with all that it lies in. */
async function chainOfShared(on: SharedThing, workspace: Workspace): Promise<Result<Chain, Refusal>> {
  if (on.type === "folder" && !workspace.folders.list().some(({ id }) => id === on.id)) {
    return err(refusal("FOLDER_NOT_FOUND", { folder_id: on.id }));
  }
  const chain = await chainOf(resourceOf(on), portsOf(workspace));
  // A block of a conversation has the rights of that, and none of its own.
  if (on.type === "document" && chain?.[0] !== documentKey(on.id)) {
    return err(refusal("BLOCK_NOT_FOUND", { block_id: on.id }));
  }
  if (on.type === "conversation" && chain?.[0] !== conversationKey(on.id)) {
    return err(refusal("ROOT_NOT_FOUND", { root_id: on.id }));
  }
  return chain === null ? err(refusal("NOT_FOUND")) : ok(chain);
}

function groupsOn(rights: Rights, object: Chain[0]) {
  const given = rights.shares.get(object);
  return [...rights.groups].flatMap(([id, { name, members }]) => {
    const role = given?.get(subjectKey({ type: "group", id })) ?? null;
    return role === null ? [] : [{ groupId: id, name, role, members: members.size }];
  });
}

function linksTo(rights: Rights, object: Chain[0], now: number) {
  return [...rights.links.values()].flatMap((link) => {
    const role = linkRoles.find(
      (each) => each === rights.shares.get(object)?.get(subjectKey({ type: "link", id: link.id })),
    );
    if (link.object !== object || link.expiresAt <= now || role === undefined) return [];
    const by = rights.people.get(link.by) ?? "";
    return [{ linkId: link.id, role, hasPassword: link.proofHash !== undefined, by, expiresAt: link.expiresAt }];
  });
}
